import type { ApprovalRequest } from '../../../src/shared/approvals.ts';
import { IconButton } from '../common/IconButton.tsx';
import { modeName } from '../common/modeName.ts';
import { Markdown } from '../markdown/Markdown.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { useAnswered } from './useAnswered.ts';
import { useArmed } from './useArmed.ts';

/** A question with its suggestions: a click answers, the pencil takes the words into the composer. */
export function QuestionPanel({
  request,
}: {
  request: Extract<ApprovalRequest, { reason: 'question' }>;
}): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const armed = useArmed(request.id);
  const modes = useAppState((state) => state.modes);
  const [answered, setAnswered] = useAnswered();
  return (
    <>
      <div className="waiting-text" tabIndex={0} role="group" aria-label={words('webview.question')}>
        <Markdown text={request.question} />
      </div>
      <ul className="choices">
        {request.suggestions.map(({ text, mode }, index) => (
          <li key={index}>
            <button
              type="button"
              className="choice"
              data-testid="suggestion"
              aria-disabled={!armed || answered}
              onClick={() => {
                if (answered || !session.answers.isArmed(request.id)) return;
                setAnswered(true);
                session.answers.respond(request, {
                  outcome: 'allow',
                  text,
                  ...(mode === undefined ? {} : { mode }),
                });
              }}
            >
              <span className="choice-text" dir="auto">
                {text}
              </span>
              {mode !== undefined && <span className="badge">{modeName(words, modes, mode)}</span>}
            </button>
            <IconButton
              icon="edit"
              label={words('webview.editSuggestion')}
              testId="edit-suggestion"
              onClick={() => session.propose(text)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
