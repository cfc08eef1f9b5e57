import { useEffect, useRef, useState } from 'react';
import type { Action, ApprovalOption } from '../../../src/shared/approvals.ts';
import type { Message } from '../../../src/shared/strings.ts';
import type { ToolName } from '../../../src/shared/tools.ts';
import { ArgumentList } from '../common/ArgumentList.tsx';
import { Icon } from '../common/Icon.tsx';
import { modeName } from '../common/modeName.ts';
import { shortPath } from '../common/shortPath.ts';
import { MiddleText } from '../common/MiddleText.tsx';
import { optionOf } from '../answerKinds.ts';
import { useAppState, useInEditor, useSession, useWords } from '../useSession.ts';
import type { ToolRequest } from '../Changes.ts';
import { ChangeProposal } from './ChangeProposal.tsx';
import { CommandAsk, reasonsBeside } from './CommandAsk.tsx';
import { NoteAsk } from './NoteAsk.tsx';
import { RuleMenu } from './RuleMenu.tsx';
import { readsAfter } from './sameReads.ts';
import { SubtaskAsk } from './SubtaskAsk.tsx';
import { useAnswered } from './useAnswered.ts';
import { useArmed } from './useArmed.ts';

/** What, where, why it asks, then the buttons. Shows the request as it was made: nothing in it changes under the finger. */
export function ToolApproval({ request }: { request: ToolRequest }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const [answered, setAnswered] = useAnswered();
  const hasFeedback = useAppState(({ draft }) => draft.text.trim() !== '');
  const root = useAppState(({ view }) => view.cwd);
  // As they were when this was shown: what a button says must not change under the finger.
  const [reads] = useState(() => readsAfter(session.store.state.view, request));
  const inEditor = useInEditor();
  const canChange = !inEditor && isOneText(request);
  const changing = useAppState((state) => state.changing?.approvalId === request.id);
  const armed = useArmed(request.id, changing ? 'text' : 'proposal');
  const blocked = !armed || answered;
  const setAside = session.answers.changes.kept(request.id) !== undefined;
  const changeButton = useRef<HTMLButtonElement>(null);
  const wasChanging = useRef(false);
  useEffect(() => {
    // A page that was loaded anew shows the text that was before the person.
    if (canChange && session.answers.changes.kept(request.id)?.open === true)
      session.answers.changes.open(request);
  }, [canChange, request, session]);
  useEffect(() => {
    if (wasChanging.current && !changing) changeButton.current?.focus();
    wasChanging.current = changing;
  }, [changing]);

  const answer = (outcome: 'allow' | 'reject', option?: ApprovalOption): void => {
    if (blocked || !session.answers.isArmed(request.id)) return;
    setAnswered(true);
    session.answers.respond(request, { outcome, ...(option ? { option } : optionOf(request, outcome)) });
  };

  const answerReads = (): void => {
    if (blocked || !session.answers.isArmed(request.id)) return;
    setAnswered(true);
    session.answers.approveReads(request, reads);
  };

  return (
    <div data-testid="approval" data-call={request.callId} data-tool={request.tool}>
      {request.details?.type === 'subtask' ? (
        <SubtaskAsk mode={request.details.mode} message={request.details.message} />
      ) : (
        request.actions.map((action, index) => <ActionLine key={index} action={action} tool={request.tool} />)
      )}
      {request.actions.length === 0 && <p>{words('webview.ask.other', { tool: request.tool })}</p>}
      {request.details?.type === 'mcp' && request.details.arguments !== undefined && (
        <ArgumentList json={request.details.arguments} label={words('webview.mcp.arguments')} />
      )}
      {request.details?.type === 'diff' && !changing && (
        <p className="quiet">
          {words('webview.counts', { added: request.details.added, removed: request.details.removed })}
          {request.review && ` ${words('webview.reviewOpen')}`}
        </p>
      )}
      {reasonsBeside(request.why, request.actions[0]).map((why, index) => (
        <p key={index} className={request.dangerous ? 'danger' : 'quiet'}>
          {request.dangerous && <Icon name="warning" />} <span>{words.of(withShortPath(why, root))}</span>
        </p>
      ))}
      {!inEditor && changesSeveral(request) && (
        <p className="quiet" data-testid="changes-several">
          {words('changes.several')}
        </p>
      )}
      {changing ? (
        <ChangeProposal request={request} />
      ) : (
        <div className="actions">
          <button
            type="button"
            className="button"
            data-testid="approve"
            aria-disabled={blocked}
            {...labelOf(hasFeedback && words('webview.approveWithFeedback'))}
            onClick={() => answer('allow')}
          >
            {words('webview.approve')}
            {hasFeedback && <Comment />}
          </button>
          {reads.length > 0 && (
            <button
              type="button"
              className="button secondary"
              data-testid="approve-reads"
              aria-disabled={blocked}
              title={reads.map(({ view }) => view.subject).join('\n')}
              onClick={answerReads}
            >
              {words('approval.allReads', { count: reads.length + 1 })}
            </button>
          )}
          <RuleMenu
            kind="allow_always"
            options={request.options}
            disabled={blocked}
            onPick={(option) => answer('allow', option)}
          />
          {canChange && (
            <button
              ref={changeButton}
              type="button"
              className="button secondary"
              data-testid="change"
              aria-disabled={blocked}
              onClick={() => {
                if (!blocked) session.answers.changes.open(request);
              }}
            >
              {words(setAside ? 'changes.goOn' : 'changes.change')}
            </button>
          )}
          <span className="split">
            <button
              type="button"
              className="button secondary"
              data-testid="reject"
              aria-disabled={blocked}
              {...labelOf(hasFeedback && words('webview.rejectWithFeedback'))}
              onClick={() => answer('reject')}
            >
              {words('webview.reject')}
              {hasFeedback && <Comment />}
            </button>
            <RuleMenu
              kind="reject_always"
              options={request.options}
              disabled={blocked}
              onPick={(option) => answer('reject', option)}
            />
          </span>
        </div>
      )}
    </div>
  );
}

