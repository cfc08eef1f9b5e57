// A host of its own for a test that kills it: runs one script in the sandbox, and passes on what it prints.
import { join } from 'node:path';
import { Sandbox } from '../../src/services/sandbox/Sandbox.ts';

const [home = '', workspace = '', script = ''] = process.argv.slice(2);
const { env: environment, platform } = process;
const sandbox = new Sandbox({ environment, platform, home, folder: join(home, 'notes') });
await sandbox.run({
  steps: [{ argv: ['bash', '-c', script], redirects: [], joint: undefined }],
  ...{ workspace, cwd: workspace, writable: true, network: false, absent: [] },
  classify: () => undefined,
  onOutput: (text) => process.stdout.write(text),
  signal: AbortSignal.timeout(60_000),
  background: new Promise(() => undefined),
});
