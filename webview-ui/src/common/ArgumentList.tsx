/** Arguments by name, as they are: words bare, all else as JSON. What is no object of them stands as it came. */
export function ArgumentList({ json, label }: { json: string; label: string }): React.JSX.Element | null {
  const args = parsed(json);
  if (!args)
    return (
      <pre className="command" tabIndex={0} aria-label={label} dir="ltr">
        {json}
      </pre>
    );
  const rows = Object.entries(args);
  if (rows.length === 0) return null;
  return (
    <div className="parameters" tabIndex={0} role="group" aria-label={label}>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd dir="auto">{typeof value === 'string' ? value : written(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Characters of JSON that stand in one line. */
const ONE_LINE = 60;

function written(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length > ONE_LINE ? JSON.stringify(value, undefined, 1) : line;
}

/** Undefined for what is cut off, or is no object. */
function parsed(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
