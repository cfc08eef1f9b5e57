import type { ModeConfig } from '../../../shared/modes.ts';

const LONGEST_LINE = 300;

export function modes(current: ModeConfig, all: readonly ModeConfig[]): string {
  const rows = all.map(
    ({ slug, whenToUse, description }) => `- ${slug}: ${oneLine(whenToUse ?? description ?? '')}`,
  );
  return `# Modes\n\nYou are in ${current.slug} mode.\n${rows.join('\n')}`;
}

/** A mode of a file may say a lot; here it gets one line. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}
