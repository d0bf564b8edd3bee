/** Parties of a call: caller, callee, diversions, number formats and causes. */
import test from 'ava';
import * as fc from 'fast-check';
import type { UnansweredCause } from '#machines/line.ts';
import { isNetworkFailure, unansweredCause } from '#sip/causes.ts';
import { reasonsIn } from '#sip/headers/reasons.ts';
import { calledParty } from '#sip/parties/called-party.ts';
import { callingName, callingParty } from '#sip/parties/calling-party.ts';
import { diversionsIn } from '#sip/parties/diversions.ts';
import { type NameAddress, nameAddressesIn } from '#sip/headers/name-addresses.ts';
import {
  bareDigitsIn,
  calledNumber,
  callingNumber,
  dialledNumber,
  userOf,
} from '#sip/parties/number-format.ts';
import type { Diversion } from '#src/domain/caller-identity.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { BareDigits } from '#src/domain/read-number.ts';
import { headersOf } from './headers-of.ts';

// Calling party

const calls = test.macro<[Record<string, string>, string, { country?: Country; bare?: BareDigits }?]>({
  exec: (t, headers, number, { country = 'KR', bare = 'national' } = {}) =>
    t.is(callingParty(headersOf(headers), country, bare), number),
  title: (what) => what ?? '',
});

const from = (uri: string): Record<string, string> => ({ From: `<${uri}>;tag=1` });
const anonymousFrom = { From: '"Anonymous" <sip:anonymous@anonymous.invalid>;tag=1' };
const asserted = { 'P-Asserted-Identity': '<sip:+821012345678@carrier.example;user=phone>' };

test('reads the caller from From', calls, from('sip:01012345678@h'), '01012345678');
test('reads a number without + and 0 as domestic', calls, from('sip:821012345678@h'), '01012345678');
test(
  'prefers P-Asserted-Identity to From',
  calls,
  { ...from('sip:0299998888@h'), ...asserted },
  '01012345678',
);
test(
  'uses the first of two asserted identities that has a number',
  calls,
  {
    ...from('sip:0299998888@h'),
    'P-Asserted-Identity': '"Kim" <sip:kim@carrier.example>, <tel:+82-10-1234-5678>',
  },
  '01012345678',
);
test(
  'prefers Remote-Party-ID to From',
  calls,
  {
    ...from('sip:0299998888@h'),
    'Remote-Party-ID': '"Kim" <sip:01012345678@h>;party=calling;screen=yes;privacy=off',
  },
  '01012345678',
);
test(
  'prefers P-Asserted-Identity to Remote-Party-ID',
  calls,
  { ...from('sip:1@h'), ...asserted, 'Remote-Party-ID': '<sip:0299998888@h>;party=calling' },
  '01012345678',
);
test(
  'ignores a Remote-Party-ID of the called party',
  calls,
  { ...from('sip:01012345678@h'), 'Remote-Party-ID': '<sip:0299998888@h>;party=called;privacy=full' },
  '01012345678',
);

for (const privacy of ['id', 'user', 'header', 'header;id', 'id;critical', 'ID', 'none, id', 'user; id'])
  test(
    `withholds the number for "Privacy: ${privacy}"`,
    calls,
    { ...from('sip:01012345678@h'), ...asserted, Privacy: privacy },
    'anonymous',
  );
for (const privacy of ['none', 'history', 'session', ''])
  test(
    `does not withhold the number for "Privacy: ${privacy}"`,
    calls,
    { ...from('sip:01012345678@h'), Privacy: privacy },
    '01012345678',
  );
for (const privacy of ['full', 'uri', '"full"', 'FULL'])
  test(
    `withholds the number for Remote-Party-ID with privacy=${privacy}`,
    calls,
    { ...from('sip:01012345678@h'), 'Remote-Party-ID': `<sip:01012345678@h>;privacy=${privacy};screen=yes` },
    'anonymous',
  );
