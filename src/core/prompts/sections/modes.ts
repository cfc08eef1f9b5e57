import type { ModeConfig } from '../../../shared/modes.ts';

export function modes(current: ModeConfig, all: readonly ModeConfig[]): string {
  const rows = all.map(({ slug, whenToUse, description }) => `- ${slug}: ${whenToUse ?? description ?? ''}`);
  return `# Modes\n\nYou are in ${current.slug} mode.\n${rows.join('\n')}`;
}
