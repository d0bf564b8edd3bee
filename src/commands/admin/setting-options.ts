/** Settings of a workspace or number as options, in the terms of the API, and their display. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { table, textIn, textOption, type CommandArguments } from './command.ts';
import { givenDestinations, shownDestinations } from './given-destinations.ts';
import { fieldsIn, optionOf, type Fields } from './given-fields.ts';
import { UsageError } from '../parse-options.ts';

export const settingOptions = (fields: Fields): ParseArgsOptionsConfig =>
  Object.fromEntries(Object.keys(fields).map((field) => [optionOf(field), textOption]));

/** The given ones. Destinations are typed as a list, other values as the API has them. */
export const settingsIn = (given: CommandArguments, fields: Fields): Record<string, unknown> => {
  const { destinations: _, ...others } = fields;
  const destinations = textIn(given, 'destinations');
  const settings = fieldsIn(given, others);
  return destinations === undefined
    ? settings
    : { ...settings, destinations: givenDestinations(destinations) };
};

/** The same; throws a UsageError if no option is given. */
export const changesIn = (given: CommandArguments, fields: Fields): Record<string, unknown> => {
  const settings = settingsIn(given, fields);
  if (Object.keys(settings).length > 0) return settings;
  const options = Object.keys(fields).map((field) => `--${optionOf(field)}`);
  throw new UsageError(`Say what to set: ${options.join(', ')}`);
};

/** Formats a value as it is typed: destinations as a list, other objects as JSON; an absent limit as none. */
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
