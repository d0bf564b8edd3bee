/**
 * Makes text from other systems safe for a terminal: without cursor movement, escape sequences, or changes of the
 * reading order ("Trojan Source", CVE-2021-42574).
 */

/** Control characters, line separators, and bidirectional controls (UAX #9, 2). */
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * CSI and OSC sequences (ECMA-48, 5.4 and 5.6), which are removed as a whole, because removing only their first byte
 * would print their parameters.
 */
const escapeSequences =
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B\]|\u009D)[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Makes text safe for one line of a terminal: line breaks become spaces. */
export const terminalLine = (text: string): string =>
  text
    .replaceAll(escapeSequences, '')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** Makes text safe for several lines of a terminal; line feeds remain. */
export const terminalLines = (text: string): string => text.split('\n').map(terminalLine).join('\n');

/** Escapes unprintable characters as `\u202e`; line feeds and tabs remain. */
export const terminalEscapes = (text: string): string =>
  text.replaceAll(unprintable, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );

/** Formats a value as JSON with unprintable characters escaped. */
export const terminalJson = (value: unknown, indent?: number): string =>
  terminalEscapes(JSON.stringify(value, null, indent));
