import { message } from '../shared/strings.ts';
import { ProtocolError, type Handlers } from './Dispatcher.ts';
import type { ProfileModel } from './Profiles.ts';
import { writingPrompts, writingRequest, writtenText } from './prompts/writing.ts';

/** Longest that a text may take, in milliseconds. */
const LONGEST = 120_000;

export interface TextWriterOptions {
  /** The model of the active profile. @throws ProtocolError without one */
  model: () => Promise<ProfileModel>;
  /** @throws ProtocolError before the workspace is trusted */
  requireTrust: () => void;
}

/** Short texts by the person's model, outside of any task: no tools, no history, nothing is kept. */
export class TextWriter {
  readonly #options: TextWriterOptions;
  readonly #running = new Map<string, AbortController>();

  constructor(options: TextWriterOptions) {
    this.#options = options;
  }

  get handlers(): Pick<Handlers, 'text/write' | 'text/cancel'> {
    return {
      'text/write': async ({ id, purpose, text }) => {
        this.#options.requireTrust();
        if (this.#running.has(id)) throw new ProtocolError('busy', message('error.textRunning'));
        const stop = new AbortController();
        this.#running.set(id, stop);
        try {
          const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(LONGEST)]);
          return { text: await this.#write(purpose, text, signal) };
        } finally {
          this.#running.delete(id);
        }
      },
      'text/cancel': ({ id }) => {
        this.#running.get(id)?.abort();
        return Promise.resolve({});
      },
    };
  }

  dispose(): void {
    for (const stop of this.#running.values()) stop.abort();
  }

  async #write(purpose: keyof typeof writingPrompts, text: string, signal: AbortSignal): Promise<string> {
    const { profile, provider } = await this.#options.model();
    const { model, maxOutputTokens, temperature } = profile;
    const request = {
      model,
      system: writingPrompts[purpose],
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: writingRequest(text) }] }],
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(temperature === undefined ? {} : { temperature }),
    };
    let answer = '';
    for await (const event of provider.stream(request, signal)) {
      if (event.type === 'text') answer += event.text;
      if (event.type !== 'end') continue;
      if (signal.aborted) throw new ProtocolError('unavailable', message('error.textStopped'));
      if (event.error) throw new ProtocolError('unavailable', event.error.message);
    }
    const written = writtenText(answer);
    if (written === '') throw new ProtocolError('unavailable', message('error.textEmpty'));
    return written;
  }
}
