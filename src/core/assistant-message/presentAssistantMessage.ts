import type { Action, ApprovalDecision, ApprovalPolicy, ApprovalRule } from '../../shared/approvals.ts';
import type { ContentOrigin, ToolOutcome } from '../../shared/events.ts';
import type {
  AssistantMessageContent,
  ResultContent,
  ToolDetails,
  ToolName,
  ToolUse,
  ToolView,
} from '../../shared/tools.ts';
import type { ModeConfig } from '../../shared/modes.ts';
import { approvalOptions } from '../approval/approvalOptions.ts';
import { contentOrigin } from '../approval/contentOrigin.ts';
import { decideCall } from '../approval/decide.ts';
import type { TurnCheckpoints } from '../checkpoints/TurnCheckpoints.ts';
import { withLineBreaksOf } from '../diff/withLineBreaksOf.ts';
import type { Host } from '../host/Host.ts';
import type { Logger } from '../Logger.ts';
import { formatResponse } from '../prompts/responses.ts';
import { SubtaskWaits } from '../task/SubtaskWaits.ts';
import type { Task } from '../task/Task.ts';
import type {
  ApprovalAnswer,
  BaseTool,
  Preparation,
  ToolCallbacks,
  ToolResponse,
} from '../tools/BaseTool.ts';
import type { TaskContext } from '../tools/TaskContext.ts';
import { ToolError } from '../tools/ToolError.ts';
import type { ToolRepetitionDetector } from '../tools/ToolRepetitionDetector.ts';
import { validateToolUse } from '../tools/validateToolUse.ts';
import { finishedCalls, runInOrder, unfitCall, type OrderedCall, type Presented } from './runInOrder.ts';

/** What a message's calls are presented with; all of it belongs to the turn. */
export interface PresentOptions {
  task: Task;
  host: Host;
  logger: Logger;
  toolByName: (name: string) => BaseTool | undefined;
  mode: () => ModeConfig;
  allowedTools: () => readonly ToolName[];
  repetition: ToolRepetitionDetector;
  policy: () => Promise<ApprovalPolicy>;
  checkpoints: Pick<TurnCheckpoints, 'before' | 'after'>;
  keepRule: (list: 'allow' | 'deny', rule: ApprovalRule) => Promise<void>;
  /** Where this task's own output is kept for the model, every link resolved. */
  artifacts: string;
  /** Whether someone is there to answer. If not, what asks is refused. */
  attended: () => boolean;
  contextFor: (call: {
    callId: string;
    origin: 'xml' | 'native';
    signal: AbortSignal;
    background: Promise<void>;
    /** Hears what the call has read, written or deleted. */
    noteFile: (path: string, hash: string | null) => void;
    failed: readonly string[];
    done: readonly string[];
  }) => TaskContext;
  signal: AbortSignal;
}

/** Takes the calls of a finished message to their results: each is validated, checked for repetition, approved and executed. */
export async function presentAssistantMessage(
  content: readonly AssistantMessageContent[],
  options: PresentOptions,
): Promise<Presented> {
  const { task, signal } = options;
  return await runInOrder(content, {
    finished: finishedCalls(task.entries),
    isStopped: () => signal.aborted,
    isSubtask: ({ id }) => task.state.subtasks.has(id),
    begin: (block, failed, done) => new PresentedCall(block, options, failed, done),
  });
}

/** One call on its way to its one result. */
class PresentedCall implements ToolCallbacks, OrderedCall {
  outcome: ToolOutcome | undefined;
  ends: ToolResponse['ends'];
  readonly toolCallId: string;
  readonly #block: ToolUse;
  readonly #options: PresentOptions;
  readonly #failed: readonly string[];
  readonly #done: readonly string[];
  readonly #tool: BaseTool | undefined;
  readonly #since = performance.now();
  readonly #files = new Map<string, string | null>();
  #actions: readonly Action[] = [];
  #hasStarted = false;

