import type { SessionUpdate } from '@agentclientprotocol/sdk';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { AcpBench, done, refusal, run } from './support/AcpBench.ts';

const textOf = (update: SessionUpdate): string =>
  update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
    ? update.content.text.trim()
    : '';

describe('ACP: many at once', () => {
  let bench: AcpBench;
  beforeEach(() => {
    bench = new AcpBench();
  });
  afterEach(async () => {
    await bench.stop();
  });

  it('many: twenty sessions at once in one program; one fails, the folder of one vanishes, and the others go on', async function () {
    this.timeout(120_000);
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const [FAILS, VANISHES] = [7, 13];
    const folders = numbers.map((number) => join(bench.folder, `project-${number}`));
    const make = (number: number): void => {
      const folder = folders[number] ?? '';
      mkdirSync(folder);
      writeFileSync(join(folder, 'given.txt'), `given-${number}\n`);
    };
    numbers.forEach(make);
    // Three requests of each that goes on, in whatever order they come: what is answered is by what is asked.
    const answer = ({ text }: { text: string }): Reply => {
      const number = Number(/task-(\d+)-/.exec(text)?.[1]);
      const given = /\d+ \| given-(\d+)/.exec(text)?.[1] ?? 'nothing';
      if (number === FAILS) return { status: 400, error: 'not this one' };
      if (text.includes('[write_to_file')) return done(`answer-${number} of ${given}`);
      return text.includes('[read_file')
        ? { text: xmlCall('write_to_file', { path: 'made.txt', content: `made of ${given}` }) }
        : { text: xmlCall('read_file', { path: 'given.txt' }) };
    };
    const client = await bench.start(Array.from({ length: 18 * 3 + 1 }, () => answer));
    const sessions = await Promise.all(folders.map(async (folder) => await client.newSession(folder)));
    rmSync(folders[VANISHES] ?? '', { recursive: true });
    const ends = await Promise.allSettled(
      sessions.map(async (session, number) => await client.prompt(session, `task-${number}-`)),
    );
    const goesOn = (number: number): boolean => number !== FAILS && number !== VANISHES;
    assert.deepEqual(
      ends.map((end) => (end.status === 'fulfilled' ? end.value : 'failed')),
      numbers.map((number) => (goesOn(number) ? 'end_turn' : 'failed')),
    );
    assert.deepEqual(
      sessions.map((session) => client.text(session)),
      numbers.map((number) => (goesOn(number) ? `answer-${number} of ${number}` : '')),
    );
    const made = folders.map((folder) => join(folder, 'made.txt'));
    assert.deepEqual(
      made.map((file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '')),
      numbers.map((number) => (goesOn(number) ? `made of ${number}` : '')),
    );

    // The two go on when what was in their way is mended.
    const [failed = '', vanished = ''] = [sessions[FAILS], sessions[VANISHES]];
    const gone = await refusal(client.prompt(vanished, 'and now?'));
    assert.equal(gone.code, -32603);
    assert.match(gone.message, /^The folder of this task cannot be read: .*project-13 .*put the folder back/);
    make(VANISHES);
    await bench.script([answer, answer, answer]);
    assert.equal(await client.prompt(vanished, 'and now?'), 'end_turn');
    assert.equal(client.text(vanished), 'answer-13 of 13');
    await bench.script([done('After all.')]);
    assert.equal(await client.prompt(failed, 'and now?'), 'end_turn');
    assert.equal(client.text(failed), 'After all.');
  });

  it('steering: a prompt during a prompt joins the turn, and both are answered with it', async () => {
    const client = await bench.start([run('until [ -e go ]; do sleep 0.1; done'), done()]);
    const session = await client.newSession(bench.cwd);
    const first = client.prompt(session, 'run it');
    await client.until(() => client.calls().length === 1, 'the call');
    const second = client.prompt(session, 'and say it in French');
    // Messages are taken up in order: the prompt waits at the task before the command may end.
    await client.agent.request('session/list', {});
    writeFileSync(join(bench.cwd, 'go'), '');
    assert.deepEqual(await Promise.all([first, second]), ['end_turn', 'end_turn']);
    assert.match(bench.model.requests[1]?.text ?? '', /and say it in French/);
    assert.equal(bench.model.requests.length, 2);
  });

  it('queue: a prompt that comes while the last answer is written has a turn of its own behind it', async () => {
    // Its words can be seen long before its end comes.
    const slow = { text: `Words.\n\n${done('The first answer.').text}`, delay: 50 };
    const client = await bench.start([slow, done('The second.')]);
    const session = await client.newSession(bench.cwd);
    const first = client.prompt(session, 'the first question');
    await client.until(() => client.text().includes('Words.'), 'the first words');
    const second = client.prompt(session, 'the second question');
    assert.deepEqual(await Promise.all([first, second]), ['end_turn', 'end_turn']);
    const said = client.seen.flatMap((one) =>
      one.type === 'answer' ? [one.method] : one.type === 'update' ? [textOf(one.update)] : [],
    );
    // Each is answered behind its own words.
    assert.deepEqual(said.filter((one) => one !== '').slice(2), [
      'Words.',
      'The first answer.',
      'session/prompt',
      'The second.',
      'session/prompt',
    ]);
    assert.match(bench.model.requests[1]?.text ?? '', /the first question.*The first answer.*the second/);
  });
});
