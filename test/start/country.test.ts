import test from 'ava';
import { StartError } from '#src/domain/start-error.ts';
import { countryOf } from '#src/start/country.ts';

test('a country with a numbering plan is taken', (t) => {
  t.is(countryOf('KR'), 'KR');
  t.is(countryOf('DE'), 'DE');
});

test('a code that stands for no numbering plan stops the start and is named', (t) => {
  for (const code of ['XX', 'kr', '', 'constructor']) {
    const error = t.throws(() => countryOf(code), { instanceOf: StartError });
    t.true(error.message.startsWith('GW_COUNTRY '));
    t.true(error.message.endsWith(`(it is "${code}")`));
  }
});
