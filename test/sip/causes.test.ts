import test from 'ava';
import type { UnansweredCause } from '#machines/line.ts';
import { unansweredCause } from '#sip/causes.ts';

const table: readonly [number, string | undefined, UnansweredCause][] = [
  [404, undefined, 'invalid_number'],
  [410, undefined, 'invalid_number'],
  [484, undefined, 'invalid_number'],
  [604, undefined, 'invalid_number'],
  [486, undefined, 'busy'],
  [600, undefined, 'busy'],
  [603, undefined, 'declined'],
  [480, undefined, 'no_answer'],
  [487, undefined, 'no_answer'],
  [488, undefined, 'media_error'],
  [302, undefined, 'trunk_error'],
  [403, undefined, 'trunk_error'],
  [407, undefined, 'trunk_error'],
  [500, undefined, 'trunk_error'],
  [503, undefined, 'trunk_error'],
  [480, 'Q.850;cause=17;text="User busy"', 'busy'],
  [503, 'Q.850 ;cause=1', 'invalid_number'],
  [433, undefined, 'declined'],
  [485, undefined, 'invalid_number'],
  [493, undefined, 'media_error'],
  [607, undefined, 'declined'],
  [403, 'Q.850;cause=55', 'declined'],
  [404, 'Q.850;cause=23', 'invalid_number'],
  [480, 'Q.850;cause=102;text="Recovery on timer expiry"', 'trunk_error'],
  [480, 'Q.850;cause=65', 'media_error'],
  [486, 'Q.850;cause=127', 'busy'],
  [603, 'SIP;cause=603, Q.850;text="x";cause=19', 'no_answer'],
  [500, 'q.850;cause=21', 'declined'],
  [486, 'Q.850;cause=34', 'trunk_error'],
  [486, 'Q.850;cause=16;text="Normal call clearing"', 'busy'],
  [486, 'Q.850;cause=31', 'busy'],
  [486, 'SIP;cause=404', 'busy'],
  [486, 'nonsense', 'busy'],
];

for (const [status, reason, cause] of table)
  test(`${status}${reason === undefined ? '' : ` with ${reason}`} is ${cause}`, (t) => {
    t.is(unansweredCause({ status, reason, rang: true }), cause);
  });

test('a time-out is a person who does not pick up once it rang, and a dead trunk before', (t) => {
  t.is(unansweredCause({ status: 408, rang: true }), 'no_answer');
  t.is(unansweredCause({ status: 408, rang: false }), 'trunk_error');
});
