import test from 'ava';
import * as fc from 'fast-check';
import {
  bareDigitsIn,
  calledNumber,
  callingNumber,
  dialledNumber,
  userOf,
} from '#sip/parties/number-format.ts';
import type { Country } from '#src/domain/phone-number.ts';

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
  test(`the user of "${uri}" is "${user}"`, (t) => {
    t.is(userOf(uri), user);
  });

/** Forms in which trunks send the called number (Request-URI, To), by what the operators' own papers show. */
const called: readonly [Country, string, string | undefined][] = [
  // Korea: domestic as a rule; E.164 with and without its +; the 0 lost on the way.
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
  // Europe: +49…, 0049… and 49… in Germany alone.
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
for (const [country, uri, number] of called)
  test(`${country}: "${uri}" calls ${number ?? 'no number of the country'}`, (t) => {
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
  test(`${country}: "${uri}" shows ${number ?? 'no number'}`, (t) => {
    t.is(callingNumber(uri, country), number);
  });

test('digits that could be both are read as the trunk writes its own numbers', (t) => {
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

test('a trunk gets domestic numbers, or E.164 where there is such a form', (t) => {
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

test('what a trunk gets in E.164 comes back as the same domestic number', (t) => {
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
