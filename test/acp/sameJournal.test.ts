import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { Agent } from '../../src/core/Agent.ts';
import type { EditorHost } from '../../src/core/host/Host.ts';
import { readRecorded } from '../../src/core/replay/readRecorded.ts';
import { replayTask } from '../../src/core/replay/replayTask.ts';
import { PageConnection, type EditorHandlers } from '../../src/frontends/page/PageConnection.ts';
import { NodeHost, withoutSecrets } from '../../src/hosts/node/NodeHost.ts';
import { profileFromEnvironment } from '../../src/frontends/cli/commandLine.ts';
import { createProvider } from '../../src/providers/registry.ts';
import { McpHub } from '../../src/services/mcp/McpHub.ts';
import type { JournalEntry, TaskEvent } from '../../src/shared/events.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import type { ServerMessage } from '../../src/shared/wire.ts';
import { ScriptedModel, xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { AcpBench, BUG, DIFF, MENDED } from './support/AcpBench.ts';
import { TerminalProgram } from '../support/TerminalProgram.ts';

const [FILE_BEFORE, FILE_AFTER] = [BUG, MENDED].map((text) =>
  createHash('sha256').update(text).digest('hex'),
);
const TASK = 'Mend @/sum.js';
const CHECK = `node -e "import('./sum.js').then(({ sum }) => process.exit(sum(2, 3) === 5 ? 0 : 1))"`;

/** An editor with nothing open, whose person leaves each diff as it is. */
const EDITOR: EditorHost = {
  openDiff: ({ after }) =>
    Promise.resolve({ text: () => Promise.resolve(after), close: () => Promise.resolve() }),
  facts: () => Promise.resolve({ visibleFiles: [], openTabs: [] }),
};

/**
 * What is each front end's own in an approval: whether the edit was shown as a diff beside the question, and who answered. An editor
 * of another maker answers by an option of the list, and who sits at it is not known here; `lathe run` has no diff but in the text.
 */
const OWN = {
  sidebar: { reviews: [true, false], decision: { outcome: 'allow', by: 'person' } },
  acp: {
    reviews: [true, false],
    decision: { outcome: 'allow', by: 'client', optionId: 'allow_once' },
  },
  shell: { reviews: [false, false], decision: { outcome: 'allow', by: 'person' } },
} as const;

function script(protocol: string): Reply[] {
  const calling = (text: string, name: string, params: Record<string, string>): Reply =>
    protocol === 'xml'
      ? { text: `${text}\n${xmlCall(name, params)}` }
      : { text, calls: [{ name, arguments: params }] };
  return [
    { ...calling('I look first.', 'read_file', { path: 'sum.js' }), reasoning: 'A sum.' },
    calling('A minus.', 'apply_diff', { path: 'sum.js', diff: DIFF }),
    calling('Now the check.', 'execute_command', { command: CHECK }),
    calling('', 'update_todo_list', { todos: '[x] Mend' }),
    calling('', 'attempt_completion', { result: 'sum adds now.' }),
  ];
}

describe('the same task in the sidebar, in another editor and in a shell', function () {
  this.timeout(60_000);
  let bench: AcpBench;
  const models: ScriptedModel[] = [];

  beforeEach(() => (bench = new AcpBench()));
  afterEach(async () => {
    for (const model of models.splice(0)) await model.stop();
    await bench.stop();
  });

  /** A data folder of its own, and the environment that the task begins in. */
  async function environment(name: string, protocol: string): Promise<NodeJS.ProcessEnv> {
    const model = await ScriptedModel.start(script(protocol));
    models.push(model);
    writeFileSync(bench.file, BUG);
    return {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LATHE_PROVIDER: 'openai-compatible',
      LATHE_BASE_URL: model.url,
      LATHE_API_KEY: 'test-key',
      LATHE_MODEL: 'scripted',
      LATHE_TOOL_PROTOCOL: protocol,
      LATHE_HOME: join(bench.folder, name),
    };
  }

  /** The only journal of a data folder; the edit and the command must have been real. */
  async function journal({ LATHE_HOME = '' }: NodeJS.ProcessEnv): Promise<JournalEntry[]> {
    assert.equal(readFileSync(bench.file, 'utf8'), MENDED);
    const [taskId, ...more] = readdirSync(join(LATHE_HOME, 'tasks'));
    assert.ok(taskId !== undefined && more.length === 0);
    const path = join(LATHE_HOME, 'tasks', taskId, 'journal.jsonl');
    const [task] = readRecorded(readFileSync(path), path);
    assert.ok(task);
    const { steps } = await replayTask(task.entries);
    assert.deepEqual(
      steps.filter(({ verdict }) => verdict !== 'same'),
      [],
    );
    return task.entries;
  }

  /** Through the sidebar's line, with the parts that the extension gives its agent; a person at its cards. */
  async function inSidebar(given: NodeJS.ProcessEnv): Promise<void> {
    const home = given.LATHE_HOME ?? '';
    const hub = new McpHub({
      ...{ home, version, environment: withoutSecrets(given) },
      workspace: () => bench.cwd,
      trusted: () => true,
      logger: console,
    });
    await hub.start();
    const machine = await NodeHost.create(given, home, hub, version);
    const host = { ...machine.forSession(hub), editor: EDITOR };
    const settings = editorSettingsSchema.parse({});
    const agent = new Agent({
      ...{ host, home, attended: true, logger: console },
      cwd: () => bench.cwd,
      trusted: () => true,
      editorSettings: () => settings,
      findServices: () => Promise.resolve([]),
      createProvider: async (profile, key) =>
        await createProvider(profile, {
          key,
          idleTimeoutMs: settings.idleTimeoutSeconds * 1000,
          retryLimit: settings.retryLimit,
        }),
      fixedProfile: profileFromEnvironment(given),
    });
    const answers = new Map<number, (message: ServerMessage) => void>();
    let heard: (event: TaskEvent) => void = () => undefined;
    const connection = new PageConnection({
      agent: () => Promise.resolve(agent),
      editor: {
        'editor/ready': () => Promise.resolve({ locale: 'en', trusted: true, version }),
      } as unknown as EditorHandlers,
      folders: () => [bench.cwd],
      post: (message) => {
        if (message.type === 'notification') {
          const { events = [] } = message.params as { events?: TaskEvent[] };
          if (message.name === 'task/events') for (const event of events) heard(event);
        } else answers.get(message.id)?.(message);
      },
      logger: console,
    });
    let id = 0;
    const call = async (method: string, params: unknown): Promise<Record<string, unknown>> => {
      const answer = new Promise<ServerMessage>((resolve) => answers.set(++id, resolve));
      void connection.receive({ type: 'request', id, method, params });
      const said = await answer;
      if (said.type !== 'response') throw new Error(`${method}: ${JSON.stringify(said)}`);
      return said.result as Record<string, unknown>;
    };
    try {
      const done = new Promise<void>((resolve) => {
        const seen = new Set<number>();
        heard = (event) => {
          if (event.kind !== 'entry' || seen.has(event.entry.seq)) return;
          seen.add(event.entry.seq);
          if (event.entry.type === 'task_finished') resolve();
          if (event.entry.type !== 'approval_requested') return;
          const { id: approvalId, taskId } = event.entry.request;
          void call('approval/respond', {
            ...{ taskId, approvalId },
            decision: { outcome: 'allow', by: 'person' },
          });
        };
      });
      await call('editor/ready', {});
      const { taskId } = await call('task/create', { text: TASK, mode: 'code' });
      const { entries } = await call('task/subscribe', { taskId });
      for (const entry of entries as JournalEntry[]) heard({ kind: 'entry', entry });
      await done;
    } finally {
      connection.dispose();
      await agent.dispose();
      await host.dispose();
      await machine.dispose();
    }
  }

  for (const protocol of ['xml', 'native'])
    it(`gives the same journal, but for ids and times (${protocol})`, async () => {
      const sidebar = await environment('sidebar', protocol);
      await inSidebar(sidebar);
      const expected = comparable(await journal(sidebar), 'sidebar');
      assert.deepEqual(
        expected.flatMap((entry) =>
          entry.type === 'tool_finished' ? [`${entry.tool} ${entry.outcome}`] : [],
        ),
        [
          'read_file done',
          'apply_diff done',
          'execute_command done',
          'update_todo_list done',
          'attempt_completion done',
        ],
      );

      const acp = await environment('acp', protocol);
      const client = await bench.start([], { environment: acp });
      assert.equal(await client.prompt(await client.newSession(bench.cwd), TASK), 'end_turn');
      await client.stop();
      assert.deepEqual(comparable(await journal(acp), 'acp'), expected);

      const shell = await environment('shell', protocol);
      const program = new TerminalProgram(bench.cwd, ['run', TASK], shell);
      await program.answer('Approve?', 'y');
      await program.answer('Approve?', 'y');
      assert.equal(await program.ended(), 0);
      assert.deepEqual(comparable(await journal(shell), 'shell'), expected);
    });
});

const ID = /(call_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|call_scripted_\d+_\d+/g;

/**
 * Entries with what differs from run to run made the same: ids by their order, times, and the hashes of what holds an id. What is a
 * front end's own must be so, and is taken out.
 */
function comparable(entries: readonly JournalEntry[], frontEnd: keyof typeof OWN): JournalEntry[] {
  const known = new Map<string, string>();
  const text = JSON.stringify(entries, (key, value: unknown) => {
    if (key === 'at' || key === 'durationMs') return 0;
    // Files keep theirs: they are the same bytes.
    if (
      (key === 'hash' && typeof value === 'string' && value !== FILE_BEFORE && value !== FILE_AFTER) ||
      key === 'checkpointId'
    )
      return key;
    return value;
  });
  const plain = text
    .replace(ID, (id) => {
      const name = known.get(id) ?? `id-${known.size + 1}`;
      known.set(id, name);
      return name;
    })
    // The prompt says the day.
    .replace(/\d{4}-\d{2}-\d{2}/g, 'a day');
  const reviews: boolean[] = [];
  const result = (JSON.parse(plain) as JournalEntry[]).map((entry): JournalEntry => {
    if (entry.type === 'approval_requested' && entry.request.reason === 'tool') {
      reviews.push(entry.request.review);
      return { ...entry, request: { ...entry.request, review: false } };
    }
    if (entry.type !== 'approval_resolved') return entry;
    assert.deepEqual(entry.decision, OWN[frontEnd].decision);
    return { ...entry, decision: OWN.sidebar.decision };
  });
  assert.deepEqual(reviews, OWN[frontEnd].reviews);
  return result;
}
