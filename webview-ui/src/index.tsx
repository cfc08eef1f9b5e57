import { createRoot } from 'react-dom/client';
import * as z from 'zod';
import '@vscode/codicons/dist/codicon.css';
import { App } from './App.tsx';
import { editorApi, isInEditor } from './editorApi.ts';
import { Session } from './Session.ts';
import './styles/base.css';
import './styles/transcript.css';
import './styles/bottom.css';
import './styles/approvals.css';
import './styles/screens.css';
import './styles/modes.css';
import './styles/subtasks.css';
import './checkpoints/checkpoints.css';
import { SessionContext } from './useSession.ts';
import { WebPage } from './web/WebPage.tsx';

// The page's content security policy forbids making functions of text.
z.config({ jitless: true });

const element = document.getElementById('root');
if (!element) throw new Error('the page has no element #root');
const root = createRoot(element);
if (isInEditor()) {
  const session = new Session(editorApi());
  root.render(
    <SessionContext value={session}>
      <App />
    </SessionContext>,
  );
  session.attempt(() => session.start());
} else new WebPage(root).start();
