/** Languages by their names (BCP 47). */

/** Those that the gateway itself can speak: its apologies, reprompts and the built-in agent. */
export const languages = ['ko', 'en', 'ja'] as const;

export type Language = (typeof languages)[number];

export const isLanguage = (text: string): text is Language => languages.some((language) => language === text);

/** The language without its region: `ko` of `ko-KR` (BCP 47). */
export const baseLanguage = (language: string): string => language.split('-', 1)[0]?.toLowerCase() ?? '';
