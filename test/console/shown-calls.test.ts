import test from 'ava';
import type { CallListItem, CallListPage } from '#src/console/api/records.ts';
import { shownFirst, withMore, withNewest, withWaiting } from '#src/console/call-list/shown-calls.ts';

const call = (minute: number, changes: Partial<CallListItem> = {}): CallListItem => ({
  id: `call ${minute}`,
  number_id: 'number',
  number: '07000000000',
  direction: 'inbound',
  counterparty: '01000000001',
  status: 'completed',
  end_reason: 'agent_hangup',
  instruction: null,
  summary: null,
  transfer: null,
  started_at: new Date(Date.UTC(2026, 10, 21, 3, minute)).toISOString(),
  ended_at: null,
  duration_sec: null,
  turn_latency_p95_ms: null,
  ...changes,
});

/** Calls of these minutes; `next` says that more come behind them. */
const page = (minutes: readonly number[], next: string | null = null): CallListPage => ({
  calls: minutes.map((minute) => call(minute)),
  next_cursor: next,
});

const minutesOf = (calls: readonly CallListItem[]): number[] =>
  calls.map(({ id }) => Number(id.replace('call ', '')));

test('new calls come in where they may, and wait where they may not', (t) => {
  const shown = withMore(shownFirst(page([9, 8, 7], 'x')), page([6, 5]));
  const now = page([11, 10, 9], 'x');
  t.deepEqual(minutesOf(withNewest(shown, now, true).calls), [11, 10, 9, 8, 7, 6, 5]);
  const waiting = withNewest(shown, now, false);
  t.deepEqual(minutesOf(waiting.calls), [9, 8, 7, 6, 5]);
  t.deepEqual(minutesOf(waiting.waiting), [11, 10]);
  t.is(waiting.cursor, null);
  t.deepEqual(minutesOf(withWaiting(waiting)?.calls ?? []), [11, 10, 9, 8, 7, 6, 5]);
});

test('a call that goes on is shown as it is now, and one that fits no more is gone', (t) => {
  const shown = shownFirst(page([9, 8, 7]));
  const now = { calls: [call(9, { status: 'active', end_reason: null }), call(7)], next_cursor: null };
  for (const takesNew of [true, false]) {
    const { calls } = withNewest(shown, now, takesNew);
    t.deepEqual(minutesOf(calls), [9, 7]);
    t.is(calls[0]?.status, 'active');
  }
});

test('where more have come than a page holds, nothing is shown with a gap in it', (t) => {
  const shown = withMore(shownFirst(page([9, 8], 'x')), page([7, 6], 'y'));
  const now = page([20, 19], 'z');
  const anew = withNewest(shown, now, true);
  t.deepEqual(minutesOf(anew.calls), [20, 19]);
  t.is(anew.cursor, 'z');
  const waiting = withNewest(shown, now, false);
  t.deepEqual(minutesOf(waiting.calls), [9, 8, 7, 6]);
  t.true(waiting.hasGap);
  t.is(withWaiting(waiting), undefined);
});

test('an empty list takes what comes', (t) => {
  const shown = withNewest(shownFirst(page([])), page([1]), false);
  t.deepEqual(minutesOf(shown.calls), [1]);
  t.deepEqual(shown.waiting, []);
});

test('calls that began at the same moment are told apart by their ids, and none comes twice', (t) => {
  const same = [3, 2, 1].map((minute) => call(minute, { started_at: '2026-11-21T03:00:00.000Z' }));
  const shown = withMore(shownFirst({ calls: same.slice(0, 2), next_cursor: 'x' }), {
    calls: same.slice(1),
    next_cursor: null,
  });
  t.deepEqual(minutesOf(shown.calls), [3, 2, 1]);
  t.deepEqual(
    minutesOf(withNewest(shown, { calls: same.slice(0, 2), next_cursor: 'x' }, true).calls),
    [3, 2, 1],
  );
});
