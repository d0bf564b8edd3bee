import test from 'ava';
import { callingName, callingParty } from '#sip/parties/calling-party.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { BareDigits } from '#src/domain/read-number.ts';
import { headersOf } from '../headers-of.ts';

const calls = test.macro<[Record<string, string>, string, { country?: Country; bare?: BareDigits }?]>({
  exec: (t, headers, number, { country = 'KR', bare = 'national' } = {}) =>
    t.is(callingParty(headersOf(headers), country, bare), number),
  title: (what) => what ?? '',
});

const from = (uri: string): Record<string, string> => ({ From: `<${uri}>;tag=1` });
const anonymousFrom = { From: '"Anonymous" <sip:anonymous@anonymous.invalid>;tag=1' };
const asserted = { 'P-Asserted-Identity': '<sip:+821012345678@carrier.example;user=phone>' };

test('From shows who calls', calls, from('sip:01012345678@h'), '01012345678');
test('a number without its + and its 0 is domestic', calls, from('sip:821012345678@h'), '01012345678');
test(
  'what the network asserts goes before From',
  calls,
  { ...from('sip:0299998888@h'), ...asserted },
  '01012345678',
);
test(
  'of two asserted identities the first that shows a number counts',
  calls,
  {
    ...from('sip:0299998888@h'),
    'P-Asserted-Identity': '"Kim" <sip:kim@carrier.example>, <tel:+82-10-1234-5678>',
  },
  '01012345678',
);
test(
  'Remote-Party-ID goes before From',
  calls,
  {
    ...from('sip:0299998888@h'),
    'Remote-Party-ID': '"Kim" <sip:01012345678@h>;party=calling;screen=yes;privacy=off',
  },
  '01012345678',
);
test(
  'P-Asserted-Identity goes before Remote-Party-ID',
  calls,
  { ...from('sip:1@h'), ...asserted, 'Remote-Party-ID': '<sip:0299998888@h>;party=calling' },
  '01012345678',
);
test(
  'the Remote-Party-ID of the called party says nothing of the caller',
  calls,
  { ...from('sip:01012345678@h'), 'Remote-Party-ID': '<sip:0299998888@h>;party=called;privacy=full' },
  '01012345678',
);

for (const privacy of ['id', 'user', 'header', 'header;id', 'id;critical', 'ID', 'none, id', 'user; id'])
  test(
    `the number withheld with "Privacy: ${privacy}" is not shown`,
    calls,
    { ...from('sip:01012345678@h'), ...asserted, Privacy: privacy },
    'anonymous',
  );
for (const privacy of ['none', 'history', 'session', ''])
  test(
    `"Privacy: ${privacy}" withholds no number`,
    calls,
    { ...from('sip:01012345678@h'), Privacy: privacy },
    '01012345678',
  );
for (const privacy of ['full', 'uri', '"full"', 'FULL'])
  test(
    `the number of a Remote-Party-ID with privacy=${privacy} is not shown`,
    calls,
    { ...from('sip:01012345678@h'), 'Remote-Party-ID': `<sip:01012345678@h>;privacy=${privacy};screen=yes` },
    'anonymous',
  );
test(
  'a withheld name is not a withheld number',
  calls,
  { ...anonymousFrom, ...from('sip:1@h'), 'Remote-Party-ID': '<sip:01012345678@h>;privacy=name' },
  '01012345678',
);

test('From as RFC 3323 wants it is a withheld number', calls, anonymousFrom, 'anonymous');
test(
  'a host of anonymous.invalid withholds the number before it',
  calls,
  { ...from('sip:01012345678@anonymous.invalid'), ...asserted },
  'anonymous',
);
test(
  'an anonymous From withholds the asserted number as well',
  calls,
  { ...anonymousFrom, ...asserted },
  'anonymous',
);
for (const user of ['anonymous', 'Anonymous', 'restricted', 'private', 'blocked'])
  test(
    `"${user}" in From withholds the asserted number`,
    calls,
    { ...from(`sip:${user}@carrier.example`), ...asserted },
    'anonymous',
  );
