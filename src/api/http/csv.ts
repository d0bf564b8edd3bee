/** Formats comma-separated values (RFC 4180) that are safe to open in a spreadsheet. */

/** Byte order mark, by which a spreadsheet recognizes UTF-8. */
export const byteOrderMark = '\uFEFF';

export type Cell = string | number | boolean | null;

/**
 * Positions where a spreadsheet could read a formula, which can transfer data to any server: at the start of a cell,
 * and after `;`, a tab or a line break, which split cells in some locales. An apostrophe at such a position makes the
 * rest of the cell text (OWASP, "CSV Injection"). The full-width characters are those of East Asian keyboards.
 */
const formula = /(^|[;\t\r\n])((?:[^\S\t\r\n]|")*)(?=[=+\-@＝＋－＠])/g;

const defused = (text: string): string => {
  const safe = text.replaceAll(formula, "$1'$2");
  return /^[\t\r\n]/.test(text) ? `'${safe}` : safe;
};

const special = /[",;\t\r\n]/;

const cellText = (cell: Cell): string => {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = defused(cell);
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Returns one line including its line ending. Null is an empty cell. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;
