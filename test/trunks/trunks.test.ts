/** Trunks: the directory and trunk lives. */
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { readConfig } from '#config/config.ts';
import { trunkMachine } from '#machines/trunk-life.ts';
import type { TrunkRequests } from '#sip/trunks/directory.ts';
import { createTrunkCoolDowns } from '#sip/trunks/cool-downs.ts';
import { systemClock } from '#src/clocks.ts';
import type { Clock } from '#src/domain/clock.ts';
import { type Trunk, trunkDefaults, type TrunkSettings } from '#src/domain/trunk.ts';
import { DatabaseAway } from '#src/persistence/database/connection-errors.ts';
import { patchNumber } from '#src/persistence/numbers/numbers.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import { createTrunk, deleteTrunk, patchTrunk, type TrunkRecord } from '#src/persistence/trunks/trunks.ts';
import { platformPolicyOf } from '#src/start/platform-policy.ts';
import { createTrunkDirectory } from '#src/trunks/trunk-directory.ts';
import { createTrunkLives } from '#src/trunks/trunk-lives.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';

// Trunk directory

const sealing = createSealing(Buffer.alloc(32, 3));
/** Addresses where trunks are forbidden. */
const refusedHost = '169.254.169.254';

const times = { checkMs: 30_000, recheckMs: 10, retryFirstMs: 10, retryLongestMs: 100 };

const trunkDirectoryWorld = async (t: ExecutionContext, clock: Clock = systemClock) => {
  const db = await ownDatabase(t);
  const number = await storedNumber(db);
  const asked: string[] = [];
  const world = {
    refusal: null as string | null,
    channels: {} as Record<string, number>,
    deadAddress: '',
    /** Null: the database is unavailable. */
    areRegistrationsShared: false as boolean | null,
    failingReads: 0,
    reads: 0,
  };
  const answer = async (what: string, trunk: Trunk): Promise<{ at: number; expiresSec: number }> => {
    asked.push(`${what} ${trunk.name} ${trunk.host} ${trunk.password ?? ''}`.trim());
    if (world.refusal !== null) throw new Error(world.refusal);
    return { at: 1_000, expiresSec: 600 };
  };
  const coolDowns = createTrunkCoolDowns({ clock: systemClock, longestCoolDownMs: 3_600_000 });
  const ask: TrunkRequests = {
    coolDowns,
    channelsOf: (key) => world.channels[key] ?? 0,
    tryOut: async () => [],
    route: () => ({ number: '', trunks: [], leftOut: [], sentence: 'nobody' }),
    register: (trunk) => answer('register', trunk),
    check(trunk, _signal, { address } = {}) {
      if (address !== undefined && address.host === world.deadAddress)
        return Promise.reject(new Error('The trunk does not answer.'));
      return answer('check', trunk);
    },
    async unregister(trunk) {
      await answer('leave', trunk);
    },
  };
  const directory = createTrunkDirectory({
    database: {
      ...db,
      entityManager() {
        world.reads += 1;
        if (world.reads <= world.failingReads) throw new DatabaseAway();
        return db.entityManager();
      },
    },
    platformPolicy: platformPolicyOf(readConfig({}, false)),
    sealing,
    times,
    clock,
    logger: pino({ level: 'silent' }),
    machineWith: (actors) => trunkMachine.provide({ actors }),
    mayUse: (hosts) => !hosts.includes(refusedHost),
    async areRegistrationsShared() {
      if (world.areRegistrationsShared === null) throw new DatabaseAway();
      return world.areRegistrationsShared;
    },
  });
  const add = async (changes: Partial<TrunkSettings> = {}): Promise<string> => {
    const id = randomUUID();
    await createTrunk(db, {
      id,
      workspaceId: number.workspaceId,
      ...trunkDefaults,
      name: 'carrier',
      host: '10.0.0.1',
      username: 'gw',
      passwordSealed: sealing.seal('hunter', id),
      healthCheck: false,
      createdAt: new Date(),
      ...changes,
    });
    return id;
  };
  const names = (): string[] => directory.all().map(({ name }) => name);
  const untilNames = (...wanted: string[]) =>
    until(`the trunks are ${wanted.join()}`, () => names().toSorted().join() === wanted.join() || undefined);
  const one = (trunkId: string) => ({ trunkId, workspaceId: number.workspaceId });
  return { db, number, asked, world, coolDowns, ask, directory, add, untilNames, one };
};

