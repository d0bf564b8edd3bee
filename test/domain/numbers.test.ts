/** Telephone numbers: parsing, destinations, call policy, transfer targets and SIP headers. */
import test from 'ava';
import * as fc from 'fast-check';
import { platformDeniedDestinations } from '#config/policy.ts';
import {
  type CallPolicy,
  effectivePolicy,
  type PolicySettings,
  type StoredCallPolicy,
  workspacePolicy,
} from '#src/domain/call-policy.ts';
import {
  type DestinationKind,
  destinationKinds,
  destinationProblem,
  type Destinations,
  destinationsIn,
  kindsBut,
  mayDial,
  wordsOf,
} from '#src/domain/destinations.ts';
import {
  type Country,
  domesticNumber,
  internationalNumber,
  isCountry,
  maskPhoneNumber,
  normalizeDestination,
  normalizePhoneNumber,
} from '#src/domain/phone-number.ts';
import { type BareDigits, domesticFormAdvice, readPhoneNumber } from '#src/domain/read-number.ts';
import {
  areDifferentHeaders,
  isSipHeaderValue,
  sipHeaderName,
  takenHeaders,
  unlistedHeaders,
} from '#src/domain/sip-headers.ts';
import { mayBeTransferredTo, transferTarget } from '#src/domain/transfer-targets.ts';

// Phone number

const korean = (input: string): string | undefined => normalizePhoneNumber(input, 'KR');

/** The number, and its description. */
const accepted = test.macro<[Country, string, string, string?]>({
  exec: (t, country, _, input, digits = input.replaceAll(/[- ]/g, '')) =>
    t.is(normalizePhoneNumber(input, country), digits),
  title: (_, country, what, input) => `${country}: accepts ${what}: ${JSON.stringify(input)}`,
});

test(accepted, 'KR', 'a mobile number', '01000000001');
test(accepted, 'KR', 'a mobile number with hyphens', '010-1234-5678');
test(accepted, 'KR', 'a mobile number with spaces', ' 010 1234 5678 ');
test(accepted, 'KR', 'a mobile number of the last block', '010-5999-9999');
test(accepted, 'KR', 'an old mobile number of ten digits', '011-123-4567');
test(accepted, 'KR', 'an old mobile number of eleven digits', '011-9123-4567');
for (const prefix of ['016', '017', '018', '019'])
  test(accepted, 'KR', 'an old mobile number', `${prefix}-234-5678`);
test(accepted, 'KR', 'a number in Seoul', '02-1234-5678');
test(accepted, 'KR', 'a short number in Seoul', '02-123-4567');
for (const area of '031 032 033 041 042 043 044 051 052 053 054 055 061 062 063 064'.split(' ')) {
  test(accepted, 'KR', 'a number with an area code', `${area}-234-5678`);
  test(accepted, 'KR', 'a long number with an area code', `${area}-2345-6789`);
}
test(accepted, 'KR', 'an internet telephone number', '070-1234-5678');
test(accepted, 'KR', 'the number of a first start', '07000000000');
test(accepted, 'KR', 'a free-phone number', '080-123-4567');
test(accepted, 'KR', 'a number of a paid service', '060-700-1234');
test(accepted, 'KR', 'a virtual number of eleven digits', '0505-123-4567');
test(accepted, 'KR', 'a virtual number of twelve digits', '0502-1234-5678');
test(accepted, 'KR', 'a unified messaging number of eleven digits', '0303-123-4567');
test(accepted, 'KR', 'a unified messaging number of twelve digits', '0303-1234-5678');
for (const service of '1522 1533 1544 1566 1577 1588 1599 1600 1644 1660 1661 1666 1668 1670 1688 1800 1811 1833 1855 1877 1899'.split(
  ' ',
))
  test(accepted, 'KR', 'a service number', `${service}-0001`);

for (const callee of Array.from(
  { length: 14 },
  (_, index) => `010000000${String(index + 1).padStart(2, '0')}`,
))
  test(accepted, 'KR', 'a telephone of the simulated line', callee);
test(accepted, 'KR', 'the number of a web phone', '01055559999');

