import test from 'ava';
import * as fc from 'fast-check';
import {
  domesticNumber,
  internationalNumber,
  isCountry,
  maskPhoneNumber,
  normalizePhoneNumber,
  type Country,
} from '#src/domain/phone-number.ts';

const korean = (input: string): string | undefined => normalizePhoneNumber(input, 'KR');

/** The number, and what it is. */
const accepted = test.macro<[Country, string, string, string?]>({
  exec: (t, country, _, input, digits = input.replaceAll(/[- ]/g, '')) =>
    t.is(normalizePhoneNumber(input, country), digits),
  title: (_, country, what, input) => `${country}: ${what} is accepted: ${JSON.stringify(input)}`,
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
  title: (_, country, what, input) => `${country}: ${what} is refused: ${JSON.stringify(input)}`,
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

/** Any number in one of Korea's forms. */
const koreanNumber = fc.oneof(
  fc.stringMatching(/^010\d{8}$/),
  fc.stringMatching(/^0(2|3[1-3]|4[1-4]|5[1-5]|6[1-4])[2-9]\d{6}$/),
  fc.stringMatching(/^1[568]\d{6}$/),
);

test('hyphens and spaces never change the result, wherever they stand', (t) => {
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

test('what is accepted is digits alone, and is accepted again as it is', (t) => {
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

test('neither +82 nor a letter is ever accepted, wherever it stands', (t) => {
  const alien = fc.oneof(fc.constant('+82'), fc.constant('+'), fc.stringMatching(/^[A-Za-z]$/));
  fc.assert(
    fc.property(koreanNumber, alien, fc.nat({ max: 12 }), (digits, text, at) => {
      return korean(digits.slice(0, at) + text + digits.slice(at)) === undefined;
    }),
  );
  fc.assert(fc.property(koreanNumber, (digits) => korean(`+82${digits.slice(1)}`) === undefined));
  t.pass();
});

test('a country is known by its two letters', (t) => {
  t.true(isCountry('KR'));
  t.false(isCountry('XX'));
  t.false(isCountry('kr'));
});

test('a mask keeps both ends of a number', (t) => {
  t.is(maskPhoneNumber('01012345678'), '010•••••678');
  t.is(maskPhoneNumber('15881234'), '158••234');
});

test('who shows no number has nothing to mask', (t) => {
  t.is(maskPhoneNumber('anonymous'), 'anonymous');
  t.is(maskPhoneNumber('+12025550123'), '+12••••••123');
});

const abroad = test.macro<[Country, string, string]>({
  exec(t, country, number, international) {
    t.is(internationalNumber(number, country), international);
    t.is(domesticNumber(international, country), number);
  },
  title: (_, country, number, international) => `${country}: ${number} is ${international} abroad, and back`,
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

test('a service number is dialled only within its country, and what is no number nowhere', (t) => {
  t.is(internationalNumber('15881234', 'KR'), undefined);
  t.is(internationalNumber('010000000', 'KR'), undefined);
  t.is(domesticNumber('+8215881234', 'KR'), '15881234');
  t.is(domesticNumber('+12025550123', 'KR'), undefined);
  t.is(domesticNumber('+821', 'KR'), undefined);
});

test('a mask never shows more than six digits, nor a short number at all', (t) => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{0,20}$/), (number) => {
      const masked = maskPhoneNumber(number);
      const shown = masked.replaceAll('•', '').length;
      return masked.length === number.length && shown <= 6 && (number.length > 6 || shown === 0);
    }),
  );
  t.pass();
});
