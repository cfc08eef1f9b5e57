import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
import type { ProxyPlaces } from './ProxyPlaces.ts';

/** Node's own `fetch` takes its connections from here from now on, in the thread that says so. */
export function sendThrough({ http = '', https = '', none }: ProxyPlaces): void {
  setGlobalDispatcher(
    new EnvHttpProxyAgent({
      // Empty: none, whatever the environment says.
      httpProxy: http,
      httpsProxy: https,
      noProxy: none,
      // Plain requests are handed to the proxy whole, as everywhere: many refuse a tunnel to port 80.
      proxyTunnel: false,
    }),
  );
}
