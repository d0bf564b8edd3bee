import test from 'ava';
import * as fc from 'fast-check';
import { normalizePhoneNumber, type Country } from '#src/domain/phone-number.ts';
import { readPhoneNumber, type BareDigits } from '#src/domain/read-number.ts';

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

test('whatever is written, what is read is domestic or begins with +, and is read again as itself', (t) => {
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
