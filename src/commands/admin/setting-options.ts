/** Settings of a workspace or number as options, in the terms of the API, and their display. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type * as z from 'zod';
import { decode } from '#src/api/http/codec.ts';
import { destinations } from '#src/api/numbers/policy-schema.ts';
import { destinationKinds, destinationsIn, wordsOf } from '#src/domain/destinations.ts';
import { UsageError } from '../parse-options.ts';
import { type CommandArguments, table, textIn, textOption } from './command.ts';
import { type Fields, fieldsIn, optionOf } from './given-fields.ts';

// Parses `--destinations mobile,fixed_line,+4420,!0505`: kinds and prefixes; `!` denies.

/** Parses destinations into the format of the API: `default` becomes null, and an empty text allows no destinations. */
const givenDestinations = (written: string): z.input<typeof destinations> | null => {
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

/** Formats the allowed destinations as a list with commas; undefined if the value is not a destinations object. */
const shownDestinations = (value: unknown): string | undefined => {
  const { success, data } = destinations.safeParse(value);
  return success ? wordsOf(decode(destinations, data)).join(',') : undefined;
};

export const settingOptions = (fields: Fields): ParseArgsOptionsConfig =>
  Object.fromEntries(Object.keys(fields).map((field) => [optionOf(field), textOption]));

/** Parses the given options. Destinations are typed as a list, other values in the format of the API. */
export const settingsIn = (given: CommandArguments, fields: Fields): Record<string, unknown> => {
  const { destinations: _, ...others } = fields;
  const destinations = textIn(given, 'destinations');
  const settings = fieldsIn(given, others);
  return destinations === undefined
    ? settings
    : { ...settings, destinations: givenDestinations(destinations) };
};

/** Parses the given options like `settingsIn`. Throws a UsageError if no option is given. */
export const changesIn = (given: CommandArguments, fields: Fields): Record<string, unknown> => {
  const settings = settingsIn(given, fields);
  if (Object.keys(settings).length > 0) return settings;
  const options = Object.keys(fields).map((field) => `--${optionOf(field)}`);
  throw new UsageError(`Say what to set: ${options.join(', ')}`);
};

/**
 * Formats a value in the syntax of the options: destinations as a list, other objects as JSON, an absent limit as
 * `none`.
 */
const written = (value: unknown): string => {
  if (value === null) return 'none';
  return shownDestinations(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
};

/** Formats settings as a table, with inherited values in brackets. */
export const settingsTable = (
  settings: Readonly<Record<string, unknown>>,
  otherwise: (field: string) => unknown,
): string =>
  table(
    Object.entries(settings).map(([field, value]) => [
      optionOf(field),
      value === null ? `(${written(otherwise(field))})` : written(value),
    ]),
  );
