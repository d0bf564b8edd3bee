/**
 * Converts written text to spoken text: the words without Markdown, HTML, LaTeX, addresses and pictures. Each sentence
 * is converted separately and may be cut within any markup, so a mark is also removed if its other half is missing.
 * Words, numbers and ordinary punctuation are unchanged.
 *
 * The text may be crafted to cost time, so each rule scans it once: a repeated part of a pattern cannot begin again
 * within its own repetition, and runs of spaces are collapsed before a pattern matches them.
 */
import { decodeReference } from './character-reference.ts';

type Replacement = readonly [pattern: RegExp, replacement: string | ((...match: string[]) => string)];
type Rule = Replacement | ((text: string) => string);

const closesAddress = /(?<![.,!?;:'")\]}>*_~`|])[.,!?;:'")\]}>*_~`|]+$/u;

/** Korean particles after an address whose path is also Korean: "https://example.com/안내에서 보세요." */
const particle = /(?:에서|에는|까지|부터|으로|입니다|이며|[을를])$/u;

/**
 * Replaces an address by its host name, which a listener can use. Closing marks after the address belong to the
 * sentence.
 */
const hostOf = (_address: string, before = '', rest = ''): string => {
  const closed = closesAddress.exec(rest)?.[0] ?? '';
  const address = rest.slice(0, rest.length - closed.length);
  const host = /^(?:[^/?#@]*@)?(?:www\.)?([\p{L}\p{N}][\p{L}\p{N}.-]*)/u.exec(address);
  return `${before}${host?.[1] ?? ''}${particle.exec(address)?.[0] ?? ''}${closed}`;
};

/** Letters that an address path may contain. If they continue a word, they belong to the sentence after the address. */
const pathLetters = String.raw`(?<=[/?#=&_-])[\p{Script=Hangul}\p{Script=Han}\p{Script=Katakana}ー]+`;
const address = new RegExp(
  String.raw`(?:(?<![a-z\d+.-])([\d+.-]*)[a-z][a-z\d+.-]*:\/\/|\b(?=www\.))([!-~]*(?:${pathLetters}[!-~]*)*)`,
  'giu',
);

const singleSpaces: Rule = [/\s+/gu, ' '];

const invisible: readonly Rule[] = [
  [/&(?:amp;){0,9}(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/giu, decodeReference],
  // Citations between private-use characters.
  [/\u{E200}[^\u{E201}]*\u{E201}?/gu, ''],
  // Escaped line ends come from text that was encoded as JSON twice.
  [/\\[nrt](?![a-z])/gu, ' '],
  [/\p{Cc}/gu, ' '],
  [/[\p{Cf}\p{Co}\u{FFFD}\u{115F}\u{1160}\u{3164}\u{FFA0}]|\p{Variation_Selector}|\u{20E3}/gu, ''],
  singleSpaces,
  // Visible citations: "【4:0†source】".
  [/ ?【[^【】†]*†[^【】]*】?/gu, ''],
];

/** Table rows and arrows. */
const pause =
  /(?: ?(?:[|\u2190-\u21FF\u27F5-\u27FF\u2794\u2798-\u27AF\u2B05-\u2B07\u2B95]|(?<= )[-=]+>(?= )))+ ?/gu;

/** Replaces table rows and arrows by pauses, unless there already is a pause. */
const withPauses = (text: string): string =>
  text.replace(pause, (found, at: number) => {
    if (at + found.length === text.length) return '';
    return at === 0 || /[,.!?:;，、。！？：；]/u.test(text.charAt(at - 1)) ? ' ' : ', ';
  });

/**
 * Matches emoji, flags, boxes and stars. Signs that are read as a word (©, ™) and ○, which stands for an omitted
 * syllable, do not match.
 */
const pictures =
  / ?(?:(?![©®™ℹ‼⁉〰〽㊗㊙○])[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u{2300}-\u{23FF}\u{2500}-\u{27BF}\u{2B00}-\u{2BFF}\u{1F000}-\u{1FAFF}] ?)+/gu;

/** Removes spaces before sentence-ending marks. */
const withoutPictures = (text: string): string =>
  text.replace(pictures, (found, at: number) =>
    /^$|[.,!?…。、！？)」』]/u.test(text.charAt(at + found.length)) ? '' : ' ',
  );

/** Matches the target of a link: `(https://example.com "title")`. */
const target = String.raw`\((?:[^()\s]|\([^()\s]*\))*(?: (?:"[^"]*"?|'[^']*'?))?\)?`;

/** Removes unmatched brackets: opening ones after the last closing one, and closing ones without an opening one. */
const withoutHalfLinks: Rule = (text) => {
  const parts = text.split(']');
  const rest = parts.pop() ?? '';
  const closed = parts.map((part) => (part.includes('[') ? `${part}]` : part));
  return closed.join('') + rest.replaceAll(/!?\[/gu, '');
};

const addresses: readonly Rule[] = [
  // Definitions of links and footnotes, and their reference marks.
  [/^\[[^\]]+\]: ?<?[a-z]+:\/\/.*$/iu, ''],
  [/^\[\^[^\]\s]+\]:? ?/u, ''],
  [/ ?\[\^[^[\]\s]+\]/gu, ''],
  [/(?<=[\p{L}.!?。])(?:\[\d{1,3}\])+/gu, ''],
  // Complete links and images come first, then halves of links that were cut.
  [new RegExp(String.raw`!?\[([^[\]]*)\]${target}`, 'gu'), '$1'],
  [new RegExp(String.raw`\]${target}`, 'gu'), ''],
  [/!?\[([^[\]]+)\]\[[^[\]]*\]/gu, '$1'],
  withoutHalfLinks,
  [/\bdata:\w+\/[\w+.-]+[;,][!-~]*/giu, ''],
  [/<([a-z][a-z0-9+.-]*:\/\/[^\s<>]+|[\w.+-]+@[\w.-]+)>/giu, '$1'],
  [address, hostOf],
  [/:\/\//gu, ''],
  [/\b(?:mailto|tel):(?=\S)/giu, ''],
];

const tags: readonly Rule[] = [
  [/<\/?(?:br|p|div|li|ul|ol|tr|td|th|table|h\d|hr|break|s|sentence|paragraph)(?:\s[^<>]*)?\/?>/giu, ' '],
  [/<[/!?]?[a-z][\w:.-]*(?:\s[^<>]*)?\/?>/giu, ''],
  // Matches a tag that was cut: `<a title="…`, `…">`.
  [/<[a-z][\w:-]*\s[^<>=]*=[^<>]*$/iu, ''],
  [/^[^<>"]*" ?\/?>/u, ''],
  singleSpaces,
];

/** Handles the tilde: "5~~10분" is a range, "~~취소~~" is struck out. */
const withRanges: Rule = (text) => {
  const [first = '', ...rest] = text.split(/~{2,}/u);
  let before = first;
  let isStruck = false;
  const parts = rest.map((part) => {
    const isRange = !isStruck && /\d\p{L}?$/u.test(before.slice(-3)) && /^\d/u.test(part);
    isStruck = !isRange && !isStruck && /^\S/u.test(part);
    before = part;
    return isRange ? `~${part}` : part;
  });
  return [first, ...parts].join('');
};

/** Words that show that the asterisk before them is a telephone key: "*표를 누르세요", "*를", "*キー". */
const keyName = String.raw`(?:표|키|버튼|(?:를|는|가|와|로|나|도|만|의|랑)(?![\p{L}\p{N}])|を|印|キー|ボタン|マーク)`;

const marks: readonly Rule[] = [
  // Quotes, bullets, headings and check boxes at the beginning of a line.
  [/^(?:> ?|[-*+·‣◦•▪] |[•‣◦▪]|#{1,6} |\[[ xX]\] )+/u, ''],
  [/\\[()[\]]|\$\$/gu, ''],
  [/\\(?=[!-/:-@[-`{-~])/gu, ''],
  [/(?<=\d)\*{2,}(?=\d)/gu, ' '],
  withRanges,
  [/`|\*{2,}|\^{2,}/gu, ''],
  // A single asterisk is emphasis if it touches words; in "3 * 4", "3*4", "*67", "press *" and "*표" it is not.
  [
    new RegExp(
      String.raw`(?<!\d)\*(?!${keyName})(?=[\p{L}\p{N}"'“‘「(])([^*]*[\p{L}\p{N}.,!?…%"'”’」)。！？])\*(?!\d|${keyName})`,
      'gu',
    ),
    '$1',
  ],
  [
    new RegExp(
      String.raw`(?<![A-Za-z0-9])\*(?!${keyName})(?=\p{L})|(?<=[\p{L}.!?…。！？])\*(?![A-Za-z0-9]|${keyName})`,
      'gu',
    ),
    '',
  ],
  [/(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])/gu, ''],
  singleSpaces,
];

const remains: readonly Rule[] = [
  // Words of this length are API keys, hashes or base64 pictures.
  [/[A-Za-z0-9+/=_-]{60,}/gu, ''],
  singleSpaces,
  [/^ | $/gu, ''],
];

const rules: readonly Rule[] = [
  ...invisible,
  ...addresses,
  ...tags,
  ...marks,
  withPauses,
  withoutPictures,
  ...remains,
];

const replaced = (text: string, [pattern, replacement]: Replacement): string =>
  typeof replacement === 'string' ? text.replace(pattern, replacement) : text.replace(pattern, replacement);

const unmark = (text: string): string => {
  let words = text;
  for (const rule of rules) words = typeof rule === 'function' ? rule(words) : replaced(words, rule);
  return words;
};

/** Maximum number of layers of nested marks, which are removed layer by layer. Text with more layers is not speech. */
const mostLayers = 10;

export const plainWords = (text: string): string => {
  let words = text.toWellFormed();
  for (let layer = 0; layer < mostLayers; layer += 1) {
    const bare = unmark(words);
    if (bare === words) return words;
    words = bare;
  }
  return '';
};
