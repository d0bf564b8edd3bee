import test from 'ava';
import { createLead } from '#sip/media/unicast/lead.ts';

/** How many frames leave at each of these moments, where ten could. */
const leaving = (
  isDue: (now: number, isVoice: boolean) => boolean,
  now: number,
  isVoice: boolean,
): number => {
  let left = 0;
  while (left < 10 && isDue(now, isVoice)) left += 1;
  return left;
};

test('a frame leaves at each beat, also where one comes a little early or late', (t) => {
  const { isDue } = createLead();
  for (const now of [0, 20, 39, 61, 80, 95, 120]) t.true(isDue(now, now % 40 === 0), `${now} ms`);
});

test('a voice that was held up is made up for, but not by more than 40 ms', (t) => {
  const { isDue } = createLead();
  t.true(isDue(0, true));
  t.is(leaving(isDue, 1_000, true), 2);
  t.is(leaving(isDue, 1_020, true), 1);
});

test('a pause uses the lead up, and goes on with silence', (t) => {
  const { isDue } = createLead();
  leaving(isDue, 0, true);
  const beats = [20, 40, 60, 80].map((now) => isDue(now, false));
  t.deepEqual(beats, [false, true, true, true]);
});

test('silence is never sent ahead', (t) => {
  const { isDue } = createLead();
  t.is(leaving(isDue, 0, false), 1);
  t.is(leaving(isDue, 500, false), 1);
});
