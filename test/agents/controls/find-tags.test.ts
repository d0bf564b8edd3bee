/** Tags in a text that comes in pieces. */
import test from 'ava';
import * as fc from 'fast-check';
import { createTagFinder } from '#src/agents/controls/find-tags.ts';

/** Texts joined, and tags in brackets of their own. */
const found = (pieces: readonly string[]): string => {
  const finder = createTagFinder();
  const parts = pieces.flatMap((piece) => finder.add(piece));
  return [...parts, finder.end()]
    .map((part) => (typeof part === 'string' ? part : `[${part.source}]`))
    .join('');
};

const texts: readonly [text: string, expected: string][] = [
  ['Goodbye.<hangup/>', 'Goodbye.[hangup/]'],
  ['<keys press="1w2#" /> Done.', '[keys press="1w2#" /] Done.'],
  ['One <a/><b/> two', 'One [a/][b/] two'],
  ['<collect finish=">" digits=\'4\'/>', '[collect finish=">" digits=\'4\'/]'],
  ['<transfer briefing="a < b, it\'s"/>.', '[transfer briefing="a < b, it\'s"/].'],
  ["<it's fine> he said", "[it's fine] he said"],
  ['3 < 4 and 5 > 4', '3 < 4 and 5 > 4'],
  ['a <b and c', 'a <b and c'],
  ['a << b <hangup/>', 'a << b [hangup/]'],
  ['<한국어/>', '<한국어/>'],
  ['<hangup', '<hangup'],
  ['<keys press="1 and no end', '<keys press="1 and no end'],
  ['<', '<'],
  [`<${'a'.repeat(3_000)}> b <hangup/>`, `<${'a'.repeat(3_000)}> b [hangup/]`],
];

for (const [text, expected] of texts)
  test(`${text.slice(0, 40)}, wherever it is cut`, (t) => {
    t.is(found([text]), expected);
    t.is(found(Array.from(text)), expected);
    for (let at = 0; at <= Math.min(text.length, 200); at += 1)
      t.is(found([text.slice(0, at), text.slice(at)]), expected);
  });

test('however a text is cut, what is found is the same, and nothing is lost', (t) => {
  const unit = fc.constantFrom('<', '>', '/', '"', "'", '=', ' ', 'a', 'hangup', '가', '\n', '😀');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), fc.array(fc.nat(60)), (units, cuts) => {
      const text = units.join('');
      const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      t.is(found(pieces).toWellFormed(), found([text]).toWellFormed());
      t.is(found([text]).replaceAll('[', '<').replaceAll(']', '>'), text);
    }),
  );
});
