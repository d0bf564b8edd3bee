/**
 * Text that others wrote, as it may be printed on a terminal: it moves no cursor, starts no escape sequence and does not
 * change the order in which the line is read ("Trojan Source", CVE-2021-42574).
 */

/** Control characters, line separators, and the controls of the bidirectional algorithm (UAX #9, 2). */
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** CSI and OSC sequences (ECMA-48, 5.4 and 5.6), which would leave their parameters behind without their first byte. */
const escapeSequences =
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B\]|\u009D)[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One line: line breaks become spaces. */
export const terminalLine = (text: string): string =>
  text
    .replaceAll(escapeSequences, '')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** Several lines: line feeds stay. */
export const terminalLines = (text: string): string => text.split('\n').map(terminalLine).join('\n');

/** The same text with `\u202e` in place of what cannot be printed; line feeds and tabs stay. */
export const terminalEscapes = (text: string): string =>
  text.replaceAll(unprintable, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );

/** JSON of the same value; what cannot be printed is escaped within its strings. */
export const terminalJson = (value: unknown, indent?: number): string =>
  terminalEscapes(JSON.stringify(value, null, indent));
