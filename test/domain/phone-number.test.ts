import test from 'ava';
import * as fc from 'fast-check';
import { isCountry, maskPhoneNumber, normalizePhoneNumber } from '#src/domain/phone-number.ts';

const korean = (input: string): string | undefined => normalizePhoneNumber(input, 'KR');

const accepted = test.macro<[string, string, string]>({
  exec: (t, _, input, digits) => t.is(korean(input), digits),
  title: (_, what, input) => `${what} is accepted: ${JSON.stringify(input)}`,
});

test(accepted, 'a mobile number', '01000000001', '01000000001');
test(accepted, 'a mobile number with hyphens', '010-1234-5678', '01012345678');
test(accepted, 'a mobile number with spaces', ' 010 1234 5678 ', '01012345678');
test(accepted, 'an old mobile number of ten digits', '011-123-4567', '0111234567');
test(accepted, 'a number in Seoul', '02-1234-5678', '0212345678');
test(accepted, 'a short number in Seoul', '02-123-4567', '021234567');
test(accepted, 'a number in Gyeonggi', '031-123-4567', '0311234567');
test(accepted, 'an internet telephone number', '070-1234-5678', '07012345678');
test(accepted, 'a free-phone number', '080-123-4567', '0801234567');
test(accepted, 'a virtual number of twelve digits', '0502-1234-5678', '050212345678');
test(accepted, 'a service number', '1588-1234', '15881234');
test(accepted, 'a service number', '1644-1234', '16441234');
test(accepted, 'a service number', '1899-0000', '18990000');

const refused = test.macro<[string, string]>({
  exec: (t, _, input) => t.is(korean(input), undefined),
  title: (_, what, input) => `${what} is refused: ${JSON.stringify(input)}`,
});

test(refused, 'the international form', '+821012345678');
test(refused, 'the international form with hyphens', '+82-10-1234-5678');
test(refused, 'an international prefix', '00821012345678');
test(refused, 'a number without its leading 0', '1012345678');
test(refused, 'nothing', '');
test(refused, 'nothing but separators', ' - - ');
test(refused, 'a number with letters', '010-CALL-ME');
test(refused, 'an address', 'sip:01012345678@example.com');
test(refused, 'too few digits', '0101234');
test(refused, 'too many digits', '010123456789012');
test(refused, 'a service number with too many digits', '1588-12345');
test(refused, 'an emergency number', '112');
test(refused, 'digits of another script', '٠١٠١٢٣٤٥٦٧٨');
test(refused, 'full-width digits', '０１０１２３４５６７８');
test(refused, 'a tab between the digits', '010\t12345678');
test(refused, 'a line break at the end', '01012345678\n');
test(refused, 'a very long text of separators', '0'.padEnd(100, '-'));

/** Any number in one of Korea's forms. */
const koreanNumber = fc.oneof(
  fc.stringMatching(/^010\d{8}$/),
  fc.stringMatching(/^0[2-7]\d{8}$/),
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
    fc.property(inputs, fc.constantFrom('KR' as const, 'JP' as const, 'US' as const), (input, country) => {
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

test('another country follows its own numbering plan', (t) => {
  t.is(normalizePhoneNumber('03-1234-5678', 'JP'), '0312345678');
  t.is(normalizePhoneNumber('+81312345678', 'JP'), undefined);
  t.is(normalizePhoneNumber('12', 'JP'), undefined);
  t.is(normalizePhoneNumber('030 123456', 'DE'), '030123456');
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