test(accepted, 'US', 'a number', '202-555-0123');
test(accepted, 'US', 'a number with the 1 before it', '1 202 555 0123', '2025550123');
test(accepted, 'US', 'a free-phone number', '800-555-0199');
test(accepted, 'GB', 'a number in London', '020 7946 0000');
test(accepted, 'GB', 'a number of ten digits', '016977 2345');
test(accepted, 'GB', 'a mobile number', '07400 123456');
test(accepted, 'GB', 'a mobile number of Guernsey', '07911 123456');
test(accepted, 'GB', 'a number in Jersey', '01534 456789');
test(accepted, 'GB', 'a mobile number kept for examples', '07700 900123');
test(accepted, 'GB', 'a number kept for examples', '01632 960001');
test(accepted, 'GB', 'a short free-phone number', '0800 1111');
test(accepted, 'DE', 'a short number in Munich', '089 8950');
test(accepted, 'DE', 'a number in Berlin', '030 123456');
test(accepted, 'DE', 'a mobile number of eleven digits', '0163 1234567');
test(accepted, 'DE', 'a mobile number of twelve digits', '01511 2345678');
test(accepted, 'FR', 'a number in Paris', '01 23 45 67 89');
test(accepted, 'FR', 'a mobile number', '06 12 34 56 78');
test(accepted, 'FR', 'a mobile number kept for examples', '06 39 98 12 34');
test(accepted, 'FR', 'an internet telephone number', '09 77 12 34 56');
test(accepted, 'JP', 'a number in Tokyo', '03-1234-5678');
test(accepted, 'JP', 'a mobile number', '090-1234-5678');
test(accepted, 'JP', 'an internet telephone number', '050-1234-5678');
test(accepted, 'JP', 'a free-phone number', '0120-123-456');

const refused = test.macro<[Country, string, string]>({
  exec: (t, country, _, input) => t.is(normalizePhoneNumber(input, country), undefined),
  title: (_, country, what, input) => `${country}: rejects ${what}: ${JSON.stringify(input)}`,
});

test(refused, 'KR', 'the international form', '+821012345678');
test(refused, 'KR', 'the international form with hyphens', '+82-10-1234-5678');
test(refused, 'KR', 'the international form without its +', '821012345678');
test(refused, 'KR', 'an international prefix', '00821012345678');
test(refused, 'KR', "an operator's international prefix", '0070012025550123');
test(refused, 'KR', 'a free-phone number from abroad', '007981234567');
test(refused, 'KR', 'a number without its leading 0', '1012345678');
test(refused, 'KR', 'nothing', '');
test(refused, 'KR', 'nothing but separators', ' - - ');
test(refused, 'KR', 'a number with letters', '010-CALL-ME');
test(refused, 'KR', 'an address', 'sip:01012345678@example.com');
test(refused, 'KR', 'too few digits', '0101234');
test(refused, 'KR', 'a mobile number of nine digits', '010000000');
test(refused, 'KR', 'a mobile number of ten digits', '0101234567');
test(refused, 'KR', 'a mobile number of twelve digits', '010123456789');
test(refused, 'KR', 'too many digits', '010123456789012');
test(refused, 'KR', 'a number in Seoul with too few digits', '02-123-456');
test(refused, 'KR', 'a number in Seoul with too many digits', '02-1234-56789');
test(refused, 'KR', 'a number in Busan with too few digits', '051-123-456');
test(refused, 'KR', 'a number with an area code that does not exist', '036-123-4567');
test(refused, 'KR', 'an internet telephone number with too few digits', '070-123-4567');
test(refused, 'KR', 'a free-phone number with too many digits', '080-1234-5678');
test(refused, 'KR', 'a service number with too many digits', '1588-12345');
test(refused, 'KR', 'a service number with too few digits', '1588-123');
test(refused, 'KR', 'a service number with a 0 before it', '01588-1234');
test(refused, 'KR', 'an emergency number', '112');
test(refused, 'KR', 'directory enquiries', '114');
test(refused, 'KR', 'directory enquiries behind an area code', '02-114');
test(refused, 'KR', 'a special number behind an area code', '031-1201');
test(refused, 'KR', 'digits of another script', '٠١٠١٢٣٤٥٦٧٨');
test(refused, 'KR', 'full-width digits', '０１０１２３４５６７８');
test(refused, 'KR', 'a tab between the digits', '010\t12345678');
test(refused, 'KR', 'a line break at the end', '01012345678\n');
test(refused, 'KR', 'a very long text of separators', '0'.padEnd(100, '-'));

