import type { McpPrompt } from './mcp.ts';

/** How its arguments are written, those that may be left out in brackets. */
export function promptUsage({ arguments: all }: McpPrompt): string {
  return all.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}

/** Words in the order of the arguments, quoted where they hold blanks, or `name=value`; the last takes what is left. */
export function promptArguments(given: string, { arguments: known }: McpPrompt): Record<string, string> {
  const words = [...given.matchAll(/(?:([\w.-]+)=)?(?:"([^"]*)"|'([^']*)'|(\S+))/g)].map((match) => {
    const [whole, key, double, single, plain] = match;
    const isNamed = key !== undefined && known.some(({ name }) => name === key);
    const value = double ?? single ?? plain ?? '';
    return {
      start: match.index,
      name: isNamed ? key : undefined,
      value: isNamed || key === undefined ? value : whole,
    };
  });
  const named = Object.fromEntries(
    words.flatMap(({ name, value }) => (name === undefined ? [] : [[name, value]])),
  );
  const places = known.filter(({ name }) => named[name] === undefined).map(({ name }) => name);
  const free = words.filter(({ name }) => name === undefined);
  const last = places.length - 1;
  const placed = places.flatMap((name, index): [string, string][] => {
    const word = free[index];
    if (!word) return [];
    if (index < last || free.length <= places.length) return [[name, word.value]];
    return [
      [
        name,
        free
          .slice(index)
          .map(({ value }) => value)
          .join(' '),
      ],
    ];
  });
  return { ...Object.fromEntries(placed), ...named };
}
