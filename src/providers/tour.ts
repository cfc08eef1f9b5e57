import type {
  ModelFacts,
  Provider,
  ProviderEvent,
  ProviderMessage,
  ProviderRequest,
} from '../core/provider/Provider.ts';
import type { Timer } from './Watch.ts';

/** Characters of a piece and milliseconds between two: about as fast as a hosted model. */
const PIECE = 14;
const PAUSE = 12;
const RESULT = /^\[(\w+)(?: for '[^']*')?\] Result:\n?/;

interface Step {
  say: string;
  call: { tool: string; params: Record<string, string> };
}

/** A call's result without its header. */
interface Result {
  tool: string;
  text: string;
  outcome: 'done' | 'rejected' | 'failed';
}

/** What the tour has seen so far in this turn. */
interface Seen {
  chinese: boolean;
  /** In order. */
  results: Result[];
}

/** What it writes, and reads where there is nothing else. */
const FILE = 'lathe-tour.md';

/**
 * A model without a network and without a key, for newcomers: it walks through a read, a search, a diff to approve, a command to
 * approve and a completion, on the files that are really there, through the same loop as any other model. What it does next is a
 * function of the request's messages alone, and it says that it is a tour.
 */
export class TourProvider implements Provider {
  readonly id = 'tour';
  readonly #timer: Timer;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  facts(): ModelFacts {
    return { contextWindow: 32_000, images: false, nativeTools: true };
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const step = nextStep(seenIn(request.messages));
    let length = 0;
    for (const text of pieces(request.tools ? `${step.say}\n` : `${step.say}\n\n${xml(step.call)}`)) {
      if (!(await this.#pause(signal))) {
        yield { type: 'end', stopReason: 'aborted' };
        return;
      }
      length += text.length;
      yield { type: 'text', text };
    }
    if (request.tools) {
      const callId = `tour_${request.messages.length}`;
      yield { type: 'tool_call_start', callId, tool: step.call.tool };
      for (const text of pieces(
        JSON.stringify(step.call.params, (_name, value: unknown) => (value === 'true' ? true : value)),
      )) {
        if (!(await this.#pause(signal))) {
          yield { type: 'end', stopReason: 'aborted' };
          return;
        }
        length += text.length;
        yield { type: 'tool_call_delta', callId, arguments: text };
      }
      yield { type: 'tool_call_end', callId };
    }
    const usage = {
      inputTokens: tokens(JSON.stringify(request.messages).length + request.system.length),
      outputTokens: tokens(length),
    };
    yield {
      type: 'end',
      stopReason: request.tools ? 'tool_calls' : 'end',
      usage: { ...usage, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, cost: 0 },
    };
  }

  /** False when the person stopped it. */
  #pause(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const stop = (): void => {
        stopTimer();
        resolve(false);
      };
      const stopTimer = this.#timer(PAUSE, () => {
        signal.removeEventListener('abort', stop);
        resolve(true);
      });
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}

function nextStep(seen: Seen): Step {
  const step = stepsFor(seen)[seen.results.length] ?? complete;
  return step(seen);
}

/** Where there is no file yet, the first is written before one is read. */
function stepsFor(seen: Seen): ((seen: Seen) => Step)[] {
  if (seen.results.length === 0 || filesIn(seen).length > 0)
    return [look, read, search, write, command, complete];
  const written = resultOf(seen, 'write_to_file')?.outcome;
  return written === 'rejected' || written === 'failed'
    ? [look, write, command, complete]
    : [look, write, read, search, command, complete];
}

function look({ chinese }: Seen): Step {
  return {
    say: chinese
      ? '这是 Lathe 的导览：没有真正的模型，只有固定的步骤，但每一步都真实地在您的工作区中执行。您可以随时停止。要完成真正的任务，请在设置中添加密钥或选择本地模型。\n\n先看看这里有什么。'
      : 'This is Lathe’s tour: no real model, only fixed steps, but each one really happens in your workspace, and you can stop it at any time. For real work, add a key or choose a local model in Settings.\n\nFirst, a look at what is here.',
    call: { tool: 'list_files', params: { path: '.', recursive: 'true' } },
  };
}

