import { RequestError, type ListSessionsResponse } from '@agentclientprotocol/sdk';
import type { TaskSummary } from '../../shared/protocol.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { INVALID_PARAMS } from './requestErrors.ts';

const PAGE = 50;

/** One page of the sessions, newest first. A cursor names the last one of the page before. @throws RequestError for any other */
export function sessionPage(
  tasks: readonly TaskSummary[],
  cursor: string | null | undefined,
  locale: Locale,
): ListSessionsResponse {
  const sorted = tasks
    // A subtask is told in its parent's session.
    .filter(({ state, parent }) => state !== 'new' && parent === undefined)
    .toSorted((a, b) => b.updatedAt - a.updatedAt || a.id.localeCompare(b.id));
  const after = typeof cursor === 'string' ? placeOf(cursor) : undefined;
  if (typeof cursor === 'string' && !after)
    throw new RequestError(INVALID_PARAMS, translate(locale, message('acp.error.cursor')));
  const rest = after
    ? sorted.filter(
        ({ updatedAt, id }) =>
          updatedAt < after.updatedAt || (updatedAt === after.updatedAt && id > after.id),
      )
    : sorted;
  const page = rest.slice(0, PAGE);
  const last = page.at(-1);
  return {
    sessions: page.map(({ id, cwd, title, updatedAt }) => ({
      sessionId: id,
      cwd,
      title,
      updatedAt: new Date(updatedAt).toISOString(),
    })),
    ...(last && rest.length > PAGE ? { nextCursor: cursorOf(last) } : {}),
  };
}

function cursorOf({ updatedAt, id }: TaskSummary): string {
  return Buffer.from(`${updatedAt} ${id}`).toString('base64url');
}

function placeOf(cursor: string): { updatedAt: number; id: string } | undefined {
  const [, updatedAt, id] = /^(\d+) ([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return updatedAt === undefined || id === undefined ? undefined : { updatedAt: Number(updatedAt), id };
}
