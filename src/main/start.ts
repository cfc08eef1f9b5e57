#!/usr/bin/env node
import { existsSync, readdirSync, rmSync } from 'node:fs';
import * as modules from 'node:module';
import { join } from 'node:path';
import { version } from '../../package.json';
import { defaultDataFolder } from '../hosts/node/dataFolder.ts';

const COMPILED = 'compiled-';

/**
 * What Node compiled of our modules is kept for the next start, of this version alone. Only in a data folder that is there: a folder
 * that others can write is no place for what is run.
 */
function keepCompiled(home: string | undefined): void {
  if (home === undefined || !existsSync(home)) return;
  const cache = join(home, 'cache');
  const own = `${COMPILED}${version}`;
  try {
    if (existsSync(cache) && !existsSync(join(cache, own)))
      for (const name of readdirSync(cache))
        if (name.startsWith(COMPILED)) rmSync(join(cache, name), { recursive: true, force: true });
  } catch (error) {
    // Of a folder that cannot be tidied nothing is used either.
    if (error instanceof Error) return;
    throw error;
  }
  modules.enableCompileCache(join(cache, own));
}

// An editor waits for its agent to start; of the other commands some promise to write nothing. Node 20 keeps nothing.
if (process.argv[2] === 'acp' && 'enableCompileCache' in modules)
  keepCompiled(defaultDataFolder(process.env));
await import('../main.ts');