test.serial('loads enabled trunks at the start, with their passwords', async (t) => {
  const { ask, directory, add } = await trunkDirectoryWorld(t);
  await add();
  await add({ name: 'off', enabled: false });
  await directory.start(ask);
  t.deepEqual(
    directory.all().map(({ name, password }) => [name, password]),
    [['carrier', 'hunter']],
  );
  await directory.close();
});

test.serial('applies changes by notification, only to changed trunks', async (t) => {
  const { db, asked, ask, directory, add, untilNames, one } = await trunkDirectoryWorld(t);
  await directory.start(ask);
  const stays = await add({ name: 'stays', register: true });
  await untilNames('stays');
  const changes = await add({ name: 'to change', register: true });
  await untilNames('stays', 'to change');
  await until(
    'both are registered',
    () => (directory.isUsable(stays) && directory.isUsable(changes)) || undefined,
  );
  await patchTrunk(db, one(changes), { host: '10.0.0.2', name: 'changed' });
  await untilNames('changed', 'stays');
  await until('it is registered again', () => asked.length === 3 || undefined);
  t.deepEqual(asked, [
    'register stays 10.0.0.1 hunter',
    'register to change 10.0.0.1 hunter',
    'register changed 10.0.0.2 hunter',
  ]);
  await deleteTrunk(db, one(changes));
  await untilNames('stays');
  t.deepEqual(asked.slice(3), ['leave changed 10.0.0.2 hunter']);
  t.false(directory.isUsable(changes));
  await directory.close();
  t.deepEqual(asked.slice(4), ['leave stays 10.0.0.1 hunter'], 'registrars are told at the end');
});

test.serial('reads the trunks again after failed reads, with backoff', async (t) => {
  const clock = createOrderedClock();
  const { world, ask, directory, add, untilNames } = await trunkDirectoryWorld(t, clock);
  await add();
  world.failingReads = 2;
  await directory.start(ask);
  t.deepEqual([directory.all().length, world.reads], [0, 1]);
  clock.advance(999);
  t.is(world.reads, 1);
  clock.advance(1);
  t.is(world.reads, 2);
  await until('the next read is scheduled', () => clock.pending() > 0 || undefined);
  clock.advance(1_999);
  t.is(world.reads, 2);
  clock.advance(1);
  await untilNames('carrier');
  await add({ name: 'second' });
  await untilNames('carrier', 'second');
  t.is(world.reads, 4);
  await directory.close();
  t.is(clock.pending(), 0);
});

test.serial('does not read the trunks again after it is closed', async (t) => {
  const clock = createOrderedClock();
  const { world, ask, directory } = await trunkDirectoryWorld(t, clock);
  world.failingReads = 1;
  await directory.start(ask);
  t.is(clock.pending(), 1);
  await directory.close();
  t.is(clock.pending(), 0);
});

test.serial('keeps registrations at the end while other gateways need them', async (t) => {
  const { db, asked, world, ask, directory, add, untilNames, one } = await trunkDirectoryWorld(t);
  world.areRegistrationsShared = true;
  const removed = await add({ name: 'removed', register: true });
  const stays = await add({ name: 'stays', register: true });
  await directory.start(ask);
  await until(
    'both are registered',
    () => (directory.isUsable(stays) && directory.isUsable(removed)) || undefined,
  );
  await deleteTrunk(db, one(removed));
  await untilNames('stays');
  t.deepEqual(asked.slice(2), ['leave removed 10.0.0.1 hunter'], 'no gateway needs a removed trunk');
  await directory.close();
  t.is(asked.length, 3);
  t.deepEqual(directory.all(), []);
});

