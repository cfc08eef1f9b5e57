import * as z from 'zod';
import type { Action } from '../../shared/approvals.ts';
import type { ContentOrigin } from '../../shared/events.ts';
import type { McpServer } from '../../shared/mcp.ts';
import type {
  ResultContent,
  ToolDetails,
  ToolGroup,
  ToolName,
  ToolParamName,
  ToolUse,
  ToolView,
} from '../../shared/tools.ts';
import { TOOL_GROUPS, toolGroupNames } from '../../shared/tools.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

/** What the model is told of a tool: written once, rendered as XML help or as a JSON schema's descriptions. */
export interface ToolDescription {
  /** One sentence of purpose, then when not to use it. */
  purpose: string;
  /** Parameter → unit, default, meaning. Only those that are offered; order is kept. */
  parameters: Partial<Record<ToolParamName, string>>;
  /** XML-only parameters shapes (for example nested args) replace `parameters` in the XML help when given. */
  xmlParameters?: Partial<Record<ToolParamName, string>>;
  /** The shortest XML call that shows the shape. */
  example: string;
}

/** What a description depends on; nothing that changes from turn to turn. */
export interface DescribeArguments {
  protocol: 'xml' | 'native';
  settings: TaskContext['settings'];
  singleFileRead: boolean;
  modes: TaskContext['mode'][];
  /** The slash commands that there are. */
  commands?: readonly { name: string; description?: string | undefined; argumentHint?: string | undefined }[];
  /** The MCP servers that are there, and the tokens of the model's window. */
  mcp?: { servers: readonly McpServer[]; window: number | undefined };
}

/** A file as it would be after the call, for the diff that a person reviews. Text is as on disk, line endings included. */
export interface Proposal {
  /** Absolute real path. */
  path: string;
  shown: string;
  before: string | null;
  after: string;
}

/** What prepare() gives: everything is computed, nothing has been done. */
export interface Preparation<TPlan> {
  /** What must be approved; none for calls that touch nothing. */
  actions: Action[];
  plan: TPlan;
  /** For the approval card. */
  details?: ToolDetails;
  /** The one file that the call would change, for review in the diff editor. */
  proposal?: Proposal;
}

/** How an edit is shown while its call streams. */
export interface ArrivingEdit {
  /** The parameter that names the file. */
  path: ToolParamName;
  /** The file by what has come so far; undefined while that cannot be said. `before` is null where there is none. Must not throw. */
  after(params: Readonly<Record<string, string>>, before: string | null): string | undefined;
}

/** The result of a call: `content` for the model, `details` for the person. */
export interface ToolResponse {
  /** The answer first, then what was cut and how to get it. */
  content: string | ResultContent[];
  details?: ToolDetails;
  /** Where the content comes from, when it is not the workspace; tools of browsers and servers need not say. */
  origin?: ContentOrigin;
  /** The call ran and failed (a command's exit code is not a failure of the call). */
  failed?: boolean;
  /** The person stopped what the call began. */
  stopped?: boolean;
  /** The turn ends after this call: its task is complete, or it waits for an answer. */
  ends?: { reason: 'completed' | 'question'; result: string };
}

/** How a person or the policy answered: `edited` is their own version of the proposal, when it differs. */
export interface ApprovalAnswer {
  allowed: boolean;
  feedback?: string;
  edited?: string;
}

/** What handle() is implemented with; presentAssistantMessage provides them for each call. */
export interface ToolCallbacks {
  readonly toolCallId: string;
  /** One request a call, with the strictest verdict of its actions. */
  askApproval(preparation: Preparation<unknown>): Promise<ApprovalAnswer>;
  /** Journals the intent. Rejects when it could not be written: then the call must not act. */
  started(): Promise<void>;
  progress: ToolProgress;
  pushToolResult(response: ToolResponse, answer: ApprovalAnswer): Promise<void>;
  pushDenied(answer: ApprovalAnswer): Promise<void>;
  /** Words a ToolError for the model; keeps the stack of anything else. */
  handleError(error: unknown): Promise<void>;
}

/**
 * One tool: identity, parameters, words, and what it does. Stateless; one instance serves every task.
 * The order of every call is handle(): decode, prepare, approve, execute, push exactly one result.
 */
export abstract class BaseTool<
  TName extends ToolName = ToolName,
  TSchema extends z.ZodObject = z.ZodObject,
  TPlan = unknown,
