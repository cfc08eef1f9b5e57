import { useEffect, useMemo, useRef, useState } from 'react';
import type { EditorMethods } from '../../../src/shared/editor.ts';
import { useAppState, useSession, useWords, type Words } from '../useSession.ts';
import type { Completion } from './Completion.ts';
import { certainMention } from './completionTrigger.ts';
import { resourceItems } from './resourceItems.ts';
import { useVariableItems } from './useVariableItems.ts';

type Result<M extends keyof EditorMethods> = EditorMethods[M]['result']['_output'];
type Mentionable = Result<'editor/mentionable'>;
type FoundPath = Result<'editor/findPaths'>['paths'][number];
type FoundSymbol = Result<'editor/findSymbols'>['symbols'][number];

/** Letters that a query has before definitions and commits are looked for: a letter or two would find all of them. */
const LETTERS = 2;
const MOST_PATHS = 12;
const MOST_SYMBOLS = 8;
const MOST_COMMITS = 5;
/** Commits that are offered before anything is typed. */
const NEWEST = 3;
const ICONS: Record<FoundSymbol['kind'], string> = {
  class: 'symbol-class',
  interface: 'symbol-interface',
  enum: 'symbol-enum',
  method: 'symbol-method',
  function: 'symbol-method',
  variable: 'symbol-variable',
  other: 'symbol-misc',
};

/** What can be mentioned by these letters, in groups; undefined asks for nothing. What is found later stands below what is there. */
export function useMentionItems(query: string | undefined): readonly Completion[] {
  const words = useWords();
  const inView = useAppState((state) => state.inView);
  const servers = useAppState((state) => state.servers);
  const there = useMentionable(query !== undefined);
  const paths = useFound(query, 0, findPaths);
  const symbols = useFound(query, LETTERS, findSymbols);
  const values = useVariableItems(query);
  return useMemo(() => {
    if (query === undefined) return [];
    return [
      ...contextItems(words, there, query),
      ...pageItems(words, query),
      ...pathItems(paths.slice(0, MOST_PATHS), query === '' ? inView : {}),
      ...symbols.slice(0, MOST_SYMBOLS).map(symbolItem),
      ...commitItems(there, query),
      ...resourceItems(servers?.servers ?? [], query),
      ...values,
    ];
  }, [query, words, there, paths, symbols, inView, servers, values]);
}

type Ask<T> = (session: ReturnType<typeof useSession>, query: string) => Promise<readonly T[]>;

async function findPaths(
  session: ReturnType<typeof useSession>,
  query: string,
): Promise<readonly FoundPath[]> {
  return (await session.transport.call('editor/findPaths', { query })).paths;
}

async function findSymbols(
  session: ReturnType<typeof useSession>,
  query: string,
): Promise<readonly FoundSymbol[]> {
  return (await session.transport.call('editor/findSymbols', { query })).symbols;
}

/** What there is for the letters typed last; what was found before stays until then, so that the list does not flicker. */
function useFound<T>(query: string | undefined, letters: number, ask: Ask<T>): readonly T[] {
  const session = useSession();
  const [found, setFound] = useState<readonly T[]>([]);
  const wanted = query !== undefined && query.length >= letters ? query.slice(0, 200) : undefined;
  useEffect(() => {
    if (wanted === undefined) {
      setFound([]);
      return undefined;
    }
    let over = false;
    session.attempt(async () => {
      const now = await ask(session, wanted);
      if (!over) setFound(now);
    });
    return () => {
      over = true;
    };
  }, [session, wanted, ask]);
  return found;
}

/** Asked for each time that a mention is begun. */
function useMentionable(begun: boolean): Mentionable | undefined {
  const session = useSession();
  const [there, setThere] = useState<Mentionable>();
  const last = useRef(false);
  useEffect(() => {
    if (begun && !last.current)
      session.attempt(async () => setThere(await session.transport.call('editor/mentionable', {})));
    last.current = begun;
  }, [session, begun]);
  return there;
}

