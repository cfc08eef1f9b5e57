import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, internals } from './support/Lathe.ts';

describe('the code index in the editor', () => {
  const path = (): string => join(folder(), 'tokens.py');
  afterEach(() => rmSync(path(), { force: true }));

  it('finds definitions with the SQLite of the extension host and the grammars of the package', async () => {
    writeFileSync(path(), 'class Tokens:\n    def expire_sessions(self):\n        pass\n');
    const { host } = await (await internals()).loaded();
    assert.ok(host.codeIndex, 'there is an index');
    const { places, indexed } = await host.codeIndex.search({
      root: folder(),
      files: ['tokens.py'],
      question: 'when does a session expire?',
      prefix: '',
      limit: 5,
      patience: 20_000,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    assert.deepEqual(
      [indexed, places.map(({ path, start, end, kind, name }) => ({ path, start, end, kind, name }))],
      [1, [{ path: 'tokens.py', start: 1, end: 3, kind: 'class', name: 'Tokens' }]],
    );
  });
});
