import { MAX_CHANGED_TEXT } from '../shared/approvalMethods.ts';
import { message } from '../shared/strings.ts';
import { ProtocolError, type Handlers } from './Dispatcher.ts';
import type { AskedText } from './task/AskedApprovals.ts';
import { exportTask } from './task/exportTask.ts';
import { lastPage } from './task/journalPages.ts';
import type { Tasks } from './Tasks.ts';
import type { TaskStore } from './TaskStore.ts';

type TaskMethod = Extract<
  keyof Handlers,
  `task/${string}` | 'command/stop' | 'command/background' | 'approval/respond' | 'approval/proposal'
>;

/** @throws ProtocolError where there is nothing that a front end may give back changed */
function changeable(proposal: AskedText | undefined): AskedText {
  if (!proposal) throw new ProtocolError('unavailable', message('changes.none'));
  if (proposal.text.length > MAX_CHANGED_TEXT)
    throw new ProtocolError(
      'unavailable',
      message('changes.tooLarge', { path: proposal.shown, most: MAX_CHANGED_TEXT }),
    );
  return proposal;
}

/** What a front end can ask of tasks. */
export function taskHandlers(tasks: Tasks, store: TaskStore): Pick<Handlers, TaskMethod> {
  return {
    'task/create': async ({ text, images, attachments, messageId, taskId, cwd, mode, profile }) => {
      tasks.requireTrust();
      const task = await tasks.create({ taskId, cwd, mode, profile });
      task.send(text, { images, attachments, messageId });
      return { taskId: task.id };
    },
    'task/send': async ({ taskId, text, images, attachments, messageId }) => {
      await tasks.send(await tasks.runnable(taskId), { text, images, attachments, messageId });
      return {};
    },
    'task/subscribe': async ({ taskId, since, bytes }) => {
      const task = await tasks.get(taskId);
      const writer = await task.writer();
      if (!writer) await tasks.askAgain(task);
      const entries = task.entries.filter(({ seq }) => seq > since);
      const page = bytes === undefined ? undefined : lastPage(task.entries, bytes);
      const cut = page !== undefined && page.base.lastSeq > since;
      return {
        ...(cut ? { base: page.base } : {}),
        entries: cut ? page.entries.slice() : entries,
        running: task.running,
        queued: task.queued.map((queued) => queued.text),
        ...(writer ? { elsewhere: { pid: writer.pid, host: writer.host } } : {}),
      };
    },
    'task/page': async ({ taskId, before, bytes }) => {
      const task = await tasks.get(taskId);
      const { base, entries } = lastPage(
        task.entries.filter(({ seq }) => seq < before),
        bytes,
      );
      return { base, entries: entries.slice() };
    },
    // Subscriptions are kept by each front end's connection; here there is nothing to forget.
    'task/unsubscribe': () => Promise.resolve({}),
    'task/cancel': async ({ taskId }) => {
      await (await tasks.free(taskId)).cancel();
      return {};
    },
    'task/condense': async ({ taskId, guidance }) => {
      const task = await tasks.runnable(taskId);
      await tasks.free(taskId);
      task.condense({ guidance });
      return {};
    },
    'task/resume': async ({ taskId }) => {
      const task = await tasks.runnable(taskId);
      await tasks.start(task);
      return {};
    },
    'task/get': async ({ taskId }) => await tasks.summary(taskId),
    'task/list': async ({ cwd }) => await tasks.list(cwd),
    'task/search': async ({ query, limit }) => await store.search(query, limit),
    'task/rename': async ({ taskId, title }) => {
      const task = await tasks.free(taskId);
      if (task.state.title !== title) await task.record({ type: 'title_changed', title });
      return {};
    },
    'task/export': async ({ taskId, format }) => {
      const task = await tasks.get(taskId);
      const below = await tasks.stack.below(task);
      return exportTask(
        task.entries,
        format,
        below.map(({ entries }) => entries),
      );
    },
    'task/branch': async ({ taskId, seq, text, images, attachments }) => {
      const branch = await tasks.branch(await tasks.runnable(taskId), seq);
      branch.send(text, { images, attachments });
      return { taskId: branch.id };
    },
    'task/unqueue': async ({ taskId, index, text }) => {
      const taken = (await tasks.get(taskId)).unqueue(index, text);
      if (!taken) throw new ProtocolError('not_found', message('error.notQueued'));
      return taken;
    },
    'task/delete': async ({ taskId }) => {
      await tasks.delete(taskId);
      return {};
    },
    'task/restore': async ({ taskId }) => {
      await tasks.restore(taskId);
      return {};
    },
    'approval/respond': async ({ taskId, approvalId, decision, text }) => {
      const task = await tasks.get(taskId);
      const asked = task.asked(approvalId);
      // What the person wrote must not be left out of their yes without a word.
      if (asked && text !== undefined) changeable(asked.proposal);
      const accepted = task.respond(approvalId, decision, text);
      if (!accepted) await tasks.free(taskId);
      return { accepted };
    },
    'approval/proposal': async ({ taskId, approvalId }) => {
      const asked = (await tasks.get(taskId)).asked(approvalId);
      if (!asked) {
        await tasks.free(taskId);
        throw new ProtocolError('not_found', message('changes.over'));
      }
      const { shown, text } = changeable(asked.proposal);
      return { path: shown, text };
    },
    'command/stop': async ({ taskId, callId }) => {
      if (!(await tasks.get(taskId)).calls.stop(callId))
        throw new ProtocolError('not_found', message('error.notRunning'));
      return {};
    },
    'command/background': async ({ taskId, callId }) => {
      if (!(await tasks.get(taskId)).calls.toBackground(callId))
        throw new ProtocolError('not_found', message('error.notRunning'));
      return {};
    },
  };
}
