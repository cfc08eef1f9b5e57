// A process that opens a browser and waits to be killed.
import { Browsers } from '../../src/services/browser/Browsers.ts';

const browsers = await Browsers.find(process.env);
const session = await browsers.open({
  browser: '',
  sandbox: process.env.SANDBOX === 'on',
  size: { width: 400, height: 300 },
  signal: new AbortController().signal,
});
process.stdout.write(`${session.url}\n`);
setInterval(() => undefined, 1000);
