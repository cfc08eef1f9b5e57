import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { NetworkPlace } from '../../shared/approvals.ts';

/** Milliseconds that a name server gets. */
const LOOKUP_TIME = 3000;

const ranges: Record<Exclude<NetworkPlace, 'public'>, [address: string, prefix: number][]> = {
  // Link-local addresses are where cloud machines keep their credentials; the others are nobody's.
  unreachable: [
    ['169.254.0.0', 16],
    ['fe80::', 10],
    ['fd00:ec2::', 32],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
    ['ff00::', 8],
    ['100.100.100.200', 32],
  ],
  loopback: [
    ['127.0.0.0', 8],
    ['0.0.0.0', 8],
    ['::1', 128],
    ['::', 128],
  ],
  private: [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
    ['192.0.0.0', 24],
    ['198.18.0.0', 15],
    ['fc00::', 7],
    ['fec0::', 10],
    // Addresses that stand for an IPv4 address behind a translator.
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['2002::', 16],
  ],
};
/** From the most private on. */
const order = ['unreachable', 'loopback', 'private'] as const;
const lists = Object.fromEntries(
  order.map((place) => {
    const list = new BlockList();
    for (const [address, prefix] of ranges[place])
      list.addSubnet(address, prefix, address.includes(':') ? 'ipv6' : 'ipv4');
    return [place, list];
  }),
) as Record<(typeof order)[number], BlockList>;

/**
 * Where the host of this address is. A name that nobody knows counts as public: it leads nowhere. One that is not answered in
 * time counts as `unanswered`, as private unless that is given: nobody can say where it leads.
 */
export async function networkPlace(
  url: URL,
  signal: AbortSignal,
  unanswered: NetworkPlace = 'private',
): Promise<NetworkPlace> {
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(host) !== 0) return placeOfAddress(host);
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
  if (host === 'metadata.google.internal' || host === 'metadata') return 'unreachable';
  const addresses = await addressesOf(host, signal);
  if (addresses === undefined) return unanswered;
  const places = addresses.map(placeOfAddress);
  return order.find((place) => places.includes(place)) ?? 'public';
}

export function placeOfAddress(address: string): NetworkPlace {
  const mapped = /^::(?:ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? mappedHex(address);
  const plain = mapped ?? address;
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  return order.find((place) => lists[place].check(plain, family)) ?? 'public';
}

/** `::ffff:7f00:1`, and `::7f00:1` in old usage, is 127.0.0.1, as URLs write it. */
function mappedHex(address: string): string | undefined {
  const [, high, low] = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const bits = [parseInt(high, 16), parseInt(low, 16)].flatMap((part) => [part >> 8, part & 255]);
  return bits.join('.');
}

/** Undefined when the answer did not come in time. */
async function addressesOf(host: string, signal: AbortSignal): Promise<string[] | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_TIME)]);
  const ended = new Promise<undefined>((resolve) => {
    limit.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const found = lookup(host, { all: true }).then(
    (all) => all.map(({ address }) => address),
    (error: unknown): string[] => {
      if (error instanceof Error) return [];
      throw error;
    },
  );
  const addresses = await Promise.race([found, ended]);
  signal.throwIfAborted();
  return addresses;
}