function read(seen: Seen): Step {
  const file = fileToRead(seen);
  return {
    say: seen.chinese
      ? `${afterWriting(seen)}读取工作区内的文件是自动进行的。我来读 \`${file}\`。`
      : `${afterWriting(seen)}Reading inside the workspace happens by itself. I read \`${file}\`.`,
    call: { tool: 'read_file', params: { path: file } },
  };
}

function search(seen: Seen): Step {
  const word = wordToFind(seen);
  return {
    say: seen.chinese
      ? `搜索也是如此：\`${word}\` 出现在哪里？`
      : `So does searching: where does \`${word}\` occur?`,
    call: { tool: 'search_files', params: { path: '.', regex: word } },
  };
}

function write(seen: Seen): Step {
  return {
    say: seen.chinese
      ? `更改文件之前总会先询问您。我想写入 \`${FILE}\`：您可以批准、拒绝，或先在差异视图中修改我的提议。`
      : `Before a file changes, you are asked. I would like to write \`${FILE}\`: approve it, reject it, or change my proposal in the diff first.`,
    call: { tool: 'write_to_file', params: { path: FILE, content: report(seen) } },
  };
}

function report(seen: Seen): string {
  const { chinese } = seen;
  const lines = [
    chinese
      ? `- 工作区中看到 ${listed(seen).length} 个条目`
      : `- Entries seen in this workspace: ${listed(seen).length}`,
  ];
  if (resultOf(seen, 'read_file'))
    lines.push(chinese ? `- 读取了 \`${fileToRead(seen)}\`` : `- File read: \`${fileToRead(seen)}\``);
  const found = resultOf(seen, 'search_files');
  if (found) {
    const count = found.text.split('\n', 1)[0] ?? '';
    lines.push(
      chinese
        ? `- 搜索了 \`${wordToFind(seen)}\`：${count}`
        : `- Searched for \`${wordToFind(seen)}\`: ${count}`,
    );
  }
  const head = chinese
    ? '# Lathe 导览\n\n此文件由导览写入，可以删除。'
    : '# A tour of Lathe\n\nWritten by the tour; delete it when you like.';
  return `${head}\n\n${lines.join('\n')}\n`;
}

/** A word on what became of the file, right after it. */
function afterWriting({ chinese, results }: Seen): string {
  const last = results.at(-1);
  if (last?.tool !== 'write_to_file') return '';
  switch (last.outcome) {
    case 'done':
      return chinese
        ? '谢谢。卡片上显示了实际写入的内容。'
        : 'Thank you. The card shows what really landed. ';
    case 'rejected':
      return chinese ? '好的，不写这个文件。' : 'Fine, the file stays unwritten. ';
    case 'failed':
      return chinese
        ? '没有成功，原因写在卡片上；真正的模型会读到它并换一种做法。'
        : 'That did not work, and the card says why; a real model reads it too and goes another way. ';
  }
}

function command(seen: Seen): Step {
  return {
    say: seen.chinese
      ? `${afterWriting(seen)}命令也会询问您，并在终端中运行，输出会显示在卡片上。`
      : `${afterWriting(seen)}Commands ask too; they run in a terminal, and their output comes to the card.`,
    call: { tool: 'execute_command', params: { command: 'echo Hello from Lathe' } },
  };
}

function complete({ chinese, results }: Seen): Step {
  const count = (wanted: Result['outcome']): number =>
    results.filter(({ outcome }) => outcome === wanted).length;
  const [done, rejected, failed] = [count('done'), count('rejected'), count('failed')];
  const failures = failed === 0 ? '' : chinese ? `，${failed} 步未成功` : `, ${failed} failed`;
  return {
    say: chinese ? '导览到此结束。' : 'That was the tour.',
    call: {
      tool: 'attempt_completion',
      params: {
        result: chinese
          ? `导览已完成：${done} 步已执行，${rejected} 步被拒绝${failures}。接下来：在设置中添加密钥，或选择本机上的模型，然后输入您自己的任务。`
          : `The tour is over: ${done} steps were done, ${rejected} rejected${failures}. Next: add a key in Settings or choose a model that runs on this machine, then type a task of your own.`,
      },
    },
  };
}