test(
  'does not withhold the number if only the name is withheld',
  calls,
  { ...anonymousFrom, ...from('sip:1@h'), 'Remote-Party-ID': '<sip:01012345678@h>;privacy=name' },
  '01012345678',
);

test('withholds the number for an anonymous From of RFC 3323', calls, anonymousFrom, 'anonymous');
test(
  'withholds a number whose URI has the host anonymous.invalid',
  calls,
  { ...from('sip:01012345678@anonymous.invalid'), ...asserted },
  'anonymous',
);
test(
  'withholds the asserted number for an anonymous From',
  calls,
  { ...anonymousFrom, ...asserted },
  'anonymous',
);
for (const user of ['anonymous', 'Anonymous', 'restricted', 'private', 'blocked'])
  test(
    `withholds the asserted number for "${user}" in From`,
    calls,
    { ...from(`sip:${user}@carrier.example`), ...asserted },
    'anonymous',
  );
for (const user of ['unavailable@unknown.invalid', 'unknown@carrier.example'])
  test(
    `does not withhold the asserted number for "${user}" in From`,
    calls,
    { ...from(`sip:${user}`), ...asserted },
    '01012345678',
  );
for (const digits of ['+266696687', '+7378742833', '+2562533', '+8656696', '+86282452253'])
  test(`treats ${digits} as a vanity word, not a number`, calls, from(`sip:${digits}@h`), 'anonymous');

test('keeps country code and + of a foreign caller', calls, from('sip:+12025550123@h'), '+12025550123');
test('replaces 00 by + for a foreign caller', calls, from('sip:0012025550123@h'), '+12025550123');
test(
  "recognizes a foreign caller without + by the trunk's number format",
  calls,
  from('sip:3223456789@h'),
  '+3223456789',
  { bare: 'international' },
);
test('keeps an extension unchanged', calls, from('sip:204@pbx.example'), '204');
test('reads a tel URI', calls, from('tel:+82-2-1234-5678'), '0212345678');
test('reads a From without brackets', calls, { From: 'sip:01012345678@h;tag=1' }, '01012345678');

test(
  'uses a number in the display name if the user of From is an account',
  calls,
  { From: '"49211123456789" <sip:trunk-account@sip.example>;tag=1' },
  '0211123456789',
  { country: 'DE' },
);
test(
  'ignores a display name that is not a number',
  calls,
  { From: '"Kim 3" <sip:kim@h>;tag=1' },
  'anonymous',
);
test('ignores the display name if the URI has a number', calls, { From: '"0299998888" <sip:204@h>' }, '204');
test('returns no caller without headers', calls, {}, 'anonymous');
test('returns no caller for an empty user', calls, from('sip:carrier.example'), 'anonymous');
test(
  'reads callers of US carriers: a number with +1, and a withheld asserted number',
  calls,
  {
    From: '"Anonymous" <sip:anonymous@10.0.0.1>',
    'P-Asserted-Identity': '<sip:+12025550123@h>',
    Privacy: 'id',
  },
  'anonymous',
  { country: 'US' },
);
test('reads a German caller number with 00', calls, from('sip:0049894531234@trunk.example'), '0894531234', {
  country: 'DE',
});

const isCalled = test.macro<[Record<string, string>, string | null]>({
  exec: (t, headers, name) => t.is(callingName(headersOf(headers), 'KR'), name),
  title: (what) => `reads the caller's name: ${what ?? ''}`,
});

