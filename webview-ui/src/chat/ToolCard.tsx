import { memo } from 'react';
import type { ToolDetails } from '../../../src/shared/tools.ts';
import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { RestoreButton } from '../checkpoints/RestoreButton.tsx';
import { FileOpener } from '../common/FileOpener.tsx';
import { Icon } from '../common/Icon.tsx';
import { MiddleText } from '../common/MiddleText.tsx';
import { useAppState, useOpenRow, useWords } from '../useSession.ts';
import { CallTime } from './CallTime.tsx';
import { CommandBody } from './CommandBody.tsx';
import { EditBody } from './EditBody.tsx';
import { McpBody } from './McpBody.tsx';
import { PictureBody } from './PictureBody.tsx';
import { PlainBody, resultText } from './PlainBody.tsx';
import { UnifiedDiff } from '../diff/UnifiedDiff.tsx';
import { shownState, toolIcon, verb } from './toolWords.ts';

/** One call: a line when closed; its arguments while they stream and its result when open. */
export const ToolCard = memo(function ToolCard({ item }: { item: ToolItem }): React.JSX.Element {
  const words = useWords();
  const details = useDetails(item);
  const [open, toggle] = useOpenRow(item.key, openByDefault(item));
  const hasBody = item.state !== 'queued' || details !== undefined || Object.keys(item.params).length > 0;
  const { icon, spin, word, quiet } = shownState(words, item);
  // What waits is counted in the question above the composer.
  const counted = details?.type === 'diff' && item.state !== 'waiting';
  return (
    <div
      className={`card card-${item.state}`}
      data-testid="tool-card"
      data-tool={item.tool}
      data-state={item.state}
      data-call={item.callId}
    >
      <div className="card-head">
        <button
          type="button"
          className="card-toggle"
          aria-expanded={open}
          aria-label={`${verb(words, item)} ${item.view.subject}`.trim()}
          disabled={!hasBody}
          onClick={toggle}
        >
          <Icon name={toolIcon(item.tool)} />
          <span className="card-verb">{verb(words, item)}</span>
        </button>
        <span className={counted ? 'card-object counted' : 'card-object'}>
          <Subject item={item} />
          {counted && <DiffCounts details={details} />}
        </span>
        <span className="card-state">
          {!spin && (
            <span className="card-time">
              <CallTime item={item} />
              <RestoreButton item={item} />
            </span>
          )}
          {!quiet && <span>{word}</span>}
          {spin && <CallTime item={item} />}
          <span title={word} className="card-state-icon">
            <Icon name={icon} spin={spin} />
            {quiet && <span className="hidden">{word}</span>}
          </span>
        </span>
      </div>
      {!open && <Reason item={item} />}
      {open && hasBody && (
        <div className="card-body">
          <Reason item={item} />
          <Body item={item} details={details} />
        </div>
      )}
    </div>
  );
});

/** The proposal while it waits for an answer, the result after. */
function useDetails(item: ToolItem): ToolDetails | undefined {
  return useAppState(({ view }) => {
    if (item.details) return item.details;
    const request = view.pending.find(
      (pending) => pending.reason === 'tool' && pending.callId === item.callId,
    );
    return request?.reason === 'tool' ? request.details : undefined;
  });
}

function openByDefault({ tool, view, state, details }: ToolItem): boolean {
  // What the browser shows is what a person follows it by.
  if (tool === 'browser_action' || tool === 'generate_image') return state === 'done';
  if (details?.type === 'mcp' && details.parts.some(({ kind }) => kind === 'image')) return true;
  const edits = view.kind === 'edit';
  if (!edits && tool !== 'execute_command') return false;
  if (state === 'streaming' || state === 'running') return true;
  // A command that waits stands whole in the question above the composer; a diff stands here alone.
  if (state === 'waiting') return edits;
  return details?.type === 'command' && (details.exitCode ?? 0) !== 0;
}

function Subject({ item }: { item: ToolItem }): React.JSX.Element | null {
  const words = useWords();
  const [place] = item.view.locations;
  const text = item.tool === 'update_todo_list' ? '' : item.view.subject;
  if (text === '') return null;
  if (!place)
    return (
      <span className="card-subject">
        <MiddleText text={text} kind={subjectKind(item.tool, text)} />
      </span>
    );
  return (
    <FileOpener
      path={place.path}
      line={place.line}
      className="card-subject"
      opens="card-open"
      label={words('webview.openFile', { path: place.path })}
    >
      <MiddleText text={text} />
    </FileOpener>
  );
}

/** What is no file and has blanks is words, whatever slashes are in it. */
function subjectKind(tool: string, text: string): 'path' | 'command' | 'words' {
  if (tool === 'execute_command') return 'command';
  return /\s/.test(text.trim()) ? 'words' : 'path';
}

function DiffCounts({ details }: { details: Extract<ToolDetails, { type: 'diff' }> }): React.JSX.Element {
  const words = useWords();
  return (
    <span
      className="diff-counts"
      title={words('webview.counts', { added: details.added, removed: details.removed })}
    >
      <span className="count-added">{`+${details.added}`}</span>{' '}
      <span className="count-removed">{`−${details.removed}`}</span>
    </span>
  );
}

/** What the person said, and the first line of why it failed. */
function Reason({ item }: { item: ToolItem }): React.ReactNode {
  const words = useWords();
  const failed = item.state === 'failed' ? firstLine(resultText(item)) : '';
  const changed = item.details?.type === 'diff' && item.details.changedByPerson === true;
  const feedback = item.feedback !== undefined && item.tool !== 'ask_followup_question';
  if (failed === '' && !changed && !feedback) return null;
  return (
    <div className="card-reason">
      {failed !== '' && <div className="error-text">{failed}</div>}
      {changed && <div>{words('webview.changedByYou')}</div>}
      {feedback && (
        <div className="card-feedback">{words('webview.youSaid', { text: item.feedback ?? '' })}</div>
      )}
    </div>
  );
}

function Body({ item, details }: { item: ToolItem; details: ToolDetails | undefined }): React.JSX.Element {
  if (details?.type === 'mcp') return <McpBody item={item} details={details} />;
  if (details?.type === 'picture') return <PictureBody details={details} />;
  if (item.tool === 'report_bug' && details?.type === 'diff')
    return <UnifiedDiff patch={details.patch} path={details.path} />;
  if (item.view.kind === 'edit') return <EditBody item={item} details={details} />;
  if (item.tool === 'execute_command') return <CommandBody item={item} details={details} />;
  return <PlainBody item={item} />;
}

function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
