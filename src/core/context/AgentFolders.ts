import type { FileHost } from '../host/Host.ts';
import { AgentFolder } from './AgentFolder.ts';
import { FileGate } from './FileGate.ts';

/** The folders in which people write for agents: LATHE_HOME, and each workspace's. */
export class AgentFolders {
  readonly person: AgentFolder;
  readonly #home: string;
  readonly #files: FileHost;
  readonly #projects = new Map<string, AgentFolder>();

  constructor(home: string, files: FileHost) {
    this.#home = home;
    this.#files = files;
    this.person = AgentFolder.ofPerson(home, files);
  }

  project(cwd: string): AgentFolder {
    const known = this.#projects.get(cwd);
    if (known) return known;
    const gate = new FileGate({ root: cwd, homes: [this.#home], files: this.#files });
    const folder = AgentFolder.ofProject(cwd, this.#files, gate);
    this.#projects.set(cwd, folder);
    return folder;
  }
}
