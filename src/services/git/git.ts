import { spawn } from 'node:child_process';

/** Git could not be run, or said no; the message is what it said. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

export interface GitOutput {
  text: string;
  /** There was more than was asked for. */
  cut: boolean;
}

/** Whoever made a repository may have made its configuration: nothing in it may name a program to run, or an address to ask. */
const SAFE = [
  '--no-pager',
  '--literal-pathspecs',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'diff.external='],
  ...['submodule.recurse=false', 'protocol.allow=never', 'core.quotePath=false', 'log.showSignature=false'],
].flatMap((value) => (value.startsWith('--') ? [value] : ['-c', value]));
/** Milliseconds for one call. */
const LIMIT = 20_000;
const LONGEST_ERROR = 300;

/**
 * Runs git to read, and gives up to `limit` bytes of what it writes. Takes no lock, asks nobody, runs no program of the
 * repository's. @throws GitError, or the signal's reason
 */
export async function git(
  folder: string,
  command: readonly string[],
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<GitOutput> {
  const filters = await localFilters(folder, signal);
  return await run(folder, [...SAFE, ...filters, ...command], limit, signal);
}

/** Filters run when a changed file is compared. Those of the person's own configuration are theirs; the repository's are not. */
async function localFilters(folder: string, signal: AbortSignal): Promise<string[]> {
  const found = await run(
    folder,
    [...SAFE, 'config', '--show-scope', '--name-only', '-z', '--list'],
    1024 * 1024,
    signal,
  );
  // In turn: scope, name.
  const fields = found.text.split('\0');
  const drivers = new Set<string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const driver = /^(filter\..+)\.(clean|smudge|process|required)$/.exec(fields[index + 1] ?? '')?.[1];
    if (driver !== undefined && !['system', 'global'].includes(fields[index] ?? '')) drivers.add(driver);
  }
  return [...drivers].flatMap((driver) =>
    [`${driver}.clean=`, `${driver}.smudge=`, `${driver}.process=`, `${driver}.required=false`].flatMap(
      (value) => ['-c', value],
    ),
  );
}

async function run(
  folder: string,
  command: readonly string[],
  limit: number,
  signal: AbortSignal,
): Promise<GitOutput> {
  signal.throwIfAborted();
  return await new Promise<GitOutput>((resolve, reject) => {
    const inTime = AbortSignal.timeout(LIMIT);
    const child = spawn('git', command, {
      cwd: folder,
      env: environment(),
      signal: AbortSignal.any([signal, inTime]),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let complaint = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (size > limit) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) child.kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < LONGEST_ERROR) complaint += text;
    });
    child.on('error', (error) => {
      if (signal.aborted) reject(asError(signal.reason));
      else if (inTime.aborted) reject(new GitError(`git took longer than ${LIMIT / 1000} s`));
      else reject(new GitError(`git could not be run: ${error.message}`, { cause: error }));
    });
    child.on('close', (code) => {
      const cut = size > limit;
      const text = decoded(Buffer.concat(chunks).subarray(0, limit), cut);
      if (code === 0 || cut) resolve({ text, cut });
      else reject(new GitError(firstLine(complaint) || `git ended with exit code ${code ?? 'none'}`));
    });
  });
}

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('GIT_') && !name.startsWith('LATHE_'),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    LC_ALL: 'C',
  };
}

/** Of a text that was cut, no half character. */
function decoded(bytes: Buffer, cut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: cut });
}

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').replace(/^(fatal|error): /, '').slice(0, LONGEST_ERROR);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