test(
  'the display name of From',
  isCalled,
  { From: '"Kim, Min-ji" <sip:01012345678@h>;tag=1' },
  'Kim, Min-ji',
);
test(
  'the asserted name rather than that of From',
  isCalled,
  { From: '"Mum" <sip:01012345678@h>;tag=1', 'P-Asserted-Identity': '"김민지" <tel:+821012345678>' },
  '김민지',
);
test('no name', isCalled, from('sip:01012345678@h'), null);
test('no name if it is a number', isCalled, { From: '"010-1234-5678" <sip:account@h>;tag=1' }, null);
test('no name if it is Anonymous', isCalled, { From: '"Anonymous" <sip:01012345678@h>;tag=1' }, null);
test(
  'no name if the number is withheld',
  isCalled,
  {
    From: '"Kim" <sip:01012345678@h>;tag=1',
    'P-Asserted-Identity': '"Kim" <tel:+821012345678>',
    Privacy: 'id',
  },
  null,
);
test(
  'no name if only the name is withheld',
  isCalled,
  { From: '"Kim" <sip:01012345678@h>;tag=1', 'Remote-Party-ID': '"Kim" <sip:01012345678@h>;privacy=name' },
  null,
);
test(
  'removes unprintable characters from a name and drops a too long one',
  isCalled,
  { From: `"A\u0007\u202eB ${'x'.repeat(200)}" <sip:01012345678@h>;tag=1` },
  `A B ${'x'.repeat(96)}`,
);

// Called party

const calledPartyOf = (uri: string, headers: Record<string, string> = {}, country: Country = 'KR') =>
  calledParty({ ...headersOf(headers), uri }, country);

test('reads the called number from the Request-URI', (t) => {
  t.deepEqual(calledPartyOf('sip:07012345678@10.0.0.1', { To: '<sip:07012345678@10.0.0.1>' }), {
    numbers: ['07012345678'],
    bare: 'national',
  });
});

test('uses the Request-URI although To has a forwarded number', (t) => {
  const { numbers } = calledPartyOf('sip:07012345678@10.0.0.1', {
    To: '<sip:+82299998888@carrier.example>',
  });
  t.deepEqual(numbers, ['07012345678', '0299998888']);
});

test("reads the called number from To if the Request-URI is the gateway's own contact", (t) => {
  for (const contact of ['sip:trunk-account@10.0.0.1', 'sip:1234567@10.0.0.1', 'sip:10.0.0.1'])
    t.deepEqual(calledPartyOf(contact, { To: '"Office" <sip:+827012345678@carrier.example>' }).numbers, [
      '07012345678',
    ]);
});

test('prefers P-Called-Party-ID to a rewritten Request-URI', (t) => {
  const { numbers } = calledPartyOf('sip:07099990000@10.0.0.1', {
    'P-Called-Party-ID': '<sip:+827012345678@carrier.example;user=phone>',
    To: '<sip:+827012345678@carrier.example>',
  });
  t.deepEqual(numbers, ['07012345678', '07099990000']);
});

test('rejects a foreign or missing called number', (t) => {
  t.deepEqual(calledPartyOf('sip:+12025550123@10.0.0.1', { To: '<sip:alice@h>' }).numbers, []);
});

test('reads called numbers in the number format of the trunk, like callers', (t) => {
  t.is(calledPartyOf('sip:827012345678@10.0.0.1').bare, 'international');
  t.is(calledPartyOf('sip:account@10.0.0.1', { To: '<sip:827012345678@h>' }).bare, 'international');
  t.is(calledPartyOf('sip:+827012345678@10.0.0.1').bare, 'national');
  t.is(calledPartyOf('sip:7012345678@10.0.0.1').bare, 'national');
});

// Diversions

const diverted = test.macro<[Record<string, string>, ...Diversion[]]>({
  exec: (t, headers, ...diversions) =>
    t.deepEqual(diversionsIn(headersOf(headers), 'KR', 'national'), diversions),
  title: (what) => what ?? '',
});

const office = { number: '0212345678', reason: 'no-answer' };
const mobile = { number: '01012345678', reason: 'user-busy' };

