import { plainWords } from './plain-words.ts';

/** What a voice can say of one reply, whose sentences are given in order. */
export type Speakable = {
  /** What of the sentence can be said; `undefined` for nothing. */
  say(sentence: string): string | undefined;
  /** A new message begins: what the last one has left open does not hide it. */
  reset(): void;
};

/** What begins a part that is not for the ear: code, comments, scripts, a model's thoughts. */
const hiddenPart =
  /(?<fence>`{3,})|^(?<tildes>~{3,})[\w+#.-]*$|<!--|<(?<element>script|style|think(?:ing)?|svg)\b/iu;

const endOf = ({ groups }: RegExpExecArray): RegExp => {
  const { fence, tildes, element } = groups ?? {};
  if (fence !== undefined) return new RegExp(`${fence}\`*`, 'u');
  if (tildes !== undefined) return new RegExp(`^${tildes}~*$`, 'u');
  return element === undefined ? /-->/u : new RegExp(String.raw`</${element}\s*>`, 'iu');
};

/** A part that is hidden may begin in one sentence and end in another, or never. */
export const createSpeakable = (): Speakable => {
  let hiddenUntil: RegExp | undefined;

  const visible = (sentence: string): string => {
    let kept = '';
    let rest = sentence;
    for (;;) {
      const bound: RegExpExecArray | null = (hiddenUntil ?? hiddenPart).exec(rest);
      if (hiddenUntil === undefined) kept += rest.slice(0, bound?.index);
      if (bound === null) return kept;
      hiddenUntil = hiddenUntil === undefined ? endOf(bound) : undefined;
      rest = rest.slice(bound.index + bound[0].length);
    }
  };

  return {
    say(sentence) {
      const words = plainWords(visible(sentence.trim()));
      return /[\p{L}\p{N}]/u.test(words) ? words : undefined;
    },
    reset() {
      hiddenUntil = undefined;
    },
  };
};
