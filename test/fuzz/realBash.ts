import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Ends with this code, as the program of the name does; all others end with 0. */
export const FAILING = 'false';

/** Builtins that a shell would run itself: switched off, so that the stubs of these names run. */
const BUILTINS = 'echo printf pwd true false test kill';

/**
 * Real bash under bubblewrap, where every program is a stub that writes down its name and arguments. Names without a stub are written
 * down as well.
 */
export class RealBash {
  readonly base = mkdtempSync(join(tmpdir(), 'lathe-oracle-'));
  /** Where the commands run: a few files, for patterns. */
  readonly folder = join(this.base, 'folder');
  readonly #stubs = join(this.base, 'stubs');

  constructor(programs: readonly string[]) {
    for (const folder of [this.folder, join(this.folder, 'src'), join(this.folder, 'docs'), this.#stubs])
      mkdirSync(folder);
    for (const file of ['b.txt', 'src/a.ts', 'src/b.ts', 'src/.hidden.ts', 'src/two words.ts', 'docs/x.md'])
      writeFileSync(join(this.folder, file), file);
    for (const name of programs) {
      const stub = join(this.#stubs, name);
      const code = name === FAILING ? 1 : 0;
      writeFileSync(
        stub,
        `#!/bin/sh\nprintf '%s\\0' "$CASE" "$#" "\${0##*/}" "$@" >>/log/ran\nexit ${code}\n`,
      );
      chmodSync(stub, 0o755);
    }
    writeFileSync(
      join(this.#stubs, '.setup'),
      `enable -n ${BUILTINS}\ncommand_not_found_handle() { enable printf; printf '%s\\0' "$CASE" "$(($# - 1))" "$@" >>/log/ran; return 127; }\n`,
    );
    writeFileSync(
      join(this.#stubs, '.run'),
      // A shell that has read nothing but these lines, forked for each: as fresh as a new one, and faster.
      '. /stubs/.setup; for path in /cases/*; do IFS= read -r -d "" command <$path; CASE=${path##*/}; export CASE; ( eval "$command" ) </dev/null >/dev/null 2>&1; done\n',
    );
  }

  close(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  /** What each command ran, by its place in the list: programs with their arguments, in the order of their starting. */
  async run(commands: readonly string[]): Promise<string[][][]> {
    const log = mkdtempSync(join(this.base, 'log-'));
    const cases = mkdtempSync(join(this.base, 'cases-'));
    commands.forEach((command, at) => writeFileSync(join(cases, String(at)), command));
    const child = spawn(
      'bwrap',
      [
        ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv'],
        ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
        ...['--ro-bind-try', '/lib64', '/lib64', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
        ...['--ro-bind', this.#stubs, '/stubs', '--ro-bind', cases, '/cases'],
        ...['--bind', this.folder, '/folder', '--bind', log, '/log', '--chdir', '/folder'],
        ...['--setenv', 'PATH', '/stubs', '--setenv', 'HOME', '/nowhere', '/usr/bin/bash', '/stubs/.run'],
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0 && code !== 1)
      throw new Error(`bash could not be run under bwrap: exit code ${String(code)}`);
    const ran = commands.map((): string[][] => []);
    const fields = this.#fields(log);
    for (let at = 0; at + 2 < fields.length;) {
      const count = Number(fields[at + 1]);
      ran[Number(fields[at])]?.push(fields.slice(at + 2, at + 3 + count));
      at += 3 + count;
    }
    return ran;
  }

  /** Paths of all files in the folder where the commands ran. */
  files(): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).toSorted();
  }

  #fields(log: string): string[] {
    const names = readdirSync(log);
    const text = names.includes('ran') ? readFileSync(join(log, 'ran'), 'utf8') : '';
    return text.split('\0').slice(0, -1);
  }
}