for (const user of ['unavailable@unknown.invalid', 'unknown@carrier.example'])
  test(
    `"${user}" in From leaves the asserted number as it is`,
    calls,
    { ...from(`sip:${user}`), ...asserted },
    '01012345678',
  );
for (const digits of ['+266696687', '+7378742833', '+2562533', '+8656696', '+86282452253'])
  test(`${digits} is a word spelled on the keys, not a number`, calls, from(`sip:${digits}@h`), 'anonymous');

test('a caller from abroad keeps country code and +', calls, from('sip:+12025550123@h'), '+12025550123');
test('a caller from abroad behind 00 gets the +', calls, from('sip:0012025550123@h'), '+12025550123');
test(
  'a caller from abroad without + is seen by how the trunk writes',
  calls,
  from('sip:3223456789@h'),
  '+3223456789',
  { bare: 'international' },
);
test('an extension stays as it is', calls, from('sip:204@pbx.example'), '204');
test('a tel URI shows a number', calls, from('tel:+82-2-1234-5678'), '0212345678');
test('a From without brackets shows a number', calls, { From: 'sip:01012345678@h;tag=1' }, '01012345678');

test(
  'a number in place of the name counts where From holds an account',
  calls,
  { From: '"49211123456789" <sip:trunk-account@sip.example>;tag=1' },
  '0211123456789',
  { country: 'DE' },
);
test('a name is no number', calls, { From: '"Kim 3" <sip:kim@h>;tag=1' }, 'anonymous');
test(
  'the name is not looked at where the URI shows a number',
  calls,
  { From: '"0299998888" <sip:204@h>' },
  '204',
);
test('without any header nobody is known', calls, {}, 'anonymous');
test('an empty user is nobody known', calls, from('sip:carrier.example'), 'anonymous');
test(
  'United States: +1 from a carrier, withheld with a number that it asserts',
  calls,
  {
    From: '"Anonymous" <sip:anonymous@10.0.0.1>',
    'P-Asserted-Identity': '<sip:+12025550123@h>',
    Privacy: 'id',
  },
  'anonymous',
  { country: 'US' },
);
test('Germany: a number behind 00', calls, from('sip:0049894531234@trunk.example'), '0894531234', {
  country: 'DE',
});

const isCalled = test.macro<[Record<string, string>, string | null]>({
  exec: (t, headers, name) => t.is(callingName(headersOf(headers), 'KR'), name),
  title: (what) => `a name: ${what ?? ''}`,
});

test('that of From', isCalled, { From: '"Kim, Min-ji" <sip:01012345678@h>;tag=1' }, 'Kim, Min-ji');
test(
  'that which the network asserts goes before it',
  isCalled,
  { From: '"Mum" <sip:01012345678@h>;tag=1', 'P-Asserted-Identity': '"김민지" <tel:+821012345678>' },
  '김민지',
);
test('none', isCalled, from('sip:01012345678@h'), null);
test('a number is none', isCalled, { From: '"010-1234-5678" <sip:account@h>;tag=1' }, null);
test('Anonymous is none', isCalled, { From: '"Anonymous" <sip:01012345678@h>;tag=1' }, null);
test(
  'whoever withholds the number withholds the name',
  isCalled,
  {
    From: '"Kim" <sip:01012345678@h>;tag=1',
    'P-Asserted-Identity': '"Kim" <tel:+821012345678>',
    Privacy: 'id',
  },
  null,
);
test(
  'a name may be withheld alone',
  isCalled,
  { From: '"Kim" <sip:01012345678@h>;tag=1', 'Remote-Party-ID': '"Kim" <sip:01012345678@h>;privacy=name' },
  null,
);
test(
  'what cannot be shown in a line is left out, and so is what is too long',
  isCalled,
  { From: `"A\u0007\u202eB ${'x'.repeat(200)}" <sip:01012345678@h>;tag=1` },
  `A B ${'x'.repeat(96)}`,
);
