/** Field names: camelCase in code, snake_case in stored JSON and on the wire. */

export type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Converts a name: `max_duration_sec` becomes `maxDurationSec`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());

/** Converts a name: `maxDurationSec` becomes `max_duration_sec`. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
