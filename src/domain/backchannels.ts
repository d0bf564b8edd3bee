/**
 * Backchannels: the small words by which a listener shows that he follows ("네", "uh-huh", "うん"). While the other
 * one is talking they do not take the floor. Said into silence, the same words are an ordinary answer; who calls
 * `isBackchannel` knows which of the two it is.
 */

/**
 * One word; several may follow each other. Korean and Japanese write them without spaces between them ("네네"): there
 * the whole is repeated, so nothing within repeats itself. Two ways to read "아아" would make forty of them 2⁴⁰ ways.
 */
const backchannelWords: Readonly<Record<string, RegExp>> = {
  ko: /^(?:네에?|넵|예|으?음|응|어|아하?|오|그렇죠|그쵸|그럼요|그렇군요|그래요|맞아요|맞습니다)+$/u,
  en: /^(?:uh+|huh+|u+m+|m+|hm+|mh+m+|a+h+|a+ha+|o+h+|right|ok|okay|ye+a+h+|yep|yup)$/u,
  ja: /^(?:はい|うん|ううん|ええ|へえ|ああ|あっ|おお|ふん|ふむ|なるほど|そうですね|そうですか)+$/u,
};

/** Dashes, dots and lengthening signs ("うーん", "음~"). */
const separators = /[\s\p{P}\p{S}]+/u;
const lengthening = /[ー〜～~]+/gu;

/** Whoever says more has taken the floor, in characters. */
const longestBackchannel = 2_000;

/** Whether the text is nothing but backchannels. `language` is BCP 47; a language without a list has none. */
export const isBackchannel = (text: string, language: string): boolean => {
  const word = backchannelWords[language.split('-', 1)[0]?.toLowerCase() ?? ''];
  if (word === undefined || text.length > longestBackchannel) return false;
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(lengthening, '')
    .split(separators)
    .filter((part) => part !== '');
  return words.length > 0 && words.every((part) => word.test(part));
};
