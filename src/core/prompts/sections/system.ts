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

export function system({ platform, shell, workspace, date }: SystemInput): string {
  return `# System\n\n- ${PLATFORMS[platform] ?? platform}, commands run in ${shell}\n- Workspace: ${workspace}\n- Date: ${date}`;
}
