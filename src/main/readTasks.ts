import { version } from '../../package.json';
import { ProtocolError } from '../core/Dispatcher.ts';
import type { CommandLine } from '../frontends/cli/commandLine.ts';
import { taskLines, taskNamed } from '../frontends/cli/listTasks.ts';
import { NodeHost } from '../hosts/node/NodeHost.ts';
import { translate } from '../shared/strings.ts';
import { newAgent } from './newAgent.ts';
import { dataFolder, locale, status, write } from './surroundings.ts';

/** `lathe tasks` and `lathe show`: what was done, from the data folder. Changes nothing. @returns the exit code */
export async function readTasks(line: Extract<CommandLine, { command: 'tasks' | 'show' }>): Promise<number> {
  const home = await dataFolder();
  const host = await NodeHost.create(process.env, home, undefined, version);
  const agent = newAgent({ host, home, cwd: () => process.cwd(), attended: false, trust: false });
  const { dispatcher } = agent;
  try {
    const all = await dispatcher.call('task/list', {});
    const here = all.filter(({ cwd }) => cwd === process.cwd());
    if (line.command === 'tasks') {
      const tasks = (line.all ? all : here).filter(({ parent }) => parent === undefined);
      write(line.json ? tasks.map((task) => `${JSON.stringify(task)}\n`).join('') : taskLines(tasks));
      return 0;
    }
    const task = taskNamed(line.task === 'last' ? here : all, line.task);
    const format = line.json ? 'json' : 'markdown';
    write((await dispatcher.call('task/export', { taskId: task.id, format })).text);
    return 0;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    status(`${translate(locale, error.words)}\n`);
    return 1;
  } finally {
    await agent.dispose();
    await host.dispose();
  }
}
