import { randomUUID } from 'node:crypto';
import type { Fact, FinishReason, ModelReference, ReadMention, RequestError } from '../../shared/events.ts';
import type { ModeConfig } from '../../shared/modes.ts';
import { message, type Message } from '../../shared/strings.ts';
import type { AssistantMessageContent } from '../../shared/tools.ts';
import type { ExpandedCommand } from '../commands/SlashCommands.ts';
import type { PresentOptions } from '../assistant-message/presentAssistantMessage.ts';
import { presentAssistantMessage } from '../assistant-message/presentAssistantMessage.ts';
import { AssistantMessageParser } from '../assistant-message/AssistantMessageParser.ts';
import type { ModelFacts, Provider, ProviderRequest } from '../provider/Provider.ts';
import { formatResponse } from '../prompts/responses.ts';
import { parserTools } from '../tools/index.ts';
import type { Asked, ContextRoom } from '../context/ContextRoom.ts';
import { isTooLong } from '../context/isTooLong.ts';
import { apiMessages } from './apiMessages.ts';
import { readWhatIsMentioned } from './mentionedContext.ts';
import type { EditPreviews } from './EditPreviews.ts';
import {
  answerLeft,
  callsTools,
  closeInterrupted,
  completionOf,
  openCalls,
  wasReminded,
  type Answer,
} from './interruptedTurn.ts';
import { startedRequest, requestHash } from './startedRequest.ts';
import { noAnswer, streamMessage, type StreamedMessage } from './streamMessage.ts';
import type { Task } from './Task.ts';
import { withoutPictures } from './withoutPictures.ts';

/** The model of the next request: asked for each time, since a person may change it between two. */
export interface TurnModel {
  provider: Provider;
  reference: ModelReference;
  /** What it can do. */
  facts: Pick<ModelFacts, 'images'>;
}

type UserMessage = Extract<Fact, { type: 'user_message' }>;

/** What a turn works with besides its task. */
export interface TurnOptions extends Omit<PresentOptions, 'task' | 'signal'> {
  model: () => Promise<TurnModel>;
  /** System prompt, native tools, and the limits of the model that was asked for last: everything of a request but its messages. */
  requestHead: () => Omit<ProviderRequest, 'messages'>;
  /** Keeps requests within the model's window. */
  room: ContextRoom;
  /** The volatile block for the next request, of what changed since the model saw it last. */
  environment: () => Promise<Pick<UserMessage, 'environment' | 'changedFiles'> | undefined>;
  /** Reads what a person's words mention. */
  readMentions: (text: string, signal: AbortSignal) => Promise<ReadMention[]>;
  limits: () => { requests: number; mistakes: number };
  /** What a message that calls a slash command stands for; undefined for every other. Its mode is one that there is. */
  expand: (text: string, signal: AbortSignal) => Promise<ExpandedCommand | undefined>;
  /** Text without a call is an answer in every mode. */
  answersInText?: boolean;
  /** Who shows edits while they come, where there is an editor. */
  previews?: EditPreviews;
  /** Ends what belongs to the turn, such as its browser. Does not fail. */
  end: () => Promise<void>;
}

interface TurnEnd {
  reason: FinishReason;
  result?: string;
  error?: Message;
}

/**
 * The loop: request, present, again, until the task is complete, answered, stopped or stuck. Its state is its locals.
 * It goes on at the first call without a result, so that an interrupted turn is resumed by starting it again.
 */
export async function runTurn(task: Task, signal: AbortSignal, options: TurnOptions): Promise<void> {
  await closeInterrupted(task);
  let end: TurnEnd;
  try {
    end = await turn(task, signal, options);
  } finally {
    await options.end();
  }
  await task.record({
    type: 'task_finished',
    reason: end.reason,
    ...(end.result === undefined ? {} : { result: end.result }),
    ...(end.error === undefined ? {} : { error: end.error }),
  });
}

