/** A file's name for the model, quoted where it holds line breaks or other control characters, so that it cannot look like two. */
export function shownName(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}
