import type {
  ModelFacts,
  Provider,
  ProviderEvent,
  ProviderMessage,
  ProviderRequest,
} from '../core/provider/Provider.ts';

/** Characters of a piece and milliseconds between two: about as fast as a hosted model. */
const PIECE = 14;
const PAUSE = 12;
const RESULT = /^\[(\w+)(?: for '[^']*')?\] Result:\n?/;

interface Step {
  say: string;
  call: { tool: string; params: Record<string, string> };
}

/** What the tour has seen so far in this turn. */
interface Seen {
  task: string;
  chinese: boolean;
  /** Results in order, without their headers. */
  results: { tool: string; text: string; rejected: boolean }[];
}

/**
 * A model without a network and without a key, for newcomers: it walks through a read, a search, a diff to approve, a command to
 * approve and a completion, on the files that are really there, through the same loop as any other model. What it does next is a
 * function of the request's messages alone, and it says that it is a tour.
 */
export class TourProvider implements Provider {
  readonly id = 'tour';

  facts(): ModelFacts {
    return { contextWindow: 32_000, images: false, nativeTools: true };
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const step = nextStep(seenIn(request.messages));
    let length = 0;
    for (const text of pieces(request.tools ? `${step.say}\n` : `${step.say}\n\n${xml(step.call)}`)) {
      if (!(await pause(signal))) {
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
        if (!(await pause(signal))) {
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
}

function nextStep(seen: Seen): Step {
  const steps = [look, read, search, write, command, complete];
  const step = steps[Math.min(seen.results.length, steps.length - 1)] ?? complete;
  return step(seen);
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
      ? `读取工作区内的文件是自动进行的。我来读 \`${file}\`。`
      : `Reading inside the workspace happens by itself. I read \`${file}\`.`,
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
  const { chinese } = seen;
  const found = resultOf(seen, 'search_files').split('\n', 1)[0] ?? '';
  const lines = listed(seen);
  const content = chinese
    ? `# Lathe 导览\n\n此文件由导览写入，可以删除。\n\n- 工作区中看到 ${lines.length} 个条目\n- 读取了 \`${fileToRead(seen)}\`\n- 搜索了 \`${wordToFind(seen)}\`：${found}\n`
    : `# A tour of Lathe\n\nWritten by the tour; delete it when you like.\n\n- Entries seen in this workspace: ${lines.length}\n- File read: \`${fileToRead(seen)}\`\n- Searched for \`${wordToFind(seen)}\`: ${found}\n`;
  return {
    say: chinese
      ? '更改文件之前总会先询问您。我想创建 `lathe-tour.md`：您可以批准、拒绝，或先在差异视图中修改我的提议。'
      : 'Before a file changes, you are asked. I would like to create `lathe-tour.md`: approve it, reject it, or change my proposal in the diff first.',
    call: { tool: 'write_to_file', params: { path: 'lathe-tour.md', content } },
  };
}

function command(seen: Seen): Step {
  const { chinese } = seen;
  const last = seen.results.at(-1);
  const rejected = last?.rejected === true;
  const reaction = chinese
    ? rejected
      ? '好的，不写这个文件。'
      : '谢谢。卡片上显示了实际写入的内容。'
    : rejected
      ? 'Fine, the file stays unwritten.'
      : 'Thank you. The card shows what really landed.';
  return {
    say: chinese
      ? `${reaction}命令也会询问您，并在终端中运行，输出会显示在卡片上。`
      : `${reaction} Commands ask too; they run in a terminal, and their output comes to the card.`,
    call: { tool: 'execute_command', params: { command: 'echo Hello from Lathe' } },
  };
}

function complete(seen: Seen): Step {
  const { chinese } = seen;
  const done = seen.results.filter(({ rejected }) => !rejected).length;
  return {
    say: chinese ? '导览到此结束。' : 'That was the tour.',
    call: {
      tool: 'attempt_completion',
      params: {
        result: chinese
          ? `导览已完成：${done} 步已执行，${seen.results.length - done} 步被拒绝。接下来：在设置中添加密钥，或选择本机上的模型，然后输入您自己的任务。`
          : `The tour is over: ${done} steps were done, ${seen.results.length - done} rejected. Next: add a key in Settings or choose a model that runs on this machine, then type a task of your own.`,
      },
    },
  };
}

/** The results since the person's last message, whatever the protocol. */
function seenIn(messages: readonly ProviderMessage[]): Seen {
  let seen: Seen = { task: '', chinese: false, results: [] };
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
        seen = { task: part.text, chinese: /[\u4e00-\u9fff]/.test(part.text), results: [] };
      }
    }
  }
  return seen;
}

function result(tool: string, text: string): Seen['results'][number] {
  const body = text.replace(RESULT, '');
  return {
    tool,
    text: body,
    rejected: body.startsWith('The person rejected') || body.startsWith('This needs a person’s yes'),
  };
}

/** Whether a person said this; what else is text came from Lathe about the last message. */
function hasSpoken(text: string): boolean {
  return !text.startsWith('Your message ');
}

function resultOf(seen: Seen, tool: string): string {
  return seen.results.find((one) => one.tool === tool)?.text ?? '';
}

function listed(seen: Seen): string[] {
  return resultOf(seen, 'list_files')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('(') && !line.includes(' is empty'));
}

/** A file that says what the workspace is: its readme, its manifest, else the first text file. */
function fileToRead(seen: Seen): string {
  const files = listed(seen).filter((line) => !line.endsWith('/'));
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
  return files[0] ?? 'README.md';
}

/** The first name in the file that is worth looking for. */
function wordToFind(seen: Seen): string {
  const body = resultOf(seen, 'read_file').replace(
    /<path>[^<]*<\/path>|<[^>]+>|^\[File:.*$|^\s*\d+ ?\| /gm,
    ' ',
  );
  const words = body.match(/[A-Za-z][A-Za-z]{4,20}/g) ?? [];
  const common = new Set([
    'content',
    'lines',
    'files',
    'notice',
    'could',
    'error',
    'there',
    'which',
    'about',
    'these',
    'showing',
  ]);
  return words.find((word) => !common.has(word.toLowerCase())) ?? 'function';
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

/** False when the person stopped it. */
function pause(signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = (ended: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(ended);
    };
    const stop = (): void => finish(false);
    const timer = setTimeout(() => finish(true), PAUSE);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Roughly: the tour counts nothing, but the meters should show something true to size. */
function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}
