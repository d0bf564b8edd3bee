import test from 'ava';
import {
  createLoadShedding,
  pressures,
  type LoadLimits,
  type Pressure,
} from '#src/calls/setup/load-shedding.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const limits: LoadLimits = {
  event_loop: { from: 50, until: 15 },
  memory: { from: 0.9, until: 0.8 },
  journal: { from: 20_000, until: 10_000 },
};

const world = (changes: Partial<LoadLimits> = {}) => {
  const clock = createOrderedClock();
  const measured: Record<Pressure, number> = { event_loop: 0, memory: 0, journal: 0 };
  const told: string[] = [];
  const shedding = createLoadShedding({
    limits: { ...limits, ...changes },
    measures: {
      event_loop: () => measured.event_loop,
      memory: () => measured.memory,
      journal: () => measured.journal,
    },
    everyMs: 250,
    clock,
    onChange: ({ pressure, measured: much, sheds }) =>
      told.push(`${pressure} ${much} ${sheds ? 'sheds' : 'takes'}`),
  });
  return {
    told,
    measured,
    shedding,
    clock,
    measure(pressure: Pressure, much: number): Pressure | null {
      measured[pressure] = much;
      clock.advance(250);
      return shedding.pressure();
    },
  };
};

for (const pressure of pressures) {
  const { from, until } = limits[pressure];
  test(`load is shed for ${pressure} from ${from} until less than ${until} is left`, (t) => {
    const { measure, told } = world();
    t.is(measure(pressure, from * 0.99), null);
    t.is(measure(pressure, from), pressure);
    t.is(measure(pressure, (from + until) / 2), pressure);
    t.is(measure(pressure, until), pressure);
    t.is(measure(pressure, until * 0.99), null);
    t.is(measure(pressure, from * 0.99), null);
    t.deepEqual(told, [`${pressure} ${from} sheds`, `${pressure} ${until * 0.99} takes`]);
  });
}

test('what is over is not over as long as something else is too much', (t) => {
  const { measure, told } = world();
  measure('event_loop', 60);
  t.is(measure('memory', 0.95), 'event_loop');
  t.is(measure('event_loop', 0), 'memory');
  t.is(measure('memory', 0.5), null);
  t.deepEqual(told.length, 4);
});

test('the journal is looked at with every question: it grows fast', (t) => {
  const { shedding, measured } = world();
  t.is(shedding.pressure(), null);
  measured.journal = 20_000;
  measured.memory = 0.95;
  t.is(shedding.pressure(), 'journal');
});

test('a limit of 0 sheds nothing', (t) => {
  const { measure } = world({ event_loop: { from: 0, until: 0 } });
  t.is(measure('event_loop', 10_000), null);
});

test('the watch ends, and leaves no timer', (t) => {
  const { shedding, clock, measure, told } = world();
  t.is(measure('memory', 0.95), 'memory');
  shedding.close();
  clock.advance(10_000);
  t.is(measure('memory', 0), 'memory', 'nobody looks any more');
  t.is(told.length, 1);
});
