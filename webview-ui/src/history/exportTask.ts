import type { TaskEvent } from '../../../src/shared/events.ts';
import { message, translate } from '../../../src/shared/strings.ts';
import { emptyView, foldAll } from '../../../src/shared/view.ts';
import type { Session } from '../Session.ts';
import type { Words } from '../useSession.ts';
import { taskAsMarkdown } from './taskAsMarkdown.ts';

export type ExportFormat = 'markdown' | 'json';

/** Asks where to, then writes the conversation as markdown, or the journal as it is. @throws CallError */
export async function exportTask(session: Session, taskId: string, format: ExportFormat): Promise<void> {
  const { transport, store } = session;
  const { entries } = await transport.call('task/subscribe', { taskId });
  // Only what is open is listened to.
  if (store.state.taskId !== taskId) await transport.call('task/unsubscribe', { taskId });
  const events = entries.map((entry): TaskEvent => ({ kind: 'entry', entry }));
  const view = foldAll(emptyView(), events);
  const { locale } = store.state;
  const words: Words = Object.assign(
    (key: Parameters<Words>[0], args?: Parameters<Words>[1]) => translate(locale, message(key, args)),
    { of: (said: Parameters<Words['of']>[0]) => translate(locale, said) },
  );
  const title = view.title === '' ? words('webview.untitled') : view.title;
  await transport.call('editor/saveText', {
    name: `${title.slice(0, 80)}.${format === 'json' ? 'json' : 'md'}`,
    text: format === 'json' ? `${JSON.stringify(entries, undefined, 2)}\n` : taskAsMarkdown(words, view),
  });
}
