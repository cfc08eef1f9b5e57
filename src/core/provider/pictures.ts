import type { PictureType } from '../../shared/browser.ts';
import type { Image, RequestError } from '../../shared/events.ts';

/** A picture that a model shall make. */
export interface PictureRequest {
  model: string;
  /** What it shall show, or what shall be changed in `from`. */
  prompt: string;
  /** What it is wanted as; not every service can choose. */
  mediaType: PictureType;
  from?: Image;
}

/** The picture's bytes as they came, or why there are none. */
export type PictureResult = { bytes: Uint8Array } | { error: RequestError };
