/**
 * Reads one mark of a chat template, or one terminal escape sequence, at a position of a text that may be incomplete.
 */
import { meaningOfBrackets, meaningOfTag, meaningOfToken, type Meaning } from './mark-meaning.ts';

export type ReadMark =
  | { type: 'mark'; length: number; meaning: Meaning }
  /** The text may become a mark when more text arrives. */
  | { type: 'begun' }
  /** The text is not a mark. */
  | { type: 'text' };

/** Matches the first characters of all marks. */
// oxlint-disable-next-line no-control-regex -- ESC and CSI are what is meant
export const markStart = /[<[\]{◁\u001b\u009b]/gu;

type Shape = {
  whole: RegExp;
  /** Matches incomplete marks at the end of the text. */
  begun: RegExp;
  /** Returns the meaning of the mark; `undefined` for text that only resembles a mark. */
  meaning: (groups: Readonly<Record<string, string | undefined>>) => Meaning | undefined;
};

const nothing = (): Meaning => 'nothing';

const closes = (...signs: (string | undefined)[]): boolean => signs.some((sign) => (sign ?? '') !== '');

/**
 * Tokens such as `<|im_end|>`, `<｜tool▁calls▁begin｜>`, `<|/tool_call|>`. With one bar, `<|tool_call>` opens and
 * `<tool_call|>` closes. `<｜DSML｜invoke name="x">` is a tag.
 */
const tokens: readonly Shape[] = [
  {
    whole: /<(?<slash>\/?)[|｜]{1,2} ?DSML ?[|｜]{1,2} ?(?<name>[a-z_]{1,40})(?: [^<>]{0,200})?>/iuy,
    begun:
      /<\/?[|｜]{1,2} ?(?:D(?:S(?:M(?:L(?: ?(?:[|｜]{1,2} ?(?:[a-z_]{1,40}(?: [^<>]{0,200})?)?)?)?)?)?)?)?$/iuy,
    meaning: ({ slash, name = '' }) => meaningOfTag(name, closes(slash)) ?? 'nothing',
  },
  {
    whole: /<(?<slash>\/?)[|｜]{1,2}(?<inner>\/?)(?<name>[^\s<>|｜/]{1,48})(?<bar>[|｜]{0,2})>/uy,
    begun: /<\/?[|｜]{1,2}(?:\/?[^\s<>|｜/]{0,48}[|｜]{0,2})?$/uy,
    meaning: ({ slash, inner, name = '' }) => meaningOfToken(name, closes(slash, inner)),
  },
  {
    whole: /<(?<name>[a-z_]{1,40})[|｜]>/iuy,
    begun: /<[a-z_]{1,40}[|｜]?$/iuy,
    meaning: ({ name = '' }) => meaningOfToken(name, true),
  },
];

const tags: readonly Shape[] = [
  {
    whole: /<(?<slash>\/?)(?<name>(?:[a-z]\w{0,20}:)?[a-z]\w{0,30})(?:[\s=][^<>]{0,200})?>/iuy,
    begun: /<(?:\/?(?:(?:[a-z]\w{0,20}:)?(?:[a-z]\w{0,30}(?:[\s=][^<>]{0,200})?)?)?)$/iuy,
    meaning: ({ slash, name = '' }) => meaningOfTag(name, closes(slash)),
  },
];

const brackets: readonly Shape[] = [
  {
    whole: /\[(?<slash>\/?)(?<name>[a-z]\w{1,24})\]/iuy,
    begun: /\[\/?(?:[a-z]\w{0,24})?$/iuy,
    meaning: ({ slash, name = '' }) => meaningOfBrackets(name, closes(slash)),
  },
  // Marks of EXAONE: `[|assistant|]`, `[|endofturn|]`.
  {
    whole: /\[\|(?<slash>\/?)(?<name>[^\s|\]]{1,30})\|\]/uy,
    begun: /\[\|(?:\/?[^\s|\]]{0,30}\|?)?$/uy,
    meaning: ({ slash, name = '' }) => meaningOfToken(name, closes(slash)),
  },
];

const shapes: Readonly<Record<string, readonly Shape[]>> = {
  '<': [...tokens, ...tags],
  '[': brackets,
  // Marks of Kimi: `◁think▷`, `◁/think▷`.
  '◁': [
    {
      whole: /◁(?<slash>\/?)(?<name>[a-z_]{1,30})▷/iuy,
      begun: /◁\/?[a-z_]{0,30}$/iuy,
      meaning: ({ slash, name = '' }) => meaningOfToken(name, closes(slash)),
    },
  ],
  // Prefix that MiniMax-M3 writes before each of its tags: `]<]minimax[>[`.
  ']': [
    {
      whole: /\]<\]\w{1,20}\[>\[/uy,
      begun: /\](?:<(?:\](?:\w{1,20}(?:\[(?:>)?)?)?)?)?$/uy,
      meaning: nothing,
    },
  ],
  // Escape sequences for colours and links in a terminal (ECMA-48).
  '\u001b': [
    {
      whole:
        // oxlint-disable-next-line no-control-regex -- ESC and BEL are what is meant
        /\u001b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)|[ -/]{0,2}[0-Z\\^-~])/uy,
      // oxlint-disable-next-line no-control-regex -- ESC and BEL are what is meant
      begun: /\u001b(?:\[[0-?]{0,32}[ -/]{0,4}|\][^\u0007\u001b]{0,400}\u001b?|[ -/]{0,2})$/uy,
      meaning: nothing,
    },
  ],
  '\u009b': [
    {
      // oxlint-disable-next-line no-control-regex -- CSI is what is meant
      whole: /\u009b[0-?]{0,32}[ -/]{0,4}[@-~]/uy,
      // oxlint-disable-next-line no-control-regex -- CSI is what is meant
      begun: /\u009b[0-?]{0,32}[ -/]{0,4}$/uy,
      meaning: nothing,
    },
  ],
};

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Reads the mark at a position. `at` is the position of a `markStart`. */
export const readMark = (text: string, at: number): ReadMark => {
  let isBegun = false;
  for (const { whole, begun, meaning } of shapes[text.charAt(at)] ?? []) {
    const found = matchAt(whole, text, at);
    if (found === null) {
      isBegun ||= matchAt(begun, text, at) !== null;
      continue;
    }
    const means = meaning(found.groups ?? {});
    if (means !== undefined) return { type: 'mark', length: found[0].length, meaning: means };
  }
  return isBegun ? { type: 'begun' } : { type: 'text' };
};
