import { useMemo } from 'react';
import { promptUsage } from '../../../src/shared/mcpPrompt.ts';
import { modeDescription, modeName } from '../common/modeName.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';
import type { Completion } from './Completion.ts';
import { useCondense } from './useCondense.ts';

/** What a `/` can begin: what Lathe does itself, commands that files define, and modes; undefined asks for nothing. */
export function useCommandItems(query: string | undefined): readonly Completion[] {
  const session = useSession();
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  const commands = useAppState((state) => state.commands);
  const { state: condensing, condense } = useCondense();
  const servers = useAppState((state) => state.servers);
  const all = useMemo((): readonly Completion[] => {
    const plain = { isPath: false, text: '' } as const;
    const builtIn = { ...plain, group: 'composer.group.builtIn' } as const;
    return [
      {
        ...builtIn,
        id: 'new',
        label: words('webview.command.new'),
        icon: 'add',
        run: () => session.newTask(),
      },
      ...(condensing === 'possible'
        ? [
            {
              ...builtIn,
              id: 'condense',
              label: words('context.condense'),
              icon: 'fold',
              run: condense,
            },
          ]
        : []),
      ...commands.map(({ name, description = '', argumentHint, path }): Completion => ({
        ...{ id: `command ${name}`, group: 'composer.group.project', isPath: false, icon: 'terminal-cmd' },
        label: `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}`,
        ...(description === '' ? {} : { description }),
        title: path,
        text: `/${name}`,
      })),
      ...(servers?.servers ?? []).flatMap((server) =>
        server.prompts.map((prompt): Completion => {
          const description = prompt.description ?? prompt.title;
          const name = `/${server.id}:${prompt.id}`;
          return {
            ...{ id: `prompt ${name}`, group: 'composer.group.prompts', isPath: false, icon: 'plug' },
            label: `${name} ${promptUsage(prompt)}`.trimEnd(),
            ...(description === undefined ? {} : { description, title: description }),
            text: name,
          };
        }),
      ),
      ...modes.map(({ slug }): Completion => {
        const description = modeDescription(words, modes, slug);
        return {
          ...plain,
          id: slug,
          group: 'composer.group.modes',
          label: words('webview.command.mode', { mode: modeName(words, modes, slug) }),
          icon: 'arrow-swap',
          ...(description === undefined ? {} : { description, title: description }),
          run: () => session.setMode(slug),
        };
      }),
      {
        ...builtIn,
        id: 'history',
        label: words('webview.history'),
        icon: 'history',
        run: () => session.show('history'),
      },
      {
        ...builtIn,
        id: 'mcp',
        label: words('webview.mcp'),
        icon: 'plug',
        run: () => session.show('mcp'),
      },
      {
        ...builtIn,
        id: 'modes',
        label: words('webview.modes.manage'),
        icon: 'law',
        run: () => session.show('modes'),
      },
      {
        ...builtIn,
        id: 'settings',
        label: words('webview.settings'),
        icon: 'settings-gear',
        run: () => session.show('settings'),
      },
    ];
  }, [session, words, modes, commands, servers, condensing, condense]);
  return useMemo(() => {
    if (query === undefined) return [];
    const wanted = query.toLowerCase();
    const has = (text: string): boolean => text.toLowerCase().includes(wanted);
    return grouped(all.filter(({ id, label }) => has(id) || has(label)));
  }, [all, query]);
}

/** Groups in the order in which they first come. */
function grouped(items: readonly Completion[]): Completion[] {
  const groups = new Map<string, Completion[]>();
  for (const item of items) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  return [...groups.values()].flat();
}
