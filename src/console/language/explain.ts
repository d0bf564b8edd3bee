/**
 * Words a message of the API in the language of the console. Messages are in English; each catalogue has the wording of
 * those that read differently in its language, and other messages are shown as they are.
 */

/** Wording of the messages that match `pattern`; `$1` … are its groups. */
export type Saying = { pattern: RegExp; text: string };

/** `sayings` are those of the catalogue of the language. */
export const explain = (words: string, sayings: readonly Saying[]): string => {
  const saying = sayings.find(({ pattern }) => pattern.test(words));
  return saying === undefined ? words : words.replace(saying.pattern, saying.text);
};
