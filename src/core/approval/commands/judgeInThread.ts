import { Thread, ThreadEnded, threadFile } from '../../../services/threads/Thread.ts';
import { message } from '../../../shared/strings.ts';
import type { CommandRules, Judgement } from './judgeCommand.ts';
import type { JudgeRequest } from './judgeThread.ts';

/** Milliseconds without a command after which the grammars' memory is given back. */
const IDLE = 300_000;

/** One for the whole process, so that grammars are loaded once; started by the first command. V8 compiles them there, in its own time. */
const thread = new Thread<JudgeRequest, Judgement>(threadFile(import.meta.url, 'judgeThread'), {
  idle: IDLE,
  heap: 256,
});

/** `judgeCommand` in a thread of its own. A command on which the thread broke down asks. Rejects with the signal's reason. */
export async function judgeInThread(
  command: string,
  rules: CommandRules,
  signal: AbortSignal,
): Promise<Judgement> {
  try {
    return await thread.call({ command, rules }, { signal });
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error;
    return { verdict: 'ask', why: [message('command.syntax')], argv: [], parts: [], steps: [] };
  }
}