test(refused, 'US', 'an emergency number', '911');
test(refused, 'US', 'a number without its area code', '555-0123');
test(refused, 'US', 'an area code that cannot be', '123-456-7890');
test(refused, 'US', 'another country behind the same code', '242-322-1234');
test(refused, 'US', 'the international form', '+1 202 555 0123');
test(refused, 'US', 'an international prefix', '011 82 10 1234 5678');
test(refused, 'GB', 'a mobile number that is too short', '07911 12345');
test(refused, 'GB', 'a number in London that is too short', '020 7946 000');
test(refused, 'GB', 'the international form without its +', '442079460000');
test(refused, 'GB', 'a number without its leading 0', '2079460000');
test(refused, 'GB', 'an emergency number', '999');
test(refused, 'DE', 'a mobile number that is too short', '01511 234567');
test(refused, 'DE', 'the international form without its +', '4930123456');
test(refused, 'DE', 'an emergency number', '110');
test(refused, 'FR', 'a mobile number that is too short', '06 12 34 56');
test(refused, 'FR', 'a mobile number that is too long', '06 12 34 56 78 9');
test(refused, 'FR', 'a short number', '3631');
test(refused, 'JP', 'a mobile number that is too short', '090-1234-567');
test(refused, 'JP', 'a number in Tokyo that is too short', '03-1234-567');
test(refused, 'JP', 'an emergency number', '110');
test(refused, 'JP', 'the international form', '+81312345678');

/** A random number in one of Korea's notations. */
const koreanNumber = fc.oneof(
  fc.stringMatching(/^010\d{8}$/),
  fc.stringMatching(/^0(2|3[1-3]|4[1-4]|5[1-5]|6[1-4])[2-9]\d{6}$/),
  fc.stringMatching(/^1[568]\d{6}$/),
);

test('ignores hyphens and spaces at any place of a number', (t) => {
  const separators = fc.array(fc.constantFrom('', '', '-', ' '), { minLength: 14, maxLength: 14 });
  fc.assert(
    fc.property(koreanNumber, separators, (digits, between) => {
      const written =
        digits
          .split('')
          .map((digit, index) => `${between[index]}${digit}`)
          .join('') + between.at(-1);
      return korean(written) === digits;
    }),
  );
  t.pass();
});

