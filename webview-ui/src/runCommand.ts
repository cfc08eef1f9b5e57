import type { Session } from './Session.ts';
import type { ReceivedNotification } from './transport.ts';

type Command = Extract<ReceivedNotification, { name: 'editor/command' }>['params']['command'];

/** What the editor's palette, a key or a menu asks of the sidebar. */
export function runCommand(session: Session, command: Command): void {
  switch (command) {
    case 'newTask':
      session.newTask();
      break;
    case 'stop':
      session.stop();
      break;
    case 'approve':
    case 'reject':
      session.answers.byKey(command === 'approve' ? 'allow' : 'reject');
      break;
    case 'history':
    case 'settings':
    case 'mcp':
    case 'about':
      session.show(command);
      break;
    case 'switchMode':
      session.store.set({ screen: 'chat', modeMenuRequest: session.store.state.modeMenuRequest + 1 });
      break;
    case 'focusComposer':
      session.show('chat');
      break;
  }
}
