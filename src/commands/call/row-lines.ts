/** The lines of a row: time, speaker, and text that is wrapped to the width. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { terminalLine } from '#src/domain/terminal-text.ts';
import type { CallRow } from './call-rows.ts';
import type { Words } from './words.ts';

export type Style = 'bold' | 'dim' | 'cyan' | 'green' | 'red';

export type RowLinesOptions = {
  /** Width of the output; null if it has none. */
  columns: () => number | null;
  /** Styles the text; returns it unchanged for outputs without colours. */
  style: (style: Style, text: string) => string;
  words: Words;
};

const timeWidth = 6;
const usualColumns = 100;
const leastTextWidth = 20;

export const clockTime = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`.padStart(timeWidth);
};

export const secondsOf = (seconds: number): string => seconds.toFixed(1);

/** Returns the text of a row: a turn has a mark where it was interrupted, and the delay of the reply. */
export const textOf = ({ text, isWhole, delaySec }: Pick<CallRow, 'text' | 'isWhole' | 'delaySec'>): string =>
  `${text}${isWhole ? '' : ' –'}${delaySec === null ? '' : ` (${secondsOf(delaySec)} s)`}`;

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stringWidth(text)));

export const createRowLines = ({ columns, style, words: { calls } }: RowLinesOptions) => {
  const speakerWidth = Math.max(...Object.values(calls.one.speaker).map((name) => stringWidth(name)));
  const indent = timeWidth + speakerWidth + 4;

  const wrapped = (text: string): string[] => {
    const width = Math.max(leastTextWidth, (columns() ?? usualColumns) - indent);
    return wrapAnsi(terminalLine(text), width, { hard: true }).split('\n');
  };

  return {
    /**
     * Returns the lines; later ones are indented to the beginning of the text. `continues`: the first one is too,
     * because the row continues the one before it.
     */
    linesOf(row: Pick<CallRow, 'atSec' | 'speaker'>, text: string, continues = false): string[] {
      const { atSec, speaker } = row;
      const shown = (part: string): string => (speaker === null ? style('dim', part) : part);
      const [first = '', ...others] = wrapped(text);
      const following = (part: string): string => `${' '.repeat(indent)}${shown(part)}`;
      if (continues) return [first, ...others].map(following);
      const time = atSec === null ? ' '.repeat(timeWidth) : clockTime(atSec);
      const name = speaker === null ? '' : calls.one.speaker[speaker];
      const colour = speaker === 'assistant' ? 'cyan' : 'green';
      const begin = `${style('dim', time)}  ${style(colour, padded(name, speakerWidth))}`;
      return [`${begin}  ${shown(first)}`, ...others.map(following)];
    },
  };
};

export type RowLines = ReturnType<typeof createRowLines>;
