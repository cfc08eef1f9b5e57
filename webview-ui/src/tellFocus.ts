/** Tells whether the page has the focus: now, and whenever that changes. */
export function tellFocus(tell: (focused: boolean) => void): void {
  tell(document.hasFocus());
  window.addEventListener('focus', () => tell(true));
  window.addEventListener('blur', () => tell(false));
}
