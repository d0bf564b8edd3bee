/** Parses `--destinations mobile,fixed_line,+4420,!0505`: kinds and prefixes; `!` denies. */
import type * as z from 'zod';
import { destinations } from '#src/api/numbers/destinations-schema.ts';
import { decode } from '#src/api/codec.ts';
import { destinationKinds, destinationsIn, wordsOf } from '#src/domain/destinations.ts';
import { UsageError } from '../parse-options.ts';

/** In the format of the API; `default` is null, and an empty text allows nothing. */
export const givenDestinations = (written: string): z.input<typeof destinations> | null => {
  if (written === 'default') return null;
  const words = written
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const read = destinationsIn(words);
  if ('wrong' in read) {
    throw new UsageError(
      `--destinations: "${read.wrong}" is no prefix and none of ${destinationKinds.join(', ')}`,
    );
  }
  const { kinds, allowedPrefixes, deniedPrefixes } = read;
  return { kinds, allowed_prefixes: allowedPrefixes, denied_prefixes: deniedPrefixes };
};

/** Formats destinations; undefined for other values. */
export const shownDestinations = (value: unknown): string | undefined => {
  const { success, data } = destinations.safeParse(value);
  return success ? wordsOf(decode(destinations, data)).join(',') : undefined;
};
