/**
 * Recognizes whether the other party agrees. A "no" anywhere counts as a refusal ("yes, but please do not record"), and
 * an unclear answer is asked for again, so that consent is never given by accident.
 */

export type Assent = 'yes' | 'no' | 'unclear';

/** Word lists: complete words, and beginnings of words. */
type Words = { whole: ReadonlySet<string>; beginnings: readonly string[] };

type AssentWords = { yes: Words; no: Words; noAnywhere: readonly string[] };

const words = (whole: readonly string[], beginnings: readonly string[] = []): Words => ({
  whole: new Set(whole),
  beginnings,
});

const english: AssentWords = {
  yes: words(
    ['yes', 'yeah', 'yep', 'yup', 'sure', 'ok', 'okay', 'fine', 'certainly', 'absolutely', 'course'],
    ['agree', 'consent', 'accept'],
  ),
  no: words(
    ['no', 'nope', 'not', 'never', 'dont', 'cannot', 'cant', 'wont', 'stop'],
    ['disagree', 'refus', 'declin', 'object'],
  ),
  noAnywhere: [],
};

const korean: AssentWords = {
  yes: words(
    ['네', '네네', '네에', '예', '예예', '넵', '넹', '응', '그럼요', '그래', '그래요', '좋아', '좋아요'],
    ['동의', '찬성', '좋습', '알겠'],
  ),
  no: words(['안', '못'], ['싫', '거부', '거절', '반대', '안돼', '안되', '안됩', '안합', '안해', '하지마']),
  noAnywhere: ['아니', '않', '마세요', '말아', '동의안', '동의못'],
};

const japanese: AssentWords = {
  yes: words(
    [],
    ['はい', 'ええ', 'うん', '同意', '承知', '了解', '結構です', 'どうぞ', '構いません', 'かまいません'],
  ),
  no: words([]),
  noAnywhere: [
    'いいえ',
    'いや',
    '嫌',
    'ううん',
    'だめ',
    'ダメ',
    '駄目',
    '断',
    '拒否',
    '反対',
    'やめ',
    'しない',
    'しません',
    'できない',
    'できません',
    'ないで',
  ],
};

const languages: Readonly<Record<string, AssentWords>> = { en: english, ko: korean, ja: japanese };

const separators = /[\s\p{P}\p{S}]+/u;

const has = ({ whole, beginnings }: Words, word: string): boolean =>
  whole.has(word) || beginnings.some((beginning) => word.startsWith(beginning));

/** Returns the other party's answer. `language` is BCP 47; in a language without word lists every answer is unclear. */
export const assentOf = (text: string, language: string): Assent => {
  const known = languages[language.split('-', 1)[0]?.toLowerCase() ?? ''];
  if (known === undefined) return 'unclear';
  // An apostrophe does not end a word, so that "don't" is one word.
  const said = text.normalize('NFKC').toLowerCase().replaceAll(/['’]/g, '').split(separators);
  const saysNo = said.some(
    (word) => has(known.no, word) || known.noAnywhere.some((part) => word.includes(part)),
  );
  if (saysNo) return 'no';
  return said.some((word) => has(known.yes, word)) ? 'yes' : 'unclear';
};
