/** A failure that the model can act on: its message says what was wrong, what was seen, and what to send instead. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
