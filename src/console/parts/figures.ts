/** Formats measured values in the page's language. */
import { language, texts } from '../language/language.ts';

const number = (value: number, options: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(language.value, options).format(value);

export const percent = (share: number): string =>
  number(share, { style: 'percent', maximumFractionDigits: 1 });

export const milliseconds = (value: number): string => `${number(value, { maximumFractionDigits: 0 })} ms`;

/** Formats a delay that people can notice. */
export const seconds = (value: number): string =>
  texts.value.shell.seconds(number(value, { maximumFractionDigits: 1 }));

/** Formats a delay for comparison with others, always with two decimals. */
export const hundredths = (ms: number): string =>
  texts.value.shell.seconds(
    number(ms / 1_000, { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false }),
  );

export const score = (mos: number): string =>
  number(mos, { minimumFractionDigits: 1, maximumFractionDigits: 2 });

export const count = (value: number): string => number(value, {});
