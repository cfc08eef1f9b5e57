import type { Session } from '../Session.ts';

/** The keys that answer what waits, which an editor has among its own. */
export function watchKeys(session: Session): void {
  window.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.repeat) return;
    if (event.isComposing || event.defaultPrevented) return;
    if (event.key === 'Enter') session.answers.byKey('allow');
    else if (event.key === 'Backspace') session.answers.byKey('reject');
    else return;
    event.preventDefault();
  });
}
