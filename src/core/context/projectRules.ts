import { join } from 'node:path';
import { FileError, type FileHost } from '../host/Host.ts';

/** Files at the workspace root that say how to work there, ours first, then the peers'. Folders give their markdown files by name. */
const RULES = ['.lathe/rules', '.kilocode/rules', '.roo/rules', '.clinerules', 'AGENTS.md'];
/** Bytes of one file and of all together: rules are read into every request. */
const LARGEST_FILE = 32 * 1024;
const LARGEST_TOTAL = 96 * 1024;

/** The project's rules, each with its origin. A file that is too long or cannot be read is passed over, and `problems` says so. */
export async function projectRules(
  root: string,
  files: FileHost,
  signal: AbortSignal,
): Promise<{ rules: { origin: string; text: string }[]; problems: string[] }> {
  const rules: { origin: string; text: string }[] = [];
  const problems: string[] = [];
  let total = 0;
  for (const origin of await ruleFiles(root, files)) {
    try {
      const { bytes } = await files.read(join(root, origin), { limit: LARGEST_FILE, signal });
      if (total + bytes.length > LARGEST_TOTAL) {
        problems.push(`${origin}: the rules together are longer than ${LARGEST_TOTAL} bytes`);
        continue;
      }
      total += bytes.length;
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      if (text.trim() !== '') rules.push({ origin, text });
    } catch (error) {
      if (!(error instanceof FileError || error instanceof TypeError)) throw error;
      problems.push(`${origin}: ${error.message}`);
    }
  }
  return { rules, problems };
}

async function ruleFiles(root: string, files: FileHost): Promise<string[]> {
  const found: string[] = [];
  for (const origin of RULES) {
    const status = await files.status(join(root, origin));
    if (status?.type === 'file') found.push(origin);
    if (status?.type !== 'folder') continue;
    const entries = await files.list(join(root, origin));
    const names = entries
      .filter(({ name, type }) => type === 'file' && /\.(md|txt)$/i.test(name))
      .map(({ name }) => name);
    found.push(...names.sort().map((name) => `${origin}/${name}`));
  }
  return found;
}
