import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { loadGrammars, type Grammars } from '../../src/core/approval/commands/grammars.ts';
import { judgeCommand } from '../../src/core/approval/commands/judgeCommand.ts';
import { parseCommandLine } from '../../src/frontends/cli/commandLine.ts';
import { approvalPolicySchema } from '../../src/shared/approvals.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import { taskIdSchema } from '../../src/shared/protocol.ts';
import { PolicyBench, type Judged } from '../support/PolicyBench.ts';
import { commandAdvisories } from './commandAdvisories.ts';

/** All that a person can make automatic in the sidebar. */
const AUTOMATIC = approvalPolicySchema.parse({
  auto: { read: true, edit: true, switchMode: true, browser: true },
});

/**
 * Published weaknesses of agents that write code, each with what becomes of it here. A name is `advisory · product · promise`;
 * `npm run advisories` writes them into docs/security.md.
 */
describe('advisories', () => {
  let grammars: Grammars;
  let bench: PolicyBench;
  before(async () => {
    setFlagsFromString('--liftoff-only');
    grammars = await loadGrammars();
  });
  beforeEach(async () => {
    bench = await PolicyBench.open();
  });
  afterEach(async () => bench.close());

  for (const { id, product, what, commands, allow, deny = [], shell = 'bash', expect } of commandAdvisories)
    it(`${id} · ${product} · ${what}`, () => {
      assert.deepEqual(
        commands.map((command) => [command, judgeCommand(command, { allow, deny, shell }, grammars).verdict]),
        commands.map((command) => [command, expect]),
      );
    });

  /** What asks although everything is automatic that can be. */
  const asks = async (tool: string, params: Record<string, unknown>): Promise<void> => {
    const judged = await bench.judge(tool, params, { policy: AUTOMATIC });
    assert.equal(
      'verdict' in judged && judged.verdict,
      'ask',
      `${tool} ${JSON.stringify(params)}: ${JSON.stringify(judged)}`,
    );
  };
  const refused = async (tool: string, params: Record<string, unknown>): Promise<void> => {
    const judged: Judged = await bench.judge(tool, params, { policy: AUTOMATIC });
    assert.ok('refused' in judged, `${tool} ${JSON.stringify(params)}: ${JSON.stringify(judged)}`);
  };
  const writing = (path: string, content = '{}\n') => ['write_to_file', { path, content }] as const;
  const askForEach = async (paths: readonly string[]): Promise<void> => {
    for (const path of paths) await asks(...writing(path));
  };

  it('CVE-2025-53098 · Roo Code · a configuration of MCP servers is never written unasked', async () => {
    await askForEach(['.roo/mcp.json', '.lathe/mcp.json', 'mcp.json', '.mcp.json', 'sub/.lathe/mcp.json']);
  });
  it('CVE-2025-53536 · Roo Code · settings of the editor are never written unasked', async () => {
    await askForEach([
      '.vscode/settings.json',
      '.vscode/tasks.json',
      '.vscode/launch.json',
      'sub/.vscode/settings.json',
    ]);
  });
  it('CVE-2025-58372 · Roo Code · a file of a workspace is never written unasked', async () => {
    await askForEach(['a.code-workspace', 'sub/b.code-workspace', 'A.CODE-WORKSPACE']);
  });
  it('CVE-2025-53097 · Roo Code · a search outside the workspace asks', async () => {
    await asks('search_files', { path: '..', regex: 'x' });
    await asks('list_files', { path: '../home' });
  });
  it('CVE-2025-53773 · GitHub Copilot · an agent cannot make itself automatic: not by a file, nor by a setting of the editor', async () => {
    bench.write('home/settings.json', '{}');
    await asks('write_to_file', {
      path: join(bench.home, 'settings.json'),
      content: '{"approval":{"auto":{"all":true}}}',
    });
    const names = Object.keys(editorSettingsSchema.shape);
    assert.deepEqual(
      names.filter((name) => /approv|allow|automatic|autonom/i.test(name)),
      [],
    );
  });
  it('CVE-2025-54135 · Cursor · a protected file that is missing is not made unasked either', async () => {
    await askForEach([
      '.cursor/mcp.json',
      '.git/hooks/pre-commit',
      '.github/workflows/x.yml',
      '.husky/pre-push',
    ]);
  });
  it('CVE-2025-54130 · Cursor · whatever an editor acts upon asks', async () => {
    await askForEach(['.idea/workspace.xml', '.devcontainer/devcontainer.json', '.zed/tasks.json', '.envrc']);
  });
  it('CVE-2025-59944 · Cursor · no other spelling of a protected name gets by', async () => {
    await askForEach([
      '.VSCODE/Settings.json',
      '.vscode./settings.json',
      '.GIT/config',
      '.Cursor/mcp.json',
      '.ｖscode/x.json',
    ]);
  });
  it('CVE-2025-61592 · Cursor CLI · a project’s configuration is never policy', async () => {
    bench.write('workspace/.cursor/cli.json', '{"permissions":{"allow":["Shell(*)"]}}');
    bench.write('workspace/.lathe/settings.json', '{"approval":{"auto":{"all":true}}}');
    const judged = await bench.judge('execute_command', { command: 'rm -rf src' }, { policy: AUTOMATIC });
    assert.equal('verdict' in judged && judged.verdict, 'ask');
  });
  it('CVE-2025-61260 · Codex · nothing in the workspace says where our own data is', () => {
    const { contributes } = JSON.parse(
      readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
    ) as {
      contributes: { configuration: { properties: Record<string, unknown> } };
    };
    const names = Object.keys(contributes.configuration.properties);
    assert.deepEqual(
      names.filter((name) => /home|folder|key|baseUrl/i.test(name)),
      [],
    );
  });
  it('vscode #335112 · VS Code · every setting is for the machine: no form of a workspace’s value counts', () => {
    const { contributes, capabilities } = JSON.parse(
      readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
    ) as {
      contributes: { configuration: { properties: Record<string, { scope?: string }> } };
      capabilities: { untrustedWorkspaces: { supported: string } };
    };
    const scopes = Object.values(contributes.configuration.properties).map(({ scope }) => scope);
    assert.deepEqual([...new Set(scopes)], ['machine']);
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
  });
  it('CVE-2025-54794 · Claude Code · a neighbour whose name begins alike is outside', async () => {
    bench.write('workspace-evil/x.txt');
    await asks('read_file', { path: '../workspace-evil/x.txt' });
    await asks(...writing('../workspace-evil/x.txt'));
  });
  it('CVE-2025-58373 · Roo Code · a link does not show what an ignore file hides', async () => {
    bench.write('workspace/.latheignore', 'secret.txt\n');
    bench.write('workspace/secret.txt');
    bench.link('workspace/link.txt', 'secret.txt');
    await refused('read_file', { path: 'link.txt' });
    await refused('read_file', { path: 'secret.txt' });
  });
  it('CVE-2026-25724 · Claude Code · a link is no way around what was denied', async () => {
    bench.write('workspace/plan.txt');
    bench.link('workspace/link.txt', 'plan.txt');
    const deny = [{ type: 'file', access: 'read', path: join(bench.root, 'plan.txt') } as const];
    const judged = await bench.judge('read_file', { path: 'link.txt' }, { policy: { ...AUTOMATIC, deny } });
    assert.equal('verdict' in judged && judged.verdict, 'deny');
  });
  it('CVE-2026-39861 · Claude Code · a link out of the workspace is judged as what it leads to', async () => {
    bench.write('outside/x.txt');
    bench.link('workspace/link', '../outside');
    await asks(...writing('link/x.txt'));
    await asks(...writing('link/new.txt'));
  });
  it('CVE-2026-50549 · Cursor · a path that cannot be resolved is refused', async () => {
    bench.link('workspace/loop', 'loop');
    await refused('read_file', { path: 'loop' });
    await refused(...writing('loop/x.txt'));
  });
  it('CVE-2026-45482 · Copilot Chat · a path that goes up is seen where it ends', async () => {
    await asks(...writing('a/../../x.txt'));
    await asks('read_file', { path: 'src/../../home/settings.json' });
  });
  it('VTCode #747 · VTCode · the workspace itself cannot be deleted', async () => {
    for (const path of ['', '.', './', 'src/..', bench.root]) await refused('delete_file', { path });
  });
  it('CVE-2025-59532 · Codex · the folder of a command is the person’s to see, not the model’s to choose', async () => {
    for (const cwd of ['/', '..', bench.base]) {
      const judged = await bench.judge('execute_command', { command: 'ls', cwd }, { policy: AUTOMATIC });
      assert.deepEqual('verdict' in judged && [judged.verdict, judged.dangerous], ['ask', true]);
    }
  });
  it('CVE-2025-66389 · GitHub Copilot · a page is opened by http and https alone', async () => {
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'chrome://settings', 'data:text/html,x'])
      await refused('browser_action', { action: 'launch', url });
  });
  it('vscode #335114 · VS Code · a name that becomes a path is no path', () => {
    for (const name of ['../x', 'a/b', '..', '', 'a\0b', 'C:\\x'])
      assert.equal(taskIdSchema.safeParse(name).success, false, name);
  });
  it('GHSA-wpqr-6v78-jr5g · Gemini CLI · without a person and without a word, nothing but reading is automatic', () => {
    const line = parseCommandLine(['run', 'task']);
    assert.deepEqual(line.command === 'run' && line.automatic, {
      read: true,
      edit: false,
      switchMode: false,
      all: false,
    });
  });
});
