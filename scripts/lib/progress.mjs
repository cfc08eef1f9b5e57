// Says what is being done and for how long: one line that rewrites itself on a terminal, else a line now and then.

/** Milliseconds between two lines where the output is not a terminal. */
const QUIET_INTERVAL = 15_000;

/**
 * Runs `work`, showing `title`, the stage that it reports and the elapsed time. The error of `work` is rethrown.
 * @template T
 * @param {string} title
 * @param {(stage: (text: string) => void) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(title, work) {
  const start = Date.now();
  const terminal = process.stdout.isTTY;
  let stage = '';
  let printed = 0;
  const line = () => `  ${title}${stage && `: ${stage}`} (${elapsed(start)})`;
  const show = () => {
    if (terminal) process.stdout.write(`\r\x1b[2K${line().slice(0, (process.stdout.columns || 80) - 1)}`);
    else if (Date.now() - printed >= QUIET_INTERVAL) {
      printed = Date.now();
      console.log(line());
    }
  };
  show();
  const timer = setInterval(show, 1000);
  const finish = (/** @type {string} */ outcome) => {
    clearInterval(timer);
    console.log(`${terminal ? '\r\x1b[2K' : ''}  ${title}: ${outcome} after ${elapsed(start)}`);
  };
  try {
    const result = await work((text) => {
      if (text === stage) return;
      stage = text;
      printed = 0;
      show();
    });
    finish('done');
    return result;
  } catch (error) {
    finish('failed');
    throw error;
  }
}

/** @param {number} start milliseconds since the epoch */
export function elapsed(start) {
  const seconds = Math.round((Date.now() - start) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
