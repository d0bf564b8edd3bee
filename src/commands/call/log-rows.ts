/**
 * Rows on an output that cannot be rewritten, such as a pipe: each sentence is a line when the agent begins to say it,
 * and a correction follows if it was not heard to its end. Rows wait a moment, and while the other party speaks, so that
 * they are printed in the order of their times.
 */
import { restOf } from '#src/console/call/words-of-turn.ts';
import type { Clock } from '#src/domain/clock.ts';
import { terminalLine } from '#src/domain/terminal-text.ts';
import { byTime, type CallRow } from './call-rows.ts';
import { textOf, type RowLines } from './row-lines.ts';
import type { RowOutput, SpokenTurn } from './turns-in-speech.ts';
import type { Words } from './words.ts';

/** Time in milliseconds for which a sentence waits for earlier events, which are reported when they are stored. */
export const settleMs = 600;

/** Seconds before the detection of a voice in which its turn may have begun. */
const detectionSec = 1;

type Waiting = Pick<CallRow, 'atSec' | 'speaker'> & {
  text: string;
  dueAt: number;
  /** The turn that a row belongs to, if the turn is printed in several rows. */
  turn: SpokenTurn | null;
};

export type LogRowsOptions = {
  write: (text: string) => void;
  lines: RowLines;
  words: Words;
  clock: Clock;
};

export const createLogRows = ({ write, lines, words, clock }: LogRowsOptions): RowOutput => {
  let waiting: Waiting[] = [];
  let timer: unknown;
  let isClosed = false;
  /** The other party's turn that is expected: rows after its beginning wait for it until then. */
  let expected: { sinceSec: number; untilMs: number } | null = null;
  let last: { atSec: number | null; turn: SpokenTurn | null } = { atSec: null, turn: null };
  /** Words of the turns that are being spoken, as far as they have rows. */
  const printed = new Map<SpokenTurn, { words: string; atSec: number }>();

  const dueAtOf = ({ atSec, dueAt }: Waiting): number =>
    expected !== null && (atSec ?? -1) >= expected.sinceSec ? Math.max(dueAt, expected.untilMs) : dueAt;

  const print = ({ atSec, speaker, text, turn }: Waiting): void => {
    const shownSec = last.atSec === null ? atSec : Math.max(last.atSec, atSec ?? 0);
    const continues = turn !== null && last.turn === turn;
    for (const line of lines.linesOf({ atSec: shownSec, speaker }, text, continues)) write(`${line}\n`);
    last = { atSec: shownSec, turn };
  };

  const pump = (): void => {
    clock.clearTimeout(timer);
    waiting = waiting.toSorted(byTime);
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const waitMs = isClosed ? 0 : dueAtOf(next) - clock.now();
      if (waitMs > 0) {
        if (waitMs < Infinity) timer = clock.setTimeout(pump, waitMs);
        return;
      }
      waiting.shift();
      print(next);
    }
  };

  const put = (row: Omit<Waiting, 'dueAt'>, waitMs: number): void => {
    waiting.push({ ...row, dueAt: clock.now() + waitMs });
    pump();
  };

  const ofTurn = (turn: SpokenTurn, text: string): void => {
    const atSec = printed.get(turn)?.atSec ?? turn.atSec;
    put({ atSec, speaker: 'assistant', text, turn }, settleMs);
  };

  return {
    add(row) {
      if (row.speaker === 'user') expected = expected?.untilMs === Infinity ? expected : null;
      put({ ...row, text: textOf(row), turn: null }, 0);
    },
    speaks(turn, atSec) {
      const rest = restOf(printed.get(turn)?.words ?? '', turn.words) ?? '';
      if (rest === '') return;
      printed.set(turn, { words: turn.words, atSec });
      ofTurn(turn, rest);
    },
    stores(turn, row) {
      const known = printed.get(turn)?.words ?? '';
      const rest = row.isWhole ? (restOf(known, row.text) ?? row.text) : words.heardOnly(textOf(row));
      const delay = row.isWhole ? textOf({ ...row, text: '' }).trim() : '';
      const text = [rest, delay].filter((part) => part !== '').join(' ');
      if (text !== '') ofTurn(turn, text);
      printed.delete(turn);
    },
    drops(turn) {
      if (printed.has(turn)) ofTurn(turn, words.notHeard);
      printed.delete(turn);
    },
    hears(isHearing, _words, atSec) {
      if (isHearing) {
        const sinceSec =
          expected !== null && expected.untilMs > clock.now() ? expected.sinceSec : atSec - detectionSec;
        expected = { sinceSec, untilMs: Infinity };
      } else if (expected?.untilMs === Infinity) expected.untilMs = clock.now() + settleMs;
      pump();
    },
    note: (text) => write(`${terminalLine(text)}\n`),
    status: () => undefined,
    close() {
      isClosed = true;
      pump();
    },
  };
};
