/**
 * Backchannels: short words of a listener ("네", "uh-huh", "うん"). While the speaker continues, backchannels do not take
 * the floor; after silence, they are an answer. The callers of `isBackchannel` decide between these two cases.
 */

/**
 * Matches one or several backchannels of a language. Korean and Japanese backchannels are written without spaces
 * ("네네"), so the whole expression is repeated while no part inside it repeats: several ways to read "아아" would take
 * exponential time.
 */
const backchannelWords: Readonly<Record<string, RegExp>> = {
  ko: /^(?:네에?|넵|예|으?음|응|어|아하?|오|그렇죠|그쵸|그럼요|그렇군요|그래요|맞아요|맞습니다)+$/u,
  en: /^(?:uh+|huh+|u+m+|m+|hm+|mh+m+|a+h+|a+ha+|o+h+|right|ok|okay|ye+a+h+|yep|yup)$/u,
  ja: /^(?:はい|うん|ううん|ええ|へえ|ああ|あっ|おお|ふん|ふむ|なるほど|そうですね|そうですか)+$/u,
};

/** Characters between words, such as dashes, dots and lengthening marks ("うーん", "음~"). */
const separators = /[\s\p{P}\p{S}]+/u;
const lengthening = /[ー〜～~]+/gu;

/** Maximum length of a text in characters; a longer text takes the floor. */
const longestBackchannel = 2_000;

/**
 * Whether the text consists of backchannels. `language` is a BCP 47 tag. No text in a language without a list is a
 * backchannel.
 */
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