test('normalizes a number to digits that normalize to themselves', (t) => {
  const inputs = fc.oneof(
    koreanNumber,
    fc.string(),
    fc.stringMatching(/^[0-9 +-]{0,16}$/),
    fc.string({ unit: fc.constantFrom(...'0123456789+- a٣'.split('')), maxLength: 16 }),
  );
  fc.assert(
    fc.property(inputs, fc.constantFrom<Country[]>('KR', 'JP', 'US', 'GB', 'DE', 'FR'), (input, country) => {
      const digits = normalizePhoneNumber(input, country);
      return (
        digits === undefined || (/^[0-9]+$/.test(digits) && normalizePhoneNumber(digits, country) === digits)
      );
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('never accepts +82 or a letter at any place', (t) => {
  const alien = fc.oneof(fc.constant('+82'), fc.constant('+'), fc.stringMatching(/^[A-Za-z]$/));
  fc.assert(
    fc.property(koreanNumber, alien, fc.nat({ max: 12 }), (digits, text, at) => {
      return korean(digits.slice(0, at) + text + digits.slice(at)) === undefined;
    }),
  );
  fc.assert(fc.property(koreanNumber, (digits) => korean(`+82${digits.slice(1)}`) === undefined));
  t.pass();
});

test('recognizes a country by its two-letter code', (t) => {
  t.true(isCountry('KR'));
  t.false(isCountry('XX'));
  t.false(isCountry('kr'));
});

test('masks a number except for its first and last digits', (t) => {
  t.is(maskPhoneNumber('01012345678'), '010•••••678');
  t.is(maskPhoneNumber('15881234'), '158••234');
});

test('leaves a withheld number unmasked', (t) => {
  t.is(maskPhoneNumber('anonymous'), 'anonymous');
  t.is(maskPhoneNumber('+12025550123'), '+12••••••123');
});

const abroad = test.macro<[Country, string, string]>({
  exec(t, country, number, international) {
    t.is(internationalNumber(number, country), international);
    t.is(domesticNumber(international, country), number);
  },
  title: (_, country, number, international) =>
    `${country}: ${number} is ${international} internationally, and back`,
});
test(abroad, 'KR', '01012345678', '+821012345678');
test(abroad, 'KR', '021234567', '+8221234567');
test(abroad, 'KR', '050212345678', '+8250212345678');
test(abroad, 'KR', '030312345678', '+8230312345678');
test(abroad, 'US', '2025550123', '+12025550123');
test(abroad, 'GB', '02079460000', '+442079460000');
test(abroad, 'GB', '07700900123', '+447700900123');
test(abroad, 'DE', '0898950', '+49898950');
test(abroad, 'FR', '0612345678', '+33612345678');
test(abroad, 'JP', '0312345678', '+81312345678');

test('has no international form for a service number, and no form for an invalid number', (t) => {
  t.is(internationalNumber('15881234', 'KR'), undefined);
  t.is(internationalNumber('010000000', 'KR'), undefined);
  t.is(domesticNumber('+8215881234', 'KR'), '15881234');
  t.is(domesticNumber('+12025550123', 'KR'), undefined);
  t.is(domesticNumber('+821', 'KR'), undefined);
});

test('shows at most six digits of a masked number, and none of a short one', (t) => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{0,20}$/), (number) => {
      const masked = maskPhoneNumber(number);
      const shown = masked.replaceAll('•', '').length;
      return masked.length === number.length && shown <= 6 && (number.length > 6 || shown === 0);
    }),
  );
  t.pass();
});

// Read number

const reads = test.macro<[Country, string, string | undefined, BareDigits?]>({
  exec: (t, country, written, number, bare) => t.is(readPhoneNumber(written, country, bare), number),
  title: (_, country, written, number, bare = 'national') =>
    `${country}: "${written}" is ${number ?? 'no number'}${bare === 'national' ? '' : ', where trunks leave out the +'}`,
});

for (const [country, domestic, forms] of [
  ['KR', '01012345678', ['+821012345678', '821012345678', '00821012345678', '1012345678']],
  ['KR', '01012345678', ['+8201012345678', '8201012345678', '008201012345678', '00700821012345678']],
  ['KR', '0212345678', ['+82212345678', '82212345678', '212345678', '+820212345678']],
  ['KR', '07012345678', ['+827012345678', '827012345678', '7012345678']],
  ['KR', '030312345678', ['+8230312345678', '8230312345678', '30312345678']],
  ['KR', '15881234', ['15881234', '+8215881234', '8215881234']],
  ['US', '2025550123', ['+12025550123', '12025550123', '2025550123', '0012025550123', '01112025550123']],
  ['GB', '02079460000', ['+442079460000', '442079460000', '00442079460000', '2079460000', '+4402079460000']],
  ['DE', '030123456', ['+4930123456', '4930123456', '004930123456', '30123456', '+49030123456']],
  ['FR', '0612345678', ['+33612345678', '33612345678', '0033612345678', '612345678', '+330612345678']],
  ['JP', '0312345678', ['+81312345678', '81312345678', '0081312345678', '312345678', '01081312345678']],
] as const)
  for (const written of forms) test(reads, country, written, domestic);

test(reads, 'DE', '494211234567', '04211234567');
test(reads, 'KR', '+821059999999', '01059999999');
test(reads, 'KR', '+12025550123', '+12025550123');
test(reads, 'KR', '12025550123', '+12025550123');
test(reads, 'KR', '0012025550123', '+12025550123');
test(reads, 'KR', '0070012025550123', '+12025550123');
test(reads, 'KR', '442079460000', '+442079460000');
test(reads, 'KR', '8613812345678', '+8613812345678');
test(reads, 'US', '+821012345678', '+821012345678');
test(reads, 'US', '011821012345678', '+821012345678');
test(reads, 'US', '+14165550123', '+14165550123');
test(reads, 'GB', '+441534456789', '01534456789');
test(reads, 'JE', '+442079460000', '+442079460000');
test(reads, 'DE', '0043123456789', '+43123456789');

test(reads, 'KR', '3223456789', '03223456789');
test(reads, 'KR', '3223456789', '+3223456789', 'international');
test(reads, 'DE', '43123456789', '+43123456789', 'international');
test(reads, 'KR', '01012345678', '01012345678', 'international');
test(reads, 'KR', '15881234', '15881234', 'international');

for (const none of [
  '',
  '+',
  '1004',
  '+821',
  '010000000',
  '+82010000000',
  '0000000000',
  'alice',
  '+82 10',
  '82-10',
])
  test(reads, 'KR', none, undefined);

const advised = test.macro<[Country, string, string | undefined]>({
  exec: (t, country, written, advice) => t.is(domesticFormAdvice(written, country), advice),
  title: (_, country, written, advice) =>
    `${country}: gives the advice "${advice ?? 'none'}" for "${written}"`,
});

test(advised, 'KR', '+821012345678', 'write 0 in place of +82');
test(advised, 'KR', '+82 10-1234-5678', 'write 0 in place of +82');
test(advised, 'KR', '+82 010-1234-5678', 'leave out +82');
test(advised, 'KR', '00821012345678', 'write 0 in place of 0082');
test(advised, 'KR', '821012345678', 'write 0 in place of 82');
test(advised, 'KR', '1012345678', 'write 0 before it');
test(advised, 'KR', '+8215881234', 'leave out +82');
test(advised, 'KR', '(010) 1234.5678', 'write digits alone, with hyphens and spaces at most');
test(advised, 'US', '+12025550123', 'leave out +1');
test(advised, 'GB', '+44 20 7946 0000', 'write 0 in place of +44');
test(advised, 'KR', '+12025550123', undefined);
test(advised, 'KR', 'alice', undefined);
test(advised, 'KR', '0'.repeat(41), undefined);

test('reads any text as a domestic number, a number with + or none, and the result as itself', (t) => {
  const written = fc.oneof(
    fc.stringMatching(/^\+?\d{1,20}$/),
    fc.stringMatching(/^(\+?82|0082|)0?10\d{8}$/),
    fc.string(),
  );
  let numbers = 0;
  fc.assert(
    fc.property(
      written,
      fc.constantFrom<Country[]>('KR', 'US', 'GB', 'DE', 'FR', 'JP'),
      fc.constantFrom<BareDigits[]>('national', 'international'),
      (text, country, bare) => {
        const number = readPhoneNumber(text, country, bare);
        if (number === undefined) return true;
        numbers += 1;
        const isWhole = number.startsWith('+') || normalizePhoneNumber(number, country) === number;
        return isWhole && readPhoneNumber(number, country, bare) === number;
      },
    ),
    { numRuns: 2_000 },
  );
  t.true(numbers > 200, `${numbers}`);
});

// Destinations

const rules = (words: string): Destinations => {
  const read = destinationsIn(words === '' ? [] : words.split(' '));
  if ('wrong' in read) throw new Error(`${read.wrong} is no destination`);
  return read;
};

const usual = kindsBut(platformDeniedDestinations).join(' ');

/** Returns the problem of a number under several rules, each of which must permit the number. */
const problem = (number: string, country: Country, ...words: string[]) =>
  destinationProblem({ destinations: words.map(rules) }, number, country);

const kindOf = test.macro<[Country, string, DestinationKind]>({
  exec: (t, country, number, kind) => {
    t.is(problem(number, country, ''), kind);
    t.is(problem(number, country, kind), undefined);
  },
  title: (_, country, number, kind) => `${country}: classifies ${number} as ${kind}`,
});

for (const [number, kind] of [
  ['01000000001', 'mobile'],
  ['01012345678', 'mobile'],
  ['0212345678', 'fixed_line'],
  ['0801234567', 'toll_free'],
  ['07012345678', 'voip'],
  ['050512345678', 'personal'],
  ['03012345678', 'personal'],
  ['15881234', 'uan'],
  ['18000000', 'uan'],
  ['0607001234', 'premium'],
] as const)
  test(kindOf, 'KR', number, kind);
test(kindOf, 'US', '9005551234', 'premium');
test(kindOf, 'GB', '07700900123', 'mobile');
test(kindOf, 'GB', '01632960123', 'fixed_line');
test(kindOf, 'GB', '09098790000', 'premium');
test(kindOf, 'DE', '018012345', 'shared_cost');

test('the platform default permits domestic numbers, but no premium or foreign numbers', (t) => {
  for (let callee = 1; callee <= 9; callee += 1) t.is(problem(`0100000000${callee}`, 'KR', usual), undefined);
  for (const number of ['0212345678', '15881234', '0801234567', '07012345678', '050512345678'])
    t.is(problem(number, 'KR', usual), undefined);
  t.is(problem('0607001234', 'KR', usual), 'premium');
  t.is(problem('+12025550123', 'KR', usual), 'international');
});

test('permits a number that may be mobile or fixed if either kind is permitted', (t) => {
  t.is(problem('2025550123', 'US', 'mobile'), undefined);
  t.is(problem('2025550123', 'US', 'fixed_line'), undefined);
  t.is(problem('2025550123', 'US', 'voip'), 'fixed_line');
});

test('requires a permitted kind for a foreign number as well', (t) => {
  t.is(problem('+442079460000', 'KR', 'international'), 'fixed_line');
  t.is(problem('+442079460000', 'KR', 'international fixed_line'), undefined);
  t.is(problem('+449098790000', 'KR', 'international fixed_line'), 'premium');
  t.is(problem('+442079460000', 'KR', 'fixed_line premium'), 'international');
});

test('treats islands that share the country code as foreign', (t) => {
  t.is(problem('+18765551234', 'US', usual), 'international');
  t.is(problem('+12025550123', 'US', usual), undefined);
});

test('permits satellite and international networks only by their prefix', (t) => {
  const everything = destinationKinds.join(' ');
  for (const number of ['+870773111632', '+8821612345678', '+979123456789']) {
    t.is(problem(number, 'KR', everything), 'no_country');
    t.is(problem(number, 'KR', `${everything} ${number.slice(0, 4)}`), undefined);
  }
});

test('applies the longest matching prefix before any kind', (t) => {
  t.is(problem('0607001234', 'KR', '060'), undefined);
  t.is(problem('0607001234', 'KR', '060 !060700'), 'denied_prefix');
  t.is(problem('0607001234', 'KR', '060 !060700 0607001'), undefined);
  t.is(problem('01012345678', 'KR', `${usual} !0101`), 'denied_prefix');
  t.is(problem('01022345678', 'KR', `${usual} !0101`), undefined);
  t.is(problem('01012345678', 'KR', '010 !010'), 'denied_prefix', 'of two that are as long');
});

test('compares a prefix that has a country code with the number in international format', (t) => {
  t.is(problem('0607001234', 'KR', '+8260'), undefined);
  t.is(problem('01012345678', 'KR', `${usual} !+8210`), 'denied_prefix');
  t.is(problem('+442079460000', 'KR', '+44'), undefined);
  t.is(problem('+442079460000', 'KR', '44'), 'international', 'plain digits are of this country');
});

test('the destinations of a number restrict those of its workspace and never extend them', (t) => {
  t.is(problem('0212345678', 'KR', usual, 'mobile'), 'fixed_line');
  t.is(problem('01012345678', 'KR', usual, 'mobile'), undefined);
  t.is(problem('0607001234', 'KR', usual, 'premium 060'), 'premium');
  t.is(problem('01012345678', 'KR', usual, ''), 'mobile');
});

test('never permits emergency numbers or special numbers', (t) => {
  const everything = `${destinationKinds.join(' ')} 0 1 9 +`.replace(' +', '');
  for (const number of ['112', '119', '911', '999', '110', '000'])
    for (const country of ['KR', 'US', 'GB'] as const) {
      t.is(problem(number, country, everything), 'emergency');
      t.is(normalizeDestination(number, country), undefined);
    }
  for (const number of ['', '1', '02119', '114', '00700', 'abc', '+', '+82', '+999123456'])
    t.is(problem(number, 'KR', everything), 'unknown', number);
});

test('permits a call exactly if there is no reason against it', (t) => {
  t.true(mayDial({ destinations: [rules(usual)] }, '01000000001', 'KR'));
  t.false(mayDial({ destinations: [rules(usual)] }, '0607001234', 'KR'));
});

test('reads and writes destinations as the same words', (t) => {
  t.deepEqual(rules('mobile +4420 !0505 02'), {
    kinds: ['mobile'],
    allowedPrefixes: ['+4420', '02'],
    deniedPrefixes: ['0505'],
  });
  for (const wrong of ['Mobile', 'landline', '!mobile', '+', '!', '02-1234', ''])
    t.deepEqual(destinationsIn(['mobile', wrong]), { wrong });
  const word = fc.oneof(fc.constantFrom(...destinationKinds), fc.stringMatching(/^!?\+?\d{1,15}$/));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      t.deepEqual(wordsOf(rules(words.join(' '))).toSorted(), words.toSorted());
    }),
  );
});

