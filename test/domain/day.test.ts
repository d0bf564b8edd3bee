import test from 'ava';
import * as fc from 'fast-check';
import { dayOf } from '#src/domain/day.ts';

const day = test.macro<[string, string, string, string]>({
  exec(t, timeZone, at, from, until) {
    const found = dayOf(Date.parse(at), timeZone);
    t.is(found.from.toISOString(), from);
    t.is(found.until.toISOString(), until);
  },
  title: (_, timeZone, at) => `${at} is in the day of ${timeZone}`,
});

test(day, 'Asia/Seoul', '2026-11-21T15:30:00.000Z', '2026-11-21T15:00:00.000Z', '2026-11-22T15:00:00.000Z');
test(day, 'Asia/Seoul', '2026-11-21T14:59:59.999Z', '2026-11-20T15:00:00.000Z', '2026-11-21T15:00:00.000Z');
test(day, 'UTC', '2026-11-21T00:00:00.000Z', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z');
// 25 hours, 23 hours, and one that begins at one o'clock since midnight is left out.
test(
  day,
  'Europe/Berlin',
  '2026-10-25T12:00:00.000Z',
  '2026-10-24T22:00:00.000Z',
  '2026-10-25T23:00:00.000Z',
);
test(
  day,
  'Europe/Berlin',
  '2026-03-29T21:59:59.999Z',
  '2026-03-28T23:00:00.000Z',
  '2026-03-29T22:00:00.000Z',
);
test(
  day,
  'America/Havana',
  '2026-03-08T12:00:00.000Z',
  '2026-03-08T05:00:00.000Z',
  '2026-03-09T04:00:00.000Z',
);

test('a moment lies in its day, and the next day begins where it ends', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
      fc.constantFrom(
        'Asia/Seoul',
        'Europe/Berlin',
        'America/New_York',
        'America/Havana',
        'Australia/Lord_Howe',
      ),
      (at, timeZone) => {
        const { from, until } = dayOf(at, timeZone);
        t.true(from.getTime() <= at && at < until.getTime());
        t.deepEqual(dayOf(until.getTime(), timeZone).from, until);
        t.deepEqual(dayOf(from.getTime() - 1, timeZone).until, from);
      },
    ),
    { numRuns: 50 },
  );
});
