/** Settings of a workspace or a number as options, in the words of the API, and as they are shown. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { table, textIn, textOption, type CommandArguments } from './command.ts';
import { givenDestinations, shownDestinations } from './given-destinations.ts';
import { fieldsIn, optionOf, type Fields } from './given-fields.ts';
import { UsageError } from '../parse-options.ts';

export const settingOptions = (fields: Fields): ParseArgsOptionsConfig =>
  Object.fromEntries(Object.keys(fields).map((field) => [optionOf(field), textOption]));

/** Those that were given. Destinations are typed in words, anything else as the API has it. */
export const settingsIn = (given: CommandArguments, fields: Fields): Record<string, unknown> => {
  const { destinations: _, ...others } = fields;
  const destinations = textIn(given, 'destinations');
  const settings = fieldsIn(given, others);
  return destinations === undefined
    ? settings
    : { ...settings, destinations: givenDestinations(destinations) };
};

/** The same. Throws a UsageError where nothing was given. */
export const changesIn = (given: CommandArguments, fields: Fields): Record<string, unknown> => {
  const settings = settingsIn(given, fields);
  if (Object.keys(settings).length > 0) return settings;
  const options = Object.keys(fields).map((field) => `--${optionOf(field)}`);
  throw new UsageError(`Say what to set: ${options.join(', ')}`);
};

/** As it is typed: destinations in words, any other object in JSON; a limit that there is not is none. */
const written = (value: unknown): string => {
  if (value === null) return 'none';
  return shownDestinations(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
};

/** A table of the settings, in brackets where the platform's holds. */
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
