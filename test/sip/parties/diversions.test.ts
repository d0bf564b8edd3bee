import test from 'ava';
import { diversionsIn } from '#sip/parties/diversions.ts';
import type { Diversion } from '#src/domain/caller-identity.ts';
import { headersOf } from '../headers-of.ts';

const diverted = test.macro<[Record<string, string>, ...Diversion[]]>({
  exec: (t, headers, ...diversions) =>
    t.deepEqual(diversionsIn(headersOf(headers), 'KR', 'national'), diversions),
  title: (what) => what ?? '',
});

const office = { number: '0212345678', reason: 'no-answer' };
const mobile = { number: '01012345678', reason: 'user-busy' };

test('nobody sent it on', diverted, { From: '<sip:01012345678@h>;tag=1' });
test(
  'Diversion says who sent a call on, the last one first',
  diverted,
  {
    Diversion:
      '"Office, Kim" <sip:+82212345678@carrier.example;user=phone>;reason=no-answer;counter=1;privacy=off, <tel:+821012345678>;reason="User-Busy"',
  },
  office,
  mobile,
);
test(
  'who sent it on may want to stay unknown, and a reason may be missing',
  diverted,
  { Diversion: '<sip:0212345678@h>;privacy=full;reason=unconditional, <sip:0212345678@h>' },
  { number: 'anonymous', reason: 'unconditional' },
  { number: '0212345678', reason: null },
);
test(
  'a reason that is no word, and who is no number, say nothing',
  diverted,
  { Diversion: '<sip:0212345678@h>;reason=<script>, <sip:kim@h>;reason=no-answer' },
  { number: '0212345678', reason: null },
);
test(
  'History-Info says it by the causes of the entries behind, the last one first',
  diverted,
  {
    'History-Info':
      '<sip:01012345678@h>;index=1, <sip:01012345678@proxy>;index=1.1;rc=1, <sip:+82212345678@h;cause=486>;index=1.2;mp=1, <sip:07000000000@h;cause=408>;index=1.3;mp=1.2',
  },
  office,
  mobile,
);
test(
  'entries that want to stay unknown do so',
  diverted,
  { 'History-Info': '<sip:01012345678@h?Privacy=history>;index=1, <sip:07000000000@h;cause=302>;index=1.1' },
  { number: 'anonymous', reason: 'unconditional' },
);
test(
  'so do all where the request says so',
  diverted,
  {
    'History-Info': '<sip:01012345678@h>;index=1, <sip:07000000000@h;cause=999>;index=1.1',
    Privacy: 'history;critical',
  },
  { number: 'anonymous', reason: null },
);
test(
  'what Diversion says goes before History-Info',
  diverted,
  {
    Diversion: '<sip:0212345678@h>;reason=no-answer',
    'History-Info': '<sip:01012345678@h>;index=1, <sip:07000000000@h;cause=486>;index=1.1',
  },
  office,
);
test('servers on the way are nobody', diverted, {
  'History-Info': '<sip:07000000000@a>;index=1, <sip:07000000000@b>;index=1.1',
});

test('of many the last five are kept', (t) => {
  const Diversion = Array.from({ length: 40 }, (_, index) => `<sip:010123456${index + 10}@h>`).join(', ');
  t.deepEqual(
    diversionsIn(headersOf({ Diversion }), 'KR', 'national').map(({ number }) => number),
    ['01012345610', '01012345611', '01012345612', '01012345613', '01012345614'],
  );
});
