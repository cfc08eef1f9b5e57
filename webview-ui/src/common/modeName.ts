import { builtInModes, type ModeConfig } from '../../../src/shared/modes.ts';
import type { Words } from '../useSession.ts';

const slugs = ['code', 'architect', 'ask', 'debug', 'orchestrator', 'review'] as const;

/** Our own modes are named in the reader's language; a person's own mode, or ours under another name, by its own. */
export function modeName(words: Words, modes: readonly ModeConfig[], slug: string): string {
  const ours = builtIn(modes, slug);
  return ours ? words(`webview.mode.${ours}`) : (modes.find((mode) => mode.slug === slug)?.name ?? slug);
}

export function modeDescription(
  words: Words,
  modes: readonly ModeConfig[],
  slug: string,
): string | undefined {
  const ours = builtIn(modes, slug);
  return ours ? words(`webview.mode.${ours}.what`) : modes.find((mode) => mode.slug === slug)?.description;
}

function builtIn(modes: readonly ModeConfig[], slug: string): (typeof slugs)[number] | undefined {
  const known = builtInModes.find((mode) => mode.slug === slug)?.name;
  const shown = modes.find((mode) => mode.slug === slug)?.name ?? known;
  return shown === known ? slugs.find((candidate) => candidate === slug) : undefined;
}
