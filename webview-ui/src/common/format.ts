import type { Words } from '../useSession.ts';

/** 950, 12.3k, 128k, 1.05M */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens < 1_000_000) return `${trim(tokens / 1000, tokens < 100_000 ? 1 : 0)}k`;
  return `${trim(tokens / 1_000_000, 2)}M`;
}

/** US dollars. */
export function formatCost(cost: number): string {
  if (cost > 0 && cost < 0.01) return '<$0.01';
  return `$${cost.toFixed(2)}`;
}

/** Milliseconds in words: tenths below ten seconds, minutes from sixty on. */
export function formatDuration(words: Words, milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return words('webview.seconds', { seconds: seconds.toFixed(1) });
  if (seconds < 60) return words('webview.seconds', { seconds: Math.round(seconds) });
  const whole = Math.round(seconds);
  return words('webview.minutes', { minutes: Math.floor(whole / 60), seconds: whole % 60 });
}

/** Whole seconds, for what still runs. */
export function formatElapsed(words: Words, milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return words('webview.seconds', { seconds });
  return words('webview.minutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}

/** How long ago, coarse. */
export function formatAge(words: Words, at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return words('webview.justNow');
  if (minutes < 60) return words('webview.minutesAgo', { count: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return words('webview.hoursAgo', { count: hours });
  return words('webview.daysAgo', { count: Math.floor(hours / 24) });
}

function trim(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.0+$/, '');
}