test.serial(
  'leaves registrations to other gateways that take calls when this one takes no more',
  async (t) => {
    for (const areShared of [true, false]) {
      const { asked, world, ask, directory, add } = await trunkDirectoryWorld(t);
      const id = await add({ register: true });
      await directory.start(ask);
      await until('it is registered', () => directory.isUsable(id) || undefined);
      world.areRegistrationsShared = areShared;
      await directory.takeNoMore();
      t.true(directory.isUsable(id), 'calls in progress can be transferred');
      // The other gateways have stopped, and have removed the registrations that were left to them.
      world.areRegistrationsShared = false;
      await directory.close();
      t.deepEqual(asked.slice(1), areShared ? [] : ['leave carrier 10.0.0.1 hunter']);
    }
  },
);

test.serial('keeps registrations if the database is unavailable', async (t) => {
  const { asked, world, ask, directory, add } = await trunkDirectoryWorld(t);
  const id = await add({ register: true });
  await directory.start(ask);
  await until('it is registered', () => directory.isUsable(id) || undefined);
  world.areRegistrationsShared = null;
  await directory.takeNoMore();
  await directory.close();
  t.is(asked.length, 1);
});

test.serial('shows the activity of a trunk in its status', async (t) => {
  const { asked, world: far, ask, directory, add, one, db } = await trunkDirectoryWorld(t);
  const id = await add({ register: true });
  const status = () => directory.status({ id, enabled: true });
  t.is(status().state, 'unused');
  far.refusal = 'The trunk refuses the password.';
  await directory.start(ask);
  await until('it was refused', () => status().state === 'unregistered' || undefined);
  t.is(status().detail, 'The trunk refuses the password.');
  far.refusal = null;
  await until('it is registered', () => status().state === 'registered' || undefined);
  t.deepEqual(status(), {
    state: 'registered',
    detail: null,
    lastSeenAt: 1_000,
    restsUntil: null,
    channels: 0,
    addresses: [],
  });
  t.true(asked.length >= 2);
  await patchTrunk(db, one(id), { register: false, healthCheck: true });
  await until('it is ready', () => (status().state === 'ready' && status().lastSeenAt !== null) || undefined);
  far.refusal = 'The trunk does not answer.';
  t.is(directory.status({ id, enabled: false }).state, 'disabled');
  await directory.close();
});

test.serial('shows the cool-down of a trunk until its settings change', async (t) => {
  const { coolDowns, ask, directory, add, one, db } = await trunkDirectoryWorld(t);
  const id = await add();
  await directory.start(ask);
  const status = () => directory.status({ id, enabled: true });
  t.is(status().state, 'ready');
  coolDowns.begin(`${id} 10.0.0.1`, 600_000);
  t.like(status(), { state: 'resting', restsUntil: coolDowns.until(`${id} 10.0.0.1`) });
  t.regex(status().detail ?? '', /^It wants no calls for (600|599) more seconds\.$/);
  await patchTrunk(db, one(id), { weight: 11 });
  await until('it is ready again', () => status().state === 'ready' || undefined);
  t.is(coolDowns.until(`${id} 10.0.0.1`), null);
  await directory.close();
});

const at = (host: string, drained = false) => ({ host, port: 5060, priority: 10, weight: 10, drained });

