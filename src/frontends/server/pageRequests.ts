import { arch, platform, release } from 'node:os';
import { ProtocolError } from '../../core/Dispatcher.ts';
import { message, type Locale } from '../../shared/strings.ts';
import type { MentionSuggestions } from '../../core/context/mentions/MentionSuggestions.ts';
import type { EditorHandlers } from '../page/PageConnection.ts';
import type { PathFinder } from '../page/PathFinder.ts';

export interface PageRequestOptions {
  /** The folder that is served, absolute. */
  workspace: string;
  paths: PathFinder;
  suggestions: MentionSuggestions;
  version: string;
  /** The licence's name. */
  license: string;
  /** The folder of tasks and settings, absolute. */
  home: string;
  /** What the reader's browser calls itself. */
  browser: string;
  /** The reader's language. */
  locale: Locale;
}

/**
 * What a page asks of an editor, as far as a server can answer it. The page itself opens links, saves texts and remembers what was
 * written; what takes an editor it does not show.
 */
export function pageRequests(options: PageRequestOptions): EditorHandlers {
  const { browser, home, license, locale, paths, suggestions, version, workspace } = options;
  const noEditor = (): Promise<never> =>
    Promise.reject(new ProtocolError('unavailable', message('server.noEditor')));
  let searching = new AbortController();
  const nothing = (): Promise<Record<string, never>> => Promise.resolve({});
  return {
    // Starting the server in a folder was the person's word for it.
    'editor/ready': () => Promise.resolve({ locale, version, workspace, trusted: true }),
    'editor/about': () =>
      Promise.resolve({
        ...{ version, license, editor: browserName(browser), data: home, links: {} },
        platform: `${platform()} ${release()} ${arch()}`,
      }),
    'editor/findPaths': async ({ query }) => ({ paths: await paths.find(workspace, query, () => []) }),
    'editor/findSymbols': async ({ query }) => {
      // What was typed before is not waited for any more.
      searching.abort();
      searching = new AbortController();
      const { signal } = searching;
      try {
        return { symbols: await suggestions.definitions(query, signal) };
      } catch (error) {
        if (signal.aborted) return { symbols: [] };
        throw error;
      }
    },
    'editor/mentionable': async () => {
      const git = await suggestions.git();
      return git === undefined ? {} : { git };
    },
    'editor/surroundings': nothing,
    'editor/focused': nothing,
    'editor/opened': nothing,
    'editor/keepDrafts': nothing,
    'editor/openFile': noEditor,
    'editor/openDiff': noEditor,
    'editor/openCheckpointDiff': noEditor,
    'editor/showTerminal': noEditor,
    'editor/openExternal': noEditor,
    'editor/openSettings': noEditor,
    'editor/show': noEditor,
    'editor/saveText': noEditor,
  };
}

/** The product among those that a browser says it is like, with its version; all that it says where none is known. */
function browserName(userAgent: string): string {
  for (const [product, name] of [
    ['Edg', 'Edge'],
    ['OPR', 'Opera'],
    ['Firefox', 'Firefox'],
    ['(?:Headless)?Chrome', 'Chrome'],
    ['Version', 'Safari'],
  ] as const) {
    const version = new RegExp(`\\b${product}/([\\d.]+)`).exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  return userAgent;
}
