import { useMemo } from 'react';
import { promptArguments } from '../../../src/shared/mcpPrompt.ts';
import { useAppState } from '../useSession.ts';
import type { Completion } from './Completion.ts';
import type { Trigger } from './completionTrigger.ts';
import { useServerValues, type ValueQuestion } from './useServerValues.ts';

/** What the argument at the caret could be, as its server says; undefined asks for nothing. */
export function useArgumentItems(trigger: Trigger | undefined, text: string): readonly Completion[] {
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
  const question = useMemo((): ValueQuestion | undefined => {
    if (!asked) return undefined;
    const { key: _key, ...params } = asked;
    return {
      key: JSON.stringify(asked),
      ask: async ({ transport }) => await transport.call('mcp/complete', params),
    };
  }, [asked]);
  const values = useServerValues(question, asked?.value);
  return useMemo(() => {
    if (!asked) return [];
    const { argument, key: name } = asked;
    return values.map((value): Completion => {
      const quoted = /[\s"']/.test(value) ? `"${value.replaceAll('"', '')}"` : value;
      return {
        ...{ id: `value ${value}`, group: 'composer.group.values', isPath: false, icon: 'symbol-enum' },
        ...{ label: value, description: argument },
        text: name === undefined ? quoted : `${name}=${quoted}`,
      };
    });
  }, [asked, values]);
}
