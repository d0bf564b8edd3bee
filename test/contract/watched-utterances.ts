/** The events that a line must emit for utterances (`machines/line.ts`), and every breach of it. */
import type { LineEvent } from '#machines/line.ts';

type Said = { utterance: number; text: string };

type Played = Extract<LineEvent, { type: 'line.played' }>;

export type WatchedUtterances = {
  /** Records an utterance that the line receives while it exists. */
  said(utterance: Said): void;
  /** Records the command to stop all utterances that the line has not reported yet. */
  stopped(): void;
  /** Breaches by the current event of the line, as sentences. */
  breachesOf(event: LineEvent): string[];
};

/** A text without letters or digits has no audio, even if all of it was played. */
const canBeSaid = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** `expected` is the oldest utterance that was not reported yet. */
const breachesOfReport = ({ utterance, text, whole }: Played, expected: Said | undefined): string[] => {
  if (expected === undefined) return [`reports utterance ${utterance}, which was never said`];
  if (expected.utterance !== utterance)
    return [`reports utterance ${utterance} where ${expected.utterance} was next`];
  if (!expected.text.startsWith(text)) return ['reports words that were not said'];
  return whole && text !== expected.text && canBeSaid(expected.text) ? ['reports a part as the whole'] : [];
};

export const watchUtterances = (): WatchedUtterances => {
  const told: Said[] = [];
  /** Stopped utterances that were not reported yet. */
  const stopped = new Set<number>();
  let reported = 0;
  return {
    said: (utterance) => void told.push(utterance),
    stopped() {
      for (const { utterance } of told.slice(reported)) stopped.add(utterance);
    },
    breachesOf(event) {
      switch (event.type) {
        case 'line.played': {
          const expected = told[reported];
          reported += 1;
          stopped.delete(event.utterance);
          return breachesOfReport(event, expected);
        }
        case 'line.takes_message':
        case 'line.heard':
          return stopped.size > 0 ? ['came before the reports of what was stopped'] : [];
        case 'line.ended':
          return reported < told.length ? [`left ${told.length - reported} utterances unreported`] : [];
        default:
          return [];
      }
    },
  };
};
