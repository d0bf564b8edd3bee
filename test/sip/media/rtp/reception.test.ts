import test from 'ava';
import { createReception } from '#sip/media/rtp/reception.ts';

const packet = (sequence: number, ssrc = 1) => ({ sequence, timestamp: sequence * 160, ssrc });

test('what does not come is lost, what comes late is not', (t) => {
  const reception = createReception();
  for (const sequence of [65_534, 65_535, 2, 0, 3]) reception.received(packet(sequence), 0);
  t.like(reception.figures(), { packets: 5, lost: 1 });
});

test('a report says what was lost since the one before, and in all', (t) => {
  const reception = createReception();
  for (const sequence of [1, 2, 4]) reception.received(packet(sequence), 0);
  t.like(reception.report(), { ssrc: 1, fractionLost: 64, cumulativeLost: 1, highest: 4 });
  for (const sequence of [5, 6]) reception.received(packet(sequence), 0);
  t.like(reception.report(), { fractionLost: 0, cumulativeLost: 1, highest: 6 });
});

test('a new stream begins anew, and the figures go on', (t) => {
  const reception = createReception();
  for (const sequence of [1, 3]) reception.received(packet(sequence), 0);
  for (const sequence of [900, 901]) reception.received(packet(sequence, 2), 0);
  t.like(reception.figures(), { packets: 4, lost: 1 });
  t.like(reception.report(), { ssrc: 2, cumulativeLost: 0 });
});

test('jitter is zero for even steps and comes near the mean deviation of uneven ones', (t) => {
  const even = createReception();
  const uneven = createReception();
  for (let index = 0; index < 500; index += 1) {
    even.received(packet(index), index * 20);
    uneven.received(packet(index), index * 20 + (index % 2) * 10);
  }
  t.is(even.figures().jitterMs, 0);
  t.true(Math.abs(uneven.figures().jitterMs - 10) < 0.5);
});

test('there is no report before something has come', (t) => {
  t.is(createReception().report(), null);
});
