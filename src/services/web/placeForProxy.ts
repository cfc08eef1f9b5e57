import type { NetworkPlace } from '../../shared/approvals.ts';
import { networkPlace } from '../browser/networkPlace.ts';

/** Names that only a network of its own gives out: a proxy may know one that is not known here. */
const LOCAL_NAME = /^[^.:]+$|\.(local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/**
 * Where the host of an address is that a proxy would be asked for. What is known here counts, and what the name itself says; a name that
 * is not known here, as where names are the proxy's business alone, counts as public: who answers under it must prove that it is theirs.
 */
export async function placeForProxy(url: URL, signal: AbortSignal): Promise<NetworkPlace> {
  const place = await networkPlace(url, signal, 'public');
  const isLocal = LOCAL_NAME.test(url.hostname.replace(/\.$/, '').toLowerCase());
  return place === 'public' && isLocal ? 'private' : place;
}
