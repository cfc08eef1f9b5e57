/** Names that tell a program about language and place, and nothing about the person. */
const KEPT = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|COLORTERM)$/;

/** All that a command in the sandbox sees of an environment: nothing of the person's but language and time zone. */
export function sandboxEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { home, path, temporary }: { home: string; path: readonly string[]; temporary: string },
): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && KEPT.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    PATH: path.join(':'),
    TMPDIR: temporary,
    SHELL: '/bin/sh',
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    ...GIT,
  };
}

/** A repository's own settings run programs: these are off, whatever it says. */
const GIT_SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['safe.bareRepository', 'explicit'],
  ['protocol.allow', 'never'],
  ['diff.external', ''],
  ['credential.helper', ''],
];

const GIT: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: String(GIT_SETTINGS.length),
  ...Object.fromEntries(
    GIT_SETTINGS.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
};
