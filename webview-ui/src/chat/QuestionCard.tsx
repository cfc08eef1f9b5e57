import { memo } from 'react';
import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { Icon } from '../common/Icon.tsx';
import { Markdown } from '../markdown/Markdown.tsx';
import { useWords } from '../useSession.ts';
import { stateWord } from './toolWords.ts';

/** A question of the agent and what the person answered. While it waits, its words stand above the composer. */
export const QuestionCard = memo(function QuestionCard({ item }: { item: ToolItem }): React.JSX.Element {
  const words = useWords();
  const over = item.state === 'done' || item.state === 'running';
  return (
    <div
      className="question"
      data-testid="tool-card"
      data-tool={item.tool}
      data-state={item.state}
      data-call={item.callId}
    >
      <div className="question-head quiet">
        <Icon name="question" />
        <span>{words('webview.question')}</span>
        {!over && <span>{stateWord(words, item.state)}</span>}
      </div>
      {item.state !== 'waiting' && (
        <Markdown text={item.params.question ?? item.view.subject} streaming={item.state === 'streaming'} />
      )}
      {item.feedback !== undefined && (
        <div className="user answer" dir="auto">
          {item.feedback}
        </div>
      )}
    </div>
  );
});
