/** A path of the machine that is shown read-only; `to` is where, when that is another place. */
export interface Shown {
  from: string;
  to: string;
}

/** Something of the workspace that is treated apart. Absolute path. */
export interface Apart {
  path: string;
  type: 'file' | 'folder';
}

/** What a command may see and do. Paths are absolute, with every link resolved; what is not named is not there. */
export interface SandboxProfile {
  workspace: string;
  /** Else the workspace can only be read. */
  writable: boolean;
  /** The person's home. It is there, and empty. */
  home: string;
  /** A folder for temporary files that is the command's own, where the sandbox cannot make one itself (macOS). */
  temporary?: string;
  /** Programs and packages. */
  shown: readonly Shown[];
  /** Can be read, and never changed, moved or removed. */
  guarded: readonly Apart[];
  /** Cannot be read either. */
  hidden: readonly Apart[];
  network: boolean;
  /** All that the command sees of an environment. */
  environment: Readonly<Record<string, string>>;
}
