import test from 'ava';
import * as fc from 'fast-check';
import { nameAddressesIn, type NameAddress } from '#sip/parties/name-addresses.ts';

const one = (uri: string, name = '', parameters = ''): NameAddress => ({ name, uri, parameters });

const headers: readonly [string, NameAddress[]][] = [
  ['<sip:01012345678@h>;tag=1', [one('sip:01012345678@h', '', ';tag=1')]],
  ['sip:01012345678@h;tag=1', [one('sip:01012345678@h', '', ';tag=1')]],
  ['Alice <sip:alice@h>', [one('sip:alice@h', 'Alice')]],
  ['"A. \\"Al\\" <b>, c" <sip:alice@h>;tag=x', [one('sip:alice@h', 'A. "Al" <b>, c', ';tag=x')]],
  ['"" <sip:1@h>', [one('sip:1@h')]],
  ['<sip:+821012345678@h>, <tel:+821012345678>', [one('sip:+821012345678@h'), one('tel:+821012345678')]],
  ['<sip:1@h>,<tel:1>', [one('sip:1@h'), one('tel:1')]],
  ['tel:+821012345678', [one('tel:+821012345678')]],
  ['<sip:1@h', []],
  ['"never closed <sip:1@h>', []],
  ['', []],
];
for (const [header, found] of headers)
  test(`${JSON.stringify(header)} names ${found.length}`, (t) => {
    t.deepEqual(nameAddressesIn(header), found);
  });

test('what is written is read again, and any text is read to its end', (t) => {
  const name = fc.string({ unit: fc.constantFrom('a', ' ', ',', '<', '>', '"', '\\', ';', '김') });
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
      const header = names.map(
        (text, at) => `"${text.replaceAll(/["\\]/g, '\\$&')}" <sip:${at}@h>;tag=${at}`,
      );
      t.deepEqual(
        nameAddressesIn(header.join(', ')),
        names.map((text, at) => one(`sip:${at}@h`, text.trim(), `;tag=${at}`)),
      );
    }),
  );
  fc.assert(fc.property(name, (header) => Array.isArray(nameAddressesIn(header))));
});
