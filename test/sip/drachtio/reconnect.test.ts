import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { keepConnected } from '#sip/drachtio/reconnect.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

type Attempt = {
  connect: (name: string) => Promise<void>;
  fail: (because: string) => Promise<void>;
  lose: () => void;
};

/** A server whose connections come about, or do not, when the test says so. */
const world = () => {
  const clock = createOrderedClock();
  const attempts: Attempt[] = [];
  const story: string[] = [];
  const kept = keepConnected<string>({
    to: 'the server',
    connect(onLost) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      attempts.push({
        async connect(name) {
          resolve(name);
          await turn();
        },
        async fail(because) {
          reject(new Error(because));
          await turn();
        },
        lose: onLost,
      });
      return promise;
    },
    disconnect: (name) => story.push(`disconnect ${name}`),
    onConnected: () => story.push('connected'),
    onLost: () => story.push(`lost, with ${kept.current() ?? 'none'} left`),
    clock,
    logger: pino({ level: 'silent' }),
  });
  const last = (): Attempt => {
    const attempt = attempts.at(-1);
    if (attempt === undefined) throw new Error('Nobody has tried to connect');
    return attempt;
  };
  return { clock, kept, story, last, tried: () => attempts.length };
};

test('it connects, and has no problem any more', async (t) => {
  const { kept, story, last, clock } = world();
  t.is(kept.problem(), 'Not connected to the server yet.');
  const opening = kept.open();
  await last().connect('first');
  await opening;
  t.is(kept.current(), 'first');
  t.is(kept.problem(), null);
  t.deepEqual(story, ['connected']);
  t.is(clock.pending(), 0);
});

test('what fails is tried again, each time after a longer while', async (t) => {
  const { kept, last, clock, tried } = world();
  void kept.open();
  for (const waitMs of [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
    const before = tried();
    await last().fail('it is away.');
    t.is(kept.problem(), 'No connection to the server: it is away.');
    clock.advance(waitMs - 1);
    t.is(tried(), before);
    clock.advance(1);
    t.is(tried(), before + 1);
  }
});

test('one that is lost is let go of and said once, and another one is made soon', async (t) => {
  const { kept, story, last, clock } = world();
  void kept.open();
  await last().fail('it is away.');
  clock.advance(250);
  const first = last();
  await first.connect('first');
  first.lose();
  first.lose();
  t.is(kept.problem(), 'No connection to the server: it was lost.');
  t.deepEqual(story, ['connected', 'disconnect first', 'lost, with none left']);
  clock.advance(250);
  await last().connect('second');
  first.lose();
  t.is(kept.current(), 'second');
});

test('one that is lost before it is in hand was never there', async (t) => {
  const { kept, story, last, clock, tried } = world();
  void kept.open();
  last().lose();
  await last().connect('first');
  t.is(kept.current(), null);
  t.deepEqual(story, ['disconnect first']);
  clock.advance(250);
  t.is(tried(), 2);
});

test('closed, it lets go of the connection and makes no other', async (t) => {
  const { kept, story, last, clock } = world();
  void kept.open();
  await last().connect('first');
  kept.close();
  last().lose();
  t.deepEqual(story, ['connected', 'disconnect first']);
  t.is(kept.current(), null);
  t.is(kept.problem(), 'The connection to the server is closed.');
  t.is(clock.pending(), 0);
});

test('a connection that comes about after the end is let go of', async (t) => {
  const { kept, story, last, clock } = world();
  void kept.open();
  kept.close();
  await last().connect('first');
  t.deepEqual(story, ['disconnect first']);
  t.is(kept.current(), null);
  t.is(clock.pending(), 0);

  const failing = world();
  void failing.kept.open();
  failing.kept.close();
  await failing.last().fail('it is away.');
  t.is(failing.clock.pending(), 0);
});