const destination = test.macro<[string, string | undefined]>({
  exec: (t, written, number) => t.is(normalizeDestination(written, 'KR'), number),
  title: (_, written, number) => `reads the callee ${JSON.stringify(written)} as ${number}`,
});
test(destination, ' 010-0000 0001', '01000000001');
test(destination, '+1 202 555 0123', '+12025550123');
test(destination, '+44-20-7946-0000', '+442079460000');
test(destination, '+821012345678', undefined);
test(destination, '+82010 1234 5678', undefined);
test(destination, '+1', undefined);
test(destination, '+1 202 555 01234', undefined);
test(destination, '12025550123', undefined);
test(destination, '0012025550123', undefined);
test(destination, '+1(202)5550123', undefined);
test(destination, `+${'1'.repeat(60)}`, undefined);

// Call policy

const only = (...kinds: DestinationKind[]): Destinations => ({
  kinds,
  allowedPrefixes: [],
  deniedPrefixes: [],
});

const nothing: StoredCallPolicy = {
  maxDurationSec: null,
  defaultDurationSec: null,
  silenceTimeoutSec: null,
  ringTimeoutSec: null,
  maxConcurrentCalls: null,
  recordingEnabled: null,
  bargeIn: null,
  turnEnd: null,
  retentionDays: null,
  consent: null,
  destinations: null,
};

