import test from 'ava';
import * as fc from 'fast-check';
import { retryAfterMs } from '#src/events/deliver.ts';

const now = Date.UTC(2026, 10, 21, 3, 0, 0, 500);

test('seconds and dates are understood', (t) => {
  t.is(retryAfterMs('0', now), 0);
  t.is(retryAfterMs(' 120 ', now), 120_000);
  t.is(retryAfterMs('Sat, 21 Nov 2026 03:01:00 GMT', now), 59_500);
  t.is(retryAfterMs(['7', '9'], now), 7_000);
});

test('a date that has passed asks for nothing more', (t) => {
  t.is(retryAfterMs('Sun, 06 Nov 1994 08:49:37 GMT', now), 0);
});

test('what is neither is no wish', (t) => {
  for (const value of [
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    'soon',
    '2026-11-21',
    '21 Nov 2026',
    'Sat, 99 Xxx 2026 03:01:00 GMT',
  ])
    t.is(retryAfterMs(value, now), null, String(value));
});

test('whatever comes, it is a time to wait or nothing', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,400}$/)), (value) => {
      const wish = retryAfterMs(value, now);
      t.true(wish === null || wish >= 0);
    }),
  );
});
