import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { REPOSITORY } from './VsCode.ts';

/** A throw-away folder with a real project in it. `remove` it when the VS Code that opened it has stopped. */
export class Workspace {
  private constructor(readonly folder: string) {}

  /** A folder with these files: their paths relative to it, with `/`, and their contents. */
  static withFiles(files: Readonly<Record<string, string>>): Workspace {
    const workspace = new Workspace(newFolder());
    for (const [path, content] of Object.entries(files)) workspace.write(path, content);
    return workspace;
  }

  /** A copy of this repository, whose tests run: `node_modules` is a link to ours. */
  static ofRepository(): Workspace {
    const left = new Set(['.git', 'node_modules', 'dist', 'coverage', join('test', 'e2e', 'results')]);
    const workspace = new Workspace(newFolder());
    cpSync(REPOSITORY, workspace.folder, {
      recursive: true,
      filter: (source) => !left.has(relative(REPOSITORY, source)),
    });
    symlinkSync(join(REPOSITORY, 'node_modules'), join(workspace.folder, 'node_modules'), 'dir');
    return workspace;
  }

  /** A copy of `pend` as it is published on npm: its own code, and its own tests, which `npm test` runs. */
  static ofPublishedPackage(): Workspace {
    const workspace = new Workspace(newFolder());
    cpSync(join(REPOSITORY, 'node_modules', 'pend'), workspace.folder, { recursive: true });
    return workspace;
  }

  /** A copy of the sample that `npm start` opens. It comes with a bug. */
  static ofSample(): Workspace {
    const workspace = new Workspace(newFolder());
    cpSync(join(REPOSITORY, 'scripts', 'sample'), workspace.folder, { recursive: true });
    return workspace;
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  exists(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  bytes(path: string): Uint8Array {
    return readFileSync(join(this.folder, path));
  }

  write(path: string, content: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Replaces the one place that reads `right` by `wrong`. Throws when it is not exactly one. */
  seedBug(path: string, right: string, wrong: string): void {
    const parts = this.read(path).split(right);
    if (parts.length !== 2) throw new Error(`${path} holds ${parts.length - 1} times: ${right}`);
    this.write(path, parts.join(wrong));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'lathe-workspace-'));
}
