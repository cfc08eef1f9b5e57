import { useMemo } from 'react';
import { useAppState } from '../useSession.ts';
import type { Completion } from './Completion.ts';
import { openVariable } from './openVariable.ts';
import { useServerValues, type ValueQuestion } from './useServerValues.ts';

/** What the variable of a resource template at the end of a mention could be, as its server says. */
export function useVariableItems(query: string | undefined): readonly Completion[] {
  const servers = useAppState((state) => state.servers);
  const asked = useMemo(
    () => (query === undefined ? undefined : openVariable(servers?.servers ?? [], query)),
    [query, servers],
  );
  const question = useMemo((): ValueQuestion | undefined => {
    if (!asked) return undefined;
    const { server, uriTemplate, variable, value, given } = asked;
    const params = { server, uriTemplate, variable, value, given };
    return {
      key: JSON.stringify(params),
      ask: async ({ transport }) => await transport.call('mcp/completeResource', params),
    };
  }, [asked]);
  const values = useServerValues(question, asked?.value);
  return useMemo(() => {
    if (!asked) return [];
    const { variable, filled, open } = asked;
    return (
      values
        // Half a character is in no address.
        .filter((value) => !/[\ud800-\udfff]/u.test(value))
        .map((value): Completion => ({
          ...{ id: `value ${value}`, group: 'composer.group.values', isPath: false, icon: 'symbol-enum' },
          ...{ label: value, description: variable, text: filled(value), open },
        }))
    );
  }, [asked, values]);
}