const platform: PolicySettings = {
  maxDurationSec: 1800,
  defaultDurationSec: 600,
  silenceTimeoutSec: 30,
  ringTimeoutSec: 45,
  maxConcurrentCalls: 10,
  recordingEnabled: true,
  bargeIn: { mode: 'pause', onsetMs: 80, speechMs: 600, resumeMs: 500 },
  turnEnd: { mode: 'pause', minSilenceMs: 200, maxSilenceMs: 3_000 },
  retentionDays: { recordings: null, words: null },
  consent: { announce: null, require: 'none' },
  destinations: only('mobile', 'fixed_line'),
};

const workspace: PolicySettings = {
  maxDurationSec: 1200,
  defaultDurationSec: 500,
  silenceTimeoutSec: 20,
  ringTimeoutSec: 40,
  maxConcurrentCalls: 5,
  recordingEnabled: false,
  bargeIn: { mode: 'stop', onsetMs: 90, speechMs: 700, resumeMs: 600 },
  turnEnd: { mode: 'recognizer', minSilenceMs: 300, maxSilenceMs: 4_000 },
  retentionDays: { recordings: 30, words: null },
  consent: { announce: 'We record.', require: 'none' },
  destinations: only('fixed_line'),
};

const number: PolicySettings = {
  maxDurationSec: 900,
  defaultDurationSec: 400,
  silenceTimeoutSec: 10,
  ringTimeoutSec: 35,
  maxConcurrentCalls: 2,
  recordingEnabled: true,
  bargeIn: { mode: 'off', onsetMs: 100, speechMs: 800, resumeMs: 700 },
  turnEnd: { mode: 'model', minSilenceMs: 400, maxSilenceMs: 5_000 },
  retentionDays: { recordings: 7, words: 0 },
  consent: { announce: 'May we record?', require: 'speech' },
  destinations: only('toll_free'),
};

