// A process that runs the script `parent`, or goes on with a task, and kills itself behind its nth write to the disk:
// <home> <cwd> <model's address> <n, or 0 for never> [task id to go on with]. Prints how many writes there were when it comes to the end.
import { open } from 'node:fs/promises';
import { writeSync } from 'node:fs';
import { TestAgent } from './TestAgent.ts';

const [home = '', cwd = '', baseUrl = '', at = '0', taskId] = process.argv.slice(2);

// What is durable is what was synced: behind each sync is a point where a process can end.
let writes = 0;
const handle = await open(import.meta.filename, 'r');
const prototype = Object.getPrototypeOf(handle) as {
  sync: () => Promise<void>;
  datasync: () => Promise<void>;
};
await handle.close();
for (const name of ['sync', 'datasync'] as const) {
  const original = prototype[name];
  prototype[name] = async function counted(this: unknown) {
    await original.call(this);
    if (++writes === Number(at)) process.kill(process.pid, 'SIGKILL');
  };
}

const agent = await TestAgent.start({
  cwd,
  home,
  profile: { provider: 'openai-compatible', baseUrl },
  automatic: { switchMode: true },
});
if (taskId === undefined)
  await agent.agent.dispatcher.call('task/create', { text: 'script:parent', taskId: 'root' });
else await agent.agent.dispatcher.call('task/resume', { taskId });
await agent.until(() => agent.ends.includes('root'), 'the end of the first task');
await agent.stop();
writeSync(1, `${writes}\n`);
