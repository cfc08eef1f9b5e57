import type { Locale } from '../../../src/shared/strings.ts';

/** A moment as a person says it today: the time; with the date when it was another day, and the year when it was another one. */
export function formatTime(locale: Locale, at: number, now = Date.now()): string {
  const [moment, today] = [new Date(at), new Date(now)];
  const sameDay = today.toDateString() === moment.toDateString();
  const sameYear = today.getFullYear() === moment.getFullYear();
  return moment.toLocaleString(locale, {
    ...(sameDay ? {} : { month: 'short', day: 'numeric' }),
    ...(sameYear ? {} : { year: 'numeric' }),
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
}
