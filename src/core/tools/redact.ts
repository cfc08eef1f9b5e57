/** What keys and passwords look like, with what stands in their place. Each is bounded: a text of one long word must not be tried from everywhere to its end. */
const SECRETS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '<private key>'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '<token>'],
  [
    /\b(sk|pk|rk)[-_][\w-]{16,}|\b(gh[pousr]|github_pat|glpat|npm|hf|xox[abprs])[-_][\w-]{10,}|\bA(KIA|SIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}/g,
    '<key>',
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, '$1 <key>'],
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/:@]{0,200}:[^\s/@]{1,200}@/gi, '$1<password>@'],
  [
    /\b([\w-]{0,60}(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|credential)[\w-]{0,60}["']?\s{0,20}[:=]\s{0,20})("[^"\n]*"|'[^'\n]*'|[^\s,;]+)/gi,
    '$1<hidden>',
  ],
  [/\b[\w.+-]{1,64}@[\w-]{1,63}(\.[\w-]{1,63})+\b/g, '<address>'],
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
