import { join } from 'node:path';
import { languageOf, SOURCE_FILES } from '../../../services/definitions/languages.ts';
import type { Definition } from '../../../services/definitions/Syntax.ts';
import { RipgrepError, search, type SearchResult } from '../../../services/search/ripgrep.ts';
import { FileError, type Host } from '../../host/Host.ts';
import { outlineOfText } from '../../tools/outline.ts';
import { decodeForReading, isBinary } from '../../tools/textFile.ts';
import { ToolError } from '../../tools/ToolError.ts';
import { IgnoreRules } from '../IgnoreRules.ts';

export interface FoundDefinition {
  name: string;
  /** The class or the like that it lies in; empty for none. */
  container: string;
  /** Relative to the workspace, with `/`. */
  path: string;
  /** From 1. */
  line: number;
  kind: 'class' | 'interface' | 'enum' | 'method' | 'function' | 'variable' | 'other';
}

/** Definitions that are offered at most. */
const OFFERED = 30;
/** Lines that hold the letters and are looked at, and files of these that are parsed. */
const MOST_LINES = 1000;
const MOST_FILES = 40;
/** Milliseconds from the first file on after which no further one is parsed: someone types. */
const PATIENCE = 2000;
/** Bytes of a file that is parsed. */
const LARGEST = 1024 * 1024;
/** Files whose definitions are remembered. */
const REMEMBERED = 300;
/** Words that a definition's line has before its name, in most languages. */
const DEFINES =
  /\b(class|interface|enum|type|struct|union|trait|impl|protocol|record|object|fn|func|fun|function|def|module|namespace|const|let|var|val|public|private|protected|internal|static|async|export|abstract)\b|^\s*#/;

/** Finds definitions in a workspace by parts of their names, while someone types them: what holds the letters is parsed, and no more. */
export class DefinitionFinder {
  readonly #host: Pick<Host, 'files' | 'ripgrep'>;
  readonly #root: string;
  readonly #rules: IgnoreRules;
  /** By path, the latest used last. */
  readonly #known = new Map<string, { stamp: string; definitions: readonly Definition[] }>();

  /** `root`: the workspace, absolute. */
  constructor(host: Pick<Host, 'files' | 'ripgrep'>, root: string) {
    this.#host = host;
    this.#root = root;
    this.#rules = new IgnoreRules(root, host.files);
  }

  /** The best, best first; `Cart.total` is one that lies in another. None where there is no ripgrep. Rejects with the signal's reason. */
  async find(query: string, signal: AbortSignal): Promise<FoundDefinition[]> {
    const parts = query.trim().toLowerCase().split('.');
    const name = parts.at(-1) ?? '';
    const container = parts.slice(0, -1).at(-1);
    if (!/^[\p{L}\p{N}_$~-]+$/u.test(name)) return [];
    let until: number | undefined;
    const found: FoundDefinition[] = [];
    for (const path of await this.#candidates(name, signal)) {
      const definitions = await this.#definitions(path, signal);
      for (const one of definitions) {
        if (!one.name.toLowerCase().includes(name)) continue;
        const outer = outerOf(one, definitions);
        if (container !== undefined && outer.toLowerCase() !== container) continue;
        found.push({ name: one.name, container: outer, path, line: one.line, kind: kindOf(one.kind) });
      }
      // The first one may have waited for its grammar.
      until ??= performance.now() + PATIENCE;
      if (performance.now() > until) break;
    }
    return found
      .toSorted((a, b) => scoreOf(b, name) - scoreOf(a, name) || a.name.length - b.name.length)
      .slice(0, OFFERED);
  }

  /** Source files that hold the letters, those first in which a line looks like a definition. */
  async #candidates(name: string, signal: AbortSignal): Promise<string[]> {
    const { ripgrep } = this.#host;
    await this.#rules.refresh(signal);
    if (ripgrep === undefined || !this.#rules.usable) return [];
    let result: SearchResult;
    try {
      result = await search({
        ...{ ripgrep, signal, root: this.#root, path: '.', filePattern: SOURCE_FILES },
        regex: `(?i)${name.replace(/[$~-]/g, '\\$&')}`,
        maximumMatches: MOST_LINES,
        maximumLineLength: 300,
        // Of what others brought nothing is meant.
        isHidden: (path) => this.#rules.hides(path) || /(^|\/)node_modules\//.test(path),
      });
    } catch (error) {
      if (error instanceof RipgrepError) return [];
      throw error;
    }
    const likely = ({ lines }: SearchResult['files'][number]): number =>
      lines.filter(({ text, context }) => !context && defines(text, name)).length;
    return result.files
      .map((file) => ({ path: file.path, likely: likely(file) }))
      .toSorted((a, b) => b.likely - a.likely || a.path.length - b.path.length)
      .slice(0, MOST_FILES)
      .map(({ path }) => path);
  }

  /** None for what cannot be read or parsed: it is not offered. */
  async #definitions(path: string, signal: AbortSignal): Promise<readonly Definition[]> {
    const { files } = this.#host;
    const real = join(this.#root, path);
    try {
      const status = await files.status(real);
      if (status?.type !== 'file') return [];
      const stamp = `${status.size} ${status.modifiedAt}`;
      const known = this.#known.get(path);
      const definitions = known?.stamp === stamp ? known.definitions : await this.#parsed(path, real, signal);
      this.#known.delete(path);
      this.#known.set(path, { stamp, definitions });
      const [oldest] = this.#known.keys();
      if (this.#known.size > REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
      return definitions;
    } catch (error) {
      if (error instanceof FileError || error instanceof ToolError) return [];
      throw error;
    }
  }

  async #parsed(path: string, real: string, signal: AbortSignal): Promise<readonly Definition[]> {
    const { files } = this.#host;
    const { bytes } = await files.read(real, { limit: LARGEST, signal });
    if (languageOf(path) === undefined || isBinary(bytes)) return [];
    const resolved = { real, shown: path, insideWorkspace: true, protected: false };
    return (await outlineOfText(decodeForReading(bytes), resolved, files, signal)).definitions;
  }
}

function defines(line: string, name: string): boolean {
  const at = line.toLowerCase().indexOf(name);
  return at >= 0 && DEFINES.test(line.slice(0, at));
}

/** The nearest definition around it that names what lies in it. */
function outerOf(one: Definition, all: readonly Definition[]): string {
  const around = all.filter(
    (other) =>
      other !== one && other.start <= one.start && other.end >= one.end && !lone.includes(other.kind),
  );
  return around.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0]?.name ?? '';
}

/** Kinds that lend no name to what is in them. */
const lone: readonly string[] = ['function', 'method', 'constant', 'property', 'heading', 'rule', 'test'];

function kindOf(kind: string): FoundDefinition['kind'] {
  switch (kind) {
    case 'class':
    case 'struct':
      return 'class';
    case 'interface':
    case 'enum':
    case 'method':
    case 'function':
      return kind;
    case 'constant':
    case 'property':
      return 'variable';
    default:
      return 'other';
  }
}

function scoreOf({ name }: FoundDefinition, wanted: string): number {
  const plain = name.toLowerCase();
  if (plain === wanted) return 2;
  return plain.startsWith(wanted) ? 1 : 0;
}
