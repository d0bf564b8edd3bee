/** Parses comma-separated values as defined by RFC 4180, more strictly than spreadsheets do. */
export const readCsv = (text: string): string[][] => {
  const lines: string[][] = [];
  let cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const from = cell.lastIndex;
    const [, quoted, plain, end] = cell.exec(text) ?? [];
    if (end === undefined) throw new Error(`This is no CSV from character ${from} on`);
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    lines.push(cells);
    cells = [];
  }
  if (cells.length > 0) throw new Error('The last line has no end');
  return lines;
};
