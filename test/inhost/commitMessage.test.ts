import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Repository } from '../../src/frontends/vscode/commitMessage.ts';
import { folder, Lathe, until } from './support/Lathe.ts';

interface Git {
  openRepository(root: vscode.Uri): Promise<Repository | null>;
}

describe('commit messages', () => {
  let lathe: Lathe;
  let root: string;
  let repository: Repository;
  const git = (...args: string[]): string => {
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' });
  };

  before(async () => {
    lathe = await Lathe.start();
    root = join(folder(), 'repository');
    mkdirSync(root);
    git('init', '-q');
    writeFileSync(join(root, 'count.js'), 'one\n');
    git('add', '.');
    git('commit', '-q', '-m', 'counter: Begin');
    const extension = vscode.extensions.getExtension<{ getAPI(version: 1): Git }>('vscode.git');
    assert.ok(extension, 'VS Code has no git extension');
    const found = await (await extension.activate()).getAPI(1).openRepository(vscode.Uri.file(root));
    assert.ok(found, 'git does not know the repository');
    repository = found;
  });
  after(async () => {
    await lathe.stop();
    rmSync(root, { recursive: true, force: true });
    rmSync(join(folder(), '.latheignore'), { force: true });
  });

  const changed = async (count: (state: Repository['state']) => number, wanted: number): Promise<void> => {
    await until(async () => {
      await vscode.commands.executeCommand('git.refresh', repository.rootUri);
      return count(repository.state) === wanted;
    }, `${wanted} changes in git's view`);
  };
  const write = async (answer: string): Promise<string> => {
    lathe.model.turns.length = lathe.model.requests.length;
    lathe.model.turns.push({ text: answer });
    await vscode.commands.executeCommand('lathe.commitMessage', { rootUri: repository.rootUri });
    return lathe.model.requests.at(-1)?.text ?? '';
  };

  /** The editor tells the extension host once more, a moment later, what was in the box before: that must have come and gone. */
  const begun = async (text: string): Promise<void> => {
    let steady = 0;
    await until(async () => {
      steady = repository.inputBox.value === text ? steady + 1 : 0;
      if (steady === 0) repository.inputBox.value = text;
      await sleep(50);
      return steady >= 10;
    }, `the beginning of a message: ${text}`);
  };

  it('are written from all changes, without what holds secrets, in the manner of earlier ones', async () => {
    writeFileSync(join(root, 'count.js'), 'one\ntwo\n');
    writeFileSync(join(root, '.env'), 'KEY=very-secret\n');
    git('add', '-N', '.env');
    await changed(
      ({ workingTreeChanges, untrackedChanges = [] }) => workingTreeChanges.length + untrackedChanges.length,
      2,
    );
    const asked = await write('counter: Count to two');
    assert.equal(repository.inputBox.value, 'counter: Count to two');
    assert.match(asked, /- counter: Begin/);
    assert.match(asked, /\+two/);
    assert.match(asked, /Changed, not shown:\\n\.env/);
    assert.doesNotMatch(asked, /very-secret/);
  });

  it('are written from what is staged alone, and go on with what the person has begun', async () => {
    writeFileSync(join(root, 'count.js'), 'one\ntwo\n');
    git('add', 'count.js');
    writeFileSync(join(root, 'count.js'), 'one\ntwo\nthree\n');
    await changed(({ indexChanges }) => indexChanges.length, 1);
    await begun('counter: because of #7');
    const asked = await write('counter: Count to two, because of #7');
    assert.equal(repository.inputBox.value, 'counter: Count to two, because of #7');
    assert.match(asked, /The person has begun:\\ncounter: because of #7/);
    assert.match(asked, /\+two/);
    assert.doesNotMatch(asked, /three/);
  });
});