test('returns no diversion without such headers', diverted, { From: '<sip:01012345678@h>;tag=1' });
test(
  'reads diverting numbers from Diversion, the last one first',
  diverted,
  {
    Diversion:
      '"Office, Kim" <sip:+82212345678@carrier.example;user=phone>;reason=no-answer;counter=1;privacy=off, <tel:+821012345678>;reason="User-Busy"',
  },
  office,
  mobile,
);
test(
  'reads a withheld diverting party and a diversion without a reason',
  diverted,
  { Diversion: '<sip:0212345678@h>;privacy=full;reason=unconditional, <sip:0212345678@h>' },
  { number: 'anonymous', reason: 'unconditional' },
  { number: '0212345678', reason: null },
);
test(
  'ignores an invalid reason and an invalid number of a diversion',
  diverted,
  { Diversion: '<sip:0212345678@h>;reason=<script>, <sip:kim@h>;reason=no-answer' },
  { number: '0212345678', reason: null },
);
test(
  'reads diversions from the causes of the subsequent History-Info entries, the last one first',
  diverted,
  {
    'History-Info':
      '<sip:01012345678@h>;index=1, <sip:01012345678@proxy>;index=1.1;rc=1, <sip:+82212345678@h;cause=486>;index=1.2;mp=1, <sip:07000000000@h;cause=408>;index=1.3;mp=1.2',
  },
  office,
  mobile,
);
test(
  'respects entries of History-Info that are withheld',
  diverted,
  { 'History-Info': '<sip:01012345678@h?Privacy=history>;index=1, <sip:07000000000@h;cause=302>;index=1.1' },
  { number: 'anonymous', reason: 'unconditional' },
);
test(
  'withholds all diversions for Privacy of the request',
  diverted,
  {
    'History-Info': '<sip:01012345678@h>;index=1, <sip:07000000000@h;cause=999>;index=1.1',
    Privacy: 'history;critical',
  },
  { number: 'anonymous', reason: null },
);
test(
  'prefers Diversion to History-Info',
  diverted,
  {
    Diversion: '<sip:0212345678@h>;reason=no-answer',
    'History-Info': '<sip:01012345678@h>;index=1, <sip:07000000000@h;cause=486>;index=1.1',
  },
  office,
);
test('ignores History-Info entries without a cause', diverted, {
  'History-Info': '<sip:07000000000@a>;index=1, <sip:07000000000@b>;index=1.1',
});

test('keeps the last five of many diversions', (t) => {
  const Diversion = Array.from({ length: 40 }, (_, index) => `<sip:010123456${index + 10}@h>`).join(', ');
  t.deepEqual(
    diversionsIn(headersOf({ Diversion }), 'KR', 'national').map(({ number }) => number),
    ['01012345610', '01012345611', '01012345612', '01012345613', '01012345614'],
  );
});

// Name addresses

const one = (uri: string, name = '', tag?: string): NameAddress => ({
  name,
  uri,
  parameters: new Map(tag === undefined ? [] : [['tag', tag]]),
});

const headers: readonly [string, NameAddress[]][] = [
  ['<sip:01012345678@h>;tag=1', [one('sip:01012345678@h', '', '1')]],
  ['sip:01012345678@h;tag=1', [one('sip:01012345678@h', '', '1')]],
  ['Alice <sip:alice@h>', [one('sip:alice@h', 'Alice')]],
  ['"A. \\"Al\\" <b>, c" <sip:alice@h>;tag=x', [one('sip:alice@h', 'A. "Al" <b>, c', 'x')]],
  ['"" <sip:1@h>', [one('sip:1@h')]],
  ['<sip:+821012345678@h>, <tel:+821012345678>', [one('sip:+821012345678@h'), one('tel:+821012345678')]],
  ['<sip:1@h>,<tel:1>', [one('sip:1@h'), one('tel:1')]],
  ['tel:+821012345678', [one('tel:+821012345678')]],
  ['<sip:1@h', []],
  ['"never closed <sip:1@h>', []],
  ['', []],
];
for (const [header, found] of headers)
  test(`reads ${found.length} addresses from ${JSON.stringify(header)}`, (t) => {
    t.deepEqual(nameAddressesIn(header), found);
  });

