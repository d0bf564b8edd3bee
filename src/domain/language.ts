/** The languages that the gateway itself can speak: its apologies, reprompts and the built-in agent. */

export const languages = ['ko', 'en', 'ja'] as const;

export type Language = (typeof languages)[number];

export const isLanguage = (text: string): text is Language => languages.some((language) => language === text);
