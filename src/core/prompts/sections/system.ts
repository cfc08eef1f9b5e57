/** What does not change while a task runs. */
export interface SystemInput {
  platform: NodeJS.Platform;
  shell: string;
  /** Name of the workspace folder, not its place on the disk. */
  workspace: string;
  /** ISO date of the task's first day; the time of day comes with the messages. */
  date: string;
}

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Linux',
  darwin: 'macOS',
  win32: 'Windows',
};

/** What models that write for bash get wrong in other shells. */
const SHELLS: readonly [RegExp, string][] = [
  [/^powershell(\.exe)?$/i, ' (Windows PowerShell 5: no && and no ||; join with ; and use its own cmdlets)'],
  [/^pwsh(\.exe)?$/i, ' (PowerShell 7)'],
  [/^cmd(\.exe)?$/i, ' (one line a command, parts joined with &&; variables as %NAME%)'],
];

export function system({ platform, shell, workspace, date }: SystemInput): string {
  const note = SHELLS.find(([name]) => name.test(shell))?.[1] ?? '';
  return `# System\n\n- ${PLATFORMS[platform] ?? platform}, commands run in ${shell}${note}\n- Workspace: ${workspace}\n- Date: ${date}`;
}
