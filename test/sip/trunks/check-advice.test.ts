import test from 'ava';
import { adviceFor } from '#sip/trunks/check-advice.ts';

test('silence is silence, whoever keeps it', (t) => {
  for (const step of ['registration', 'options', 'call'] as const)
    for (const status of [null, 408])
      t.regex(adviceFor(step, status), /^Nothing came back: check host, port/);
});

test('known failures say what to change', (t) => {
  t.regex(adviceFor('registration', 403), /user name or password/);
  t.regex(adviceFor('registration', 404), /from_domain/);
  t.regex(adviceFor('call', 403), /caller_id/);
  t.regex(adviceFor('call', 404), /number_format/);
  t.regex(adviceFor('call', 488), /"codecs"/);
});

test('what is not known is said as it is', (t) => {
  t.regex(adviceFor('options', 500), /trouble of its own/);
  t.regex(adviceFor('call', 499), /answered 499/);
});
