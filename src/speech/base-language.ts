/** The language without its region: `ko` of `ko-KR` (BCP 47). */
export const baseLanguage = (language: string): string => language.split('-', 1)[0]?.toLowerCase() ?? '';