/** A proposal that is the text of one file, and in no diff editor: the person's words may take its place. */
function isOneText({ actions, details, review }: ToolRequest): boolean {
  const [action, ...more] = actions;
  const writes = action?.type === 'edit' || action?.type === 'report';
  return details?.type === 'diff' && writes && more.length === 0 && !review;
}

function changesSeveral({ actions, details }: ToolRequest): boolean {
  return details?.type === 'diff' && actions.length > 1 && actions.some(({ type }) => type === 'edit');
}

/** A file of the workspace is named as everywhere else. */
function withShortPath(why: Message, root: string | undefined): Message {
  const path = why.args?.path;
  return typeof path === 'string' ? { ...why, args: { ...why.args, path: shortPath(path, root) } } : why;
}

function labelOf(label: string | false): { title?: string; 'aria-label'?: string } {
  return label === false ? {} : { title: label, 'aria-label': label };
}

/** Says that what stands in the composer goes along; only where the buttons have room, so that they stay in their places. */
function Comment(): React.JSX.Element {
  return (
    <span className="wide">
      <Icon name="comment" />
    </span>
  );
}

/** Tools that read what lies in a folder. */
const lookers: readonly string[] = [
  'list_files',
  'search_files',
  'list_code_definition_names',
  'codebase_search',
] satisfies ToolName[];

function ActionLine({ action, tool }: { action: Action; tool: string }): React.JSX.Element {
  const words = useWords();
  switch (action.type) {
    case 'read':
      return (
        <PathLine
          question={words(lookers.includes(tool) ? 'approval.ask.look' : 'webview.ask.read')}
          path={action.path}
        />
      );
    case 'delete':
      return <PathLine question={words('webview.ask.delete')} path={action.path} />;
    case 'edit':
      return (
        <PathLine
          question={words(action.created ? 'webview.ask.create' : 'webview.ask.edit')}
          path={action.path}
        />
      );
    case 'command':
      return (
        <>
          <CommandAsk action={action} />
          <PathLine question={words('webview.ask.in')} path={action.cwd} quiet />
        </>
      );
    case 'browse':
      return (
        <>
          <p className="ask">{words(tool === 'web_fetch' ? 'webview.ask.fetch' : 'webview.ask.browse')}</p>
          <pre className="command" tabIndex={0} aria-label={words('webview.command')} dir="ltr">
            {action.url}
          </pre>
        </>
      );
    case 'mcp':
      return (
        <p className="ask">
          {words(`webview.ask.mcp.${action.operation}`, { target: action.target, server: action.server })}
        </p>
      );
    case 'report':
      return (
        <p className="ask">
          {action.address === undefined
            ? words('tools.ask.report')
            : words('tools.ask.reportAt', { address: action.address })}
        </p>
      );
    case 'note':
      return <NoteAsk action={action} />;
    case 'switch_mode':
      return <ModeLine mode={action.mode} />;
  }
}

function PathLine({
  question,
  path,
  quiet = false,
}: {
  question: string;
  path: string;
  quiet?: boolean;
}): React.JSX.Element {
  const root = useAppState(({ view }) => view.cwd);
  return (
    <p className={quiet ? 'ask quiet' : 'ask'}>
      <span className="ask-verb">{question}</span> <MiddleText text={shortPath(path, root)} />
    </p>
  );
}

function ModeLine({ mode }: { mode: string }): React.JSX.Element {
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  return <p className="ask">{words('webview.ask.switch_mode', { mode: modeName(words, modes, mode) })}</p>;
}
