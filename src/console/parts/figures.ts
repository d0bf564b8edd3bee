/** Formats measured values in the page's language. */
import { language } from '../language/language.ts';

const number = (value: number, options: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(language.value, options).format(value);

export const percent = (share: number): string =>
  number(share, { style: 'percent', maximumFractionDigits: 1 });

export const milliseconds = (value: number): string => `${number(value, { maximumFractionDigits: 0 })} ms`;

/** Formats a delay that people can notice. */
export const seconds = (value: number): string => `${number(value, { maximumFractionDigits: 1 })} s`;

export const score = (mos: number): string =>
  number(mos, { minimumFractionDigits: 1, maximumFractionDigits: 2 });

export const count = (value: number): string => number(value, {});
