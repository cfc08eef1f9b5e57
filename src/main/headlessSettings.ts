import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { UsageError } from '../frontends/cli/commandLine.ts';
import { editorSettingsSchema, type EditorSettings } from '../shared/settings.ts';
import { message, translate } from '../shared/strings.ts';
import { locale, settingsFile } from './surroundings.ts';

const fileSchema = z.strictObject(
  Object.fromEntries(Object.entries(editorSettingsSchema.shape).map(([name, one]) => [name, one.optional()])),
);

/**
 * Limits and the like, where there is no editor whose settings they could be: flags before the environment before the file
 * LATHE_HOME/headless.json. @throws UsageError naming the value that is wrong, and where it stands
 */
export function headlessSettings(
  home: string,
  environment: NodeJS.ProcessEnv,
  flags: { maxTurns?: number | undefined },
): EditorSettings {
  const { LATHE_BROWSER: browser } = environment;
  const given: Partial<EditorSettings> = {
    ...fromFile(settingsFile(home)),
    ...(browser ? { browser } : {}),
    ...chosen('browserSandbox', 'LATHE_BROWSER_SANDBOX', { on: true, off: false }, environment),
    ...chosen('sandbox', 'LATHE_SANDBOX', { automatic: 'automatic', all: 'all', off: 'off' }, environment),
    ...chosen('sandboxNetwork', 'LATHE_SANDBOX_NETWORK', { on: true, off: false }, environment),
    ...(flags.maxTurns === undefined ? {} : { requestLimit: flags.maxTurns }),
  };
  return editorSettingsSchema.parse(given);
}

/** A setting by the word that a variable holds. A word that we do not know is not taken for another. */
function chosen<N extends keyof EditorSettings>(
  setting: N,
  variable: string,
  words: Readonly<Record<string, EditorSettings[N]>>,
  environment: NodeJS.ProcessEnv,
): Partial<EditorSettings> {
  const word = environment[variable];
  if (word === undefined || word === '') return {};
  if (!Object.hasOwn(words, word)) {
    const all = Object.keys(words).join(', ');
    throw new UsageError(translate(locale, message('cli.wrongVariable', { variable, word, words: all })));
  }
  return { [setting]: words[word] };
}

function fromFile(path: string): Partial<EditorSettings> {
  const text = textOf(path);
  if (text === undefined) return {};
  const parsed = fileSchema.safeParse(withoutPrefixes(jsonOf(text, path)));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((name) => translate(locale, message('cli.unknownSetting', { name })))
      : [`${issue.path.join('.')}: ${issue.message}`.replace(/^: /, '')],
  );
  throw wrongFile(path, problems);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw wrongFile(path, [error instanceof Error ? error.message : String(error)]);
  }
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw wrongFile(path, [error.message]);
  }
}

/** As the settings are called in VS Code: what was copied from there holds here. */
function withoutPrefixes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.replace(/^lathe\./, ''), one]));
}

function wrongFile(path: string, problems: readonly string[]): UsageError {
  const words = translate(locale, message('cli.wrongFile', { path }));
  return new UsageError([words, ...problems.map((problem) => `  ${problem}`)].join('\n'));
}
