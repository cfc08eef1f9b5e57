import { useEffect, useId, useState } from 'react';
import type { Message } from '../../../src/shared/strings.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { CallError } from '../transport.ts';

const EXAMPLE = `{
  "command": "npx",
  "args": ["-y", "@modelcontextprotocol/server-memory"]
}`;

/** An entry of the configuration as it is written; what could not be used is said and not saved. */
export function ServerForm({
  server,
  onClose,
}: {
  server: string | undefined;
  onClose: () => void;
}): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const id = useId();
  const [name, setName] = useState(server ?? '');
  const [text, setText] = useState(server === undefined ? EXAMPLE : '');
  const userFile = useAppState((state) => state.servers?.userFile);
  const [place, setPlace] = useState(server === undefined ? userFile : undefined);
  const [problem, setProblem] = useState<Message>();
  const [saving, setSaving] = useState(false);
  useEffect(() => {
    if (server === undefined) return;
    session.attempt(async () => {
      const entry = await session.transport.call('mcp/entry', { server });
      setText(entry.text);
      setPlace(entry.source.path);
    });
  }, [session, server]);
  const save = (): void => {
    setSaving(true);
    setProblem(undefined);
    session.attempt(async () => {
      try {
        await session.servers.save(name, text, server);
        onClose();
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        setProblem(error.words);
      } finally {
        setSaving(false);
      }
    });
  };
  return (
    <div className="form" data-testid="server-form">
      <label className="field">
        <span>{words('webview.mcp.name')}</span>
        <input
          value={name}
          maxLength={200}
          autoFocus={server === undefined}
          data-testid="server-name"
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <label className="field">
        <span>{words('webview.mcp.entry')}</span>
        <textarea
          className="mono"
          rows={12}
          spellCheck={false}
          value={text}
          dir="ltr"
          aria-describedby={`${id}-help`}
          {...(problem ? { 'aria-invalid': true } : {})}
          data-testid="server-entry"
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <p className="quiet" id={`${id}-help`}>
        {words('webview.mcp.entryHelp')} {place !== undefined && <bdi>{place}</bdi>}
      </p>
      {problem && (
        <p className="server-problem" role="alert" data-testid="server-form-problem">
          {words.of(problem)}
        </p>
      )}
      <p className="actions">
        <button
          type="button"
          className="button"
          disabled={saving || name.trim() === ''}
          data-testid="server-save"
          onClick={save}
        >
          {words('webview.mcp.save')}
        </button>
        <button type="button" className="button secondary" onClick={onClose}>
          {words('webview.cancel')}
        </button>
      </p>
    </div>
  );
}