/** The resulting policy of a call when each of these sets permitted destinations. */
const inForce = (settings: PolicySettings, ...destinations: Destinations[]): CallPolicy => ({
  ...settings,
  destinations,
});

test("uses the platform's setting if neither number nor workspace has one", (t) => {
  t.deepEqual(effectivePolicy(nothing, nothing, platform), inForce(platform, platform.destinations));
});

test("uses the workspace's setting if the number has none", (t) => {
  t.deepEqual(effectivePolicy(nothing, workspace, platform), inForce(workspace, workspace.destinations));
});

test('prefers a setting of the number to that of its workspace', (t) => {
  t.deepEqual(
    effectivePolicy(number, workspace, platform),
    inForce(number, workspace.destinations, number.destinations),
  );
});

test('combines permitted destinations of the workspace, or else the platform, with those of the number', (t) => {
  const { destinations } = number;
  t.deepEqual(effectivePolicy({ ...nothing, destinations }, nothing, platform).destinations, [
    platform.destinations,
    destinations,
  ]);
  t.deepEqual(workspacePolicy(nothing, platform), platform);
  t.deepEqual(workspacePolicy(workspace, platform), workspace);
});

for (const name of Object.keys(platform).filter((one) => one !== 'destinations'))
  test(`inherits ${name} independently of other settings`, (t) => {
    t.deepEqual(effectivePolicy({ ...nothing, ...pick(number, name) }, nothing, platform), {
      ...inForce(platform, platform.destinations),
      ...pick(number, name),
    });
    t.deepEqual(effectivePolicy({ ...number, [name]: null }, workspace, platform), {
      ...inForce(number, workspace.destinations, number.destinations),
      ...pick(workspace, name),
    });
  });

