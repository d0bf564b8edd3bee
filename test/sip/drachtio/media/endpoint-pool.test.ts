import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { createEndpointPool, isUsualOffer } from '#sip/drachtio/media/endpoint-pool.ts';
import { createBackgroundTasks } from '#sip/drachtio/background-tasks.ts';
import type { MediaEndpoint } from '#sip/media/media-endpoint.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const numbers = { size: 3, atOnce: 2, refillMs: 50, longestAgeMs: 60_000, retryMs: 500 };

/** Endpoints that come about one turn after they are asked for. */
const createWorld = () => {
  const clock = createOrderedClock();
  const logger = pino({ level: 'silent' });
  const backgroundTasks = createBackgroundTasks(clock, logger);
  const made: (MediaEndpoint & { isDestroyed: boolean })[] = [];
  const world = { fails: false, making: 0, mostAtOnce: 0 };

  const create = async (): Promise<MediaEndpoint> => {
    world.making += 1;
    world.mostAtOnce = Math.max(world.mostAtOnce, world.making);
    await turn();
    world.making -= 1;
    if (world.fails) throw new Error('no place');
    const listeners: Parameters<MediaEndpoint['onLost']>[0][] = [];
    const endpoint = {
      channel: () => ({ server: '127.0.0.1:8021', uuid: '' }),
      localSdp: `offer ${made.length}`,
      isDestroyed: false,
      sampleRate: () => 8_000 as const,
      modify: async () => '',
      takeAnswer: async () => {},
      connect: () => Promise.reject(new Error('There is no sound')),
      press: async () => {},
      onDigit: () => {},
      figures: async () => null,
      onLost: (listener: (typeof listeners)[number]) => void listeners.push(listener),
      lose: () => listeners.forEach((listener) => listener(null)),
      leave: async () => {},
      async destroy() {
        endpoint.isDestroyed = true;
      },
    };
    made.push(endpoint);
    return endpoint;
  };
  const pool = createEndpointPool({ create, numbers, clock, backgroundTasks, logger });
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1) await turn();
  };
  return {
    clock,
    pool,
    made,
    world,
    settle,
    standing: () => made.filter((each) => !each.isDestroyed),
  };
};

test('it is filled a few at a time, and gives out the oldest first', async (t) => {
  const { pool, world, settle } = createWorld();
  t.is(pool.take(), null);
  pool.open();
  await settle();
  t.is(pool.size(), 3);
  t.is(world.mostAtOnce, 2);
  t.is(pool.take()?.localSdp, 'offer 0');
  t.is(pool.take()?.localSdp, 'offer 1');
});

test('what is taken is made again a moment later; an empty pool has nothing to give', async (t) => {
  const { clock, pool, made, settle } = createWorld();
  pool.open();
  await settle();
  for (let times = 1; times <= 3; times += 1) t.truthy(pool.take());
  t.is(pool.take(), null);
  await settle();
  t.is(made.length, 3, 'the calls come first');
  clock.advance(50);
  await settle();
  t.is(pool.size(), 3);
  t.is(made.length, 6);
});

test('one whose channel is lost is thrown out and made again', async (t) => {
  const { clock, pool, made, settle } = createWorld();
  pool.open();
  await settle();
  made[0]?.lose();
  t.is(pool.size(), 2);
  t.is(pool.take(), made[1] ?? null);
  clock.advance(50);
  await settle();
  t.is(pool.size(), 3);
});

test('what was taken is the call’s: the pool neither counts nor renews it', async (t) => {
  const { clock, pool, made, settle } = createWorld();
  pool.open();
  await settle();
  const taken = pool.take();
  clock.advance(50);
  await settle();
  taken?.lose();
  t.is(pool.size(), 3);
  clock.advance(numbers.longestAgeMs);
  await settle();
  t.false(made[0]?.isDestroyed);
});

test('one that has grown old is destroyed and made again', async (t) => {
  const { clock, pool, made, standing, settle } = createWorld();
  pool.open();
  await settle();
  clock.advance(numbers.longestAgeMs);
  await settle();
  t.true(made.slice(0, 3).every(({ isDestroyed }) => isDestroyed));
  t.is(pool.size(), 3);
  t.is(standing().length, 3);
});

test('after a failure it waits before it tries again', async (t) => {
  const { clock, pool, world, settle } = createWorld();
  world.fails = true;
  pool.open();
  await settle();
  t.is(clock.pending(), 1);
  world.fails = false;
  clock.advance(numbers.retryMs - 1);
  await settle();
  t.is(pool.size(), 0);
  clock.advance(1);
  await settle();
  t.is(pool.size(), 3);
});

test('emptied it leaves no endpoint and no timer, not even of what was on its way', async (t) => {
  const { clock, pool, made, standing, settle } = createWorld();
  pool.open();
  await settle();
  pool.take();
  clock.advance(50);
  pool.empty();
  await settle();
  t.is(pool.size(), 0);
  t.deepEqual(standing(), made.slice(0, 1), 'but for the one that a call has');
  t.is(clock.pending(), 0);
  pool.open();
  await settle();
  t.is(pool.size(), 3);
});

test('what was begun before it was emptied does not come into it when it is opened again at once', async (t) => {
  const { pool, made, standing, settle } = createWorld();
  pool.open();
  pool.empty();
  pool.open();
  await settle();
  t.is(pool.size(), 3);
  t.is(standing().length, 3);
  t.deepEqual(
    made.slice(0, 2).map(({ isDestroyed }) => isDestroyed),
    [true, true],
  );
});

const offer = (...media: string[]): string =>
  ['v=0', 'o=far 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', ...media, ''].join('\r\n');

const keys = 'a=rtpmap:101 telephone-event/8000';

for (const usual of [
  offer('m=audio 4000 RTP/AVP 0 8 101', keys),
  offer('m=audio 4000 RTP/AVP 18 8 101 13', keys, 'a=ptime:20', 'a=sendonly'),
  offer('m=audio 4000 RTP/AVP 8 101', 'a=rtpmap:101 TELEPHONE-EVENT/8000').replaceAll('\r\n', '\n'),
])
  test(`usual: ${JSON.stringify(usual.slice(66))}`, (t) => {
    t.true(isUsualOffer(usual));
  });

for (const [why, unusual] of [
  ['no keys', offer('m=audio 4000 RTP/AVP 8')],
  ['keys of another number', offer('m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000')],
  ['101 is something else', offer('m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:101 opus/48000/2')],
  ['keys that are described, not offered', offer('m=audio 4000 RTP/AVP 0', keys)],
  ['other packets', offer('m=audio 4000 RTP/AVP 0 101', keys, 'a=ptime:30')],
  ['encrypted', offer('m=audio 4000 RTP/SAVP 0 101', keys)],
  ['more than sound', offer('m=audio 4000 RTP/AVP 0 101', keys, 'm=video 4002 RTP/AVP 99')],
] as const)
  test(`not usual: ${why}`, (t) => {
    t.false(isUsualOffer(unusual));
  });
