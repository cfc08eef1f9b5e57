/** What a shell with integration says before it draws a prompt: it waits for a command. */
const PROMPTS = ['\x1b]633;A', '\x1b]133;A'];
const LONGEST = 7;

/** Looks for a prompt in a command's raw output, wherever the chunks are cut. What comes from the prompt on is not the command's. */
export class PromptWatch {
  #held = '';
  #seen = false;

  /** Whether the shell has drawn a prompt. */
  get seen(): boolean {
    return this.#seen;
  }

  /** The part of the output that is certainly the command's. */
  push(chunk: string): string {
    if (this.#seen) return '';
    const text = this.#held + chunk;
    this.#held = '';
    const found = PROMPTS.map((prompt) => text.indexOf(prompt)).filter((index) => index >= 0);
    if (found.length > 0) {
      this.#seen = true;
      return text.slice(0, Math.min(...found));
    }
    const escape = text.lastIndexOf('\x1b');
    const tail = escape < 0 || text.length - escape >= LONGEST ? '' : text.slice(escape);
    if (!PROMPTS.some((prompt) => prompt.startsWith(tail))) return text;
    this.#held = tail;
    return text.slice(0, text.length - tail.length);
  }

  /** What was held back, when no more comes. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