test.serial('checks each address separately; a trunk is down if no undrained address responds', async (t) => {
  const { world: far, ask, directory, add } = await trunkDirectoryWorld(t);
  const id = await add({
    healthCheck: true,
    addresses: [at('10.0.0.8'), at('10.0.0.9'), at('10.0.0.7', true)],
  });
  const lost = await add({
    name: 'lost',
    healthCheck: true,
    addresses: [at('10.0.0.9'), at('10.0.0.7', true)],
  });
  far.deadAddress = '10.0.0.9';
  far.channels = { [`${id} 10.0.0.8:5060`]: 3, [id]: 4 };
  await directory.start(ask);
  const status = () => directory.status({ id, enabled: true });
  const states = () => status().addresses.map(({ address, state }) => `${address} ${state}`);
  await until('one is lost', () => states()[1]?.endsWith('unreachable') || undefined);
  t.deepEqual(states(), ['10.0.0.8:5060 ready', '10.0.0.9:5060 unreachable', '10.0.0.7:5060 drained']);
  const lostStatus = () => directory.status({ id: lost, enabled: true });
  await until('all are lost', () => lostStatus().state === 'unreachable' || undefined);
  t.is(lostStatus().detail, 'None of its addresses answers.');
  t.false(directory.isUsable(lost));
  t.like(status(), { state: 'ready', channels: 4, addresses: [{ channels: 3 }, { channels: 0 }] });
  t.deepEqual(
    [undefined, '10.0.0.8:5060', '10.0.0.9:5060'].map((one) => directory.isUsable(id, one)),
    [true, true, false],
  );
  await directory.close();
});

test.serial('does not use a trunk at a forbidden address and reports it', async (t) => {
  const { directory, ask, asked, add } = await trunkDirectoryWorld(t);
  const address = { host: refusedHost, port: null, priority: 10, weight: 10, drained: false };
  const id = await add({ host: refusedHost, register: true });
  const other = await add({ name: 'other', addresses: [address] });
  t.teardown(directory.close);
  await directory.start(ask);
  t.deepEqual(asked, []);
  t.deepEqual(directory.all(), []);
  for (const trunkId of [id, other])
    t.like(directory.status({ id: trunkId, enabled: true }), {
      state: 'unused',
      detail: 'The operator of this gateway does not allow its address.',
    });
});

test.serial('shows whether a drained trunk still has active calls', async (t) => {
  const { world: far, ask, directory, add } = await trunkDirectoryWorld(t);
  const id = await add({ drained: true });
  far.channels = { [id]: 1 };
  await directory.start(ask);
  t.like(directory.status({ id, enabled: true }), { state: 'draining', channels: 1 });
  far.channels = {};
  t.is(directory.status({ id, enabled: true }).state, 'drained');
  await directory.close();
});

test.serial('skips only the trunk whose password cannot be decrypted', async (t) => {
  const { db, ask, directory, add, one } = await trunkDirectoryWorld(t);
  const broken = await add({ name: 'broken' });
  await patchTrunk(db, one(broken), { passwordSealed: createSealing(Buffer.alloc(32, 4)).seal('x', broken) });
  await add({ name: 'good' });
  await directory.start(ask);
  t.deepEqual(
    directory.all().map(({ name }) => name),
    ['good'],
  );
  await directory.close();
});

test.serial('finds a number with its workspace and its trunk', async (t) => {
  const { db, number, directory, add } = await trunkDirectoryWorld(t);
  const { workspaceId, numberId } = number;
  t.deepEqual(await directory.ownerOf(number.number), { workspaceId, trunkId: null });
  const trunkId = await add();
  await patchNumber(db, { numberId, workspaceId }, { trunkId });
  t.deepEqual(await directory.ownerOf(number.number), { workspaceId, trunkId });
});

test.serial(
  'combines permitted destinations of the workspace, or else the platform, with those of the number',
  async (t) => {
    const { db, number, directory } = await trunkDirectoryWorld(t);
    const [platform, ...others] = await directory.destinationsOf(number.number);
    t.true(platform?.kinds.includes('mobile'));
    t.deepEqual(others, []);
    const own = { kinds: ['uan' as const], allowedPrefixes: [], deniedPrefixes: [] };
    await patchNumber(db, number, { destinations: own });
    t.deepEqual(await directory.destinationsOf(number.number), [platform, own]);
    t.deepEqual(await directory.destinationsOf('0299999999'), [platform]);
  },
);

