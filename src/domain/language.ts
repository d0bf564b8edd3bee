/** Languages, identified by BCP 47 tags. */

/** Languages of the gateway's own sentences and of the built-in agent. */
export const languages = ['ko', 'en', 'ja'] as const;

export type Language = (typeof languages)[number];

export const isLanguage = (text: string): text is Language => languages.some((language) => language === text);

/** Returns the language without its region: `ko` for `ko-KR` (BCP 47). */
export const baseLanguage = (language: string): string => language.split('-', 1)[0]?.toLowerCase() ?? '';
