/** Comma-separated values (RFC 4180) that are safe to open in a spreadsheet. */

/** By which a spreadsheet knows that a file is UTF-8. */
export const byteOrderMark = '\uFEFF';

export type Cell = string | number | boolean | null;

/**
 * A spreadsheet takes a text that begins like this for a formula, which may fetch from and tell to anywhere; an
 * apostrophe before it makes it text (OWASP, "CSV Injection"). The wide forms are those of East Asian keyboards.
 */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

const special = /[",\r\n]/;

const cellText = (cell: Cell): string => {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = formula.test(cell) ? `'${cell}` : cell;
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** One line with its end. Null is an empty cell. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;
