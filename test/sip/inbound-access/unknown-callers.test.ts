import test from 'ava';
import { pino } from 'pino';
import { SimulatedClock } from 'xstate';
import { z } from 'zod';
import { inboundAccess } from '#config/policy.ts';
import { createUnknownCallers } from '#sip/inbound-access/unknown-callers.ts';

const world = () => {
  const clock = new SimulatedClock();
  clock.set(1_000_000);
  const logged: { address: string; times: number }[] = [];
  const line = z.object({ address: z.string(), times: z.number() });
  const logger = pino(
    { base: null },
    { write: (text: string) => void logged.push(line.parse(JSON.parse(text))) },
  );
  const unknownCallers = createUnknownCallers(inboundAccess.refusals, clock, logger);
  /** Milliseconds until each is refused. */
  const meet = (address = '203.0.113.1'): { refusedAfter: number | null } => {
    const met = { refusedAfter: null as number | null };
    const begun = clock.now();
    unknownCallers.meet(address, 'unknown_address', () => (met.refusedAfter = clock.now() - begun));
    return met;
  };
  return { clock, logged, unknownCallers, meet };
};

test('the first are refused at once, those who insist wait longer and longer', (t) => {
  const { clock, meet } = world();
  const met = Array.from({ length: 10 }, () => meet());
  for (let steps = 0; steps < 40; steps += 1) clock.increment(250);
  t.deepEqual(
    met.map(({ refusedAfter }) => refusedAfter),
    [0, 0, 0, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000],
  );
});

test('after a minute without a word all is forgiven, and others are not punished', (t) => {
  const { clock, meet } = world();
  for (let times = 0; times < 5; times += 1) meet();
  t.is(meet('203.0.113.2').refusedAfter, 0);
  clock.increment(60_001);
  t.is(meet().refusedAfter, 0);
});

test('each is counted, and named in the log once a minute', (t) => {
  const { clock, logged, unknownCallers, meet } = world();
  for (let times = 0; times < 5; times += 1) meet();
  meet('203.0.113.2');
  unknownCallers.meet('203.0.113.3', 'wrong_credentials', () => {});
  t.deepEqual(unknownCallers.counts(), {
    unknown_address: 6,
    wrong_credentials: 1,
    unanswered_challenge: 0,
    unusable_contact: 0,
  });
  t.deepEqual(
    logged.map(({ address }) => address),
    ['203.0.113.1', '203.0.113.2', '203.0.113.3'],
  );
  clock.increment(59_000);
  meet();
  t.is(logged.length, 3);
  clock.increment(2_000);
  meet();
  t.deepEqual(logged.at(-1), { ...logged.at(-1), address: '203.0.113.1', times: 6 });
});

test('who still waits when all ends is forgotten', (t) => {
  const { clock, unknownCallers, meet } = world();
  const met = Array.from({ length: 5 }, () => meet());
  unknownCallers.close();
  clock.increment(60_000);
  t.is(met.at(-1)?.refusedAfter, null);
});

test('a flood from everywhere is refused at once and remembered only in part', (t) => {
  const { meet } = world();
  for (let index = 0; index < 30_000; index += 1)
    if (meet(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`).refusedAfter !== 0) t.fail();
  t.pass();
});
