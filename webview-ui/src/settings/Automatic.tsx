import type { AutoApproval } from '../../../src/shared/approvals.ts';
import type { StringKey } from '../../../src/shared/strings.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';

type Switch = Exclude<keyof AutoApproval, 'all'>;
/** A switch, or what is always so. */
type Cell = { automatic: Switch } | 'asks';

const scopes = ['workspace', 'outside', 'protected'] as const;

interface Kind {
  name: StringKey;
  what?: StringKey;
  /** One for each scope, or one where the scopes mean nothing. */
  cells: readonly [Cell, Cell, Cell] | readonly [Cell];
}

const kinds: readonly Kind[] = [
  { name: 'webview.automatic.read', cells: [{ automatic: 'read' }, 'asks', 'asks'] },
  { name: 'webview.automatic.edit', cells: [{ automatic: 'edit' }, 'asks', 'asks'] },
  { name: 'webview.kind.delete', cells: ['asks', 'asks', 'asks'] },
  { name: 'webview.kind.command', what: 'webview.kind.command.what', cells: ['asks'] },
  {
    name: 'webview.automatic.browser',
    what: 'webview.automatic.browser.what',
    cells: [{ automatic: 'browser' }],
  },
  { name: 'webview.kind.mcp', what: 'webview.kind.mcp.what', cells: ['asks'] },
  {
    name: 'webview.automatic.switchMode',
    what: 'webview.automatic.switchMode.what',
    cells: [{ automatic: 'switchMode' }],
  },
];

/** What goes ahead without asking: kinds × scope. What cannot be switched says what it does. */
export function Automatic(): React.JSX.Element {
  const words = useWords();
  return (
    <section aria-label={words('webview.automaticTitle')}>
      <h2>{words('webview.automaticTitle')}</h2>
      <p className="quiet">{words('webview.scope.text')}</p>
      <table className="scopes" data-testid="automatic-table">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">{words('webview.scope.kind')}</span>
            </th>
            {scopes.map((scope) => (
              <th scope="col" key={scope}>
                {words(`webview.scope.${scope}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind.name}>
              <th scope="row">{words(kind.name)}</th>
              <Cells kind={kind} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cells({ kind: { name, what, cells } }: { kind: Kind }): React.JSX.Element {
  const words = useWords();
  const kind = words(name);
  if (cells.length === 1) {
    return (
      <>
        <td>
          <CellView cell={cells[0]} label={`${kind}: ${words('webview.automaticTitle')}`} />
        </td>
        <td colSpan={scopes.length - 1} className="quiet">
          {what !== undefined && words(what)}
        </td>
      </>
    );
  }
  return (
    <>
      {scopes.map((scope, index) => (
        <td key={scope}>
          <CellView
            cell={cells[index] ?? 'asks'}
            label={words('webview.scope.cell', { kind, scope: words(`webview.scope.${scope}`) })}
          />
        </td>
      ))}
    </>
  );
}

function CellView({ cell, label }: { cell: Cell; label: string }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const auto = useAppState((state) => state.policy?.auto);
  if (typeof cell === 'string') return <span className="quiet">{words(`webview.scope.${cell}`)}</span>;
  const { automatic } = cell;
  return (
    <input
      type="checkbox"
      checked={auto?.[automatic] === true}
      disabled={auto === undefined}
      aria-label={label}
      data-testid={`automatic-${automatic}`}
      onChange={(event) => session.models.setAutomatic({ [automatic]: event.target.checked })}
    />
  );
}
