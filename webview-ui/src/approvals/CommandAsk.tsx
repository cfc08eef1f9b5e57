import type { Action } from '../../../src/shared/approvals.ts';
import type { CommandPart, JudgedCommand } from '../../../src/shared/commands.ts';
import type { Message } from '../../../src/shared/strings.ts';
import { Icon } from '../common/Icon.tsx';
import { useWords } from '../useSession.ts';

type CommandAction = Extract<Action, { type: 'command' }>;

/** A command as it was written, and where it would run. */
export function CommandAsk({ action }: { action: CommandAction }): React.JSX.Element {
  const words = useWords();
  const { judged, sandboxed } = action;
  return (
    <>
      <p className="ask">{words('webview.ask.command')}</p>
      <pre className="command" tabIndex={0} aria-label={words('webview.command')} dir="ltr">
        {action.command}
      </pre>
      {judged?.dangers.map((danger, at) => (
        <p key={at} className="danger">
          <Icon name="warning" /> <span>{words.of(danger)}</span>
        </p>
      ))}
      {judged && <Parts judged={judged} />}
      {judged && (
        <p className="quiet" data-testid="command-place">
          <Icon name={sandboxed ? 'shield' : 'terminal'} />{' '}
          <span>{words(sandboxed ? `sandbox.runs.${sandboxed}` : 'sandbox.runs.freely')}</span>
        </p>
      )}
    </>
  );
}

/** Reasons that the command's own lines do not say already. */
export function reasonsBeside(why: readonly Message[], action: Action | undefined): Message[] {
  const judged = action?.type === 'command' ? action.judged : undefined;
  const inParts = judged && isTelling(judged) ? judged.parts.flatMap((part) => part.why) : [];
  const said = [...inParts, ...(judged?.dangers ?? [])].map((one) => JSON.stringify(one));
  return why.filter((one) => !said.includes(JSON.stringify(one)));
}

/** Whether the parts say more than the command itself: there are several, or its words are not as they are written. */
function isTelling({ parts }: JudgedCommand): boolean {
  const [first, ...others] = parts;
  return first !== undefined && (others.length > 0 || first.argv?.join(' ') !== first.source);
}

/** What runs, word by word, with the program's file, and which part asks. */
function Parts({ judged }: { judged: JudgedCommand }): React.JSX.Element {
  const words = useWords();
  const [first] = judged.parts;
  if (!isTelling(judged))
    return (
      <>
        {first?.program !== undefined && (
          <p className="quiet part-program" data-testid="command-program">
            {words('webview.command.program', { path: first.program })}
          </p>
        )}
      </>
    );
  return (
    <ul
      className="parts"
      tabIndex={0}
      aria-label={words('webview.command.parts')}
      data-testid="command-parts"
    >
      {judged.parts.map((part, at) => (
        <Part key={at} part={part} />
      ))}
      {judged.more > 0 && <li className="quiet">{words('webview.command.more', { count: judged.more })}</li>}
    </ul>
  );
}

const ICONS = { auto: 'pass', ask: 'question', deny: 'circle-slash' } as const;

function Part({ part: { source, argv, program, verdict, why } }: { part: CommandPart }): React.JSX.Element {
  const words = useWords();
  return (
    <li className="part" data-verdict={verdict}>
      <code className="part-words" dir="ltr">
        {argv
          ? argv.map((word, at) => (
              <span key={at} className="part-word">
                {word === '' ? '\u2009' : word.replaceAll('\n', '⏎')}
              </span>
            ))
          : source}
      </code>
      <div className={verdict === 'auto' ? 'quiet part-why' : 'part-why'}>
        <Icon name={ICONS[verdict]} />
        <span>
          {words(`webview.command.part.${verdict}`)}
          {verdict !== 'auto' && why.map((one) => ` ${words.of(one)}`)}
          {program !== undefined && (
            <span className="quiet part-program"> {words('webview.command.program', { path: program })}</span>
          )}
        </span>
      </div>
    </li>
  );
}
