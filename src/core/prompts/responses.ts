import { translate, type Message } from '../../shared/strings.ts';
import type { ResultContent, ToolUse } from '../../shared/tools.ts';

/** Every sentence the model is told about its calls, in one place: what happened, and what to do next. */
export const formatResponse = {
  /** `[read_file for 'x'] Result:` and the content; an empty result says that it is empty. */
  toolResult(tool: string, subject: string, content: readonly ResultContent[]): ResultContent[] {
    const header = `[${tool}${subject === '' ? '' : ` for '${oneLine(subject)}'`}] Result:`;
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const images = content.filter((part) => part.type === 'image');
    const body = texts === '' && images.length === 0 ? '(tool did not return anything)' : texts;
    return [{ type: 'text', text: body === '' ? header : `${header}\n${body}` }, ...images];
  },

  /** A native call's result names its call by an id, so it is the content alone; an empty one says that it is empty. */
  nativeResult(content: readonly ResultContent[]): ResultContent[] {
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const images = content.filter((part) => part.type === 'image');
    const text = texts === '' && images.length === 0 ? '(tool did not return anything)' : texts;
    return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...images];
  },

  /** The result of a call as its own protocol words it. */
  resultOf(
    { name, origin }: Pick<ToolUse, 'name' | 'origin'>,
    subject: string,
    content: readonly ResultContent[],
  ): ResultContent[] {
    return origin === 'native'
      ? formatResponse.nativeResult(content)
      : formatResponse.toolResult(name, subject, content);
  },

  toolError: (error: string): string => `The tool call failed. ${error}`,

  toolDenied: (): string =>
    'The person rejected this call. Do not send it again unchanged; go on another way, or ask what they want instead.',

  toolDeniedWithFeedback: (feedback: string): string =>
    `The person rejected this call and said:\n<feedback>\n${feedback}\n</feedback>\nFollow that.`,

  toolApprovedWithFeedback: (feedback: string): string =>
    `The person approved this call and said:\n<feedback>\n${feedback}\n</feedback>`,

  deniedByRule: (why: readonly Message[]): string => {
    const reasons = why.filter(({ key }) => key !== 'why.denied').map((one) => translate('en', one));
    const said = reasons.length === 0 ? 'The person’s rules deny it.' : `It is refused: ${reasons.join(' ')}`;
    return `${said} Do not try it in another form; do without it, or ask them.`;
  },

  nobodyToAsk: (): string =>
    'This needs a person’s yes, and nobody is there to give it. Do what you can without it, and say in the result what is left to do.',

  skippedAfterRejection: (): string =>
    'Skipped, because the person rejected a call before it in the same message. Send it again if it still makes sense.',

  skippedAfterEnd: (): string => 'Skipped, because a call before it in the same message ended the turn.',

  oneToolAMessage: (): string =>
    'Not run: only one tool a message. Wait for the result of the first, then send this one.',

  cutOff: (tool: string): string =>
    `Refused: the message was cut off in the middle of this call of ${tool}, and nothing of it was run. Send it again, in smaller pieces if it is long.`,

  messageCutOff: (): string =>
    'Your message was cut off before its end. Go on from where it stopped, with a tool call, in smaller pieces if need be.',

  stopped: (): string => 'The person stopped this call. What it had done before stays done.',

  outcomeUnknown: (): string =>
    'The process ended while this call ran, so nobody knows whether it took effect. Look at the state of things before you do it again.',

  wentBack: (): string =>
    'Not run: the person went back to before this call, and says next how to go on. The files may have been restored to that state.',

  filesRestored: (): string =>
    'The person has restored files of the workspace to an earlier state. What you read or wrote since may not be there any more: read files again before you rely on them.',

  skippedAfterSubtask: (): string =>
    'Skipped, because a subtask was begun before it in the same message. Send it again if it still makes sense with the result.',

  /** Said to a subtask once, behind what it is to do. */
  isSubtask: (): string =>
    'This is a subtask: the task that gave it to you waits for your result. Of all that you do and say it gets the result of attempt_completion alone, so say in it what was done and where, how it was checked, and what is left open.',

  subtaskTooDeep: (depth: number): string =>
    `This is a subtask of a subtask, ${depth} deep, and may begin none of its own. Do this part here.`,

  subtaskStopped: (): string =>
    'The person stopped this subtask before its end. What it had done stays done. Go on without it, or ask them what they want instead.',

  subtaskGone: (): string => 'The subtask was deleted before its end, so there is no result.',

  subtaskFailed: (why: string): string =>
    `The subtask did not come to its end: ${why} What it had done stays done; look at the state of things before you go on.`,

  subtaskEndedWithout: {
    max_turn_requests: 'it used up the requests that a turn may make.',
    refusal: 'the model refused to go on.',
  },

  internalError: (error: unknown): string =>
    `Lathe itself failed: ${error instanceof Error ? error.message : String(error)}. Try another way.`,

  /** One reminder when a message in a mode that acts had no call. */
  noToolUsed: (hadText: boolean): string =>
    `${hadText ? 'Your message had no tool call.' : 'Your message was empty.'} If the task is done, call attempt_completion with the result. If you need something from the person, call ask_followup_question. Else go on with the next tool call.`,
} as const;

function oneLine(subject: string): string {
  const line = subject.replace(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`;
}
