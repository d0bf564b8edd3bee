/** The agent's words that a simulated person has heard since the person last spoke, or since the last awaited text. */
import type { SaidPattern } from '#src/domain/said-pattern.ts';
import { heardAfter, sayingTime } from '#sip/audio/speaking-time.ts';
import type { Course, Phone } from './party.ts';
import type { Voice } from './sounding-utterance.ts';

type Utterance = {
  readonly voice: Voice;
  /** Text of the utterance; after an interruption, the part before it. */
  text: string;
  /** Number of characters of the text that are already consumed. */
  known: number;
};

/** Position of a match: the utterance and the end within it. */
type Found = { utterance: Utterance; end: number };

export type Ears = {
  /** Records the current utterance. Must be called whenever the line has changed. */
  listen(): void;
  find(pattern: SaidPattern): Found | undefined;
  /** Consumes all words up to this position. */
  take(found: Found): void;
  forget(): void;
  /** Returns and consumes all words. */
  takeAll(): string;
};

/** Separator between two utterances. */
const gap = ' ';

export const createEars = (phone: Phone): Ears => {
  let said: Utterance[] = [];
  let cutBefore = 0;

  const forget = (): void => {
    // The last utterance may still be playing, so it is kept, but its words do not match again.
    said = said.slice(-1);
    for (const utterance of said) utterance.known = utterance.text.length;
  };

  return {
    listen() {
      const voice = phone.voice();
      const last = said.at(-1);
      const cut = phone.voicesCut();
      if (cut > cutBefore && last !== undefined && last.voice !== voice)
        last.text = heardAfter(last.voice.text, phone.sinceBeginOf(last.voice));
      cutBefore = cut;
      if (voice !== null && last?.voice !== voice) said.push({ voice, text: voice.text, known: 0 });
    },
    find(pattern) {
      const news = said.filter(({ text, known }) => known < text.length);
      const end = pattern.find(news.map(({ text, known }) => text.slice(known)).join(gap))?.end;
      if (end === undefined) return undefined;
      let begin = 0;
      for (const utterance of news) {
        const { text, known } = utterance;
        const length = text.length - known;
        if (end <= begin + length) return { utterance, end: known + Math.max(0, end - begin) };
        begin += length + gap.length;
      }
      return undefined;
    },
    take({ utterance, end }) {
      utterance.known = end;
      said = said.slice(said.indexOf(utterance));
    },
    takeAll() {
      const words = said.map(({ text, known }) => text.slice(known));
      forget();
      return words.filter((text) => text !== '').join(gap);
    },
    forget,
  };
};

/** Waits until the agent has said text that matches the pattern. Words that were cut off do not count. */
export function* hear(phone: Phone, ears: Ears, pattern: SaidPattern): Course {
  for (;;) {
    yield { until: () => ears.find(pattern) !== undefined };
    const found = ears.find(pattern);
    if (found === undefined) continue;
    const { voice, text } = found.utterance;
    const isOver = (): boolean => phone.voice() !== voice;
    if (!isOver()) {
      const afterMs = sayingTime(text.slice(0, found.end));
      const atMostMs = Math.max(0, afterMs - phone.sinceBeginOf(voice));
      if (yield { until: isOver, atMostMs }) continue;
    }
    return ears.take(found);
  }
}