> {
  abstract readonly name: TName;
  /** A flat object. The native JSON schema, the XML parameter names and their coercion all come from it. */
  abstract readonly schema: TSchema;
  /** Parameters taken raw to their close: file contents, diffs, commands, prose. */
  readonly verbatim: readonly ToolParamName[] = [];

  /** Of tools whose edit can be shown before the call is whole. */
  readonly arriving: ArrivingEdit | undefined = undefined;

  get group(): ToolGroup | undefined {
    return toolGroupNames.find((group) => {
      const { tools, customTools = [] } = TOOL_GROUPS[group];
      return [...tools, ...customTools].includes(this.name);
    });
  }

  abstract describe(args: DescribeArguments): ToolDescription;

  /** For cards, while streaming too: `params` may be partial or wrong. Must not throw. */
  abstract view(params: Readonly<Record<string, string>>): ToolView;

  /** Gated reads and the whole computation. What cannot work fails here, with a ToolError, before anyone is asked. */
  abstract prepare(params: z.infer<TSchema>, context: TaskContext): Promise<Preparation<TPlan>>;

  /**
   * Does it. `edited` is the person's own version of the proposal, present only when it differs.
   * Rejects with ToolError for what the model can act on; anything else is a bug.
   */
  abstract execute(
    plan: TPlan,
    context: TaskContext,
    progress: ToolProgress,
    edited?: string,
  ): Promise<ToolResponse>;

  /** Whether it can be offered at all here (a terminal, an index, a browser). */
  isAvailable(_context: Pick<TaskContext, 'host' | 'settings' | 'model'>): boolean {
    return true;
  }

  /**
   * XML parameters → what the schema takes. By default strings are coerced to the schema's own types:
   * numbers, booleans, and JSON for arrays and objects. Nested XML overrides this.
   */
  fromXml(params: Readonly<Record<string, string>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(params)
        .filter(([name, value]) => value !== '' || (this.verbatim as readonly string[]).includes(name))
        .map(([name, value]) => [name, coerce(this.schema.shape[name], value)]),
    );
  }

  /** Native arguments → what the schema takes. Models send null for what they leave out, and numbers and booleans as strings. */
  fromNative(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(args)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [
          name,
          typeof value === 'string' ? coerce(this.schema.shape[name], value) : value,
        ]),
    );
  }

  /** Final: one call from its words to its one result. Aborts surface as the signal's reason. */
  async handle(block: ToolUse<TName>, context: TaskContext, callbacks: ToolCallbacks): Promise<void> {
    try {
      const preparation = await this.prepare(this.decode(block), context);
      const answer = await callbacks.askApproval(preparation);
      context.signal.throwIfAborted();
      if (!answer.allowed) {
        await callbacks.pushDenied(answer);
        return;
      }
      await callbacks.started();
      const response = await this.execute(preparation.plan, context, callbacks.progress, answer.edited);
      await callbacks.pushToolResult(response, answer);
    } catch (error) {
      await callbacks.handleError(error);
    }
  }

  /** The call's parameters, validated. @throws ToolError naming the parameter, what was seen and what is expected. */
  decode(block: ToolUse): z.infer<TSchema> {
    const raw =
      block.origin === 'native' ? this.fromNative(block.nativeArgs ?? {}) : this.fromXml(block.params);
    const parsed = this.schema.safeParse(raw);
    if (parsed.success) return parsed.data;
    throw new ToolError(parameterErrors(this.name, parsed.error, raw));
  }
}

function coerce(schema: unknown, value: string): unknown {
  const type = schema instanceof z.ZodType ? innerType(schema) : undefined;
  const trimmed = value.trim();
  if (type === 'number' && trimmed !== '' && Number.isFinite(Number(trimmed))) return Number(trimmed);
  if (type === 'boolean' && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (type === 'array' || type === 'object') {
    try {
      return JSON.parse(trimmed) as unknown;
    } catch (error) {
      // Not JSON: the schema's own message says what was expected.
      if (error instanceof SyntaxError) return value;
      throw error;
    }
  }
  return value;
}

function innerType(schema: z.ZodType): string {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable
  )
    return innerType(schema.unwrap() as z.ZodType);
  return schema.type;
}

function parameterErrors(tool: string, error: z.ZodError, raw: Record<string, unknown>): string {
  const lines = error.issues.map((issue) => {
    const name = issue.path.join('.');
    const missing = issue.path.length === 1 && !(String(issue.path[0]) in raw);
    if (missing) return `Missing required parameter '${name}'.`;
    return name === '' ? `${issue.message}.` : `Parameter '${name}': ${issue.message}.`;
  });
  return `${tool} could not be run. ${lines.join(' ')} ${SEND_AGAIN}`;
}

const SEND_AGAIN = 'Send the call again with every required parameter.';

/** Whether these words refuse a call for its parameters. */
export function isParameterError(words: string): boolean {
  return words.includes(SEND_AGAIN);
}
