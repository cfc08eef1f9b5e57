/**
 * Runs in the page before its own scripts. A page that prints without end would keep the browser and us busy with nothing else: of what
 * is printed at a stretch the first 200 calls pass, then how many were left out, and the last 40.
 * Text, since a function of ours would arrive there as our build tools left it.
 */
export const limitConsole = `(() => {
  const FIRST = 200;
  const LAST = 40;
  const print = console.log.bind(console);
  let passed = 0;
  let left = 0;
  let last = [];
  const flush = () => {
    const kept = last.slice(-LAST);
    if (left > kept.length) print('(' + (left - kept.length) + ' more lines here)');
    for (const call of kept) call();
    passed = 0;
    left = 0;
    last = [];
  };
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'table', 'dir', 'assert', 'count']) {
    const original = console[name].bind(console);
    console[name] = (...values) => {
      if (passed === 0) setTimeout(flush, 0);
      if (++passed <= FIRST) {
        original(...values);
        return;
      }
      left++;
      last.push(() => original(...values));
      if (last.length >= LAST * 2) last = last.slice(-LAST);
    };
  }
})()`;
