/**
 * The agent's turns from their first word until they are in the transcript. The gateway reports the words of a turn
 * while they are spoken (`saying`), and stores at the end of the turn what was heard of them.
 */
import { restOf } from '#src/console/call/words-of-turn.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallRow } from './call-rows.ts';

/** A turn that is spoken. `words` grows by each sentence. */
export type SpokenTurn = { readonly atSec: number; words: string };

/** Output of rows. */
export type RowOutput = {
  /** Adds the row of a stored event. */
  add(row: CallRow): void;
  /** Shows a turn that begins, or its new words. */
  speaks(turn: SpokenTurn, atSec: number): void;
  /** Replaces the words of a turn by what was heard. */
  stores(turn: SpokenTurn, row: CallRow): void;
  /** Takes back a turn of which nothing was heard. */
  drops(turn: SpokenTurn): void;
  /**
   * Whether the other party speaks; its turn follows when it has finished. `words` are its preliminary words; null if
   * there are none.
   */
  hears(isHearing: boolean, words: string | null, atSec: number): void;
  /** Adds a message of this program. */
  note(text: string, atSec: number | null): void;
  /** Rewrites the status line; without effect on an output that cannot be rewritten. */
  status(text: string): void;
  /** Completes the output; later rows are printed at once. Idempotent. */
  close(): void;
};

/** Time in milliseconds within which a finished turn is stored; without words that were heard it is not stored. */
const lateTurnMs = 2_000;

const isSameTurn = (known: string, words: string): boolean =>
  known.startsWith(words) || restOf(known, words) !== undefined;

export const createTurnsInSpeech = (output: RowOutput, clock: Clock) => {
  let speaking: SpokenTurn | null = null;
  /** Finished turns that are not stored yet, with the timers that drop them. */
  const finished = new Map<SpokenTurn, unknown>();

  const finish = (): void => {
    if (speaking === null) return;
    const turn = speaking;
    speaking = null;
    const drop = (): void => {
      finished.delete(turn);
      output.drops(turn);
    };
    finished.set(turn, clock.setTimeout(drop, lateTurnMs));
  };

  const isOf =
    ({ text }: CallRow) =>
    ({ words }: SpokenTurn): boolean =>
      isSameTurn(words, text);

  return {
    /** Takes the words that the agent is saying; null between turns. */
    saying(words: string | null, atSec: number) {
      if (words === null) {
        finish();
      } else if (speaking !== null && isSameTurn(speaking.words, words)) {
        if (speaking.words === words) return;
        speaking.words = words;
        output.speaks(speaking, atSec);
      } else {
        finish();
        speaking = { atSec, words };
        output.speaks(speaking, atSec);
      }
    },
    /** Takes a turn of the agent from the transcript. */
    stored(row: CallRow) {
      const turn =
        [...finished.keys()].find(isOf(row)) ?? (speaking && isOf(row)(speaking) ? speaking : null);
      if (turn === null) return output.add(row);
      if (turn === speaking) speaking = null;
      clock.clearTimeout(finished.get(turn));
      finished.delete(turn);
      output.stores(turn, row);
    },
    close() {
      for (const timer of finished.values()) clock.clearTimeout(timer);
      finished.clear();
      speaking = null;
    },
  };
};
