import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { trunkMachine } from '#machines/trunk-life.ts';
import { trunkDefaults, type Trunk } from '#src/domain/trunk.ts';
import type { TrunkRecord } from '#src/persistence/trunks.ts';
import { createTrunkLives } from '#src/trunks/trunk-lives.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const record = (id: string, changes: Partial<TrunkRecord> = {}): TrunkRecord => ({
  id,
  workspaceId: 'one',
  ...trunkDefaults,
  name: id,
  host: '10.0.0.1',
  username: 'gw',
  passwordSealed: 'sealed',
  healthCheck: false,
  createdAt: new Date(0),
  ...changes,
});

const world = () => {
  const asked: string[] = [];
  const clock = createOrderedClock();
  const far = { leaving: async (): Promise<void> => {} };
  const answer = async (what: string, { name, password }: Trunk) => {
    asked.push(`${what} ${name} ${password}`);
    return { at: 1_000, expiresSec: 600 };
  };
  const lives = createTrunkLives(
    {
      register: (trunk) => answer('register', trunk),
      check: (trunk) => answer('check', trunk),
      rests: { end() {} },
      async unregister(trunk) {
        await answer('leave', trunk);
        await far.leaving();
      },
    },
    {
      sealing: {
        open(sealed) {
          if (sealed === 'broken') throw new Error('It does not open');
          return 'hunter';
        },
      },
      times: { checkMs: 30_000, recheckMs: 1_000, retryFirstMs: 1_000, retryLongestMs: 10_000 },
      clock,
      logger: pino({ level: 'silent' }),
      machineWith: (actors) => trunkMachine.provide({ actors }),
    },
  );
  /** What was asked since it was last looked at. */
  const news = (): string[] => asked.splice(0);
  return { lives, far, clock, news };
};

test('a life begins for each trunk that is enabled, and asks with the opened password', async (t) => {
  const { lives, news } = world();
  lives.follow([record('a', { register: true }), record('b'), record('c', { enabled: false })]);
  await turn();
  t.deepEqual(news(), ['register a hunter']);
  t.deepEqual(lives.find('a')?.status(), { state: 'registered', detail: null, lastSeenAt: 1_000 });
  t.deepEqual(lives.find('b')?.status(), { state: 'ready', detail: null, lastSeenAt: null });
  t.deepEqual(
    lives.all().map(({ name }) => name),
    ['a', 'b'],
  );
  t.is(lives.find('c'), undefined);
});

test('one that was changed registers again and is not left in between; the others go on', async (t) => {
  const { lives, news } = world();
  const other = record('other', { register: true });
  lives.follow([record('a', { register: true }), other]);
  await turn();
  news();
  lives.follow([record('a', { register: true, host: '10.0.0.2' }), other]);
  await turn();
  t.deepEqual(news(), ['register a hunter']);
  lives.follow([record('a', { register: true, host: '10.0.0.2' }), other]);
  await turn();
  t.deepEqual(news(), []);
});

test('one that is gone or disabled is left where it was registered, and holds no timer', async (t) => {
  const { lives, news, clock } = world();
  lives.follow([record('a', { register: true }), record('b', { healthCheck: true })]);
  await turn();
  news();
  lives.follow([record('a', { register: true, enabled: false })]);
  await turn();
  t.deepEqual(news(), ['leave a hunter']);
  t.deepEqual(lives.all(), []);
  t.is(clock.pending(), 0);
});

test('a trunk whose password does not open is left out, the others are not', (t) => {
  const { lives } = world();
  lives.follow([record('broken', { passwordSealed: 'broken' }), record('good')]);
  t.deepEqual(
    lives.all().map(({ name }) => name),
    ['good'],
  );
});

test('leaving waits for the registrars, whatever they say', async (t) => {
  const { lives, far, news } = world();
  lives.follow([record('a', { register: true }), record('b', { register: true })]);
  await turn();
  news();
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waiting = answers.map(({ promise }) => promise);
  far.leaving = () => waiting.shift() ?? Promise.resolve();
  let isOver = false;
  const leaving = lives.leaveAll().then(() => (isOver = true));
  await turn();
  t.deepEqual(news(), ['leave a hunter', 'leave b hunter']);
  answers[0]?.reject(new Error('It does not answer'));
  await turn();
  t.false(isOver);
  answers[1]?.resolve();
  await leaving;
  t.deepEqual(lives.all(), []);
});
