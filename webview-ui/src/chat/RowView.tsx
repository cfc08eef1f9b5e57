import { memo } from 'react';
import { seqOf } from '../../../src/shared/viewParts.ts';
import type { ReasoningItem, UserItem, ViewItem } from '../../../src/shared/viewItems.ts';
import { RestoredRow } from '../checkpoints/RestoredRow.tsx';
import { CopyButton } from '../common/CopyButton.tsx';
import { formatDuration, formatTokens } from '../common/format.ts';
import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { modeName } from '../common/modeName.ts';
import { Markdown } from '../markdown/Markdown.tsx';
import { useAppState, useOpenRow, useSession, useWords, type Words } from '../useSession.ts';
import { QuestionCard } from './QuestionCard.tsx';
import type { Row, RunPart } from './rows.ts';
import { SentContext } from './SentContext.tsx';
import { runSummary } from './runSummary.ts';
import { SubtaskCard } from './SubtaskCard.tsx';
import { ToolCard } from './ToolCard.tsx';

export const RowView = memo(function RowView({
  row,
  current,
}: {
  row: Row;
  /** The reader has jumped to it. */
  current: boolean;
}): React.JSX.Element {
  return (
    <div className={current ? 'row row-current' : 'row'}>
      {row.kind === 'run' ? <Run id={row.key} parts={row.parts} /> : <Item item={row.item} />}
    </div>
  );
});

function Item({ item }: { item: ViewItem }): React.JSX.Element {
  const words = useWords();
  switch (item.type) {
    case 'user':
      return <UserMessage item={item} />;
    case 'text':
      return (
        <div className="assistant" data-testid="message" data-role="assistant">
          <Markdown text={item.text} streaming={item.streaming} />
          {!item.streaming && (
            <span className="message-actions">
              <CopyButton text={() => item.text} />
            </span>
          )}
        </div>
      );
    case 'reasoning':
      return <Reasoning item={item} />;
    case 'tool':
      if (item.tool === 'ask_followup_question' && item.state !== 'failed')
        return <QuestionCard item={item} />;
      if (item.tool === 'attempt_completion' && item.state !== 'failed' && (item.params.result ?? '') !== '')
        return <Completion text={item.params.result ?? ''} streaming={item.state === 'streaming'} />;
      if (item.subtask) return <SubtaskCard item={item} />;
      return <ToolCard item={item} />;
    case 'mode':
      return (
        <Line icon="arrow-swap" detail={item.reason}>
          <ModeChange mode={item.mode} />
        </Line>
      );
    case 'model':
      return <Line icon="chip">{words('webview.modelChanged', { model: item.model.model })}</Line>;
    case 'notice':
      return (
        <Line icon={item.level === 'info' ? 'info' : item.level} level={item.level}>
          {words.of(item.message)}
        </Line>
      );
    case 'condensed':
      return (
        <Folded
          id={item.key}
          icon="fold"
          title={item.tokens ? saving(words, 'context.condensed', item.tokens) : words('webview.condensed')}
          text={item.summary}
        />
      );
    case 'trimmed':
      return <Line icon="fold">{saving(words, 'context.trimmed', item.tokens)}</Line>;
    case 'restored':
      return <RestoredRow item={item} />;
    case 'completion':
      return <Completion text={item.result} streaming={false} />;
    case 'ended':
      return <Line icon="debug-stop">{words(`webview.ended.${item.reason}`)}</Line>;
    case 'error':
      return (
        <Line icon="error" level="error">
          {words.of(item.message)}
        </Line>
      );
  }
}

function saving(
  words: Words,
  key: 'context.condensed' | 'context.trimmed',
  { before, after }: { before: number; after: number },
): string {
  return words(key, { before: formatTokens(before), after: formatTokens(after) });
}

function UserMessage({ item }: { item: UserItem }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const seq = seqOf(item.key);
  if (item.automatic)
    return <Folded id={item.key} icon="info" title={words('webview.automaticMessage')} text={item.text} />;
  return (
    <div className="user" data-testid="message" data-role="user">
      <div className="user-text" dir="auto">
        {item.text}
      </div>
      {item.images.length > 0 && (
        <div className="thumbnails">
          {item.images.map(({ mediaType, data }, index) => (
            <img
              key={index}
              src={`data:${mediaType};base64,${data}`}
              alt={words('webview.picture', { number: index + 1 })}
            />
          ))}
        </div>
      )}
      <SentContext item={item} />
      <span className="message-actions">
        {seq !== undefined && (
          <IconButton
            icon="edit"
            label={words('webview.editMessage')}
            testId="edit-message"
            onClick={() =>
              session.edit(seq, { text: item.text, images: item.images, attachments: item.attachments ?? [] })
            }
          />
        )}
        <CopyButton text={() => item.text} />
      </span>
    </div>
  );
}

function Reasoning({ item }: { item: ReasoningItem }): React.JSX.Element {
  const words = useWords();
  const title =
    item.durationMs === undefined
      ? words(item.streaming ? 'webview.thinking' : 'webview.thought')
      : words('webview.thoughtFor', { duration: formatDuration(words, item.durationMs) });
  return <Folded id={item.key} icon="lightbulb" title={title} text={item.text} />;
}

function Folded(props: { id: string; icon: string; title: string; text: string }): React.JSX.Element {
  const [open, toggle] = useOpenRow(props.id, false);
  return (
    <div className="folded">
      <button type="button" className="fold" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <Icon name={props.icon} />
        <span>{props.title}</span>
      </button>
      {open && (
        <div className="folded-text">
          <Markdown text={props.text} />
        </div>
      )}
    </div>
  );
}

function Run({ id, parts }: { id: string; parts: readonly RunPart[] }): React.JSX.Element {
  const words = useWords();
  const [open, toggle] = useOpenRow(id, false);
  return (
    <div className="run" data-testid="tool-run" data-count={parts.length}>
      <button type="button" className="fold" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span>{runSummary(words, parts)}</span>
      </button>
      {open && (
        <div className="run-parts">
          {parts.map((part) =>
            part.type === 'tool' ? (
              <ToolCard key={part.key} item={part} />
            ) : (
              <Reasoning key={part.key} item={part} />
            ),
          )}
        </div>
      )}
    </div>
  );
}

function Completion({ text, streaming }: { text: string; streaming: boolean }): React.JSX.Element {
  const words = useWords();
  return (
    <div className="completion" data-testid="completion" data-streaming={streaming}>
      <div className="completion-head">
        <Icon name="pass-filled" />
        <span>{words('webview.completed')}</span>
        {!streaming && <CopyButton text={() => text} />}
      </div>
      <Markdown text={text} streaming={streaming} />
    </div>
  );
}

function ModeChange({ mode }: { mode: string }): React.JSX.Element {
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  return <>{words('webview.modeChanged', { mode: modeName(words, modes, mode) })}</>;
}

function Line(props: {
  icon: string;
  level?: 'info' | 'warning' | 'error';
  detail?: string | undefined;
  children: React.ReactNode;
}): React.JSX.Element {
  return (
    <div className={`line line-${props.level ?? 'info'}`} data-testid="line">
      <Icon name={props.icon} />
      <span>
        {props.children}
        {props.detail !== undefined && <span className="quiet"> {props.detail}</span>}
      </span>
    </div>
  );
}