test('reads a header that it has written, and reads any text to its end', (t) => {
  const name = fc.string({ unit: fc.constantFrom('a', ' ', ',', '<', '>', '"', '\\', ';', '김') });
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
      const header = names.map(
        (text, at) => `"${text.replaceAll(/["\\]/g, '\\$&')}" <sip:${at}@h>;tag=${at}`,
      );
      t.deepEqual(
        nameAddressesIn(header.join(', ')),
        names.map((text, at) => one(`sip:${at}@h`, text.trim(), String(at))),
      );
    }),
  );
  fc.assert(fc.property(name, (header) => Array.isArray(nameAddressesIn(header))));
});

// Number format

const users: readonly [string, string][] = [
  ['sip:01012345678@trunk.example', '01012345678'],
  ['<sip:0212345678;phone-context=+82@10.0.0.1:5060;user=phone>', '0212345678'],
  ['sip:+82-10-1234-5678@trunk.example', '+821012345678'],
  ['sips:%2B821012345678@trunk.example', '+821012345678'],
  ['sip:01012345678:secret@trunk.example', '01012345678'],
  ['tel:+821012345678;ext=1', '+821012345678'],
  ['tel:010-1234-5678;phone-context=+82', '01012345678'],
  ['sip:anonymous@anonymous.invalid', 'anonymous'],
  ['sip:%ZZ@h', '%ZZ'],
  ['sip:127.0.0.1:5060', ''],
  ['', ''],
];
for (const [uri, user] of users)
  test(`reads "${user}" as the user of "${uri}"`, (t) => {
    t.is(userOf(uri), user);
  });

/** Formats in which trunks send the called number (Request-URI, To), according to the operators' own documents. */
const calledNumberOf: readonly [Country, string, string | undefined][] = [
  // Korea: usually domestic; E.164 with and without its +; sometimes without the leading 0.
  ['KR', 'sip:07012345678@10.0.0.1:5060', '07012345678'],
  ['KR', 'sip:+827012345678@gw.example;user=phone', '07012345678'],
  ['KR', 'sip:827012345678@gw.example', '07012345678'],
  ['KR', 'sip:00827012345678@gw.example', '07012345678'],
  ['KR', 'sip:8207012345678@gw.example', '07012345678'],
  ['KR', 'sip:7012345678@gw.example', '07012345678'],
  ['KR', 'sip:0212345678;npdi@gw.example', '0212345678'],
  ['KR', 'sip:0212345678;npdi;rn=0299990000@gw.example', '0212345678'],
  ['KR', 'sip:212345678;phone-context=+82@gw.example;user=phone', '0212345678'],
  ['KR', 'sip:12345678;phone-context=+822@gw.example;user=phone', '0212345678'],
  ['KR', 'tel:+82-2-1234-5678', '0212345678'],
  ['KR', 'tel:02-1234-5678;phone-context=+82', '0212345678'],
  ['KR', 'sip:15881234@gw.example', '15881234'],
  ['KR', 'sip:+8215881234@gw.example', '15881234'],
  ['KR', 'sip:8215881234@gw.example', '15881234'],
  ['KR', 'sip:+12025550123@gw.example', undefined],
  ['KR', 'sip:2025550123;phone-context=+1@gw.example', undefined],
  ['KR', 'sip:alice@gw.example', undefined],
  ['KR', 'sip:gw.example', undefined],
  // United States: +1, 1, ten digits, number portability (RFC 4694).
  ['US', 'sip:+12025550123@gw.example:5060;transport=udp', '2025550123'],
  ['US', 'sip:12025550123@gw.example', '2025550123'],
  ['US', 'sip:2025550123@gw.example', '2025550123'],
  ['US', 'sip:2025550123;rn=2023330000;npdi=yes@gw.example:5060', '2025550123'],
  ['US', 'sip:+12025550123;npdi;rn=+12023330000@gw.example', '2025550123'],
  ['US', 'sip:2025550123;phone-context=+1@gw.example;user=phone', '2025550123'],
  // Europe: +49…, 0049… and, in Germany only, 49….
  ['DE', 'sip:+49894531234@gw.example', '0894531234'],
  ['DE', 'sip:0049894531234@gw.example', '0894531234'],
  ['DE', 'sip:49894531234@gw.example', '0894531234'],
  ['DE', 'sip:0894531234@gw.example', '0894531234'],
  ['GB', 'sip:+442079460000@gw.example;user=phone', '02079460000'],
  ['GB', 'sip:442079460000@gw.example', '02079460000'],
  ['FR', 'sip:+33123456789@gw.example;user=phone', '0123456789'],
  ['FR', 'sip:0033123456789@gw.example', '0123456789'],
  ['JP', 'sip:0312345678@gw.example', '0312345678'],
];
for (const [country, uri, number] of calledNumberOf)
  test(`${country}: reads "${uri}" as a call to ${number ?? 'no number of the country'}`, (t) => {
    t.is(calledNumber(uri, country), number);
  });