  constructor(block: ToolUse, options: PresentOptions, failed: readonly string[], done: readonly string[]) {
    this.#block = block;
    this.#options = options;
    this.#failed = failed;
    this.#done = done;
    this.#tool = options.toolByName(block.name);
    this.toolCallId = block.id;
  }

  async run(): Promise<void> {
    const { task, signal, mode, allowedTools, repetition } = this.#options;
    const block = this.#block;
    const unfit = unfitCall(block);
    if (unfit) {
      await this.finish(unfit.outcome, unfit.words);
      return;
    }
    const running = task.calls.begin(block.id, signal);
    try {
      const begun = task.state.subtasks.has(block.id);
      if (!begun) {
        validateToolUse(block.name, { mode: mode(), allowed: allowedTools() });
        const repeated = repetition.check(block);
        if (repeated !== undefined) throw new ToolError(repeated);
      }
      const context = this.#options.contextFor({
        callId: block.id,
        origin: block.origin,
        ...running,
        noteFile: (path, hash) => void this.#files.set(path, hash),
        failed: this.#failed,
        done: this.#done,
      });
      if (begun) {
        // It was checked and approved when it was begun.
        await this.started();
        await this.pushToolResult(await context.subtasks.run(undefined), { allowed: true });
      } else await this.#tool?.handle(block as ToolUse<ToolName>, context, this);
    } catch (error) {
      await this.handleError(error);
    } finally {
      task.calls.end(block.id);
    }
  }

  async askApproval(preparation: Preparation<unknown>): Promise<ApprovalAnswer> {
    const { policy, attended, task, artifacts } = this.#options;
    const bounds = { workspace: task.state.cwd, artifacts };
    this.#actions = preparation.actions;
    const verdict = decideCall(preparation.actions, await policy(), bounds);
    switch (verdict.verdict) {
      case 'allow':
        return { allowed: true };
      case 'deny':
        throw new ToolError(formatResponse.deniedByRule(verdict.why));
      case 'ask':
        if (!attended()) return { allowed: false, feedback: formatResponse.nobodyToAsk() };
        return await this.#askPerson(preparation, verdict);
    }
  }

  async started(): Promise<void> {
    const { task, checkpoints, signal } = this.#options;
    await checkpoints.before(this.toolCallId, this.#actions, signal);
    await task.record({
      type: 'tool_started',
      callId: this.toolCallId,
      tool: this.#block.name,
      view: this.#view(),
    });
    this.#hasStarted = true;
  }

  readonly progress = {
    output: (text: string): void =>
      this.#options.task.publish({ type: 'tool_output', callId: this.toolCallId, text }),
  };

  async pushToolResult(response: ToolResponse, answer: ApprovalAnswer): Promise<void> {
    this.ends = response.ends;
    const stopped = response.stopped === true || this.#stoppedByPerson();
    const outcome = response.failed === true ? 'failed' : stopped ? 'stopped' : 'done';
    await this.finish(outcome, response.content, {
      ...(response.details ? { details: response.details } : {}),
      ...(response.origin ? { origin: response.origin } : {}),
      answer,
    });
  }

  async pushDenied(answer: ApprovalAnswer): Promise<void> {
    const words =
      answer.feedback === undefined
        ? formatResponse.toolDenied()
        : formatResponse.toolDeniedWithFeedback(answer.feedback);
    await this.finish('rejected', words, { answer });
  }

  async handleError(error: unknown): Promise<void> {
    const { signal, logger } = this.#options;
    if (error instanceof SubtaskWaits) {
      // No result yet: the call goes on with the person's answer.
      this.ends = { reason: 'question', result: error.question };
      return;
    }
    if (signal.aborted || this.#isAbort(error)) {
      await this.finish('stopped', formatResponse.stopped());
      return;
    }
    if (error instanceof ToolError) {
      await this.finish('failed', formatResponse.toolError(error.message));
      return;
    }
    // Not the model's doing. A journal that cannot be written ends the turn; any other bug ends this call.
    if (error instanceof Error && error.name === 'JournalError') throw error;
    logger.error(`tool ${this.#block.name} failed`, error);
    await this.finish('failed', formatResponse.toolError(formatResponse.internalError(error)));
  }

  /** The one result. */
  async finish(
    outcome: ToolOutcome,
    content: string | ResultContent[],
    more: { details?: ToolDetails; answer?: ApprovalAnswer; origin?: ContentOrigin } = {},
  ): Promise<void> {
    if (this.outcome !== undefined)
      throw new Error(`${this.#block.name} (${this.toolCallId}) was given a second result`);
    this.outcome = outcome;
    this.#options.checkpoints.after();
    const view = this.#view();
    const { feedback } = more.answer ?? {};
    // Errors of a call that ran hold what it met, too.
    const origin =
      more.origin ??
      (this.#hasStarted
        ? contentOrigin(this.#tool?.group, this.#actions, this.#options.artifacts)
        : undefined);
    const words: ResultContent[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const approvedWith: ResultContent[] =
      outcome !== 'rejected' && feedback !== undefined
        ? [{ type: 'text', text: formatResponse.toolApprovedWithFeedback(feedback) }]
        : [];
    await this.#options.task.record({
      type: 'tool_finished',
      callId: this.toolCallId,
      tool: this.#block.name,
      outcome,
      view,
      content: formatResponse.resultOf(this.#block, view.subject, [...approvedWith, ...words]),
      ...(origin === undefined ? {} : { origin }),
      ...(more.details ? { details: more.details } : {}),
      ...(feedback === undefined ? {} : { feedback }),
      durationMs: Math.round(performance.now() - this.#since),
      ...(this.#files.size === 0
        ? {}
        : { files: Array.from(this.#files, ([path, hash]) => ({ path, hash })) }),
    });
  }

  async #askPerson(
    preparation: Preparation<unknown>,
    verdict: ReturnType<typeof decideCall>,
  ): Promise<ApprovalAnswer> {
    const { task, host, signal, keepRule } = this.#options;
    const { proposal, details, actions } = preparation;
    const review =
      proposal && host.editor
        ? await host.editor.openDiff({
            path: proposal.path,
            before: proposal.before,
            after: proposal.after,
            signal,
          })
        : undefined;
    try {
      const options = approvalOptions(actions, verdict, task.state.cwd);
      const decision = await task.ask(
        {
          reason: 'tool',
          callId: this.toolCallId,
          tool: this.#block.name,
          actions,
          why: verdict.why,
          dangerous: verdict.dangerous,
          options,
          review: review !== undefined,
          ...(details ? { details } : {}),
        },
        signal,
        {
          // Where a diff editor shows it, that is where it is changed.
          proposal: proposal && !review ? { shown: proposal.shown, text: proposal.after } : undefined,
          complete: async (answer, written): Promise<ApprovalDecision> => {
            const { edited, ...plain } = answer;
            if (!proposal || answer.outcome !== 'allow') return plain;
            const text = review ? await review.text() : withLineBreaksOf(proposal.after, written);
            return text === undefined || text === proposal.after
              ? plain
              : { ...plain, edited: { [proposal.path]: text } };
          },
        },
      );
      const rule = options.find(({ id }) => id === decision.optionId);
      if (rule?.rule && rule.kind === 'allow_always' && decision.outcome === 'allow')
        await keepRule('allow', rule.rule);
      if (rule?.rule && rule.kind === 'reject_always' && decision.outcome === 'reject')
        await keepRule('deny', rule.rule);
      const edited = proposal ? decision.edited?.[proposal.path] : undefined;
      return {
        allowed: decision.outcome === 'allow',
        ...(decision.feedback ? { feedback: decision.feedback } : {}),
        ...(edited === undefined ? {} : { edited }),
      };
    } finally {
      await review?.close();
    }
  }

  #view(): ToolView {
    return this.#tool?.view(this.#block.params) ?? { kind: 'other', subject: '', locations: [] };
  }

  #isAbort(error: unknown): boolean {
    return error instanceof Error && error.name === 'AbortError';
  }

  #stoppedByPerson(): boolean {
    return this.#options.signal.aborted;
  }
}
