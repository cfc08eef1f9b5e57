import type { ModeConfig } from '../../../src/shared/modes.ts';
import type { ToolGroup } from '../../../src/shared/tools.ts';
import type { Words } from '../useSession.ts';

/** The groups that a person can choose; those of `modes` tools are in every mode. */
export const chosenGroups = [
  'read',
  'edit',
  'browser',
  'command',
  'mcp',
] as const satisfies readonly ToolGroup[];
export type ChosenGroup = (typeof chosenGroups)[number];

/** What a mode may do, in words: "reads, edits Markdown files only, runs commands". */
export function mayDo(words: Words, { groups }: ModeConfig): string {
  const parts = chosenGroups.flatMap((group) => {
    const entry = groups.find((one) => (typeof one === 'string' ? one : one[0]) === group);
    if (entry === undefined) return [];
    const options = typeof entry === 'string' ? undefined : entry[1];
    // Of our own modes, the words are ours to translate.
    const files =
      options?.description === 'Markdown files only'
        ? words('webview.modes.may.markdown')
        : (options?.description ?? options?.fileRegex);
    return [
      files === undefined
        ? words(`webview.modes.may.${group}`)
        : words('webview.modes.may.only', { may: words(`webview.modes.may.${group}`), files }),
    ];
  });
  return parts.length === 0 ? words('webview.modes.may.nothing') : parts.join(words('webview.listSeparator'));
}
