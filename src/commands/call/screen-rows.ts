/**
 * Rows on a terminal. The last rows and a status line are redrawn at each change, so that a turn grows while it is
 * spoken, is corrected when it is stored, and a late row gets its place in the order of times.
 */
import wrapAnsi from 'wrap-ansi';
import { terminalLine } from '#src/domain/terminal-text.ts';
import { byTime, type CallRow } from './call-rows.ts';
import { textOf, type RowLines, type Style } from './row-lines.ts';
import type { RowOutput, SpokenTurn } from './turns-in-speech.ts';

type ScreenRow = Pick<CallRow, 'atSec' | 'speaker'> & {
  text: string;
  /** `note` for a message of this program, `spoken` for a turn that is not in the transcript yet. */
  kind: 'stored' | 'spoken' | 'note';
};

export type ScreenRowsOptions = {
  write: (text: string) => void;
  size: () => { columns: number; rows: number };
  style: (style: Style, text: string) => string;
  lines: RowLines;
};

/** Escape sequences that clear the line, or everything below (ECMA-48, EL and ED). */
const emptyLine = '\r\u001B[K';
const emptyBelow = '\u001B[J';
const up = (lines: number): string => `\u001B[${lines}A`;

/** Maximum number of lines that are redrawn. */
const mostLines = 16;

/** Maximum number of lines of a turn while it is spoken; its last ones are shown. */
const mostSpokenLines = 5;

export const createScreenRows = ({ write, size, style, lines }: ScreenRowsOptions): RowOutput => {
  let rows: ScreenRow[] = [];
  const spoken = new Map<SpokenTurn, ScreenRow>();
  /** The other party's turn in progress, with its preliminary words, until its final ones are stored. */
  let preliminary: { row: ScreenRow; isOver: boolean } | null = null;
  let statusText = '';
  /** Lines above the status line that the next drawing replaces. */
  let drawn = 0;
  let isClosed = false;
  let latest: number | null = null;

  const linesOf = (row: ScreenRow): string[] => {
    if (row.kind === 'note') return [style('dim', terminalLine(row.text))];
    const all = lines.linesOf(row, row.text);
    if (row.kind === 'stored' || all.length <= mostSpokenLines) return all;
    return [...all.slice(0, 1), ...all.slice(1 - mostSpokenLines)];
  };

  const statusLine = (): string => {
    const [first = ''] = wrapAnsi(statusText, size().columns - 1, { hard: true, trim: false }).split('\n');
    return style('dim', first);
  };

  /** Takes the oldest rows out of the redrawn ones while these are too many, and returns their lines. */
  const settled = (): string[] => {
    const most = Math.max(1, Math.min(mostLines, size().rows - 2));
    const heights = rows.map((row) => linesOf(row).length);
    let total = heights.reduce((sum, height) => sum + height, 0);
    let count = 0;
    while (total > most) {
      total -= heights[count] ?? total;
      count += 1;
    }
    const out = rows.splice(0, count);
    for (const { atSec } of out) latest = Math.max(latest ?? 0, atSec ?? 0);
    return out.flatMap(linesOf);
  };

  const draw = (): void => {
    rows = rows.toSorted(byTime);
    const before = drawn === 0 ? emptyLine : `\r${up(drawn)}${emptyBelow}`;
    const above = settled();
    const redrawn = rows.flatMap(linesOf);
    drawn = redrawn.length;
    const all = [...above, ...redrawn].map((line) => `${line}\n`).join('');
    write(`${before}${all}${isClosed || statusText === '' ? '' : statusLine()}`);
    if (!isClosed) return;
    rows = [];
    drawn = 0;
  };

  const put = (row: ScreenRow): void => {
    // A row that is later than all rows that can be redrawn is shown at the time of the last settled one.
    const atSec = latest === null ? row.atSec : Math.max(latest, row.atSec ?? 0);
    rows.push({ ...row, atSec });
    draw();
  };

  const dropPreliminary = (): void => {
    rows = rows.filter((row) => row !== preliminary?.row);
    preliminary = null;
  };

  return {
    add(row) {
      if (row.speaker === 'user') dropPreliminary();
      put({ ...row, text: textOf(row), kind: 'stored' });
    },
    speaks(turn) {
      const shown = spoken.get(turn);
      const text = `${turn.words} …`;
      if (shown === undefined) {
        const row: ScreenRow = { atSec: turn.atSec, speaker: 'assistant', text, kind: 'spoken' };
        spoken.set(turn, row);
        rows.push(row);
      } else shown.text = text;
      draw();
    },
    stores(turn, row) {
      const shown = spoken.get(turn);
      spoken.delete(turn);
      rows = rows.filter((one) => one !== shown);
      put({ ...row, text: textOf(row), kind: 'stored' });
    },
    drops(turn) {
      const shown = spoken.get(turn);
      spoken.delete(turn);
      rows = rows.filter((one) => one !== shown);
      draw();
    },
    hears(_isHearing, words, atSec) {
      if (words === null) {
        // The row remains until the final words replace it.
        if (preliminary !== null) preliminary.isOver = true;
        return;
      }
      if (preliminary?.isOver === true) dropPreliminary();
      if (preliminary === null) {
        const row: ScreenRow = { atSec, speaker: 'user', text: '', kind: 'spoken' };
        rows.push(row);
        preliminary = { row, isOver: false };
      }
      const text = `${words} …`;
      if (preliminary.row.text === text) return;
      preliminary.row.text = text;
      draw();
    },
    note: (text, atSec) => put({ atSec, speaker: null, text, kind: 'note' }),
    status(text) {
      if (isClosed) return;
      statusText = text;
      write(`${emptyLine}${statusLine()}`);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      if (spoken.size === 0 && preliminary === null) {
        write(emptyLine);
        rows = [];
        drawn = 0;
        return;
      }
      for (const [{ words }, row] of spoken) row.text = words;
      spoken.clear();
      dropPreliminary();
      draw();
    },
  };
};