function contextItems(words: Words, there: Mentionable | undefined, query: string): Completion[] {
  if (!there) return [];
  const { problems, terminal, git } = there;
  const group = 'composer.group.context' as const;
  const items: Completion[] = [
    ...(problems === undefined
      ? []
      : [
          {
            ...{ id: 'problems', group, isPath: false, icon: 'warning', text: '@problems' },
            label: words('composer.problems'),
            description:
              problems.count === 0
                ? words('composer.noProblems')
                : words('composer.problemsFound', { ...problems }),
          } as const,
        ]),
    ...(terminal === undefined
      ? []
      : [
          {
            ...{ id: 'terminal', group, isPath: false, icon: 'terminal', text: '@terminal' },
            label: words('composer.terminal'),
            description: terminal,
          } as const,
        ]),
    ...(git === undefined
      ? []
      : [
          {
            ...{ id: 'git-changes', group, isPath: false, icon: 'git-commit', text: '@git-changes' },
            label: words('composer.changes'),
            description: words('composer.changed', { count: git.changed }),
          } as const,
        ]),
  ];
  return items.filter(({ id, label }) => begins(id, query) || begins(label, query));
}

/** A word of the name begins with these letters. */
function begins(name: string, query: string): boolean {
  const wanted = query.toLowerCase();
  const plain = name.toLowerCase();
  return plain.startsWith(wanted) || plain.split(/[\s-]+/).some((word) => word.startsWith(wanted));
}

function pageItems(words: Words, query: string): Completion[] {
  const base = { group: 'composer.group.web', isPath: false, icon: 'globe' } as const;
  if (/^https?:\/\/./i.test(query))
    return [
      {
        ...base,
        id: 'page',
        label: query,
        description: words('composer.pageOf'),
        text: `@${query}`,
        title: query,
      },
    ];
  const isAsked = query === '' || begins('https://', query) || begins(words('composer.page'), query);
  return isAsked
    ? [
        {
          ...base,
          id: 'page',
          label: words('composer.page'),
          description: words('composer.pageHint'),
          text: '@https://',
          open: true,
        },
      ]
    : [];
}

function pathItems(
  paths: readonly FoundPath[],
  inView: { file?: string | undefined; lines?: { first: number; last: number } | undefined },
): Completion[] {
  const group = 'composer.group.files' as const;
  const { file, lines } = inView;
  const selected = file !== undefined && lines ? [{ file, lines }] : [];
  return [
    ...selected.map((seen) => {
      const text = certainMention(seen.file, seen.lines);
      return {
        id: text,
        group,
        label: text.slice(1),
        isPath: true,
        icon: 'selection',
        text,
        title: text.slice(1),
      } as const;
    }),
    ...paths.map(({ path, kind }) => ({
      ...({ id: path, group, label: path, isPath: true, title: path } as const),
      icon: kind === 'file' ? 'file' : 'folder',
      text: certainMention(kind === 'file' ? path : `${path}/`),
    })),
  ];
}

function symbolItem({ name, container, path, line, kind }: FoundSymbol): Completion {
  const symbol = /^[\p{L}\p{N}_$~.-]+$/u.test(name)
    ? [container, name].filter((part) => /^[\p{L}\p{N}_$]+$/u.test(part)).join('.')
    : undefined;
  const place = `${path}:${line}`;
  return {
    id: `${place} ${name}`,
    group: 'composer.group.symbols',
    label: container === '' ? name : `${container}.${name}`,
    isPath: false,
    icon: ICONS[kind],
    description: place,
    title: place,
    // What has no plain name is named by its line.
    text: certainMention(path, symbol === undefined ? { first: line, last: line } : { symbol }),
  };
}

function commitItems(there: Mentionable | undefined, query: string): Completion[] {
  const wanted = query.toLowerCase();
  const commits = there?.git?.commits ?? [];
  const found =
    query === ''
      ? commits.slice(0, NEWEST)
      : query.length < LETTERS
        ? []
        : commits.filter(
            ({ hash, subject }) => hash.startsWith(wanted) || subject.toLowerCase().includes(wanted),
          );
  return found.slice(0, MOST_COMMITS).map(({ hash, subject }) => ({
    id: hash,
    group: 'composer.group.commits',
    label: subject,
    isPath: false,
    icon: 'git-commit',
    description: hash.slice(0, 7),
    title: subject,
    text: `@${nameOf(hash)}`,
  }));
}

/** As short as it still is told from a word: with a digit in it. */
function nameOf(hash: string): string {
  const digit = hash.search(/\d/);
  return hash.slice(0, Math.max(9, digit + 1));
}
