/** The beginning of most clauses of the contract of a line. */
import type { LineDriver } from './line-driver.ts';
import type { WatchedLine } from './watched-line.ts';

export const answered = async (driver: LineDriver, line: WatchedLine): Promise<void> =>
  driver.until(() => line.saw('line.answered'));

export const longSentence =
  'This is a rather long sentence, which takes a few seconds until it was said to its end.';
