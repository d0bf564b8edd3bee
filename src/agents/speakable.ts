import { plainWords } from './plain-words.ts';

/** Extracts the speakable part of one reply, whose sentences are passed in order. */
export type Speakable = {
  /** Returns the speakable part of the sentence; `undefined` if there is none. */
  say(sentence: string): string | undefined;
  /** A new message begins: unclosed parts of the last one do not hide it. */
  reset(): void;
};

/** Openings of unspoken parts: code, comments, scripts. */
const hiddenPart = /(?<fence>`{3,})|^(?<tildes>~{3,})[\w+#.-]*$|<!--|<(?<element>script|style|svg)\b/iu;

/** Finds the end of a hidden part. */
type FindEnd = (text: string) => RegExpExecArray | null | undefined;

const elementEnds: Readonly<Record<string, RegExp>> = {
  script: /<\/script\s*>/iu,
  style: /<\/style\s*>/iu,
  svg: /<\/svg\s*>/iu,
};

/** A closing fence is at least as long as the opening one. */
const endOf = ({ groups }: RegExpExecArray): FindEnd => {
  const { fence, tildes, element = '' } = groups ?? {};
  if (fence !== undefined)
    return (text) => [...text.matchAll(/`+/gu)].find(([run]) => run.length >= fence.length);
  if (tildes !== undefined) return (text) => (text.length >= tildes.length ? /^~+$/u.exec(text) : null);
  const end = elementEnds[element.toLowerCase()] ?? /-->/u;
  return (text) => end.exec(text);
};

/** A hidden part may begin in one sentence and end in another, or never. */
export const createSpeakable = (): Speakable => {
  let findEnd: FindEnd | undefined;

  const visible = (sentence: string): string => {
    let kept = '';
    let rest = sentence;
    for (;;) {
      if (findEnd === undefined) {
        const begin = hiddenPart.exec(rest);
        kept += rest.slice(0, begin?.index);
        if (begin === null) return kept;
        findEnd = endOf(begin);
        rest = rest.slice(begin.index + begin[0].length);
      } else {
        const end = findEnd(rest);
        if (end === null || end === undefined) return kept;
        findEnd = undefined;
        rest = rest.slice(end.index + end[0].length);
      }
    }
  };

  return {
    say(sentence) {
      const words = plainWords(visible(sentence.trim()));
      return /[\p{L}\p{N}]/u.test(words) ? words : undefined;
    },
    reset() {
      findEnd = undefined;
    },
  };
};
