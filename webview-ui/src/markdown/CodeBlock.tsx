import { memo, useEffect, useState } from 'react';
import { CopyButton } from '../common/CopyButton.tsx';
import { useWords } from '../useSession.ts';
import { highlight, type Highlighted } from './highlight.ts';

/** Characters and lines that are shown before asking: layout of more would block the panel. */
const SHOWN_CHARACTERS = 40_000;
const SHOWN_LINES = 400;

export const CodeBlock = memo(function CodeBlock({
  code,
  language,
}: {
  code: string;
  language: string;
}): React.JSX.Element {
  const words = useWords();
  const [whole, setWhole] = useState(false);
  const shown = whole ? code : start(code);
  const name = language.split(/[\s:{,]/, 1)[0] ?? '';
  return (
    <div className="code-block">
      <div className="code-head">
        <span className="quiet">{name}</span>
        <CopyButton text={() => code} />
      </div>
      <pre tabIndex={0} aria-label={words('webview.code')}>
        <code>
          <Coloured code={shown} language={name.toLowerCase()} />
        </code>
      </pre>
      {shown.length < code.length && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {words('webview.showAllCharacters', { count: code.length })}
        </button>
      )}
    </div>
  );
});

/** Plain until its language has been loaded, and when it is not known. */
export function Coloured({ code, language }: { code: string; language: string }): React.ReactNode {
  const [highlighted, setHighlighted] = useState<{ code: string; parts: Highlighted }>();
  useEffect(() => {
    let gone = false;
    void highlight(code, language).then((parts) => {
      if (!gone && parts) setHighlighted({ code, parts });
    });
    return () => {
      gone = true;
    };
  }, [code, language]);
  if (!highlighted || !code.startsWith(highlighted.code)) return code;
  return (
    <>
      {highlighted.parts.map(({ scope, text }, index) =>
        scope === '' ? (
          text
        ) : (
          <span key={index} className={scope}>
            {text}
          </span>
        ),
      )}
      {code.slice(highlighted.code.length)}
    </>
  );
}

function start(code: string): string {
  let end = -1;
  for (let line = 0; line < SHOWN_LINES; line++) {
    end = code.indexOf('\n', end + 1);
    if (end < 0 || end > SHOWN_CHARACTERS) return code.slice(0, SHOWN_CHARACTERS);
  }
  return code.slice(0, end);
}
