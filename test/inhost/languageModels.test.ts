import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ProviderEvent, ProviderRequest } from '../../src/core/provider/Provider.ts';
import {
  findLanguageModels,
  VsCodeLanguageModelProvider,
  type EditorModel,
} from '../../src/hosts/vscode/VsCodeLanguageModels.ts';
import { Lathe } from './support/Lathe.ts';

interface Sent {
  messages: vscode.LanguageModelChatMessage[];
  options: vscode.LanguageModelChatRequestOptions | undefined;
  token: vscode.CancellationToken | undefined;
}

type Part = vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart;

/** A model as another extension brings it, with what was sent to it. */
function modelThat(answer: () => AsyncIterable<Part>): { model: EditorModel; sent: Sent[] } {
  const sent: Sent[] = [];
  const model: EditorModel = {
    maxInputTokens: 64_000,
    sendRequest: async (messages, options, token) => {
      sent.push({ messages, options, token });
      const stream = answer();
      return await Promise.resolve({
        stream,
        text: (async function* () {
          for await (const part of stream) if (part instanceof vscode.LanguageModelTextPart) yield part.value;
        })(),
      });
    },
  };
  return { model, sent };
}

const request: ProviderRequest = {
  model: 'gpt',
  system: 'You are Lathe.',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'fix it' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'tool_call', callId: 'c1', tool: 'read_file', arguments: { path: 'a.ts' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          callId: 'c1',
          tool: 'read_file',
          content: [{ type: 'text', text: '1| a' }],
          isError: false,
        },
      ],
    },
  ],
  tools: [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }],
};

async function events(
  model: EditorModel | undefined,
  { idleTimeoutMs = 60_000, signal = new AbortController().signal } = {},
): Promise<ProviderEvent[]> {
  const provider = await VsCodeLanguageModelProvider.create('gpt', {
    idleTimeoutMs,
    select: () => Promise.resolve(model),
    asksFirst: () => false,
  });
  const heard: ProviderEvent[] = [];
  for await (const event of provider.stream(request, signal)) heard.push(event);
  return heard;
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('models of the editor', () => {
  it('are listed, and there are none where no extension brings any', async () => {
    assert.deepEqual(await findLanguageModels(), []);
  });

  it('get the conversation in the editor’s own words, and give text and calls', async () => {
    const { model, sent } = modelThat(async function* () {
      yield new vscode.LanguageModelTextPart('Looking');
      yield await Promise.resolve(new vscode.LanguageModelToolCallPart('c2', 'read_file', { path: 'b.ts' }));
    });
    assert.deepEqual(await events(model), [
      { type: 'text', text: 'Looking' },
      { type: 'tool_call_start', callId: 'c2', tool: 'read_file' },
      { type: 'tool_call_delta', callId: 'c2', arguments: '{"path":"b.ts"}' },
      { type: 'tool_call_end', callId: 'c2' },
      { type: 'end', stopReason: 'tool_calls' },
    ]);
    const user = (parts: Parameters<typeof vscode.LanguageModelChatMessage.User>[0]) =>
      vscode.LanguageModelChatMessage.User(parts);
    const call = new vscode.LanguageModelToolCallPart('c1', 'read_file', { path: 'a.ts' });
    assert.deepEqual(sent[0]?.messages, [
      user([new vscode.LanguageModelTextPart('You are Lathe.'), new vscode.LanguageModelTextPart('fix it')]),
      vscode.LanguageModelChatMessage.Assistant([call]),
      user([new vscode.LanguageModelToolResultPart('c1', [new vscode.LanguageModelTextPart('1| a')])]),
    ]);
    assert.deepEqual(sent[0].options?.tools, [
      { name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' } },
    ]);
  });

  it('tell their window before they are first asked', async () => {
    const { model } = modelThat(async function* () {
      yield await never();
    });
    const provider = await VsCodeLanguageModelProvider.create('gpt', {
      idleTimeoutMs: 1000,
      select: () => Promise.resolve(model),
      asksFirst: () => false,
    });
    assert.deepEqual(provider.facts('gpt'), { contextWindow: 64_000, images: false, nativeTools: true });
    assert.deepEqual(provider.facts('other'), { images: false, nativeTools: true });
  });

  it('end at once when they are aborted, and are told to stop', async () => {
    const { model, sent } = modelThat(async function* () {
      yield new vscode.LanguageModelTextPart('a');
      yield await never();
    });
    const stop = new AbortController();
    const heard = events(model, { signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    assert.deepEqual(await heard, [
      { type: 'text', text: 'a' },
      { type: 'end', stopReason: 'aborted' },
    ]);
    assert.equal(sent[0]?.token?.isCancellationRequested, true);
  });

  it('do not hang when nothing comes', async () => {
    const stalled = { key: 'provider.stalled', args: { provider: 'gpt', seconds: 0 } };
    const silent = modelThat(async function* () {
      yield await never();
    });
    assert.deepEqual(await events(silent.model, { idleTimeoutMs: 50 }), [
      { type: 'end', stopReason: 'error', error: { message: stalled, retryable: true } },
    ]);
    const halting = modelThat(async function* () {
      yield new vscode.LanguageModelTextPart('a');
      yield await never();
    });
    assert.deepEqual(await events(halting.model, { idleTimeoutMs: 50 }), [
      { type: 'text', text: 'a' },
      { type: 'end', stopReason: 'cut', error: { message: stalled, retryable: true } },
    ]);
  });

  it('say in a person’s words why they cannot answer', async () => {
    const ends = async (error: Error): Promise<unknown> => {
      const { model } = modelThat(async function* () {
        yield await Promise.reject<Part>(error);
      });
      const end = (await events(model)).at(-1);
      return end?.type === 'end' ? end.error : undefined;
    };
    assert.deepEqual(await ends(vscode.LanguageModelError.NoPermissions('no')), {
      message: { key: 'vscode.modelNotAllowed', args: { model: 'gpt' } },
      retryable: false,
    });
    assert.deepEqual(await ends(vscode.LanguageModelError.Blocked('quota used up')), {
      message: { key: 'vscode.modelBlocked', args: { model: 'gpt', reason: 'quota used up' } },
      retryable: false,
    });
    assert.deepEqual(await ends(vscode.LanguageModelError.NotFound('gone')), {
      message: { key: 'provider.noModel', args: { model: 'gpt' } },
      retryable: false,
    });
    assert.deepEqual(await ends(new Error('boom')), {
      message: { key: 'vscode.modelFailed', args: { model: 'gpt', reason: 'boom' } },
      retryable: false,
    });
    assert.deepEqual(await events(undefined), [
      {
        type: 'end',
        stopReason: 'error',
        error: { message: { key: 'provider.noModel', args: { model: 'gpt' } }, retryable: false },
      },
    ]);
  });

  it('are not offered where there are none, and a task that wants one waits for another choice', async () => {
    const lathe = await Lathe.start();
    const { dispatcher } = lathe.parts.agent;
    const services = await dispatcher.call('service/find', {});
    assert.deepEqual(
      services.filter(({ provider }) => provider === 'vscode-lm'),
      [],
    );
    const profile = { name: 'Gone', provider: 'vscode-lm', protocol: 'auto', model: 'gone' } as const;
    await dispatcher.call('profile/save', { profile });
    const { taskId } = await dispatcher.call('task/create', { text: 'Hello', profile: 'Gone' });
    const request = await lathe.asked(taskId);
    assert.ok(request.reason === 'request_failed');
    assert.deepEqual(request.error, { key: 'provider.noModel', args: { model: 'gone' } });
    await dispatcher.call('profile/delete', { name: 'Gone' });
    await lathe.stop();
  });
});
