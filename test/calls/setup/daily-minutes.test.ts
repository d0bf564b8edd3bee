import test from 'ava';
import { createDailyMinutes, type DailyNotice } from '#src/calls/setup/daily-minutes.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { SpentOfNumber } from '#src/persistence/spent-minutes.ts';

const startedAt = Date.parse('2026-11-21T12:00:00.000+09:00');

const call = {
  numberId: 'mine',
  workspaceId: 'ours',
  timeZone: 'Asia/Seoul',
  ofNumber: null,
  ofWorkspace: null,
  maxDurationSec: 600,
  startedAt,
};

const spent = (numberId: string, heldMinutes: number, talkedMinutes = heldMinutes): SpentOfNumber => ({
  numberId,
  heldSec: heldMinutes * 60,
  talkedSec: talkedMinutes * 60,
});

const granting = (limits: { ofNumber?: number; ofWorkspace?: number }, at = startedAt) => {
  const notices: DailyNotice[] = [];
  const daily = createDailyMinutes((notice) => notices.push(notice));
  const grant = (...all: SpentOfNumber[]) => daily({ ...call, ...limits, startedAt: at })?.grant(all);
  return { notices, grant, daily };
};

test('a call that nothing limits is not asked about', (t) => {
  t.is(granting({}).daily(call), null);
});

test('a call gets what it wants, or what is left, at least a minute', (t) => {
  const { grant } = granting({ ofWorkspace: 20 });
  t.is(grant(), 600);
  t.is(grant(spent('mine', 5), spent('other', 5)), 600);
  t.is(grant(spent('mine', 5), spent('other', 6)), 540);
  t.is(grant(spent('other', 19)), 60);
  t.throws(() => grant(spent('other', 19.1)), { message: /^The workspace has used its 20 minutes/ });
});

test('a number has minutes of its own, within those of its workspace', (t) => {
  const { grant } = granting({ ofNumber: 10, ofWorkspace: 30 });
  t.is(grant(spent('mine', 3), spent('other', 10)), 420);
  t.is(grant(spent('mine', 3), spent('other', 25)), 120);
  t.throws(() => grant(spent('mine', 10)), { message: /^This number has used its 10 minutes/ });
  t.throws(() => grant(spent('other', 30)), { message: /^The workspace/ });
});

test('the refusal says how much a day, and when the next one begins', (t) => {
  const { grant, notices } = granting({ ofWorkspace: 1 }, startedAt + 500);
  const error = t.throws(() => grant(spent('mine', 1)), { instanceOf: Refusal });
  t.like(error, {
    code: 'daily_limit_reached',
    status: 429,
    extras: { maximum: 1, resets_at: '2026-11-22T00:00:00.000+09:00' },
    headers: { 'Retry-After': String(12 * 3_600) },
  });
  t.deepEqual(notices.at(-1), { owner: 'workspace', id: 'ours', what: 'refused' });
});

test('four fifths of what was really talked are warned of, once a day', (t) => {
  const notices: DailyNotice[] = [];
  const daily = createDailyMinutes((notice) => notices.push(notice));
  const grant = (at: number, held: number, talked: number) =>
    daily({ ...call, ofNumber: 100, startedAt: at })?.grant([spent('mine', held, talked)]);
  grant(startedAt, 90, 79.9);
  t.deepEqual(notices, []);
  grant(startedAt, 90, 80);
  grant(startedAt + 1, 95, 90);
  t.deepEqual(notices, [{ owner: 'number', id: 'mine', what: 'warned' }]);
  grant(startedAt + 86_400_000, 90, 80);
  t.is(notices.length, 2);
});
