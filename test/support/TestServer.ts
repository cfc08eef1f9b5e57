import { join } from 'node:path';
import { HttpServer, type ServerLimits } from '../../src/frontends/server/HttpServer.ts';
import { Presence } from '../../src/frontends/server/Presence.ts';
import { SqliteChatDatabase } from '../../src/services/chatDatabase/SqliteChatDatabase.ts';
import type { ChatDatabase } from '../../src/shared/chat.ts';
import { TestAgent, type TestAgentOptions } from './TestAgent.ts';

export interface TestServerOptions extends Omit<TestAgentOptions, 'attended' | 'answersInText'> {
  token?: string;
  limits?: Partial<ServerLimits>;
  /** A file of SQLite in the data folder without it. */
  database?: ChatDatabase;
  /** The built page of the web chat; none is served without it. */
  page?: string;
  /** Milliseconds for which a person is still there after their page has gone. */
  linger?: number;
}

/** The real server on a free port of loopback, over a real agent. */
export class TestServer {
  private constructor(
    readonly tests: TestAgent,
    readonly server: HttpServer,
    readonly database: ChatDatabase,
    readonly url: string,
  ) {}

  static async start({
    token,
    limits,
    database,
    page,
    linger,
    ...options
  }: TestServerOptions): Promise<TestServer> {
    const presence = new Presence(linger);
    const tests = await TestAgent.start({
      ...options,
      attended: (taskId) => presence.isAttended(taskId),
      answersInText: true,
    });
    const kept = database ?? new SqliteChatDatabase(join(tests.home, 'chat.db'));
    const logger = {
      info: () => undefined,
      warn: (text: string) => void tests.errors.push(text),
      error: (text: string, error: unknown) => void tests.errors.push(`${text}: ${String(error)}`),
    };
    const server = new HttpServer({
      ...{ agent: tests.agent, database: kept, presence, logger, locale: 'en', version: '0.0.0' },
      ...{ workspace: options.cwd, mode: undefined, host: '127.0.0.1', names: [], token },
      ...(limits ? { limits } : {}),
      ...(page === undefined ? {} : { page: { ...tests.page, folder: page } }),
    });
    const port = await server.listen(0);
    return new TestServer(tests, server, kept, `http://127.0.0.1:${port}`);
  }

  async send(session: string, message: string, more: object = {}, signal?: AbortSignal): Promise<Response> {
    return await fetch(`${this.url}/api/chat/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session, message, attachments: null, ...more }),
      ...(signal ? { signal } : {}),
    });
  }

  async get(path: string): Promise<unknown> {
    const response = await fetch(this.url + path);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  }

  async stop(): Promise<void> {
    await this.tests.agent.dispose();
    await this.server.close();
    await this.database.close();
    await this.tests.stop();
  }
}

export interface SentEvent {
  id: string;
  event: string;
  data: unknown;
}

/** The events of a stream to its end; comments are left out. */
export async function eventsOf(response: Response): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

/** The events of a stream as they come. @throws for an answer that is none */
export async function* readEvents(response: Response): AsyncGenerator<SentEvent, undefined> {
  if (response.status !== 200 || !response.body)
    throw new Error(`${response.status} ${await response.text()}`);
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const part = text.slice(0, end);
      text = text.slice(end + 2);
      if (!part.startsWith(':')) yield eventOf(part);
    }
  }
  return undefined;
}

function eventOf(part: string): SentEvent {
  const fields = Object.fromEntries(
    part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    id: String(fields.id),
    event: String(fields.event),
    data: JSON.parse(String(fields.data)) as unknown,
  };
}
