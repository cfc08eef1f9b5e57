import type { McpServerRow } from '../../../src/shared/mcp.ts';
import type { Completion } from './Completion.ts';

/** Resources that are offered before anything of them is typed, and at most. */
const FIRST = 3;
const MOST = 8;

/** Resources of the servers, and templates, whose variables are typed behind. */
export function resourceItems(servers: readonly McpServerRow[], query: string): Completion[] {
  const parts = query.toLowerCase().split(':');
  /** What is written is how it would be mentioned. */
  const begins = ({ server, address }: { server: string; address: string }): boolean =>
    `${server}:${address}`.toLowerCase().startsWith(parts[0] ?? '');
  const rows = servers.flatMap(({ id: server, resources, resourceTemplates }) => [
    ...resources.map(({ uri, ...resource }) => ({ server, uri, address: uri, open: false, ...resource })),
    ...resourceTemplates.map(({ uriTemplate, ...resource }) => ({
      ...{ server, uri: uriTemplate.replace(/\{[^]*/, ''), address: uriTemplate, open: true, ...resource },
    })),
  ]);
  return (
    rows
      .filter(({ address }) => isMentionable(address))
      // A template whose variables come next was picked already.
      .filter(({ server, uri, open }) => !open || query !== `${server}:${uri}`)
      .filter(({ server, address, name, title = '' }) => {
        const all = `${server} ${address} ${name} ${title}`.toLowerCase();
        return parts.every((part) => all.includes(part));
      })
      .toSorted((a, b) => Number(begins(b)) - Number(begins(a)))
      .slice(0, query === '' ? FIRST : MOST)
      .map(({ server, uri, address, open, name, title }) => ({
        id: `resource ${server} ${address}`,
        group: 'composer.group.resources',
        label: title ?? name,
        isPath: false,
        icon: 'plug',
        description: `${server}:${address}`,
        title: address,
        text: `@${server}:${uri}`,
        ...(open ? { open } : {}),
      }))
  );
}

/** What a message can hold as one word. */
function isMentionable(address: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\/[^\s"<>`]+$/i.test(address);
}