// Trunk lives

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

const trunkLivesWorld = () => {
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
      coolDowns: { end() {} },
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
  /** Requests since the last call of this function. */
  const news = (): string[] => asked.splice(0);
  return { lives, far, clock, news };
};

test.serial(
  'starts a registration and health check for each enabled trunk, with the decrypted password',
  async (t) => {
    const { lives, news } = trunkLivesWorld();
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
  },
);

test.serial(
  'registers a changed trunk again without unregistering, and does not affect others',
  async (t) => {
    const { lives, news } = trunkLivesWorld();
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
  },
);

test.serial('unregisters a changed trunk that is not to be registered any more', async (t) => {
  const { lives, news } = trunkLivesWorld();
  lives.follow([record('a', { register: true })]);
  await turn();
  news();
  lives.follow([record('a', { register: false })]);
  await turn();
  t.deepEqual(news(), ['leave a hunter']);
  t.is(lives.find('a')?.status().state, 'ready');
});

test.serial('unregisters a removed or disabled trunk and clears its timer', async (t) => {
  const { lives, news, clock } = trunkLivesWorld();
  lives.follow([record('a', { register: true }), record('b', { healthCheck: true })]);
  await turn();
  news();
  lives.follow([record('a', { register: true, enabled: false })]);
  await turn();
  t.deepEqual(news(), ['leave a hunter']);
  t.deepEqual(lives.all(), []);
  t.is(clock.pending(), 0);
});

test.serial('registers each registered trunk once more on request, until the end', async (t) => {
  const { lives, news, clock } = trunkLivesWorld();
  lives.follow([record('a', { register: true }), record('b')]);
  await turn();
  news();
  lives.registerAgain();
  await turn();
  t.deepEqual(news(), ['register a hunter']);
  t.deepEqual(
    lives.endAll().map(({ name }) => name),
    ['a'],
  );
  t.is(clock.pending(), 0);
  t.deepEqual(lives.endAll(), []);
  t.deepEqual(news(), []);
});

test.serial('sends no REGISTER for registrations that were left to other gateways', async (t) => {
  const { lives, news, clock } = trunkLivesWorld();
  lives.follow([record('a', { register: true }), record('b', { register: true })]);
  await turn();
  clock.advance(500_000);
  await turn();
  t.deepEqual(news(), ['register a hunter', 'register b hunter', 'register a hunter', 'register b hunter']);
  lives.leaveRegistrations();
  clock.advance(2_000_000);
  await turn();
  t.deepEqual(news(), []);
  t.is(lives.find('a')?.status().state, 'registered');
  lives.follow([record('a', { register: true })]);
  await turn();
  t.deepEqual(news(), ['leave b hunter']);
  t.deepEqual(lives.endAll(), []);
});

test.serial('starts all trunks except one whose password cannot be decrypted', (t) => {
  const { lives } = trunkLivesWorld();
  lives.follow([record('broken', { passwordSealed: 'broken' }), record('good')]);
  t.deepEqual(
    lives.all().map(({ name }) => name),
    ['good'],
  );
});

test.serial('waits for unregistration on close, whatever the responses', async (t) => {
  const { lives, far, news } = trunkLivesWorld();
  lives.follow([record('a', { register: true }), record('b', { register: true })]);
  await turn();
  news();
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waiting = answers.map(({ promise }) => promise);
  far.leaving = () => waiting.shift() ?? Promise.resolve();
  let isOver = false;
  const leaving = lives.unregister(lives.endAll()).then(() => (isOver = true));
  await turn();
  t.deepEqual(news(), ['leave a hunter', 'leave b hunter']);
  answers[0]?.reject(new Error('It does not answer'));
  await turn();
  t.false(isOver);
  answers[1]?.resolve();
  await leaving;
  t.deepEqual(lives.all(), []);
});
