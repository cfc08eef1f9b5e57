/** What keys and passwords look like, with what stands in their place. */
const SECRETS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '<private key>'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '<token>'],
  [
    /\b(sk|pk|rk)[-_][\w-]{16,}|\b(gh[pousr]|github_pat|glpat|npm|hf|xox[abprs])[-_][\w-]{10,}|\bA(KIA|SIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}/g,
    '<key>',
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, '$1 <key>'],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/:@]*:[^\s/@]+@/gi, '$1<password>@'],
  [
    /\b([\w-]*(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|credential)[\w-]*["']?\s*[:=]\s*)("[^"\n]*"|'[^'\n]*'|[^\s,;]+)/gi,
    '$1<hidden>',
  ],
  [/\b[\w.+-]+@[\w-]+(\.[\w-]+)+\b/g, '<address>'],
];
/** A run of characters too long and too mixed for a word. */
const RANDOM = /[A-Za-z0-9+/_-]{40,}={0,2}/g;

/** The text without what says who or where the person is, and without what looks like a key. For what may leave the machine. */
export function redact(text: string, { home, workspace }: { home: string; workspace: string }): string {
  let result = text;
  for (const [regex, instead] of SECRETS) result = result.replace(regex, instead);
  result = result.replace(RANDOM, (run) =>
    /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run) && !run.includes('/') ? '<key>' : run,
  );
  for (const [path, instead] of [
    [workspace, '<workspace>'],
    [home, '~'],
  ] as const) {
    if (path.length < 2) continue;
    for (const written of new Set([path, path.replaceAll('\\', '/'), path.replaceAll('\\', '\\\\')]))
      result = result.replaceAll(written, instead);
  }
  return result.replace(/(\/(?:home|Users)\/|[A-Z]:\\{1,2}Users\\{1,2})[^\s/\\:"']+/gi, '$1<name>');
}