async function turn(task: Task, signal: AbortSignal, options: TurnOptions): Promise<TurnEnd> {
  let mistakes = 0;
  let reminded = wasReminded(task.entries);
  let requests = 0;
  const completed = completionOf(task);
  if (completed !== undefined) return { reason: 'completed', result: completed };
  let overflowed = false;

  /** How the turn ends with this answer; undefined when it goes on. */
  const endOf = async ({ content, stopReason }: Answer): Promise<TurnEnd | undefined> => {
    if (stopReason === 'refusal') return { reason: 'refusal', result: textOf(content) };
    if (callsTools(content)) return undefined;
    if (stopReason === 'cut' || stopReason === 'max_tokens') {
      mistakes++;
      await remind(task, formatResponse.messageCutOff());
      return undefined;
    }
    if (task.queued.length > 0) return undefined;
    const mayAnswer = reminded || options.answersInText === true || answersInText(options.mode());
    if (mayAnswer && textOf(content) !== '') return { reason: 'answered', result: textOf(content) };
    reminded = true;
    mistakes++;
    await remind(task, formatResponse.noToolUsed(content.length > 0));
    return undefined;
  };

  const left = answerLeft(task);
  const ended = left && (await endOf(left));
  if (ended) return ended;
  for (;;) {
    const open = openCalls(task.entries);
    if (open) {
      const presented = await presentAssistantMessage(open, { ...options, task, signal });
      await options.previews?.clear();
      if (signal.aborted) return { reason: 'cancelled' };
      if (presented.ends) return presented.ends;
      mistakes = presented.succeeded > 0 ? 0 : mistakes + presented.failed;
      if (presented.succeeded > 0) reminded = false;
    }
    if (await takeMessages(task, signal, options)) {
      mistakes = 0;
      reminded = false;
      options.repetition.reset();
    }
    if (!(await readMentioned(task, signal, options))) return { reason: 'cancelled' };
    const { requests: requestLimit, mistakes: mistakeLimit } = options.limits();
    if (mistakes >= mistakeLimit) {
      const goOn = await askAfterMistakes(task, signal, options, mistakes);
      if (goOn !== undefined) return goOn;
      mistakes = 0;
    }
    if (requests++ >= requestLimit) return { reason: 'max_turn_requests' };

    const asked: Asked = { model: await options.model(), head: options.requestHead() };
    const answer = await ask(task, signal, asked, options);
    if (signal.aborted || answer.stopReason === 'aborted') {
      await stopCalls(task, signal, options);
      return { reason: 'cancelled' };
    }
    if (answer.error && answer.stopReason === 'error') {
      // Once: what is too long after that stays so.
      if (isTooLong(answer.error) && !overflowed) {
        overflowed = true;
        const made = await options.room.afterOverflow(asked, signal);
        if (made === 'room') continue;
        if (made === 'stopped') return { reason: 'cancelled' };
      }
      const goOn = await askAfterError(task, signal, options, answer.error);
      if (goOn !== undefined) return goOn;
      continue;
    }
    overflowed = false;
    const end = await endOf(answer);
    if (end) return end;
  }
}

/** One request and its answer, both in the journal when this resolves. */
async function request(
  task: Task,
  signal: AbortSignal,
  { model, head }: Asked,
  options: TurnOptions,
): Promise<StreamedMessage> {
  const environment = await options.environment();
  if (environment) await task.record({ type: 'user_message', text: '', ...environment, automatic: true });
  const messages = apiMessages(task.entries, model.reference);
  const rendered: ProviderRequest = {
    ...head,
    messages: model.facts.images ? messages : withoutPictures(messages),
  };
  const requestId = randomUUID();
  const started = { requestId, model: model.reference, hash: requestHash(rendered) };
  await task.record(
    startedRequest(task.entries, rendered, { ...started, offered: [...options.allowedTools()] }),
  );
  const since = performance.now();
  const answer = await streamMessage({
    task,
    requestId,
    provider: model.provider,
    request: rendered,
    parser: new AssistantMessageParser({ tools: parserTools(), xml: model.reference.protocol === 'xml' }),
    toolByName: options.toolByName,
    previews: options.previews,
    signal,
  });
  // Both in one write: an answer that was paid for is never lost between the two.
  await Promise.all([
    task.record({
      type: 'request_finished',
      requestId,
      stopReason: answer.stopReason,
      durationMs: Math.round(performance.now() - since),
      ...(answer.usage ? { usage: answer.usage } : {}),
      ...(answer.error ? { error: answer.error } : {}),
    }),
    answer.content.length > 0 || answer.reasoning
      ? task.record({
          type: 'assistant_message',
          requestId,
          content: answer.content,
          answer: answer.answer,
          ...(answer.reasoning ? { reasoning: answer.reasoning } : {}),
        })
      : undefined,
  ]);
  return answer;
}

