import { useState } from 'react';
import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { useWords } from '../useSession.ts';

const SHOWN = 4000;

/** What the model was told, without the line that only names the call, and of a page without how the model is to take it. */
export function resultText(item: ToolItem): string {
  const text = item.result.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const told = text.replace(/^\[[^\n]*\] Result:\n?/, '');
  if (item.tool !== 'browser_action') return told.trim();
  return told.replace(/^(?:Screenshot: .*\n)?<page>\n([^]*)\n<\/page>(?:\n.*)?$/m, '$1').trim();
}

/** Arguments while they stream, then the result. */
export function PlainBody({
  item,
  withArguments = true,
}: {
  item: ToolItem;
  withArguments?: boolean;
}): React.JSX.Element {
  const words = useWords();
  const [whole, setWhole] = useState(false);
  const text = resultText(item);
  const parameters = Object.entries(item.params);
  return (
    <>
      {withArguments && (item.result.length === 0 || item.state === 'failed') && parameters.length > 0 && (
        <dl className="parameters">
          {parameters.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd tabIndex={0}>{value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value}</dd>
            </div>
          ))}
        </dl>
      )}
      {item.result.map(
        (part, index) =>
          part.type === 'image' && (
            <img
              key={index}
              className="result-image"
              src={`data:${part.mediaType};base64,${part.data}`}
              alt={words('webview.picture', { number: index + 1 })}
            />
          ),
      )}
      {text !== '' && (
        <pre className="output" tabIndex={0} aria-label={words('webview.result')}>
          {whole ? text : text.slice(0, SHOWN)}
        </pre>
      )}
      {!whole && text.length > SHOWN && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {words('webview.showAllCharacters', { count: text.length })}
        </button>
      )}
    </>
  );
}
