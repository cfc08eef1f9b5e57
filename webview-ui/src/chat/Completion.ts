import type { StringKey } from '../../../src/shared/strings.ts';

export interface Completion {
  id: string;
  /** What it belongs to; those of a group stand together. */
  group: StringKey;
  label: string;
  /** A path, shortened in the middle. */
  isPath: boolean;
  icon: string;
  description?: string;
  /** The whole of it, on hover. */
  title?: string;
  /** What takes the place of what was typed; `open`: more is to be typed behind it. */
  text: string;
  open?: boolean;
  /** What is done besides. */
  run?: () => void;
}
