import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Reads lines `+pid` and `-pid`; when its input ends, because we ended however that was, it ends the process groups that are left.
 * `trap`: the terminal's Ctrl+C reaches it too, and it must outlive us by a moment.
 */
const SCRIPT = `
trap '' INT TERM HUP
groups=" "
while read -r line; do
  pid=\${line#?}
  case $line in
    +*) groups="$groups$pid " ;;
    -*) case $groups in *" $pid "*) groups="\${groups%% $pid *} \${groups#* $pid }" ;; esac ;;
  esac
done
for pid in $groups; do kill -s TERM -- "-$pid" 2>/dev/null; done
[ "$groups" = " " ] || sleep 1
for pid in $groups; do kill -s KILL -- "-$pid" 2>/dev/null; done
`;

/**
 * Ends servers whose host was killed without a chance to do it (kill -9). One small shell for all of them, started with the first
 * server. On Windows there is none: servers end there when their input closes.
 */
export class ProcessGuardian {
  #shell: ChildProcess | undefined;
  readonly #guarded = new Set<number>();

  add(pid: number): void {
    if (process.platform === 'win32') return;
    this.#guarded.add(pid);
    if (this.#shell) this.#write(`+${pid}`);
    else {
      this.#shell = this.#start();
      // One that was lost knew of others.
      for (const guarded of this.#guarded) this.#write(`+${guarded}`);
    }
  }

  remove(pid: number): void {
    if (this.#guarded.delete(pid)) this.#write(`-${pid}`);
  }

  /** What is left ends with it. A server that ends later is told to nobody. */
  dispose(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
    this.#guarded.clear();
  }

  #write(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: { PATH: '/usr/bin:/bin' },
    });
    // Without a shell there is no guardian; servers still end when their input closes. Nothing waits for it either.
    const gone = (): void => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.on('error', gone);
    shell.on('exit', gone);
    shell.stdin.on('error', gone);
    shell.unref();
    return shell;
  }
}