const pick = (policy: PolicySettings, wanted: string): Partial<Omit<PolicySettings, 'destinations'>> =>
  Object.fromEntries(Object.entries(policy).filter(([name]) => name === wanted));

test('keeps an explicit false instead of inheriting', (t) => {
  const silent = { ...nothing, recordingEnabled: false };
  t.false(effectivePolicy(silent, nothing, platform).recordingEnabled);
  t.true(effectivePolicy({ ...nothing, recordingEnabled: true }, silent, platform).recordingEnabled);
});

test('disables recording if the retention is zero days', (t) => {
  const fleeting = { ...nothing, retentionDays: { recordings: 0, words: null } };
  t.false(effectivePolicy({ ...fleeting, recordingEnabled: true }, nothing, platform).recordingEnabled);
  t.true(
    effectivePolicy({ ...nothing, retentionDays: { recordings: 1, words: 0 } }, fleeting, platform)
      .recordingEnabled,
  );
});

test('limits a call without a requested duration to the maximum', (t) => {
  const short = { ...nothing, maxDurationSec: 120 };
  t.like(effectivePolicy(short, nothing, platform), { maxDurationSec: 120, defaultDurationSec: 120 });
});

// Transfer targets

const may = (number: string, ...targets: string[]): boolean => mayBeTransferredTo(number, targets, 'KR');

test('permits transfers only to named targets', (t) => {
  t.false(may('0212345678'));
  t.false(may('0212345678', '0212345679', '0313456*'));
});

test('a complete number permits itself, and a prefix permits all numbers that start with it', (t) => {
  t.true(may('0212345678', '0212345678'));
  t.true(may('0212345678', '0212345*'));
  t.false(may('0212345678', '021234567'));
});

test('a prefix permits no premium numbers, but a complete number does', (t) => {
  t.false(may('0607001234', '060*'));
  t.true(may('0607001234', '0607001234'));
});

test('never permits a transfer to an emergency number', (t) => {
  t.false(may('119', '119'));
  t.false(may('112', '11*'));
});

test('a transfer target has only digits, with an asterisk only at its end', (t) => {
  for (const target of ['0212345678', '021*']) t.regex(target, transferTarget);
  for (const target of ['*', '0*', '02*1', '+82*', '']) t.notRegex(target, transferTarget);
});

// SIP headers

test('rejects header names that SIP or a server interprets', (t) => {
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

test('accepts single-line header values and passes them unchanged', (t) => {
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

test('rejects header values that could start another header', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (value) => {
      fc.pre(isSipHeaderValue(value));
      t.is(`X-A: ${value}`.split(/[\r\n\u0085\u2028\u2029]/).length, 1);
      t.true(Buffer.byteLength(value) <= 255);
    }),
  );
});

test('compares header names case-insensitively', (t) => {
  t.deepEqual(unlistedHeaders(['x-ticket', 'X-Other', 'X-More'], ['X-Ticket', 'X-MORE']), ['X-Other']);
  t.false(areDifferentHeaders(['X-Ticket', 'x-ticket']));
  t.true(areDifferentHeaders(['X-Ticket', 'X-Ticket-2']));
});

test('keeps permitted headers and drops headers that cannot be stored completely', (t) => {
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