const calling: readonly [Country, string, string | undefined][] = [
  ['KR', 'sip:+82212345678@h', '0212345678'],
  ['KR', 'sip:82212345678@h', '0212345678'],
  ['KR', 'sip:0082212345678@h', '0212345678'],
  ['KR', 'sip:8201012345678@h', '01012345678'],
  ['KR', 'sip:01012345678@h', '01012345678'],
  ['KR', 'sip:+12025550123@h', '+12025550123'],
  ['KR', 'sip:0012025550123@h', '+12025550123'],
  ['KR', 'sip:2025550123;phone-context=+1@h', '+12025550123'],
  ['KR', 'sip:15881234@h', '15881234'],
  ['KR', 'sip:204@pbx.example', '204'],
  ['KR', 'sip:+82010000000@h', '+82010000000'],
  ['KR', 'sip:anonymous@anonymous.invalid', undefined],
  ['KR', 'sip:alice@h', undefined],
  ['KR', 'sip:h', undefined],
  ['DE', 'sip:004972115104222@h', '072115104222'],
  ['DE', 'sip:0043123456789@h', '+43123456789'],
  ['US', 'sip:+442079460000@h', '+442079460000'],
];
for (const [country, uri, number] of calling)
  test(`${country}: reads the caller ${number ?? '(no number)'} from "${uri}"`, (t) => {
    t.is(callingNumber(uri, country), number);
  });

test("interprets ambiguous digits by the trunk's number format", (t) => {
  t.is(bareDigitsIn('sip:827012345678@h', 'KR'), 'international');
  for (const uri of [
    'sip:07012345678@h',
    'sip:+827012345678@h',
    'sip:7012345678@h',
    'sip:15881234@h',
    'sip:alice@h',
  ])
    t.is(bareDigitsIn(uri, 'KR'), 'national', uri);
  t.is(bareDigitsIn('sip:12025550123@h', 'US'), 'international');
  t.is(callingNumber('sip:3223456789@h', 'KR', 'national'), '03223456789');
  t.is(callingNumber('sip:3223456789@h', 'KR', 'international'), '+3223456789');
});

test('formats numbers for a trunk as domestic, or as E.164 if possible', (t) => {
  t.is(dialledNumber('01012345678', 'KR', 'domestic'), '01012345678');
  t.is(dialledNumber('01012345678', 'KR', 'e164'), '+821012345678');
  t.is(dialledNumber('15881234', 'KR', 'e164'), '15881234');
  t.is(dialledNumber('01012345678', 'KR', 'e164_without_plus'), '821012345678');
  t.is(dialledNumber('15881234', 'KR', 'e164_without_plus'), '15881234');
  t.is(dialledNumber('+12025550123', 'KR', 'e164'), '+12025550123');
  t.is(dialledNumber('+12025550123', 'KR', 'e164_without_plus'), '12025550123');
  t.is(dialledNumber('+12025550123', 'KR', 'domestic'), '+12025550123', 'there is no domestic form');
  t.is(dialledNumber('2025550123', 'US', 'e164'), '+12025550123');
  t.is(dialledNumber('02079460000', 'GB', 'e164'), '+442079460000');
});

