import { useEffect, useState } from 'react';
import type { FoundService } from '../../../src/shared/protocol.ts';
import { baseName } from '../common/shortPath.ts';
import { formatAge } from '../common/format.ts';
import { Icon } from '../common/Icon.tsx';
import type { Result } from '../transport.ts';
import { useAppState, useSession, useWords, type Words } from '../useSession.ts';
import { mentionOf } from '../../../src/shared/mention.ts';

type Surroundings = Result<'editor/surroundings'>;

/** Before a task: what to go on with, and whether there is a model to ask. */
export function EmptyState(): React.JSX.Element {
  const words = useWords();
  const hasModel = useAppState((state) => state.profiles.length > 0);
  const workspace = useAppState((state) => state.workspace);
  return (
    <div className="empty" data-testid="empty">
      <h2>
        {workspace === undefined
          ? words('webview.emptyTitle')
          : words('webview.emptyTitleIn', { folder: baseName(workspace) })}
      </h2>
      <p className="quiet">{words('webview.emptyText')}</p>
      {hasModel ? <Suggestions /> : <FirstModel />}
      <LastTasks />
      {hasModel && <TourButton quiet />}
    </div>
  );
}

interface Suggestion {
  icon: string;
  label: string;
  prompt: string;
}

/** Made from what the person has in view; the same two where nothing is. */
function suggestionsFor(words: Words, { file, problems }: Surroundings): Suggestion[] {
  const explain = {
    icon: 'book',
    label: words('webview.suggest.explain'),
    prompt: words('webview.suggest.explain.prompt'),
  };
  const tests = {
    icon: 'beaker',
    label: words('webview.suggest.tests'),
    prompt: words('webview.suggest.tests.prompt'),
  };
  const mend = problems && {
    icon: 'error',
    label: words('webview.suggest.problems', {
      count: problems.count,
      path: baseName(problems.path),
    }),
    prompt: words('webview.suggest.problems.prompt', { path: mentionOf(problems.path) }),
  };
  const cover = file !== undefined && {
    icon: 'beaker',
    label: words('webview.suggest.cover', { path: baseName(file) }),
    prompt: words('webview.suggest.cover.prompt', { path: mentionOf(file) }),
  };
  return [explain, ...(mend ? [mend] : []), cover || tests];
}

/** A click puts the words into the composer: nothing is sent before they were read. */
function Suggestions(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const trusted = useAppState((state) => state.trusted);
  const [surroundings, setSurroundings] = useState<Surroundings>({});
  useEffect(() => {
    let gone = false;
    session.attempt(async () => {
      const found = await session.transport.call('editor/surroundings', {});
      if (!gone) setSurroundings(found);
    });
    return () => {
      gone = true;
    };
  }, [session]);
  return (
    <section aria-label={words('webview.suggestions')}>
      <ul className="choices">
        {suggestionsFor(words, surroundings).map(({ icon, label, prompt }) => (
          <li key={label}>
            <button
              type="button"
              className="choice"
              data-testid="suggest"
              disabled={!trusted}
              onClick={() => session.propose(prompt)}
            >
              <Icon name={icon} />
              <span className="choice-text">{label}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function FirstModel(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const services = useAppState((state) => state.services);
  const hasFound = services?.some(({ models }) => models.length > 0) === true;
  return (
    <section aria-label={words('webview.model')} className="first-model">
      <h3>{words('webview.noModelYet')}</h3>
      {services === undefined && (
        <p className="quiet" role="status">
          <Icon name="loading" spin /> {words('webview.lookingForModels')}
        </p>
      )}
      {services?.map((service) => (
        <Found key={`${service.provider} ${service.baseUrl ?? ''}`} service={service} />
      ))}
      {services !== undefined && !hasFound && (
        <p className="quiet">
          {words('webview.nothingFound')}{' '}
          <button
            type="button"
            className="link"
            data-testid="look-again"
            onClick={() => session.attempt(() => session.models.findServices())}
          >
            {words('webview.lookAgain')}
          </button>
        </p>
      )}
      <div className="actions">
        <button
          type="button"
          className={hasFound ? 'button secondary' : 'button'}
          data-testid="add-key"
          onClick={() => session.show('settings')}
        >
          {words('webview.addKey')}
        </button>
        <TourButton />
      </div>
    </section>
  );
}

/** Models shown of a service before the rest is asked for. */
const FIRST_MODELS = 3;

function Found({ service }: { service: FoundService }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const [shown, setShown] = useState(FIRST_MODELS);
  const name = words(`webview.provider.${service.provider}`);
  const { models } = service;
  if (models.length === 0) return <p className="quiet">{words('webview.foundEmpty', { service: name })}</p>;
  return (
    <>
      <ul className="choices">
        {models.slice(0, shown).map((model) => (
          <li key={model}>
            <button
              type="button"
              className="choice"
              data-testid="found-model"
              onClick={() => session.models.addService(service, model)}
            >
              <Icon name="chip" />
              <span className="choice-text">{words('webview.useFound', { model, service: name })}</span>
            </button>
          </li>
        ))}
      </ul>
      {models.length > shown && (
        <button
          type="button"
          className="link"
          data-testid="more-models"
          onClick={() => setShown(models.length)}
        >
          {words('webview.moreFound', { count: models.length - shown })}
        </button>
      )}
    </>
  );
}

function TourButton({ quiet = false }: { quiet?: boolean }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const trusted = useAppState((state) => state.trusted);
  return (
    <button
      type="button"
      className={quiet ? 'link' : 'button secondary'}
      disabled={!trusted}
      data-testid="tour"
      onClick={() => session.messages.startTour()}
    >
      {words(quiet ? 'webview.tourHint' : 'webview.takeTour')}
    </button>
  );
}

function LastTasks(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const all = useAppState((state) => state.tasks);
  const tasks = all?.filter(({ parent }) => parent === undefined);
  if (!tasks || tasks.length === 0) return null;
  return (
    <section aria-label={words('webview.lastTasks')}>
      <h3>{words('webview.lastTasks')}</h3>
      <ul className="choices">
        {tasks.slice(0, 3).map(({ id, title, updatedAt, state }) => (
          <li key={id}>
            <button
              type="button"
              className="choice choice-task"
              data-testid="history-item"
              data-task={id}
              onClick={() => session.openTask(id)}
            >
              <span className="choice-text" dir="auto">
                {title === '' ? words('webview.untitled') : title}
              </span>
              <span className="quiet list-facts">
                <span>{words(`webview.taskState.${state}`)}</span>
                <span>{formatAge(words, updatedAt, Date.now())}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {tasks.length > 3 && (
        <button type="button" className="link" onClick={() => session.show('history')}>
          {words('webview.allTasks')}
        </button>
      )}
    </section>
  );
}