/** The results since the person's last message, whatever the protocol. */
function seenIn(messages: readonly ProviderMessage[]): Seen {
  let seen: Seen = { chinese: false, results: [] };
  const tools = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const part of message.content) if (part.type === 'tool_call') tools.set(part.callId, part.tool);
      continue;
    }
    for (const part of message.content) {
      if (part.type === 'tool_result') {
        const text = part.content.map((one) => (one.type === 'text' ? one.text : '')).join('\n');
        seen.results.push(result(tools.get(part.callId) ?? part.tool, text));
      } else if (part.type === 'text' && RESULT.test(part.text)) {
        seen.results.push(result(RESULT.exec(part.text)?.[1] ?? '', part.text));
      } else if (part.type === 'text' && !part.text.startsWith('<environment>') && hasSpoken(part.text)) {
        seen = { chinese: /[\u4e00-\u9fff]/.test(part.text), results: [] };
      }
    }
  }
  return seen;
}

/** How the results of calls that were not run begin; see core/prompts/responses. */
const REJECTED = /^(The person rejected|The person’s rules|This needs a person’s yes|Skipped)/;
const FAILED =
  /^(The tool call failed|Refused|Not run|Lathe itself failed|The person stopped|The process ended)/;

function result(tool: string, text: string): Result {
  const body = text.replace(RESULT, '');
  return {
    tool,
    text: body,
    outcome: REJECTED.test(body) ? 'rejected' : FAILED.test(body) ? 'failed' : 'done',
  };
}

/** Whether a person said this; what else is text came from Lathe about the last message. */
function hasSpoken(text: string): boolean {
  return !text.startsWith('Your message ');
}

function resultOf(seen: Seen, tool: string): Result | undefined {
  return seen.results.find((one) => one.tool === tool);
}

function listed(seen: Seen): string[] {
  const listing = resultOf(seen, 'list_files');
  if (listing?.outcome !== 'done') return [];
  return listing.text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('(') && !line.includes(' is empty'));
}

function filesIn(seen: Seen): string[] {
  return listed(seen).filter((line) => !line.endsWith('/'));
}

/** A file that says what the workspace is: its readme, its manifest, else the first text file; the tour's own where there is none. */
function fileToRead(seen: Seen): string {
  const files = filesIn(seen);
  const wanted = [
    /^readme\.(md|txt|rst)$/i,
    /^package\.json$/,
    /^pyproject\.toml$/,
    /^cargo\.toml$/i,
    /^go\.mod$/,
    /\.(md|txt|js|ts|py|go|rs|java|c|cpp|rb|php|sh)$/i,
  ];
  for (const pattern of wanted) {
    const file = files.find((one) => pattern.test(one));
    if (file !== undefined) return file;
  }
  return files[0] ?? FILE;
}

const COMMON = new Set([
  'content',
  'lines',
  'files',
  'notice',
  'could',
  'there',
  'which',
  'about',
  'these',
  'showing',
]);

/** The first name that is worth looking for: in the file, else in the names of files. */
function wordToFind(seen: Seen): string {
  const file = resultOf(seen, 'read_file');
  const body =
    file?.outcome === 'done'
      ? file.text.replace(/<path>[^<]*<\/path>|<[^>]+>|^\[File:.*$|^\s*\d+ ?\| /gm, ' ')
      : '';
  const words = `${body} ${filesIn(seen).join(' ')}`.match(/[A-Za-z]{5,21}/g) ?? [];
  return words.find((word) => !COMMON.has(word.toLowerCase())) ?? 'Lathe';
}

function xml({ tool, params }: Step['call']): string {
  const rows = Object.entries(params).map(([name, value]) =>
    value.includes('\n') ? `<${name}>\n${value}\n</${name}>` : `<${name}>${value}</${name}>`,
  );
  return `<${tool}>\n${rows.join('\n')}\n</${tool}>`;
}

function* pieces(text: string): Iterable<string> {
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at += PIECE) yield characters.slice(at, at + PIECE).join('');
}

/** Roughly: the tour counts nothing, but the meters should show something true to size. */
function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}
