/** Pixels of the page's own area, or of a picture of it. */
export interface PageSize {
  width: number;
  height: number;
}

/** A point of the page's area, in pixels from its upper left corner. */
export interface PagePoint {
  x: number;
  y: number;
}

export type PictureType = 'image/webp' | 'image/jpeg' | 'image/png';

/** One thing that is done in an open browser. */
export type BrowserStep =
  | { type: 'navigate'; url: string }
  | { type: 'click' | 'hover'; point: PagePoint }
  | { type: 'type'; text: string }
  /** `keys`: one key, or keys held together, as `Control+A`. */
  | { type: 'press'; keys: string }
  | { type: 'scroll'; direction: 'up' | 'down' }
  | { type: 'resize'; size: PageSize }
  | { type: 'look' };

/** What there is to see after a step. All of it but `notices` is the page's own word. */
export interface BrowserSight {
  url: string;
  title: string;
  /** What the page said since the last sight: console, errors, failed requests, dialogs. Bounded, and says what was left out. */
  log: string;
  /** What Lathe has to say: still loading, shown in another tab, no picture. */
  notices: string[];
  size: PageSize;
  /** Base64. Absent when the page gave none in time, or only one that was too large. */
  picture?: { mediaType: PictureType; data: string };
}

/**
 * What a browser could not do, worded for the model without what to do next.
 * `open`: the browser did not start, or is not there. `gone`: it ended, or had to be ended; the session is over.
 * `page`: this step failed, and the session goes on.
 */
export class BrowserError extends Error {
  override readonly name = 'BrowserError';
  constructor(
    readonly reason: 'open' | 'gone' | 'page',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** By its name: what drives browsers is loaded late, and its copy of this file may be another one. */
export function isBrowserError(error: unknown): error is BrowserError {
  return error instanceof Error && error.name === 'BrowserError';
}
