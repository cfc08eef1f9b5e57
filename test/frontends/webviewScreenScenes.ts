import type { ToolView } from '../../src/shared/tools.ts';
import {
  answered,
  call,
  commandApproval,
  diffDetails,
  finished,
  Refusal,
  started,
  type ScriptedAgent,
} from './webviewAgent.ts';
import type { Sidebar } from './webviewHarness.ts';
import { longPath, pastTasks } from './webviewTasks.ts';

/** A state of the sidebar that must look right and be reachable by everyone: what the agent says, and what a person did. */
export interface Scene {
  name: string;
  prepare: (agent: ScriptedAgent) => Promise<void> | void;
  act?: (sidebar: Sidebar) => Promise<void>;
}

const screen = (name: string) => async (sidebar: Sidebar) => {
  await sidebar.agent.notify('editor/command', { command: name });
  await sidebar.byTest(name).waitFor();
};

/** What stands before a task, and the screens beside the conversation. */
export const screenScenes: readonly Scene[] = [
  {
    name: 'first-start-found',
    prepare: withoutModel(['qwen3-coder:30b', 'a-model-with-a-very-long-name:480b']),
  },
  {
    name: 'first-start-many',
    prepare: withoutModel(['llama3.3:70b', 'qwen3:8b', 'gemma3:27b', 'mistral-small:24b', 'phi4:14b']),
  },
  { name: 'first-start-nothing', prepare: withoutModel() },
  {
    name: 'first-start-looking',
    prepare: (agent) => {
      withoutModel()(agent);
      agent.answers.set('service/find', () => new Promise(() => undefined));
    },
  },
  { name: 'history', prepare: pastTasks, act: screen('history') },
  { name: 'history-empty', prepare: () => undefined, act: screen('history') },
  {
    name: 'history-everywhere',
    prepare: tasksEverywhere,
    act: async (sidebar) => {
      await screen('history')(sidebar);
      await sidebar.byTest('history-workspace').selectOption('all');
      await sidebar.byTest('task-folder').first().waitFor();
    },
  },
  {
    name: 'history-found',
    prepare: (agent) => {
      pastTasks(agent);
      agent.answers.set('task/search', () => [
        { taskId: 'task-4', excerpt: '…the loop begins at one, so that the first item is never counted…' },
      ]);
    },
    act: async (sidebar) => {
      await screen('history')(sidebar);
      await sidebar.byTest('history-search').fill('loop begins');
      await sidebar.frame.locator('.excerpt').waitFor();
    },
  },
  {
    name: 'history-not-found',
    prepare: pastTasks,
    act: async (sidebar) => {
      await screen('history')(sidebar);
      await sidebar.byTest('history-search').fill('a word that nobody said');
    },
  },
  {
    name: 'history-menu',
    prepare: pastTasks,
    act: async (sidebar) => {
      await screen('history')(sidebar);
      await sidebar.byTest('task-actions').nth(1).click();
    },
  },
  {
    name: 'history-rename',
    prepare: pastTasks,
    act: async (sidebar) => {
      await screen('history')(sidebar);
      await sidebar.byTest('task-actions').nth(1).click();
      await sidebar.byTest('task-actions-item').nth(1).click();
    },
  },
  {
    name: 'history-deleted',
    prepare: pastTasks,
    act: async (sidebar) => {
      await screen('history')(sidebar);
      await sidebar.byTest('task-actions').first().click();
      await sidebar.byTest('task-actions-item').last().click();
      await sidebar.byTest('deleted').waitFor();
    },
  },
  {
    name: 'settings',
    prepare: (agent) => {
      const [profile] = agent.profiles;
      if (profile)
        agent.profiles.push({
          ...profile,
          name: 'A local model with a long name',
          provider: 'ollama',
          model: 'q',
        });
      agent.policy.allow.push(
        { type: 'command', command: 'npm test -- --grep "a long pattern"', cwd: '/work/shop' },
        { type: 'folder', access: 'edit', path: '/work/shop/src/features' },
      );
      agent.policy.deny.push({ type: 'command', command: 'git push --force', cwd: '/work/elsewhere' });
    },
    act: screen('settings'),
  },
  {
    name: 'settings-rules',
    prepare: manyRules,
    act: async (sidebar) => {
      await screen('settings')(sidebar);
      await sidebar.byTest('rules').scrollIntoViewIfNeeded();
      await sidebar.frame.locator('[data-testid="rules-denied"]').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'settings-explain',
    prepare: explained,
    act: async (sidebar) => {
      await screen('settings')(sidebar);
      await sidebar.byTest('explain-command').fill('git status && npm test > $OUT');
      await sidebar.byTest('explain-button').click();
      await sidebar.byTest('explained').waitFor();
      await sidebar.byTest('open-about').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'settings-explain-denied',
    prepare: (agent) => {
      agent.answers.set('command/explain', () => ({
        verdict: 'deny',
        why: [{ key: 'command.denied', args: { rule: 'git push' } }],
        parts: [],
        more: 0,
      }));
    },
    act: async (sidebar) => {
      await screen('settings')(sidebar);
      await sidebar.byTest('explain-command').fill('git push origin main');
      await sidebar.byTest('explain-command').press('Enter');
      await sidebar.byTest('explained').waitFor();
      await sidebar.byTest('open-about').scrollIntoViewIfNeeded();
    },
  },
  { name: 'about', prepare: () => undefined, act: screen('about') },
  {
    name: 'profile',
    prepare: () => undefined,
    act: async (sidebar) => {
      await screen('settings')(sidebar);
      await sidebar.byTest('add-profile').click();
      await sidebar.byTest('profile-save').click();
    },
  },
  {
    name: 'profile-tested',
    prepare: () => undefined,
    act: async (sidebar) => {
      await screen('settings')(sidebar);
      await sidebar.byTest('profile').getByRole('button').nth(1).click();
      await sidebar.byTest('profile-test').click();
      await sidebar.byTest('test-ok').waitFor();
    },
  },
  {
    name: 'profile-refused',
    prepare: (agent) => {
      agent.answers.set('profile/test', () => ({
        ok: false,
        error: { key: 'provider.badKey', args: { provider: 'Anthropic', status: 401 } },
      }));
    },
    act: async (sidebar) => {
      await screen('settings')(sidebar);
      await sidebar.byTest('profile').getByRole('button').nth(1).click();
      await sidebar.byTest('profile-test').click();
      await sidebar.byTest('test-failed').waitFor();
    },
  },
  {
    name: 'profile-delete',
    prepare: () => undefined,
    act: async (sidebar) => {
      await screen('settings')(sidebar);
      await sidebar.byTest('profile').getByRole('button').nth(2).click();
    },
  },
  {
    name: 'strange-names',
    prepare: strangeNames,
    act: async ({ page }) => {
      await page.locator('.task-title').click();
    },
  },
  { name: 'strange-names-history', prepare: strangeNames, act: screen('history') },
  { name: 'strange-names-settings', prepare: strangeNames, act: screen('settings') },
  {
    name: 'strange-names-no-task',
    prepare: async (agent) => {
      await strangeNames(agent);
      agent.taskId = undefined;
      agent.workspace = `/work/${strange}`;
    },
  },
  {
    name: 'error',
    prepare: (agent) => {
      agent.answers.set('task/create', () => {
        throw new Refusal({ code: 'unavailable', message: { key: 'error.noProfile' } });
      });
    },
    act: async ({ byTest }) => {
      await byTest('composer').fill('Fix it');
      await byTest('send').click();
      await byTest('error').waitFor();
    },
  },
];

/** A rule of every type, in both lists. */
function manyRules(agent: ScriptedAgent): void {
  agent.policy.allow.push(
    { type: 'kind', kind: 'read', workspace: '/work/elsewhere/with/a/long/path/to/the/other/workspace' },
    { type: 'file', access: 'read', path: longPath },
    { type: 'folder', access: 'edit', path: '/work/shop/src/features' },
    { type: 'site', site: 'https://docs.example.com' },
    { type: 'mcp', server: 'tickets', source: '~/.config/mcp.json', tool: 'find_ticket' },
  );
  agent.policy.deny.push(
    { type: 'command', command: 'git push --force origin main', cwd: '/work/shop' },
    { type: 'file', access: 'edit', path: '/work/shop/👩‍👩‍👧‍👦 مرحبا/מסמך.md' },
  );
}

function explained(agent: ScriptedAgent): void {
  agent.answers.set('command/explain', () => ({
    verdict: 'ask',
    why: [
      { key: 'command.variable', args: { text: '$OUT' } },
      { key: 'command.redirect', args: { text: '> $OUT' } },
    ],
    more: 0,
    parts: [
      {
        source: 'git status',
        verdict: 'auto',
        why: [{ key: 'command.allowed', args: { rule: 'git status' } }],
      },
      {
        source: 'npm test > $OUT',
        verdict: 'ask',
        why: [{ key: 'command.notAllowed', args: { program: 'npm' } }],
      },
    ],
  }));
}

function withoutModel(models?: string[]): (agent: ScriptedAgent) => void {
  return (agent) => {
    agent.profiles = [];
    agent.active = undefined;
    agent.services = models
      ? [
          { provider: 'ollama', models },
          { provider: 'lmstudio', models: [] },
        ]
      : [];
  };
}

/** Written from right to left and with pictures that are several characters, and long without a place to break. */
const strange = '👩‍👩‍👧‍👦 مرحبا_בית_aVeryLongNameWithoutAnyPlaceToBreakItAtAllWhichGoesOnAndOn🏳️‍🌈';

async function strangeNames(agent: ScriptedAgent): Promise<void> {
  const path = `src/${strange}/${strange}.ts`;
  const view: ToolView = { kind: 'edit', subject: path, locations: [{ path }] };
  const [profile] = agent.profiles;
  const name = Array.from(strange).slice(0, 48).join('');
  if (profile) agent.profiles = [{ ...profile, name, model: `vendor/${strange}` }];
  agent.active = name;
  pastTasks(agent);
  agent.tasks = agent.tasks.map((task) => ({ ...task, title: strange }));
  agent.policy.allow.push({ type: 'file', access: 'edit', path: `/work/shop/${path}` });
  agent.taskId = 'task-1';
  agent.running = true;
  const command = `echo "${strange}" && cat ${path}`;
  await agent.say(
    'task-1',
    started('task-1'),
    { type: 'user_message', text: strange },
    ...answered('r1', [
      call('c1', 'write_to_file', { path, content: strange }),
      call('c2', 'read_file', { path }),
      call('c3', 'execute_command', { command }),
    ]),
    finished('c1', 'write_to_file', view, { details: { ...diffDetails, path } }),
    finished('c2', 'read_file', { ...view, kind: 'read' }, { outcome: 'failed', content: strange }),
    commandApproval('a1', 'c3', command),
  );
}

function tasksEverywhere(agent: ScriptedAgent): void {
  pastTasks(agent);
  const here = agent.tasks;
  const all = here.map((task, index) => ({
    ...task,
    id: `${task.id}-elsewhere`,
    title: `Elsewhere: ${task.title}`,
    mode: index % 2 === 0 ? 'ask' : 'debug',
    cwd: '/work/another/folder/with/quite/a/long/name/of/its/own/website',
  }));
  agent.answers.set('task/list', ({ cwd }) => (cwd === undefined ? [...here, ...all] : here));
}
