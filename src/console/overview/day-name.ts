import { language } from '../language/language.ts';

/** A date such as `2026-11-21` in short form, in the page's language. */
export const dayName = (date: string): string => inWords(date, 'short');

/** Compact form for narrow places: `11/21`. */
export const dayNumber = (date: string): string => inWords(date, 'numeric');

const inWords = (date: string, month: 'short' | 'numeric'): string =>
  new Intl.DateTimeFormat(language.value, { month, day: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );
