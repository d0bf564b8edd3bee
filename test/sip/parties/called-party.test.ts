import test from 'ava';
import { calledParty } from '#sip/parties/called-party.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { headersOf } from '../headers-of.ts';

const called = (uri: string, headers: Record<string, string> = {}, country: Country = 'KR') =>
  calledParty({ ...headersOf(headers), uri }, country);

test('the Request-URI says which number was called', (t) => {
  t.deepEqual(called('sip:07012345678@10.0.0.1', { To: '<sip:07012345678@10.0.0.1>' }), {
    numbers: ['07012345678'],
    bare: 'national',
  });
});

test('in To a call may still be for the number that was forwarded here', (t) => {
  const { numbers } = called('sip:07012345678@10.0.0.1', { To: '<sip:+82299998888@carrier.example>' });
  t.deepEqual(numbers, ['07012345678', '0299998888']);
});

test('where the Request-URI is our own contact, To says it', (t) => {
  for (const contact of ['sip:trunk-account@10.0.0.1', 'sip:1234567@10.0.0.1', 'sip:10.0.0.1'])
    t.deepEqual(called(contact, { To: '"Office" <sip:+827012345678@carrier.example>' }).numbers, [
      '07012345678',
    ]);
});

test('P-Called-Party-ID goes before the Request-URI that was put in its place', (t) => {
  const { numbers } = called('sip:07099990000@10.0.0.1', {
    'P-Called-Party-ID': '<sip:+827012345678@carrier.example;user=phone>',
    To: '<sip:+827012345678@carrier.example>',
  });
  t.deepEqual(numbers, ['07012345678', '07099990000']);
});

test('a number of another country, or none, is not called here', (t) => {
  t.deepEqual(called('sip:+12025550123@10.0.0.1', { To: '<sip:alice@h>' }).numbers, []);
});

test('how the trunk writes numbers of the country is how it writes those of callers', (t) => {
  t.is(called('sip:827012345678@10.0.0.1').bare, 'international');
  t.is(called('sip:account@10.0.0.1', { To: '<sip:827012345678@h>' }).bare, 'international');
  t.is(called('sip:+827012345678@10.0.0.1').bare, 'national');
  t.is(called('sip:7012345678@10.0.0.1').bare, 'national');
});
