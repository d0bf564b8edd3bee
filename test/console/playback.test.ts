import test from 'ava';
import type { Call, ReplayStep } from '#src/console/api/records.ts';
import { createPlayback } from '#src/console/call/playback.ts';

const step = (at: string, event: string, fact: number | null): ReplayStep => ({
  at: `2026-01-02T03:04:${at}+09:00`,
  event,
  fact,
  call: 'active.talking.conversing',
  conversation: null,
  voicemail: null,
});

const steps = [
  step('00.000', '(begin)', null),
  step('02.000', 'line.answered', 1),
  step('05.000', 'reply.finished', 2),
  step('05.000', 'line.played', 2),
  step('09.500', '(time)', null),
  step('12.000', 'line.ended', 3),
];

const call = {
  started_at: '2026-01-02T03:04:00.000+09:00',
  answered_at: '2026-01-02T03:04:02.000+09:00',
} as Call;

test('the last state is shown at first, and nothing is marked yet', (t) => {
  const playback = createPlayback(call, steps);
  t.is(playback.index.value, 5);
  t.false(playback.isTouched.value);
  t.is(playback.fact.value, 3);
});

test('places count from the answer, as in the recording', (t) => {
  const { from, to, place } = createPlayback(call, steps);
  t.deepEqual([from, to, place.value], [-2, 10, 10]);
});

test('a place is in the step that was reached last, and tells of the fact before it', (t) => {
  const playback = createPlayback(call, steps);
  playback.seek(2.9);
  t.deepEqual([playback.index.value, playback.fact.value], [1, 1]);
  playback.seek(3);
  t.is(playback.index.value, 3);
  playback.seek(8);
  t.deepEqual([playback.index.value, playback.fact.value], [4, 2]);
  playback.seek(-50);
  t.deepEqual([playback.index.value, playback.place.value, playback.fact.value], [0, -2, null]);
});

test('steps of one moment are gone through one by one', (t) => {
  const playback = createPlayback(call, steps);
  for (const index of [1, 2, 3, 2]) {
    playback.stepTo(index);
    t.is(playback.index.value, index);
  }
  playback.stepTo(6);
  t.is(playback.index.value, 2);
});

test('a call is played from its answer on, and one that nobody answered from its beginning', (t) => {
  const answered = createPlayback(call, steps);
  t.is(answered.shown.value, 0);
  answered.play();
  answered.pause();
  t.deepEqual([answered.place.value, answered.index.value], [0, 1]);
  const unanswered = createPlayback({ ...call, answered_at: null }, steps);
  t.is(unanswered.shown.value, 0);
  t.is(unanswered.from, 0);
});

test('of a call without steps the end is known by its length', (t) => {
  const { from, to, shown } = createPlayback({ ...call, duration_sec: 42 }, []);
  t.deepEqual([from, to, shown.value], [0, 42, 0]);
});
