import test from 'ava';
import * as fc from 'fast-check';
import { calledNumber, callingNumber, dialledNumber, userOf } from '#sip/numbers.ts';

const users: readonly [string, string][] = [
  ['sip:01012345678@trunk.example', '01012345678'],
  ['<sip:0212345678;phone-context=+82@10.0.0.1:5060;user=phone>', '0212345678'],
  ['sip:+82-10-1234-5678@trunk.example', '+821012345678'],
  ['sips:%2B821012345678@trunk.example', '+821012345678'],
  ['tel:+821012345678;ext=1', '+821012345678'],
  ['sip:anonymous@anonymous.invalid', 'anonymous'],
  ['sip:%ZZ@h', '%ZZ'],
  ['sip:127.0.0.1:5060', ''],
  ['', ''],
];
for (const [uri, user] of users)
  test(`the user of "${uri}" is "${user}"`, (t) => {
    t.is(userOf(uri), user);
  });

test('the called number is domestic, or none', (t) => {
  t.is(calledNumber('sip:+821012345678@h', 'KR'), '01012345678');
  t.is(calledNumber('sip:15881234@h', 'KR'), '15881234');
  t.is(calledNumber('sip:+12025550123@h', 'KR'), undefined);
  t.is(calledNumber('sip:alice@h', 'KR'), undefined);
  t.is(calledNumber('sip:h', 'KR'), undefined);
});

test('the calling number is domestic, foreign in full, or withheld', (t) => {
  t.is(callingNumber('sip:+82212345678@h', 'KR'), '0212345678');
  t.is(callingNumber('sip:01012345678@h', 'KR'), '01012345678');
  t.is(callingNumber('sip:+12025550123@h', 'KR'), '+12025550123');
  t.is(callingNumber('sip:anonymous@anonymous.invalid', 'KR'), '');
});

test('a trunk gets domestic numbers, or E.164 where there is such a form', (t) => {
  t.is(dialledNumber('01012345678', 'KR', 'domestic'), '01012345678');
  t.is(dialledNumber('01012345678', 'KR', 'e164'), '+821012345678');
  t.is(dialledNumber('15881234', 'KR', 'e164'), '15881234');
});

test('what a trunk gets in E.164 comes back as the same domestic number', (t) => {
  const mobile = fc.integer({ min: 0, max: 99_999_999 }).map((n) => `010${String(n).padStart(8, '0')}`);
  const seoul = fc.integer({ min: 10_000_000, max: 99_999_999 }).map((n) => `02${n}`);
  fc.assert(
    fc.property(
      fc.oneof(mobile, seoul),
      (number) => calledNumber(`sip:${dialledNumber(number, 'KR', 'e164')}@h`, 'KR') === number,
    ),
  );
  t.pass();
});