test('a number formatted as E.164 is read back as the same domestic number', (t) => {
  const mobile = fc.integer({ min: 0, max: 99_999_999 }).map((n) => `010${String(n).padStart(8, '0')}`);
  const seoul = fc.integer({ min: 20_000_000, max: 99_999_999 }).map((n) => `02${n}`);
  fc.assert(
    fc.property(
      fc.oneof(mobile, seoul),
      fc.constantFrom('', '+'),
      (number, plus) =>
        calledNumber(`sip:${dialledNumber(number, 'KR', 'e164').replace('+', plus)}@h`, 'KR') === number,
    ),
  );
  t.pass();
});

// Causes

const table: readonly [number, string | undefined, UnansweredCause][] = [
  [404, undefined, 'invalid_number'],
  [410, undefined, 'invalid_number'],
  [484, undefined, 'invalid_number'],
  [604, undefined, 'invalid_number'],
  [486, undefined, 'busy'],
  [600, undefined, 'busy'],
  [603, undefined, 'declined'],
  [480, undefined, 'no_answer'],
  [487, undefined, 'no_answer'],
  [488, undefined, 'media_error'],
  [302, undefined, 'trunk_error'],
  [403, undefined, 'trunk_error'],
  [407, undefined, 'trunk_error'],
  [500, undefined, 'trunk_error'],
  [503, undefined, 'trunk_error'],
  [480, 'Q.850;cause=17;text="User busy"', 'busy'],
  [503, 'Q.850 ;cause=1', 'invalid_number'],
  [433, undefined, 'declined'],
  [485, undefined, 'invalid_number'],
  [493, undefined, 'media_error'],
  [607, undefined, 'declined'],
  [403, 'Q.850;cause=55', 'declined'],
  [404, 'Q.850;cause=23', 'invalid_number'],
  [480, 'Q.850;cause=102;text="Recovery on timer expiry"', 'trunk_error'],
  [480, 'Q.850;cause=65', 'media_error'],
  [486, 'Q.850;cause=127', 'busy'],
  [603, 'SIP;cause=603, Q.850;text="x";cause=19', 'no_answer'],
  [500, 'q.850;cause=21', 'declined'],
  [486, 'Q.850;cause=34', 'trunk_error'],
  [486, 'Q.850;cause=16;text="Normal call clearing"', 'busy'],
  [486, 'Q.850;cause=31', 'busy'],
  [486, 'SIP;cause=404', 'busy'],
  [486, 'nonsense', 'busy'],
];

for (const [status, reason, cause] of table)
  test(`${status}${reason === undefined ? '' : ` with ${reason}`} is ${cause}`, (t) => {
    t.is(unansweredCause({ status, reason, rang: true }), cause);
  });

const failed: readonly [string, boolean][] = [
  ['Q.850;cause=41;text="Temporary failure"', true],
  ['Q.850;cause=38', true],
  ['SIP;cause=200, Q.850;cause=102', true],
  ['SIP;cause=503', true],
  ['SIP;cause=408;text="Media timeout"', true],
  ['Q.850;cause=16;text="Normal call clearing"', false],
  ['Q.850;cause=16, SIP;cause=503', true],
  ['Q.850;cause=17, SIP;cause=503', false],
  ['Q.850;cause=31', false],
  ['SIP;cause=200;text="Call completed elsewhere"', false],
  ['SIP;cause=487', false],
  ['SIP;cause=480', false],
  ['', false],
];
for (const [reason, isFailure] of failed)
  test(`treats a BYE with Reason "${reason}" as ${isFailure ? 'a network failure' : 'a hangup'}`, (t) => {
    t.is(isNetworkFailure(reasonsIn(reason)), isFailure);
  });

test('treats a time-out as no answer after ringing, and as a dead trunk before', (t) => {
  t.is(unansweredCause({ status: 408, rang: true }), 'no_answer');
  t.is(unansweredCause({ status: 408, rang: false }), 'trunk_error');
});
