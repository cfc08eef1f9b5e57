import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import type { Locale } from '../../shared/strings.ts';
import { restricted } from '../page/restricted.ts';
import type { Environment } from './HttpServer.ts';
import { openApi } from './openApi.ts';
import { readJson } from './readJson.ts';
import { protocolRefusal, refused } from './refused.ts';
import type { ServedAgent } from './ServedAgent.ts';

interface RpcRoutesOptions {
  agent: ServedAgent;
  /** The folder that is served, absolute. */
  workspace: string;
  locale: Locale;
  version: string;
  /** Bytes. */
  bodyLimit: number;
}

/** Every method of the protocol, by `POST /rpc/<method>` with its parameters as the body, and the document that describes them. */
export function rpcRoutes({
  agent,
  workspace,
  locale,
  version,
  bodyLimit: maxSize,
}: RpcRoutesOptions): Hono<Environment> {
  const routes = new Hono<Environment>();
  let document: object | undefined;
  routes.get('/openapi.json', (context) => context.json((document ??= openApi(version))));
  routes.post(
    '/rpc/*',
    bodyLimit({ maxSize, onError: () => refused(413, `the body has more than ${maxSize} bytes`) }),
    async (context) => {
      const method = context.req.path.slice('/rpc/'.length);
      const read = await readJson(context, z.record(z.string(), z.unknown()));
      if ('refusal' in read) return read.refusal;
      const answer = await agent.dispatcher.dispatch(method, restricted(method, read.data, [workspace]));
      return answer.ok ? context.json(answer.result as object) : protocolRefusal(answer.error, locale);
    },
  );
  return routes;
}