/** A request that fits, and its answer. One that does not fit is not sent. */
async function ask(
  task: Task,
  signal: AbortSignal,
  asked: Asked,
  options: TurnOptions,
): Promise<StreamedMessage> {
  const wish = task.takeCondenseWish();
  if (wish) await options.room.condense({ by: 'person', ...wish }, asked, signal);
  const error = signal.aborted ? undefined : await options.room.make(asked, signal);
  if (!error && !signal.aborted) return await request(task, signal, asked, options);
  const stopReason = error ? 'error' : 'aborted';
  return { ...noAnswer(), stopReason, error };
}

async function stopCalls(task: Task, signal: AbortSignal, options: TurnOptions): Promise<void> {
  const open = openCalls(task.entries);
  if (open)
    await presentAssistantMessage(open, {
      ...options,
      task,
      signal: signal.aborted ? signal : AbortSignal.abort(),
    });
}

async function takeMessages(
  task: Task,
  signal: AbortSignal,
  { expand, model }: TurnOptions,
): Promise<boolean> {
  const queued = task.takeQueued();
  for (const { text, images: own = [], attachments, messageId } of queued) {
    const command = await expand(text, signal);
    const images = [...own, ...(command?.images ?? [])];
    if (command?.mode !== undefined && command.mode !== task.state.mode)
      await task.record({ type: 'mode_changed', mode: command.mode, by: 'person' });
    await task.record({
      type: 'user_message',
      text,
      ...(images.length > 0 ? { images } : {}),
      ...(attachments ? { attachments } : {}),
      ...(messageId === undefined ? {} : { messageId }),
      ...(command ? { command: calledBy(command) } : {}),
    });
    if (command?.problem) await task.record({ type: 'notice', level: 'warning', message: command.problem });
    if (images.length > 0 && !(await model()).facts.images)
      await task.record({ type: 'notice', level: 'warning', message: message('mention.blind') });
  }
  return queued.length > 0;
}

function calledBy({ name, text, origin }: ExpandedCommand): NonNullable<UserMessage['command']> {
  return { name, text, ...(origin === undefined ? {} : { origin }) };
}

/** False when the person stopped it. */
async function readMentioned(task: Task, signal: AbortSignal, options: TurnOptions): Promise<boolean> {
  try {
    await readWhatIsMentioned(task, async (text) => await options.readMentions(text, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return !signal.aborted;
}

async function remind(task: Task, text: string): Promise<void> {
  await task.record({ type: 'user_message', text, automatic: true });
}

/** Whether to go on (undefined) or how the turn ends. */
async function askAfterMistakes(
  task: Task,
  signal: AbortSignal,
  options: TurnOptions,
  count: number,
): Promise<TurnEnd | undefined> {
  if (!options.attended()) return { reason: 'failed', error: message('error.mistakes', { count }) };
  const decision = await task.ask({ reason: 'mistake_limit', count }, signal);
  if (decision.outcome === 'cancelled') return { reason: 'cancelled' };
  if (decision.outcome === 'reject') return { reason: 'failed', error: message('error.mistakes', { count }) };
  if (decision.feedback) await task.record({ type: 'user_message', text: decision.feedback });
  options.repetition.reset();
  return undefined;
}

async function askAfterError(
  task: Task,
  signal: AbortSignal,
  options: TurnOptions,
  error: RequestError,
): Promise<TurnEnd | undefined> {
  if (!options.attended()) return { reason: 'failed', error: error.message };
  const decision = await task.ask({ reason: 'request_failed', error: error.message }, signal);
  if (decision.outcome === 'allow') {
    if (decision.feedback) await task.record({ type: 'user_message', text: decision.feedback });
    return undefined;
  }
  return decision.outcome === 'cancelled'
    ? { reason: 'cancelled' }
    : { reason: 'failed', error: error.message };
}

/** Modes that change nothing are for talking: text alone is an answer there. */
function answersInText(mode: ModeConfig): boolean {
  const groups = mode.groups.map((group) => (typeof group === 'string' ? group : group[0]));
  return groups.length > 0 && !groups.includes('edit') && !groups.includes('command');
}

function textOf(content: readonly AssistantMessageContent[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}
