/** What ripgrep is told of a file pattern. */
export interface FileArguments {
  args: string[];
  /** ripgrep searches files that match even where an ignore file leaves them out. */
  overridesIgnoreFiles: boolean;
}

/** The arguments for a glob such as `*.ts`, `src/**` or `!*.test.ts`, or several with commas between; `path` is what is searched. */
export function fileArguments(pattern: string, path: string): FileArguments {
  const args: string[] = [];
  let overridesIgnoreFiles = false;
  for (const one of splitCommas(pattern)) {
    const name = one.startsWith('**/') && !one.slice(3).includes('/') ? one.slice(3) : one;
    if (one.startsWith('!')) args.push('--glob', one);
    else if (!name.includes('/')) args.push('--type-add', `lathe:${name}`);
    else {
      overridesIgnoreFiles = true;
      args.push('--glob', name.replace(/^\.?\//, ''));
      // The model may mean the folder that it searches, or the workspace.
      if (path !== '.')
        args.push('--glob', `${path.replace(/[*?[\]{}!\\]/g, '[$&]')}/${name.replace(/^\.?\//, '')}`);
    }
  }
  if (args.includes('--type-add')) args.push('--type', 'lathe');
  return { args, overridesIgnoreFiles };
}

/** Commas inside braces belong to the glob. */
function splitCommas(pattern: string): string[] {
  return pattern
    .split(/,(?![^{]*\})/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
