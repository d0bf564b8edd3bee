import test from 'ava';
import * as fc from 'fast-check';
import { decodeMomentCursor, encodeMomentCursor } from '#src/api/cursor.ts';

const moment = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });

test('a cursor comes back as what it was made of', (t) => {
  fc.assert(
    fc.property(moment, fc.uuid(), (at, id) => {
      t.deepEqual(decodeMomentCursor(encodeMomentCursor({ at, id })), { at, id });
    }),
  );
});

test('a cursor holds nothing that must be escaped in a URL', (t) => {
  fc.assert(
    fc.property(moment, fc.uuid(), (at, id) => {
      const cursor = encodeMomentCursor({ at, id });
      t.is(encodeURIComponent(cursor), cursor);
    }),
  );
});

test('anything else is no cursor', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      const cursor = decodeMomentCursor(text);
      t.true(cursor === undefined || encodeMomentCursor(cursor) === text);
    }),
  );
  for (const text of ['', 'x', '====', Buffer.from('1.2').toString('base64url')]) {
    t.is(decodeMomentCursor(text), undefined);
  }
});

test('a cursor that was changed by one character is refused or names another place', (t) => {
  const cursor = encodeMomentCursor({ at: new Date(0), id: '11111111-2222-4333-8444-555555555555' });
  fc.assert(
    fc.property(
      fc.nat(cursor.length - 1),
      fc.constantFrom(...'ABCxyz019-_=+/ '.split('')),
      (at, character) => {
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        const decoded = decodeMomentCursor(changed);
        t.true(decoded === undefined || encodeMomentCursor(decoded) === changed);
      },
    ),
  );
});
