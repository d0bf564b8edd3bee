import test from 'ava';
import * as fc from 'fast-check';
import { timestampIn } from '#src/domain/timestamp.ts';

const written = test.macro<[string, string, string]>({
  exec: (t, zone, instant, text) => t.is(timestampIn(zone, new Date(instant)), text),
  title: (_, zone, instant) => `${instant} in ${zone}`,
});

test(written, 'Asia/Seoul', '2026-11-21T03:00:00.000Z', '2026-11-21T12:00:00.000+09:00');
test(written, 'Asia/Seoul', '2026-12-31T20:00:00.007Z', '2027-01-01T05:00:00.007+09:00');
test(written, 'UTC', '2026-11-21T03:00:00.000Z', '2026-11-21T03:00:00.000+00:00');
test(written, 'Europe/London', '2026-01-15T12:00:00.000Z', '2026-01-15T12:00:00.000+00:00');
test(written, 'Europe/London', '2026-07-15T12:00:00.000Z', '2026-07-15T13:00:00.000+01:00');
test(written, 'America/New_York', '2026-01-01T02:00:00.000Z', '2025-12-31T21:00:00.000-05:00');
test(written, 'America/St_Johns', '2026-01-15T12:00:00.000Z', '2026-01-15T08:30:00.000-03:30');
test(written, 'Asia/Kathmandu', '2026-01-15T12:00:00.000Z', '2026-01-15T17:45:00.000+05:45');

test('a timestamp always means the instant it was made from, and carries a numeric offset', (t) => {
  const zones = fc.constantFrom('Asia/Seoul', 'UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia');
  const instants = fc.date({
    min: new Date('1980-01-01T00:00:00Z'),
    max: new Date('2100-01-01T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(zones, instants, (zone, instant) => {
      const text = timestampIn(zone, instant);
      return (
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/.test(text) &&
        new Date(text).getTime() === instant.getTime()
      );
    }),
  );
  t.pass();
});

test('an unknown time zone and an invalid date are errors', (t) => {
  t.throws(() => timestampIn('Asia/Nowhere', new Date(0)), { instanceOf: RangeError });
  t.throws(() => timestampIn('UTC', new Date(Number.NaN)), { instanceOf: RangeError });
});
