import test from 'ava';
import * as fc from 'fast-check';
import {
  areDifferentHeaders,
  isSipHeaderValue,
  sipHeaderName,
  takenHeaders,
  unlistedHeaders,
} from '#src/domain/sip-headers.ts';

test('no name that SIP or a server acts upon is one of them', (t) => {
  for (const name of ['X-Ticket', 'x-a', 'X-9', 'X-crm.Deal_1', `X-${'a'.repeat(60)}`])
    t.regex(name, sipHeaderName, name);
  for (const name of [
    'Via',
    'v',
    'x',
    'Contact',
    'Authorization',
    'Proxy-Authorization',
    'Content-Length',
    'P-Asserted-Identity',
    'Route',
    'X-',
    'X--a',
    'XTicket',
    ' X-Ticket',
    'X-Ticket ',
    'X-Ticket:',
    'X-A\r\nVia',
    'X-A\n',
    'X-주문',
    `X-${'a'.repeat(61)}`,
  ])
    t.notRegex(name, sipHeaderName, name);
});

test('a value stands in one line and arrives as it was given', (t) => {
  for (const value of ['1042', 'a b', '예약', 'a;b=c,"d"', 'x'.repeat(255), '가'.repeat(85)])
    t.true(isSipHeaderValue(value), value);
  for (const value of [
    '',
    ' ',
    ' a',
    'a ',
    'a\r\nVia: b',
    'a\nb',
    'a\rb',
    'a\r\n b',
    'a\tb',
    'a\0b',
    'a\u007fb',
    'a\u0085b',
    'a\u2028b',
    '\ud800',
    'x'.repeat(256),
    '가'.repeat(86),
  ])
    t.false(isSipHeaderValue(value), JSON.stringify(value));
});

test('whatever is a value, no line of it begins a header', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (value) => {
      fc.pre(isSipHeaderValue(value));
      t.is(`X-A: ${value}`.split(/[\r\n\u0085\u2028\u2029]/).length, 1);
      t.true(Buffer.byteLength(value) <= 255);
    }),
  );
});

test('names are compared without regard to case', (t) => {
  t.deepEqual(unlistedHeaders(['x-ticket', 'X-Other', 'X-More'], ['X-Ticket', 'X-MORE']), ['X-Other']);
  t.false(areDifferentHeaders(['X-Ticket', 'x-ticket']));
  t.true(areDifferentHeaders(['X-Ticket', 'X-Ticket-2']));
});

test('what is listed is taken, and what cannot be kept is left out whole', (t) => {
  const sent = new Map([
    ['X-Ticket', ' 1042 '],
    ['X-Long', 'x'.repeat(256)],
    ['X-Control', 'a\u001b[31mb'],
    ['X-Empty', ''],
    ['X-Secret', 'hush'],
  ]);
  const taken = (...list: string[]) => takenHeaders((name) => sent.get(name), list);
  t.deepEqual(taken('X-Ticket', 'X-Long', 'X-Control', 'X-Empty', 'X-Absent'), { 'X-Ticket': '1042' });
  t.is(taken('X-Long'), null);
  t.is(taken(), null);
  t.deepEqual(taken('X-Ticket', 'X-TICKET', 'X-Ticket'), { 'X-Ticket': '1042' }, 'once');
});
