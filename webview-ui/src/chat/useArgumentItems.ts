import { useEffect, useMemo, useState } from 'react';
import { promptArguments } from '../../../src/shared/mcpPrompt.ts';
import { useAppState, useSession } from '../useSession.ts';
import type { Completion } from './Completion.ts';
import type { Trigger } from './completionTrigger.ts';

/** Letters are waited for this long, in milliseconds: a server is asked with each. */
const PAUSE = 150;
const MOST = 20;

/** What the argument at the caret could be, as its server says; undefined asks for nothing. */
export function useArgumentItems(trigger: Trigger | undefined, text: string): readonly Completion[] {
  const session = useSession();
  const servers = useAppState((state) => state.servers);
  const query = trigger?.query;
  const start = trigger?.start;
  const asked = useMemo(() => {
    if (query === undefined || start === undefined) return undefined;
    const [, serverId, promptId, before = ''] =
      /^\/([\w.-]+):([\w.-]+)\s([^]*)$/.exec(text.slice(0, start)) ?? [];
    const server = servers?.servers.find(({ id }) => id === serverId);
    const prompt = server?.prompts.find(({ id }) => id === promptId);
    if (!server || !prompt) return undefined;
    const [, key, written = query] = /^([\w.-]+)=([^]*)$/.exec(query) ?? [];
    const given = promptArguments(before.trim(), prompt);
    const argument = prompt.arguments.find(({ name }) =>
      key === undefined ? given[name] === undefined : name === key,
    );
    if (!argument) return undefined;
    const value = written.replace(/^"/, '');
    return { server: server.id, prompt: prompt.id, argument: argument.name, value, given, key };
  }, [query, start, text, servers]);
  const key = JSON.stringify(asked);
  const [found, setFound] = useState<{ key: string; values: readonly string[] }>();
  useEffect(() => {
    if (!asked) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      session.attempt(async () => {
        const { key: _key, ...params } = asked;
        const { values } = await session.transport.call('mcp/complete', params);
        if (!over) setFound({ key, values });
      });
    }, PAUSE);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [session, asked, key]);
  return useMemo(() => {
    if (!asked || found?.key !== key) return [];
    const { argument, key: name } = asked;
    return found.values
      .filter((value) => value !== asked.value)
      .slice(0, MOST)
      .map((value): Completion => {
        const quoted = /[\s"']/.test(value) ? `"${value.replaceAll('"', '')}"` : value;
        return {
          ...{ id: `value ${value}`, group: 'composer.group.values', isPath: false, icon: 'symbol-enum' },
          ...{ label: value, description: argument },
          text: name === undefined ? quoted : `${name}=${quoted}`,
        };
      });
  }, [asked, found, key]);
}
