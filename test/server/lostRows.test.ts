import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteChatDatabase } from '../../src/services/chatDatabase/SqliteChatDatabase.ts';
import type { ChatDatabase } from '../../src/shared/chat.ts';
import { ScriptedModel } from '../support/ScriptedModel.ts';
import { eventsOf, TestServer } from '../support/TestServer.ts';

describe('rows that could not be written', () => {
  it('come again from the journal, whatever was written behind them', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'lathe-rows-'));
    const kept = new SqliteChatDatabase(join(cwd, 'chat.db'));
    let full = false;
    const database: ChatDatabase = {
      write: async (changes) => {
        if (full) throw new Error('the disk is full');
        await kept.write(changes);
      },
      read: async (sessionId) => await kept.read(sessionId),
      clear: async () => await kept.clear(),
      close: async () => await kept.close(),
    };
    const model = await ScriptedModel.start(['One.', 'Two.', 'Three.'].map((text) => ({ text })));
    const server = await TestServer.start({
      ...{ cwd, database },
      profile: { provider: 'openai-compatible', baseUrl: model.url, protocol: 'native' },
    });
    try {
      for (const question of ['one', 'two', 'three']) {
        full = question === 'two';
        const events = await eventsOf(await server.send('session', question));
        assert.equal(events.at(-1)?.event, 'done');
      }
      const messages = (await server.get('/api/chat/sessions/session/messages')) as { content: string }[];
      const said = ['one', 'One.', 'two', 'Two.', 'three', 'Three.'];
      assert.deepEqual(
        messages.map(({ content }) => content),
        said,
      );
      assert.deepEqual(
        (await kept.read('session'))?.messages.map(({ content }) => content),
        said,
      );
      assert.ok(server.tests.errors.some((error) => error.includes('the disk is full')));
    } finally {
      await server.stop();
      await model.stop();
      rmSync(cwd, { recursive: true, force: true });
    }
  });
});
