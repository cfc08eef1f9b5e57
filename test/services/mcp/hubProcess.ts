// A process that holds a hub and says on stdout which process its server is, until it is killed. Arguments: home, workspace.
import { McpHub } from '../../../src/services/mcp/McpHub.ts';

const [home = '', workspace = ''] = process.argv.slice(2);
const hub = new McpHub({
  home,
  workspace: () => workspace,
  trusted: () => true,
  environment: process.env,
  version: '0.0.0',
  logger: { warn: () => undefined, error: () => undefined },
});
await hub.start();
await hub.settled(AbortSignal.timeout(20_000));
const outcome = await hub.call('stub', 'pid', {}, { signal: AbortSignal.timeout(20_000) });
process.stdout.write(`${JSON.stringify(outcome)}\n`);
setInterval(() => undefined, 1000);
