import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresChatDatabase } from '../../src/services/chatDatabase/PostgresChatDatabase.ts';
import { SqliteChatDatabase } from '../../src/services/chatDatabase/SqliteChatDatabase.ts';
import { migrate } from '../../src/services/postgres/migrate.ts';
import { openPool } from '../../src/services/postgres/openPool.ts';
import type { ChatDatabase, MessageRow, SessionChanges, ToolConversationRow } from '../../src/shared/chat.ts';
import { TestPostgres } from '../support/TestPostgres.ts';

const logger = { warn: () => undefined };

interface Opened {
  database: ChatDatabase;
  close: () => Promise<void>;
}

const message = (session: string, id: number, more: Partial<MessageRow> = {}): MessageRow => ({
  ...{ session_id: session, id, role: 'user', content: `message ${id}` },
  ...{ created_at: '2026-01-02T03:04:05.000Z', answers: null },
  ...more,
});

const call = (session: string, id: string, more: Partial<ToolConversationRow> = {}): ToolConversationRow => ({
  ...{ id, session_id: session, tool_name: 'read_file', arguments: '{"path":"a \\" 文件"}' },
  ...{ result: null, error: null, duration_ms: null, timestamp: '2026-01-02T03:04:06.000Z' },
  ...{ user_message: 'message 2', message_id: 2 },
  ...more,
});

const changes = (sessionId: string, lastSeq: number, more: Partial<SessionChanges>): SessionChanges => ({
  ...{ sessionId, lastSeq, messages: [], toolConversations: [], spawnedTasks: [] },
  ...more,
});

