/** Where bugs go, with their stack. Never keys, never file contents. */
export interface Logger {
  info(text: string): void;
  warn(text: string): void;
  error(text: string, error?: unknown): void;
}
