import { isMap, isNode, isSeq } from 'yaml';
import * as z from 'zod';
import { message } from '../../shared/strings.ts';
import { reasonOf, type AgentFolder } from '../context/AgentFolder.ts';
import { ruleOriginsOf } from '../context/rules.ts';
import { parseText, type ModeProblem } from './parseModes.ts';

/** A file of rules that goes along with a mode: its name in the mode's folder of rules, and its text. */
export interface ModeRule {
  name: string;
  text: string;
}

/** Bytes of one, and how many there may be: more the model is not given, not even when it asks. */
const LARGEST = 128 * 1024;
const MOST = 50;
/** What makes a name that is a file's and nothing else on every system. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N} ._()-]{0,98}\.(md|txt)$/iu;

const rulesSchema = z.array(z.object({ relativePath: z.string(), content: z.string() }));

/** The rules that a file of exported modes has for this mode, each with its line there; what cannot be one is a problem. */
export function rulesIn(
  text: string,
  slug: string,
): { rules: (ModeRule & { line: number })[]; problems: ModeProblem[] } {
  const { document, line } = parseText(text);
  const modes = isMap(document.contents) ? document.contents.get('customModes', true) : undefined;
  const item = isSeq(modes) ? modes.items.find((one) => isMap(one) && one.get('slug') === slug) : undefined;
  const list = isMap(item) ? item.get('rulesFiles', true) : undefined;
  if (!isNode(list)) return { rules: [], problems: [] };
  const at = (node: unknown): number => line(isNode(node) && node.range ? node.range[0] : 0);
  const wrong = (node: unknown, path: string): ModeProblem => ({
    line: at(node),
    problem: message('modes.problem.rule', {
      mode: slug,
      path: path.slice(0, 200),
      limit: LARGEST,
      count: MOST,
    }),
  });
  const parsed = rulesSchema.safeParse(list.toJS(document, { maxAliasCount: 0 }));
  if (!parsed.success || !isSeq(list)) return { rules: [], problems: [wrong(list, 'rulesFiles')] };
  const rules: (ModeRule & { line: number })[] = [];
  const problems: ModeProblem[] = [];
  for (const [index, { relativePath, content }] of parsed.data.entries()) {
    // Others write the folder with it, their own or that of the slug it had before; folders in it become part of the name.
    const name = relativePath
      .replaceAll('\\', '/')
      .replace(/^(\.?\/)?rules(-[^/]+)?\//, '')
      .replaceAll('/', '-');
    const isFile = NAME.test(name) && !relativePath.includes('..') && content.trim() !== '';
    const isNew = !rules.some((other) => other.name.toLowerCase() === name.toLowerCase());
    if (isFile && isNew && index < MOST && Buffer.byteLength(content) <= LARGEST)
      rules.push({ name, text: content, line: at(list.items[index]) });
    else problems.push(wrong(list.items[index], relativePath));
  }
  return { rules, problems };
}

/** Every file of rules of this mode in a folder, ours first; of two with one name the first. */
export async function readModeRules(
  folder: AgentFolder,
  slug: string,
  signal: AbortSignal,
): Promise<ModeRule[]> {
  const found = new Map<string, string>();
  for (const origin of await ruleOriginsOf(folder, slug)) {
    const name = origin.slice(origin.lastIndexOf('/') + 1);
    const file = found.has(name) ? undefined : await folder.text(origin, LARGEST, signal);
    if (file) found.set(name, file.text);
  }
  return Array.from(found, ([name, text]) => ({ name, text }));
}

/** Puts them where ours are read from. A file that says something else stays as it is, and is a problem. */
export async function writeModeRules(
  folder: AgentFolder,
  slug: string,
  rules: readonly (ModeRule & { line: number })[],
  signal: AbortSignal,
): Promise<ModeProblem[]> {
  const problems: ModeProblem[] = [];
  const place = `${folder.scope === 'project' ? '.lathe/' : ''}rules-${slug}`;
  for (const { name, text, line } of rules) {
    const origin = `${place}/${name}`;
    try {
      const before = await folder.text(origin, Infinity, signal);
      if (before === undefined) await folder.write(origin, `${text.trimEnd()}\n`, null, signal);
      else if (before.text.trim() !== text.trim())
        problems.push({ line, problem: message('modes.problem.ruleKept', { path: origin }) });
    } catch (error) {
      problems.push({
        line,
        problem: message('modes.problem.ruleUnwritten', { path: origin, reason: reasonOf(error) }),
      });
    }
  }
  return problems;
}
