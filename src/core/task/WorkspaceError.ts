/** The folder that a task works in cannot be read: it was moved, deleted, or is not permitted. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  constructor(
    readonly folder: string,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}