describe('the databases of the server', () => {
  let postgres: TestPostgres;
  before(async function () {
    this.timeout(120_000);
    postgres = await TestPostgres.start();
  });
  after(async () => await postgres.stop());

  const databases: Record<string, () => Promise<Opened>> = {
    SQLite: () => {
      const folder = mkdtempSync(join(tmpdir(), 'lathe-database-'));
      const database = new SqliteChatDatabase(join(folder, 'chat.db'));
      const close = async (): Promise<void> => {
        await database.close();
        rmSync(folder, { recursive: true, force: true });
      };
      return Promise.resolve({ database, close });
    },
    PostgreSQL: async () => {
      const pool = await openPool(await postgres.database(), logger);
      await migrate(pool);
      const database = new PostgresChatDatabase(pool);
      return { database, close: async () => await database.close() };
    },
  };
  for (const [name, open] of Object.entries(databases))
    describe(name, () => {
      let opened: Opened;
      let database: ChatDatabase;
      beforeEach(async () => {
        opened = await open();
        database = opened.database;
      });
      afterEach(async () => await opened.close());

      it('gives what was written, in its order, and nothing of other sessions', async () => {
        const mine = changes('one', 9, {
          messages: [
            message('one', 4, { role: 'assistant', answers: 2, content: "it's\n“quoted” \\ 🙂" }),
            message('one', 2),
          ],
          toolConversations: [
            call('one', 'tc_z', { result: '', duration_ms: 0 }),
            call('one', 'tc_a', { error: 'no', duration_ms: 3_000_000_000 }),
          ],
          spawnedTasks: [{ toolConversationId: 'tc_z', taskId: 'child' }],
        });
        await database.write([mine, changes('two', 3, { messages: [message('two', 2)] })]);
        assert.deepEqual(await database.read('one'), {
          lastSeq: 9,
          messages: [mine.messages[1], mine.messages[0]],
          toolConversations: mine.toolConversations,
          spawnedTasks: mine.spawnedTasks,
        });
        assert.equal(await database.read('three'), undefined);
      });

      it('puts newer rows in the place of those that are there, where these stand', async () => {
        const answer = message('one', 4, { role: 'assistant', answers: 2, content: 'It' });
        await database.write([
          changes('one', 5, {
            messages: [message('one', 2), answer],
            toolConversations: [call('one', 'tc_z'), call('one', 'tc_a')],
          }),
        ]);
        const whole = { ...answer, content: 'It is.', created_at: '2026-01-02T03:05:00.000Z' };
        const ended = call('one', 'tc_z', { result: 'text', duration_ms: 12 });
        // Twice in one batch: the last counts.
        await database.write([
          changes('one', 6, { messages: [{ ...answer, content: 'It is' }] }),
          changes('one', 8, { messages: [whole], toolConversations: [ended] }),
        ]);
        assert.deepEqual(await database.read('one'), {
          lastSeq: 8,
          messages: [message('one', 2), whole],
          toolConversations: [ended, call('one', 'tc_a')],
          spawnedTasks: [],
        });
      });

      it('keeps what is newer', async () => {
        const ended = call('one', 'tc_z', { result: 'text', duration_ms: 12 });
        await database.write([
          changes('one', 8, { messages: [message('one', 2)], toolConversations: [ended] }),
        ]);
        await database.write([changes('one', 6, { toolConversations: [call('one', 'tc_z')] })]);
        assert.deepEqual(await database.read('one'), {
          ...{ lastSeq: 8, messages: [message('one', 2)], toolConversations: [ended], spawnedTasks: [] },
        });
      });

      it('writes all of a batch or nothing', async () => {
        await database.write([changes('one', 2, { messages: [message('one', 2)] })]);
        await assert.rejects(
          database.write([
            changes('one', 3, { messages: [message('one', 3)] }),
            changes('two', 3, { messages: [message('two', 2, { role: 'nobody' as never })] }),
          ]),
        );
        assert.deepEqual((await database.read('one'))?.messages, [message('one', 2)]);
        assert.equal(await database.read('two'), undefined);
        await database.write([changes('two', 3, { messages: [message('two', 2)] })]);
        assert.equal((await database.read('two'))?.lastSeq, 3);
      });

      it('knows a session without rows, and is empty when it was cleared', async () => {
        await database.write([changes('one', 1, {})]);
        assert.deepEqual(await database.read('one'), {
          ...{ lastSeq: 1, messages: [], toolConversations: [], spawnedTasks: [] },
        });
        await database.clear();
        assert.equal(await database.read('one'), undefined);
      });
    });

  describe('PostgreSQL alone', () => {
    it('holds whatever a tool gave, with a sign for what it has no place for', async () => {
      const pool = await openPool(await postgres.database(), logger);
      await migrate(pool);
      const database = new PostgresChatDatabase(pool);
      const result = 'before\u0000after \ud800 end';
      await database.write([
        changes('one', 3, {
          messages: [message('one', 2)],
          toolConversations: [call('one', 'tc', { result, duration_ms: 1 })],
        }),
      ]);
      assert.deepEqual(
        (await database.read('one'))?.toolConversations.map((row) => row.result),
        ['before\ufffdafter \ufffd end'],
      );
      await database.close();
    });

    it('is made by whichever of several servers comes first', async () => {
      const url = await postgres.database();
      const pools = await Promise.all([1, 2, 3, 4].map(() => openPool(url, logger)));
      await Promise.all(pools.map(migrate));
      await Promise.all(pools.map(migrate));
      await Promise.all(pools.map(async (pool) => await pool.end()));
      assert.deepEqual(await postgres.query('SELECT version FROM lathe_migrations ORDER BY version', url), [
        { version: 1 },
        { version: 2 },
      ]);
    });

    it('of a newer Lathe is left as it is', async () => {
      const url = await postgres.database();
      const pool = await openPool(url, logger);
      await migrate(pool);
      await pool.query('INSERT INTO lathe_migrations VALUES (99)');
      await assert.rejects(migrate(pool), /a newer Lathe \(version 99/);
      await pool.end();
    });

    it('is waited for while it restarts', async function () {
      this.timeout(120_000);
      const pool = await openPool(await postgres.database(), logger);
      await migrate(pool);
      const database = new PostgresChatDatabase(pool);
      await database.write([changes('one', 2, { messages: [message('one', 2)] })]);
      await postgres.pause();
      const written = database.write([changes('one', 3, { messages: [message('one', 3)] })]);
      await postgres.resume();
      await written;
      assert.deepEqual((await database.read('one'))?.messages, [message('one', 2), message('one', 3)]);
      await database.close();
    });
  });
});
