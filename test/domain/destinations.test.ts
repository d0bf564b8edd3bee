import test from 'ava';
import * as fc from 'fast-check';
import { platformDeniedDestinations } from '#config/policy.ts';
import {
  destinationKinds,
  destinationProblem,
  destinationsIn,
  kindsBut,
  mayDial,
  wordsOf,
  type DestinationKind,
  type Destinations,
} from '#src/domain/destinations.ts';
import { normalizeDestination, type Country } from '#src/domain/phone-number.ts';

const rules = (words: string): Destinations => {
  const read = destinationsIn(words === '' ? [] : words.split(' '));
  if ('wrong' in read) throw new Error(`${read.wrong} is no destination`);
  return read;
};

const usual = kindsBut(platformDeniedDestinations).join(' ');

/** Of several rules each has to allow it. */
const problem = (number: string, country: Country, ...words: string[]) =>
  destinationProblem({ destinations: words.map(rules) }, number, country);

const kindOf = test.macro<[Country, string, DestinationKind]>({
  exec: (t, country, number, kind) => {
    t.is(problem(number, country, ''), kind);
    t.is(problem(number, country, kind), undefined);
  },
  title: (_, country, number, kind) => `${country}: ${number} is ${kind}`,
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

test('the platform allows what is called within the country, and neither premium numbers nor other countries', (t) => {
  for (let callee = 1; callee <= 9; callee += 1) t.is(problem(`0100000000${callee}`, 'KR', usual), undefined);
  for (const number of ['0212345678', '15881234', '0801234567', '07012345678', '050512345678'])
    t.is(problem(number, 'KR', usual), undefined);
  t.is(problem('0607001234', 'KR', usual), 'premium');
  t.is(problem('+12025550123', 'KR', usual), 'international');
});

test('where a plan tells mobile and fixed lines not apart, either kind is enough', (t) => {
  t.is(problem('2025550123', 'US', 'mobile'), undefined);
  t.is(problem('2025550123', 'US', 'fixed_line'), undefined);
  t.is(problem('2025550123', 'US', 'voip'), 'fixed_line');
});

test('a number abroad has to be of an allowed kind as well', (t) => {
  t.is(problem('+442079460000', 'KR', 'international'), 'fixed_line');
  t.is(problem('+442079460000', 'KR', 'international fixed_line'), undefined);
  t.is(problem('+449098790000', 'KR', 'international fixed_line'), 'premium');
  t.is(problem('+442079460000', 'KR', 'fixed_line premium'), 'international');
});

test('islands that share the country code are abroad', (t) => {
  t.is(problem('+18765551234', 'US', usual), 'international');
  t.is(problem('+12025550123', 'US', usual), undefined);
});

test('satellites and international networks may be called by their prefix alone', (t) => {
  const everything = destinationKinds.join(' ');
  for (const number of ['+870773111632', '+8821612345678', '+979123456789']) {
    t.is(problem(number, 'KR', everything), 'no_country');
    t.is(problem(number, 'KR', `${everything} ${number.slice(0, 4)}`), undefined);
  }
});

test('of the prefixes that fit the longest counts, before any kind', (t) => {
  t.is(problem('0607001234', 'KR', '060'), undefined);
  t.is(problem('0607001234', 'KR', '060 !060700'), 'denied_prefix');
  t.is(problem('0607001234', 'KR', '060 !060700 0607001'), undefined);
  t.is(problem('01012345678', 'KR', `${usual} !0101`), 'denied_prefix');
  t.is(problem('01022345678', 'KR', `${usual} !0101`), undefined);
  t.is(problem('01012345678', 'KR', '010 !010'), 'denied_prefix', 'of two that are as long');
});

test('a prefix with a country code is compared with the number as the world writes it', (t) => {
  t.is(problem('0607001234', 'KR', '+8260'), undefined);
  t.is(problem('01012345678', 'KR', `${usual} !+8210`), 'denied_prefix');
  t.is(problem('+442079460000', 'KR', '+44'), undefined);
  t.is(problem('+442079460000', 'KR', '44'), 'international', 'plain digits are of this country');
});

test('a number narrows what its workspace allows, and widens nothing', (t) => {
  t.is(problem('0212345678', 'KR', usual, 'mobile'), 'fixed_line');
  t.is(problem('01012345678', 'KR', usual, 'mobile'), undefined);
  t.is(problem('0607001234', 'KR', usual, 'premium 060'), 'premium');
  t.is(problem('01012345678', 'KR', usual, ''), 'mobile');
});

test('an emergency number is never called, and nothing that is no number of a subscriber', (t) => {
  const everything = `${destinationKinds.join(' ')} 0 1 9 +`.replace(' +', '');
  for (const number of ['112', '119', '911', '999', '110', '000'])
    for (const country of ['KR', 'US', 'GB'] as const) {
      t.is(problem(number, country, everything), 'emergency');
      t.is(normalizeDestination(number, country), undefined);
    }
  for (const number of ['', '1', '02119', '114', '00700', 'abc', '+', '+82', '+999123456'])
    t.is(problem(number, 'KR', everything), 'unknown', number);
});

test('whether is the same question as why', (t) => {
  t.true(mayDial({ destinations: [rules(usual)] }, '01000000001', 'KR'));
  t.false(mayDial({ destinations: [rules(usual)] }, '0607001234', 'KR'));
});

test('words are read as they are written', (t) => {
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
  title: (_, written, number) => `a callee written ${JSON.stringify(written)} is ${number}`,
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
