import { version } from '../package.json';
import { parseCommandLine, usage, UsageError } from './frontends/cli/commandLine.ts';
import { locale, status, write } from './main/surroundings.ts';

/** Each command is put together in src/main, and loaded when it is the one. */
async function main(args: readonly string[]): Promise<number> {
  const commandLine = parseCommandLine(args);
  switch (commandLine.command) {
    case 'help':
      write(usage);
      return 0;
    case 'version':
      write(`${version}\n`);
      return 0;
    case 'run': {
      const { runTask } = await import('./main/runTask.ts');
      return await runTask(commandLine);
    }
    case 'acp': {
      const { serveEditor } = await import('./main/serveEditor.ts');
      return await serveEditor(commandLine);
    }
    case 'serve': {
      const { serveHttp } = await import('./main/serveHttp.ts');
      return await serveHttp(commandLine);
    }
    case 'rebuild': {
      const { rebuildDatabase } = await import('./main/rebuildDatabase.ts');
      return await rebuildDatabase(commandLine);
    }
    case 'tasks':
    case 'show': {
      const { readTasks } = await import('./main/readTasks.ts');
      return await readTasks(commandLine);
    }
    case 'replay': {
      const { replayTasks } = await import('./main/replayTasks.ts');
      return await replayTasks(commandLine);
    }
    case 'explain':
    case 'explain-rows': {
      const { explain } = await import('./frontends/cli/explain.ts');
      await explain(commandLine, { locale, input: process.stdin, output: write });
      return 0;
    }
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) status(`${error.message}\n\n${usage}`);
  else
    status(
      `${error instanceof Error ? (process.env.LATHE_DEBUG ? error.stack : error.message) : String(error)}\n`,
    );
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
