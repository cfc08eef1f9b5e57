import { useState } from 'react';
import { message, translate, type Locale, type StringKey } from '../../../src/shared/strings.ts';
import { Icon } from '../common/Icon.tsx';

/** Asks for what the server wants to be shown. */
export function TokenForm({
  locale,
  wrong,
  onToken,
}: {
  locale: Locale;
  /** One was shown, and it is not the one. */
  wrong: boolean;
  onToken: (token: string) => void;
}): React.JSX.Element {
  const words = (key: StringKey): string => translate(locale, message(key));
  const [token, setToken] = useState('');
  const [asking, setAsking] = useState(false);
  return (
    <div className="app" data-testid="app" data-phase="token">
      <main className="token">
        <form
          className="token-form"
          onSubmit={(event) => {
            event.preventDefault();
            setAsking(true);
            onToken(token.trim());
          }}
        >
          <h1>Lathe</h1>
          <p id="token-about">{words('web.token.about')}</p>
          {wrong && (
            <p className="danger" role="alert" data-testid="token-wrong">
              <Icon name="error" /> <span>{words('web.token.wrong')}</span>
            </p>
          )}
          <label htmlFor="token">{words('web.token')}</label>
          <input
            id="token"
            type="password"
            className="field"
            autoComplete="off"
            autoFocus
            aria-describedby="token-about"
            aria-invalid={wrong}
            data-testid="token"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
          <button
            type="submit"
            className="button"
            data-testid="token-send"
            disabled={token.trim() === '' || asking}
          >
            {words('web.token.send')}
          </button>
        </form>
      </main>
    </div>
  );
}
