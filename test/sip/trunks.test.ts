/** Trunks: choice, failover, limits, redirects, cool-downs and media offers. */
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { trunkTimes } from '#config/policy.ts';
import { inviteTo, type InviteTarget, targetAt, trunkUri } from '#sip/trunks/addressing.ts';
import { adviceFor } from '#sip/trunks/check-advice.ts';
import { type ChoiceOptions, chooseTrunks, whyNoRoute } from '#sip/trunks/choose.ts';
import { configuredTrunk } from '#sip/trunks/configured-trunk.ts';
import { causeOf, goesOn, isTrunksFault } from '#sip/trunks/failover.ts';
import { type Acquired, createTrunkLimits, type Permit } from '#sip/trunks/limits.ts';
import {
  answering,
  isHold,
  offerAfter,
  offerProblem,
  offerWith,
  packetMsIn,
  takeOffer,
  withHoldStated,
  withOneVoice,
  withPackets,
  type AudioTerms,
} from '#sip/sdp/media-offer.ts';
import { createTargets, redirectionsIn } from '#sip/trunks/redirects.ts';
import { createTrunkCoolDowns } from '#sip/trunks/cool-downs.ts';
import { isSecret, keyIn, withOneKey } from '#sip/sdp/sdes.ts';
import { createSharedLimits, type SharedTrunkLoad } from '#sip/trunks/shared-limits.ts';
import { steadyClock } from '#src/clocks.ts';
import type { Clock } from '#src/domain/clock.ts';
import {
  addressesOf,
  type Trunk,
  type TrunkAddress,
  type TrunkCodec,
  usualFailoverStatuses as usual,
} from '#src/domain/trunk.ts';
import { createTrunkLoad } from '#src/persistence/trunks/trunk-channels.ts';
import { openTestDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { until } from '#test/helpers/until.ts';
import { someTrunk, workspaceId } from './trunks/some-trunk.ts';

// Addressing

const call = { from: '07012345678', to: '01012345678' };
const firstOf = (trunk: Trunk): InviteTarget => {
  const [address] = addressesOf(trunk);
  if (address === undefined) throw new Error('A trunk is somewhere');
  return targetAt(trunk, address, call.to, 'KR');
};
const inviteBy = (trunk: Trunk, target = firstOf(trunk)) => inviteTo(trunk, target, call.from, 'KR');
const invite = (changes: Partial<Trunk>) => inviteBy(someTrunk(changes));

const addressingUris: readonly [Partial<Trunk>, string][] = [
  [{}, 'sip:sip.example.com'],
  [{ port: 5080 }, 'sip:sip.example.com:5080'],
  [{ transport: 'tcp' }, 'sip:sip.example.com;transport=tcp'],
  [{ transport: 'tls', port: 5061 }, 'sip:sip.example.com:5061;transport=tls'],
  [{ host: '2001:db8::1', port: 5060 }, 'sip:[2001:db8::1]:5060'],
];
for (const [changes, uri] of addressingUris)
  test(`uses the address ${uri} for a trunk with ${JSON.stringify(changes)}`, (t) => {
    t.is(trunkUri(someTrunk(changes)), uri);
  });

test('formats numbers as the trunk requires', (t) => {
  t.deepEqual(invite({}), {
    uri: 'sip:01012345678@sip.example.com',
    headers: { From: '<sip:07012345678@sip.example.com>' },
  });
  t.deepEqual(invite({ numberFormat: 'e164', fromDomain: 'example.org' }), {
    uri: 'sip:+821012345678@sip.example.com',
    headers: { From: '<sip:+827012345678@example.org>' },
  });
});

test('puts the number into the header that the trunk reads, and the account into From', (t) => {
  t.deepEqual(invite({ callerId: 'p-asserted-identity', username: 'gw 1@example.com' }).headers, {
    From: '<sip:gw%201@sip.example.com>',
    'P-Asserted-Identity': '<sip:07012345678@sip.example.com>',
  });
  t.deepEqual(invite({ callerId: 'p-preferred-identity' }).headers, {
    From: '<sip:07012345678@sip.example.com>',
    'P-Preferred-Identity': '<sip:07012345678@sip.example.com>',
  });
});

test('with privacy, puts the number only into headers for the trunk itself', (t) => {
  t.deepEqual(invite({ privacy: true, callerId: 'p-asserted-identity', username: 'gw' }).headers, {
    From: '"Anonymous" <sip:anonymous@anonymous.invalid>',
    'P-Asserted-Identity': '<sip:07012345678@sip.example.com>',
    Privacy: 'id',
  });
  t.notRegex(JSON.stringify(invite({ privacy: true }).headers), /0701/);
});

test('calls the configured trunk at its address, with a From host that drachtio-server replaces', (t) => {
  t.deepEqual(inviteBy(configuredTrunk({ address: '10.0.0.1:5080', numbers: 'e164' })), {
    uri: 'sip:+821012345678@10.0.0.1:5080',
    headers: { From: '<sip:+827012345678@localhost>' },
  });
});

test('calls an address of the trunk and keeps its host as the domain', (t) => {
  const addresses = [{ host: '2001:db8::9', port: 5070, priority: 1, weight: 1, drained: false }];
  t.deepEqual(invite({ addresses, transport: 'tcp' }), {
    uri: 'sip:01012345678@[2001:db8::9]:5070;transport=tcp',
    headers: { From: '<sip:07012345678@sip.example.com>' },
  });
  t.is(firstOf(someTrunk({ addresses })).key, 'carrier [2001:db8::9]:5070');
});

test('returns credentials if user name and password are configured', (t) => {
  t.deepEqual(invite({ username: 'gw', password: 'x' }).credentials, { username: 'gw', password: 'x' });
  t.false('credentials' in invite({ username: 'gw' }));
});

test('sends no credentials and no withheld number to a target outside the trunk', (t) => {
  const elsewhere = { uri: 'sip:01012345678@10.0.0.9', isOwn: false, key: null };
  const trunk = { username: 'gw', password: 'x', callerId: 'p-asserted-identity' } as const;
  t.deepEqual(inviteBy(someTrunk({ ...trunk, privacy: true }), elsewhere), {
    uri: elsewhere.uri,
    headers: { From: '"Anonymous" <sip:anonymous@anonymous.invalid>', Privacy: 'id' },
  });
  t.true('P-Asserted-Identity' in inviteBy(someTrunk(trunk), elsewhere).headers);
});

// Choose

const owner = { workspaceId, trunkId: null };
const configured = configuredTrunk({ address: '10.0.0.1:5080' });

const choose = (trunks: readonly Trunk[], changes: Partial<ChoiceOptions> = {}) =>
  chooseTrunks({
    owner,
    number: '+821012345678',
    headers: [],
    trunks,
    isUsable: () => true,
    coolDowns: { until: () => null },
    random: () => 0,
    ...changes,
  });
const names = (...given: Parameters<typeof choose>) => choose(...given).routes.map(({ trunk }) => trunk.name);
const secondsUntil = (end: number) => end / 1_000;

test('sorts trunks by lowest priority, with the configured trunk last', (t) => {
  const trunks = [
    configured,
    someTrunk({ name: 'third', priority: 65_535 }),
    someTrunk({ name: 'second', priority: 10 }),
    someTrunk({ name: 'first', priority: 9 }),
  ];
  t.deepEqual(names(trunks), ['first', 'second', 'third', 'GW_TRUNK']);
});

test('uses only trunks that list all custom headers of a call', (t) => {
  const trunks = [
    configured,
    someTrunk({ name: 'none', priority: 1 }),
    someTrunk({ name: 'one', priority: 2, headersOut: ['X-Ticket'] }),
    someTrunk({ name: 'all', priority: 3, headersOut: ['X-Queue', 'X-TICKET'] }),
    someTrunk({ name: 'takes', priority: 4, headersIn: ['X-Queue', 'X-Ticket'] }),
  ];
  t.deepEqual(names(trunks, { headers: ['x-ticket'] }), ['one', 'all']);
  t.deepEqual(names(trunks, { headers: ['X-Ticket', 'X-Queue'] }), ['all']);
  const { routes, leftOut } = choose(trunks, { headers: ['X-Other'] });
  t.deepEqual(routes, []);
  t.is(
    whyNoRoute(leftOut, secondsUntil),
    'No trunk that serves this number names all the headers of the call in "headers_out".',
  );
  t.is(names(trunks).length, 5, 'a call without goes by any');
});

test('uses the headers of the configuration for the configured trunk', (t) => {
  const address = '10.0.0.1:5080';
  const trunk = configuredTrunk({ address, headersIn: ['X-Queue'], headersOut: ['X-Ticket'] });
  t.deepEqual(names([trunk], { headers: ['x-ticket'] }), ['GW_TRUNK']);
  t.deepEqual(names([trunk], { headers: ['x-queue'] }), []);
  t.deepEqual(trunk.headersIn, ['X-Queue']);
});

test('skips trunks of other workspaces', (t) => {
  const trunks = [
    someTrunk({ name: 'foreign', workspaceId: 'other' }),
    configured,
    someTrunk({ name: 'own' }),
  ];
  t.deepEqual(names(trunks), ['own', 'GW_TRUNK']);
  t.deepEqual(names(trunks, { owner: undefined }), ['GW_TRUNK']);
});

test('uses only the trunk of a bound number, and none if that trunk is disabled', (t) => {
  const trunks = [someTrunk({ name: 'one' }), someTrunk({ name: 'two' }), configured];
  t.deepEqual(names(trunks, { owner: { workspaceId, trunkId: 'two' } }), ['two']);
  t.deepEqual(names(trunks, { owner: { workspaceId, trunkId: 'gone' } }), []);
});

test('tries an unavailable trunk after all others', (t) => {
  const trunks = [
    someTrunk({ name: 'down', priority: 1 }),
    someTrunk({ name: 'up', priority: 2 }),
    configured,
  ];
  t.deepEqual(names(trunks, { isUsable: (id) => id !== 'down' }), ['up', 'GW_TRUNK', 'down']);
  t.deepEqual(names(trunks, { isUsable: () => false }), ['down', 'up', 'GW_TRUNK']);
});

test('chooses the first of several trunks of equal priority by weight', (t) => {
  const trunks = [
    someTrunk({ name: 'three', weight: 3 }),
    someTrunk({ name: 'one', weight: 1 }),
    someTrunk({ name: 'never', weight: 0 }),
  ];
  const steps = 1_000;
  const firsts = Array.from({ length: steps }, (_, step) => names(trunks, { random: () => step / steps })[0]);
  t.is(firsts.filter((name) => name === 'three').length, 750);
  t.is(firsts.filter((name) => name === 'one').length, 250);
});

test('tries every trunk once, for any random numbers', (t) => {
  const trunk = fc.record({
    priority: fc.integer({ min: 0, max: 3 }),
    weight: fc.integer({ min: 0, max: 3 }),
    usable: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(trunk),
      fc.array(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (made, chances) => {
        const trunks = made.map((settings, index) => someTrunk({ ...settings, name: `t${index}` }));
        const drawn = chances.values();
        const chosen = names(trunks, {
          isUsable: (id) => made[Number(id.slice(1))]?.usable ?? false,
          random: () => drawn.next().value ?? 0,
        });
        const usable = chosen.map((name) => made[Number(name.slice(1))]?.usable);
        return (
          new Set(chosen).size === trunks.length &&
          chosen.length === trunks.length &&
          !usable.some((is, index) => is === true && usable[index - 1] === false)
        );
      },
    ),
  );
  t.pass();
});

const at = (host: string, changes: Partial<TrunkAddress> = {}): TrunkAddress => ({
  host,
  port: 5060,
  priority: 10,
  weight: 10,
  drained: false,
  ...changes,
});
const hosts = (addresses: TrunkAddress[], changes: Partial<ChoiceOptions> = {}) =>
  choose([someTrunk({ addresses })], changes).routes.flatMap((route) =>
    route.addresses.map(({ host }) => host),
  );

test('tries the addresses of a trunk by lowest priority, unresponsive ones last', (t) => {
  const addresses = [at('c', { priority: 30 }), at('b', { priority: 20 }), at('a', { priority: 9 })];
  t.deepEqual(hosts(addresses), ['a', 'b', 'c']);
  t.deepEqual(hosts(addresses, { isUsable: (_, address) => address !== 'a:5060' }), ['b', 'c', 'a']);
  t.deepEqual(hosts([]), ['sip.example.com']);
});

test('chooses the first of several addresses of equal priority by weight', (t) => {
  const addresses = [at('three', { weight: 3 }), at('one', { weight: 1 })];
  const steps = 1_000;
  const firsts = Array.from(
    { length: steps },
    (_, step) => hosts(addresses, { random: () => step / steps })[0],
  );
  t.is(firsts.filter((host) => host === 'three').length, 750);
});

test('skips drained addresses and drained trunks', (t) => {
  t.deepEqual(hosts([at('a', { drained: true }), at('b')]), ['b']);
  const trunks = [
    someTrunk({ name: 'whole', drained: true }),
    someTrunk({ name: 'everywhere', addresses: [at('a', { drained: true })] }),
  ];
  const { routes, leftOut } = choose(trunks, { owner: { workspaceId, trunkId: 'whole' } });
  t.deepEqual(routes, []);
  t.is(whyNoRoute(leftOut, secondsUntil), 'The trunk "whole" is drained: it takes no new calls.');
  t.deepEqual(names(trunks), []);
});

test('skips an address in cool-down, and a trunk if all its addresses are in cool-down', (t) => {
  const ends: Record<string, number> = { 'one a:5060': 9_000, 'one b:5060': 7_000, 'two c:5060': 8_000 };
  const coolDowns = { until: (key: string) => ends[key] ?? null };
  const one = someTrunk({ name: 'one', addresses: [at('a'), at('b')] });
  const two = someTrunk({ name: 'two', addresses: [at('c'), at('d')] });
  const { routes, leftOut } = choose([one, two], { coolDowns });
  t.deepEqual(
    routes.map(({ trunk, addresses }) => [trunk.name, addresses]),
    [['two', [at('d')]]],
  );
  t.deepEqual(leftOut, [{ trunk: one, because: 'resting', until: 7_000 }]);
  t.is(whyNoRoute(leftOut, secondsUntil), 'The trunk "one" wants no calls for 7 more seconds.');
  t.is(whyNoRoute([], secondsUntil), 'There is no enabled trunk for this number');
});

test('prefers the longest matching prefix to priority, with catch-all trunks last', (t) => {
  const trunks = [
    someTrunk({ name: 'all', priority: 1 }),
    someTrunk({ name: 'korea', priority: 2, prefixes: ['+82'] }),
    someTrunk({ name: 'mobiles', priority: 30, prefixes: ['+822', '+8', '+8210'] }),
    someTrunk({ name: 'seoul', priority: 0, prefixes: ['+822'] }),
  ];
  t.deepEqual(names(trunks), ['mobiles', 'korea', 'all']);
  t.deepEqual(names(trunks, { number: '+8225551234' }), ['seoul', 'mobiles', 'korea', 'all']);
  t.deepEqual(names(trunks, { isUsable: (id) => id !== 'mobiles' }), ['korea', 'all', 'mobiles']);
  t.deepEqual(
    choose(trunks).routes.map(({ prefix }) => prefix),
    ['+8210', '+82', ''],
  );
});

test('reports a number that no trunk serves, even with a bound trunk', (t) => {
  const trunks = [someTrunk({ name: 'seoul', prefixes: ['+822'] })];
  const { routes, leftOut } = choose(trunks, { owner: { workspaceId, trunkId: 'seoul' } });
  t.deepEqual(routes, []);
  t.is(
    whyNoRoute(leftOut, secondsUntil),
    'No trunk serves this number: its prefix stands in none of their lists.',
  );
});

// Redirect targets

const target = (name: string) => ({ uri: `sip:${name}`, isOwn: false, key: null });

test('tries redirect targets next, each once', (t) => {
  const targets = createTargets([target('a')]);
  t.deepEqual(targets.next(), target('a'));
  t.is(targets.redirect([target('b'), target('c')]), 2);
  t.deepEqual(targets.next(), target('b'));
  t.is(targets.redirect([target('a'), target('d'), target('b')]), 1);
  t.deepEqual([targets.next(), targets.next(), targets.next()], [target('d'), target('c'), undefined]);
});

test('follows no redirect back to the origin of the call', (t) => {
  const targets = createTargets([target('a')]);
  targets.next();
  t.is(targets.redirect([target('a')]), 0);
  t.is(targets.next(), undefined);
});

test('follows five redirects at most', (t) => {
  const targets = createTargets([target('0')]);
  let followed = 0;
  while (targets.next() !== undefined) {
    followed += 1;
    targets.redirect([target(String(followed))]);
  }
  t.is(followed, 6);
  t.is(createTargets([target('a')]).redirect('bcdefghi'.split('').map(target)), 5);
});

test('tries further addresses of a trunk after its redirect targets', (t) => {
  const targets = createTargets([target('a'), target('b')]);
  targets.next();
  t.is(targets.redirect([target('b')]), 0);
  t.is(targets.redirect([target('c')]), 1);
  t.deepEqual([targets.next(), targets.next(), targets.next()], [target('c'), target('b'), undefined]);
});

// Failover

const next: readonly (number | null)[] = [null, 401, 403, 407, 408, 429, 500, 502, 503, 504, 580];
const last: readonly number[] = [300, 404, 410, 480, 484, 486, 487, 488, 600, 603, 604, 607];

for (const status of next)
  test(`tries the next trunk after ${status ?? 'no response'}`, (t) => {
    t.true(goesOn({ status, came: 'nowhere' }, usual));
    t.false(goesOn({ status, came: 'ringing' }, usual), 'but not once a telephone has rung');
  });

for (const status of last)
  test(`tries no other trunk after ${status}`, (t) => {
    t.false(goesOn({ status, came: 'nowhere' }, usual));
  });

test('does not treat a 5xx about the callee as a trunk failure', (t) => {
  t.false(goesOn({ status: 503, reason: 'Q.850;cause=17', came: 'nowhere' }, usual));
  t.false(goesOn({ status: 500, reason: 'Q.850;cause=1', came: 'nowhere' }, usual));
  t.true(goesOn({ status: 503, reason: 'Q.850;cause=34', came: 'nowhere' }, usual));
});

test('tries the next trunk after a 503 that follows a provisional response, but not after a 408', (t) => {
  t.true(goesOn({ status: 503, came: 'progress' }, usual));
  t.false(goesOn({ status: 408, came: 'progress' }, usual), 'nobody has picked up');
  t.is(causeOf({ status: 408, came: 'progress' }), 'no_answer');
});

test('treats the statuses configured for a trunk as its failure', (t) => {
  t.true(goesOn({ status: 486, came: 'nowhere' }, ['486']));
  t.true(goesOn({ status: 404, came: 'progress' }, ['4xx']));
  t.false(goesOn({ status: 503, came: 'nowhere' }, ['500', '4xx']));
  t.false(goesOn({ status: 503, came: 'nowhere' }, []));
  t.false(goesOn({ status: 404, came: 'ringing' }, ['4xx']), 'never once a telephone has rung');
  t.false(
    goesOn({ status: 404, reason: 'Q.850;cause=1', came: 'nowhere' }, ['404']),
    'the network knows more',
  );
  t.true(goesOn({ status: null, came: 'nowhere' }, []), 'no word at all is no status');
});

test('treats a trunk failure as such even after the telephone has rung', (t) => {
  t.true(isTrunksFault({ status: 503, came: 'ringing' }, usual));
  t.false(isTrunksFault({ status: 486, came: 'ringing' }, usual));
});

// Limits

const patienceMs = 3_000;

const limitsWorld = () => {
  const clock = new SimulatedClock();
  const limits = createTrunkLimits({ ...trunkTimes, clock, patienceMs });
  return { clock, limits };
};

const never = new AbortController().signal;
const settle = async (): Promise<void> => {
  for (let times = 0; times < 10; times += 1) await Promise.resolve();
};
const permitOf = (acquired: Acquired) => {
  if ('full' in acquired) throw new Error(acquired.full);
  return acquired.permit;
};

test.serial('accepts every call at once for a trunk without limits', async (t) => {
  const { limits } = limitsWorld();
  for (let calls = 0; calls < 100; calls += 1) permitOf(await limits.acquire(someTrunk(), true, never));
  t.is(limits.channelsOf('carrier'), 100);
});

test.serial('passes calls of a full trunk to the next one at once', async (t) => {
  const { limits } = limitsWorld();
  const trunk = someTrunk({ maxChannels: 1 });
  const permit = permitOf(await limits.acquire(trunk, false, never));
  t.deepEqual(await limits.acquire(trunk, false, never), {
    full: 'The trunk "carrier" has no free channel (of 1).',
  });
  permit.release();
  permit.release();
  t.is(limits.channelsOf('carrier'), 0);
  permitOf(await limits.acquire(trunk, false, never));
});

test.serial('queues calls for a channel of the last trunk in order of arrival', async (t) => {
  const { clock, limits } = limitsWorld();
  const trunk = someTrunk({ maxChannels: 1 });
  const first = permitOf(await limits.acquire(trunk, true, never));
  const order: string[] = [];
  const second = limits.acquire(trunk, true, never);
  const third = limits.acquire(trunk, true, never);
  void second.then((acquired) => order.push('full' in acquired ? 'second is refused' : 'second'));
  void third.then((acquired) => order.push('full' in acquired ? 'third is refused' : 'third'));
  await settle();
  t.deepEqual(order, []);
  first.release();
  await settle();
  t.deepEqual(order, ['second']);
  clock.increment(patienceMs);
  await settle();
  t.deepEqual(order, ['second', 'third is refused']);
  permitOf(await second).release();
  t.is(limits.channelsOf('carrier'), 0);
});

test.serial('a call that is cancelled leaves the queue and holds no channel', async (t) => {
  const { limits } = limitsWorld();
  const trunk = someTrunk({ maxChannels: 1 });
  const first = permitOf(await limits.acquire(trunk, true, never));
  const given = new AbortController();
  const waiting = limits.acquire(trunk, true, given.signal);
  given.abort();
  t.true('full' in (await waiting));
  t.true('full' in (await limits.acquire(trunk, true, AbortSignal.abort())));
  first.release();
  t.is(limits.channelsOf('carrier'), 0);
});

test.serial('starts new calls at an even rate and rejects calls beyond the queue', async (t) => {
  const { clock, limits } = limitsWorld();
  const trunk = someTrunk({ callsPerSecond: 2 });
  const begun: number[] = [];
  const refused: string[] = [];
  for (let calls = 0; calls < 10; calls += 1)
    void (async () => {
      const acquired = await limits.acquire(trunk, true, never);
      if ('full' in acquired) refused.push(acquired.full);
      else begun.push(clock.now());
    })();
  await settle();
  t.deepEqual(begun, [0]);
  t.deepEqual(
    refused,
    Array.from({ length: 3 }, () => 'More calls than 2 a second wait for the trunk "carrier".'),
  );
  for (let tenths = 0; tenths < 40; tenths += 1) {
    clock.increment(100);
    await settle();
  }
  t.deepEqual(begun, [0, 500, 1_000, 1_500, 2_000, 2_500, 3_000]);
});

test.serial('counts inbound calls and never queues them', async (t) => {
  const { limits } = limitsWorld();
  const trunk = someTrunk({ maxChannels: 2, callsPerSecond: 1 });
  const one = limits.tryAcquire(trunk);
  t.truthy(one);
  permitOf(await limits.acquire(trunk, true, never));
  t.is(limits.tryAcquire(trunk), null);
  one?.release();
  t.truthy(limits.tryAcquire(trunk));
});

// Shared limits
// Two gateways of one database with one trunk between them.

const signal = new AbortController().signal;

const limitsOver = (load: SharedTrunkLoad, clock: Clock = steadyClock) => {
  const warned: string[] = [];
  const limits = createSharedLimits({
    limits: createTrunkLimits({ clock, patienceMs }),
    load,
    clock,
    patienceMs,
    inBackground: (_, work) => void work().catch(() => {}),
    logger: pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) }),
  });
  return { ...limits, warned };
};

const twoGateways = async (t: ExecutionContext, clock: Clock = steadyClock) => {
  const url = await testDatabaseUrl(t);
  const gateway = async (node: 'one' | 'two') =>
    limitsOver(createTrunkLoad(await openTestDatabase(t, url, node), node), clock);
  return [await gateway('one'), await gateway('two')] as const;
};

test.serial(
  'simultaneous outbound and inbound calls of two gateways share the channels of their trunk',
  async (t) => {
    // Without the passage of time no gateway gives the database up and counts alone.
    const [one, two] = await twoGateways(t, new SimulatedClock());
    const trunk = someTrunk({ maxChannels: 10 });
    const out = async ({ acquire }: typeof one): Promise<Permit | null> => {
      const acquired = await acquire(trunk, false, { callId: randomUUID(), leg: 'first', signal });
      if ('permit' in acquired) return acquired.permit;
      t.is(acquired.full, 'The trunk "carrier" has no free channel (of 10).');
      return null;
    };
    const incoming = async ({ arrive }: typeof one): Promise<Permit | null> => {
      const joining = arrive(trunk, randomUUID());
      if (joining === null) return null;
      if (await joining.hasChannel) return joining.permit;
      joining.permit.release();
      return null;
    };
    const asked = Array.from({ length: 15 }, () => [out(one), out(two), incoming(one), incoming(two)]);
    const permits = (await Promise.all(asked.flat())).filter((permit) => permit !== null);
    t.is(permits.length, 10);
    t.is(one.channelsOf('carrier') + two.channelsOf('carrier'), 10);

    for (const permit of permits) permit.release();
    t.is(one.channelsOf('carrier') + two.channelsOf('carrier'), 0);
    await until('all of it is free at one gateway', async () => {
      const again = await Promise.all(Array.from({ length: 10 }, () => out(two)));
      const taken = again.filter((permit) => permit !== null);
      for (const permit of taken) permit.release();
      return taken.length === 10 || undefined;
    });
  },
);

test.serial('queues a call on its last trunk for a channel of another gateway', async (t) => {
  const [one, two] = await twoGateways(t);
  const trunk = someTrunk({ maxChannels: 1 });
  const first = await one.acquire(trunk, true, { callId: randomUUID(), leg: 'first', signal });
  if ('full' in first) throw new Error(first.full);
  const waiting = two.acquire(trunk, true, { callId: randomUUID(), leg: 'first', signal });
  first.permit.release();
  t.true('permit' in (await waiting));
});

/** A load whose releases wait until the test lets them through. */
const listedLoad = () => {
  const done: string[] = [];
  const releases: (() => void)[] = [];
  const note = async (what: string): Promise<true> => {
    done.push(what);
    return true;
  };
  const load: SharedTrunkLoad = {
    take: ({ leg }) => note(`take ${leg}`),
    keep: async ({ leg }) => void (await note(`keep ${leg}`)),
    async giveBack({ leg }) {
      await new Promise<void>((resolve) => releases.push(resolve));
      await note(`give back ${leg}`);
    },
    turn: () => Promise.resolve(0),
  };
  return { load, done, letReleaseThrough: () => releases.shift()?.() };
};

test('releases the channel of a leg that was taken over with the last of its endpoints', async (t) => {
  const { load, done, letReleaseThrough } = listedLoad();
  const { goOn } = limitsOver(load, new SimulatedClock());
  const trunk = someTrunk({ maxChannels: 5 });
  const callId = randomUUID();
  const offered = goOn(trunk, { callId, leg: 'first' });
  const answering = goOn(trunk, { callId, leg: 'first' });
  const ofPerson = goOn(trunk, { callId, leg: 'second' });
  offered.release();
  await turn();
  ofPerson.release();
  await turn();
  letReleaseThrough();
  await turn();
  t.deepEqual(done, ['keep first', 'keep first', 'keep second', 'give back second']);
  answering.release();
  await turn();
  letReleaseThrough();
  await turn();
  t.is(done.at(-1), 'give back first');
});

test('takes the channel of a second transfer after the release of the first one', async (t) => {
  const { load, done, letReleaseThrough } = listedLoad();
  const { acquire } = limitsOver(load, new SimulatedClock());
  const trunk = someTrunk({ maxChannels: 5 });
  const transfer = { callId: randomUUID(), leg: 'second', signal } as const;
  const first = permitOf(await acquire(trunk, true, transfer));
  first.release();
  await turn();
  const second = acquire(trunk, true, transfer);
  await turn();
  t.deepEqual(done, ['take second']);
  letReleaseThrough();
  permitOf(await second);
  t.deepEqual(done, ['take second', 'give back second', 'take second']);
});

test('keeps the channel of a second transfer that began before the release of the first one', async (t) => {
  const { load, done, letReleaseThrough } = listedLoad();
  const { acquire } = limitsOver(load, new SimulatedClock());
  const trunk = someTrunk({ maxChannels: 5 });
  const transfer = { callId: randomUUID(), leg: 'second', signal } as const;
  const first = permitOf(await acquire(trunk, true, transfer));
  permitOf(await acquire(trunk, true, transfer));
  first.release();
  await turn();
  letReleaseThrough();
  await turn();
  t.deepEqual(done, ['take second', 'take second']);
});

test('releases a channel that only an earlier use has taken', async (t) => {
  const { load, done, letReleaseThrough } = listedLoad();
  let isFree = true;
  const full: SharedTrunkLoad = {
    ...load,
    async take(channel) {
      await load.take(channel);
      return isFree;
    },
  };
  const { acquire } = limitsOver(full, new SimulatedClock());
  const trunk = someTrunk({ maxChannels: 5 });
  const transfer = { callId: randomUUID(), leg: 'second', signal } as const;
  const first = permitOf(await acquire(trunk, false, transfer));
  isFree = false;
  const refused = acquire(trunk, false, transfer);
  first.release();
  t.true('full' in (await refused));
  await turn();
  letReleaseThrough();
  await turn();
  t.deepEqual(done, ['take second', 'take second', 'give back second']);
});

const away = (): Promise<never> => Promise.reject(new Error('The database is away'));

test.serial('applies limits per gateway while the database is unreachable, and reports it', async (t) => {
  const gateway = limitsOver({ take: away, keep: away, giveBack: away, turn: away }, new SimulatedClock());
  const trunk = someTrunk({ maxChannels: 1, callsPerSecond: 1 });
  const first = await gateway.acquire(trunk, false, { callId: randomUUID(), leg: 'first', signal });
  t.true('permit' in first);
  t.true('full' in (await gateway.acquire(trunk, false, { callId: randomUUID(), leg: 'first', signal })));
  t.is(gateway.arrive(trunk, randomUUID()), null);
  t.true(gateway.warned.length > 0);
  if ('permit' in first) first.permit.release();
  t.is(gateway.channelsOf('carrier'), 0);
});

test.serial('delays a call only for a limited time if the database is unresponsive', async (t) => {
  const clock = new SimulatedClock();
  const silent = (): Promise<never> => new Promise(() => {});
  const gateway = limitsOver({ take: silent, keep: silent, giveBack: silent, turn: silent }, clock);
  const trunk = someTrunk({ maxChannels: 1 });
  const acquiring = gateway.acquire(trunk, false, { callId: randomUUID(), leg: 'first', signal });
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
  clock.increment(patienceMs);
  t.true('permit' in (await acquiring));
});

// Redirects

const follow = (contacts: string, changes: Partial<Trunk> = {}) =>
  redirectionsIn(contacts, someTrunk({ redirects: 'any', ...changes }), 'KR');
const redirectsUris = (...given: Parameters<typeof follow>) => follow(...given).map(({ uri }) => uri);

test('follows Contacts by highest q, and in header order for equal q', (t) => {
  const contacts = [
    '"Kim, \\"A\\" <x>" <sip:01011112222@10.0.0.1;user=phone>;q=0.2',
    '<sip:01011112222@10.0.0.2:5080>;expires=60;q=0.9',
    'sip:01011112222@10.0.0.3;q=0.2',
    '<sip:01011112222@10.0.0.4>',
  ].join(', ');
  t.deepEqual(redirectsUris(contacts), [
    'sip:01011112222@10.0.0.4',
    'sip:01011112222@10.0.0.2:5080',
    'sip:01011112222@10.0.0.1',
    'sip:01011112222@10.0.0.3',
  ]);
});

test("follows redirects only as the trunk's settings permit", (t) => {
  const contacts = '<sip:01011112222@10.0.0.1>, <sip:01011112222@SIP.example.com:5070>';
  t.deepEqual(redirectsUris(contacts, { redirects: 'refused' }), []);
  t.deepEqual(follow(contacts, { redirects: 'same_host' }), [
    { uri: 'sip:01011112222@SIP.example.com:5070', number: '01011112222', key: null, isOwn: true },
  ]);
  t.deepEqual(
    follow(contacts).map(({ isOwn }) => isOwn),
    [false, true],
  );
});

test('treats all addresses of a trunk as its own hosts', (t) => {
  const addresses = [{ host: '10.0.0.1', port: null, priority: 1, weight: 1, drained: false }];
  const contacts = '<sip:01011112222@10.0.0.1>, <sip:01011112222@10.0.0.2>';
  t.deepEqual(redirectsUris(contacts, { redirects: 'same_host', addresses }), ['sip:01011112222@10.0.0.1']);
});

test('redirects only to callable numbers and keeps their format', (t) => {
  t.deepEqual(follow('<sip:+821011112222;rn=+8227001;npdi@10.0.0.1>'), [
    {
      uri: 'sip:+821011112222;rn=+8227001;npdi@10.0.0.1',
      number: '01011112222',
      key: null,
      isOwn: false,
    },
  ]);
  for (const user of ['+12025550123', '114', 'kim', '0101111222233', '010%31111', '01011112222:secret'])
    t.deepEqual(redirectsUris(`<sip:${user}@10.0.0.1>`), [], user);
});

const meant: readonly [Partial<Trunk>, string, string[]][] = [
  [{ transport: 'tcp' }, 'sip:01011112222@a', ['sip:01011112222@a;transport=tcp']],
  [{ transport: 'udp' }, 'sip:01011112222@a;transport=TCP;lr', ['sip:01011112222@a;transport=tcp']],
  [{ transport: 'tls' }, 'sip:01011112222@a', ['sip:01011112222@a;transport=tls']],
  [{ transport: 'udp' }, 'sips:01011112222@a', ['sip:01011112222@a;transport=tls']],
  [{ transport: 'tls' }, 'sip:01011112222@a;transport=udp', []],
  [{ transport: 'udp' }, 'sip:01011112222@a;transport=sctp', []],
  [{}, 'sip:01011112222@[2001:db8::1]:5060', ['sip:01011112222@[2001:db8::1]:5060']],
  [{}, 'sip:01011112222@a:70000', []],
  [{}, 'sip:01011112222@a?Subject=x', []],
  [{}, 'sip:10.0.0.1:5060', []],
  [{}, 'tel:01011112222', []],
  [{}, 'https://example.com', []],
  [{}, '', []],
];
for (const [changes, uri, expected] of meant)
  test(`with ${JSON.stringify(changes)}, follows a Contact of ${uri || 'an empty URI'} to ${expected.join() || 'no target'}`, (t) => {
    t.deepEqual(redirectsUris(`<${uri}>`, changes), expected);
  });

test('ignores Contacts beyond the tenth', (t) => {
  const many = Array.from({ length: 30 }, (_, index) => `<sip:01011112222@10.0.0.${index}>`).join(',');
  t.is(redirectsUris(many).length, 10);
});

// Cool-downs

const coolDownWorld = () => {
  const clock = new SimulatedClock();
  return { clock, coolDowns: createTrunkCoolDowns({ ...trunkTimes, clock }) };
};

test('Retry-After puts only the responding address into cool-down', (t) => {
  const { clock, coolDowns } = coolDownWorld();
  coolDowns.begin('carrier a', 30_000);
  clock.increment(10_000);
  t.is(coolDowns.until('carrier a'), 30_000);
  t.is(coolDowns.secondsUntil(30_000), 20);
  t.is(coolDowns.until('carrier b'), null);
  clock.increment(20_000);
  t.is(coolDowns.until('carrier a'), null);
});

test('limits a cool-down to one hour', (t) => {
  const { clock, coolDowns } = coolDownWorld();
  coolDowns.begin('carrier a', 86_400_000);
  clock.increment(3_599_999);
  t.is(coolDowns.until('carrier a'), 3_600_000);
  clock.increment(1);
  t.is(coolDowns.until('carrier a'), null);
});

test('ends the cool-down of all addresses of a trunk', (t) => {
  const { coolDowns } = coolDownWorld();
  coolDowns.begin('carrier a', 30_000);
  coolDowns.begin('carriers a', 30_000);
  coolDowns.end('carrier');
  t.is(coolDowns.until('carrier a'), null);
  t.is(coolDowns.until('carriers a'), 30_000);
});

test('does not lengthen a cool-down when the clock is set back', (t) => {
  let now = 7_200_000;
  const clock = Object.assign(new SimulatedClock(), { now: () => now });
  const coolDowns = createTrunkCoolDowns({ ...trunkTimes, clock });
  coolDowns.begin('carrier a', 1_000);
  t.is(coolDowns.until('carrier a'), 7_201_000);
  now = 0;
  t.is(coolDowns.until('carrier a'), null);
});

// Media offer

const offer = (media: string, ...attributes: string[]): string =>
  ['v=0', 'o=far 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', media, ...attributes, ''].join(
    '\r\n',
  );

const mediaOfferGood = offer('m=audio 4000 RTP/AVP 0 8 101', 'a=rtpmap:101 telephone-event/8000');

const whyNot = (sdp: string, terms: Partial<AudioTerms> = {}): string =>
  offerProblem(sdp, { codecs: null, srtp: 'off', ...terms })?.why ?? 'taken';

const taken: readonly string[] = [
  mediaOfferGood,
  offer('m=audio 4000 RTP/AVP 9 8'),
  offer('m=audio 4000 RTP/AVPF 96', 'a=rtpmap:96 pcmu/8000'),
  offer('m=audio 4000 RTP/AVP 0', 'm=video 4002 RTP/AVP 99'),
  mediaOfferGood.replaceAll('\r\n', '\n'),
];
for (const sdp of taken)
  test(`accepts ${JSON.stringify(sdp.slice(62))}`, (t) => {
    t.is(offerProblem(sdp, { codecs: null, srtp: 'off' }), undefined);
  });

const refused: readonly [string, RegExp][] = [
  ['', /no session description/],
  ['nonsense', /malformed/],
  ['v=0\r\nbroken\r\n', /malformed/],
  [offer('m=video 4000 RTP/AVP 99'), /no audio/],
  [offer('m=audio 0 RTP/AVP 0'), /no audio/],
  [offer('m=audio 99999 RTP/AVP 0'), /malformed/],
  [offer('m=audio x RTP/AVP 0'), /malformed/],
  [mediaOfferGood.replace('c=IN IP4 127.0.0.1\r\n', ''), /malformed/],
  [offer('m=audio 4000 RTP/AVP 9 18'), /no common codec \(known here: PCMU, PCMA\)/],
  [offer('m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 PCMU/16000'), /no common codec/],
  [offer('m=audio 4000 RTP/AVP 101', 'a=rtpmap:101 telephone-event/8000'), /no common codec/],
  [offer('m=audio 4000 UDP/TLS/RTP/SAVPF 0'), /SAVPF is not supported/],
];
for (const [sdp, problem] of refused)
  test(`rejects with ${problem.source}: ${JSON.stringify(sdp)}`, (t) => {
    t.regex(whyNot(sdp), problem);
  });

test('accepts only the codecs that a trunk allows', (t) => {
  t.regex(whyNot(offer('m=audio 4000 RTP/AVP 0'), { codecs: ['PCMA'] }), /known here: PCMA/);
});

test('a trunk that requires SRTP accepts only SRTP, and a trunk without it rejects SRTP', (t) => {
  const media = 'm=audio 4000 RTP/SAVP 0 8';
  const secret = offer(media, `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}`);
  const problem = (sdp: string, srtp: 'off' | 'required') => whyNot(sdp, { codecs: ['PCMU'], srtp });
  t.is(problem(secret, 'required'), 'taken');
  t.is(problem(secret, 'off'), 'Audio over RTP/SAVP is not supported');
  for (const sdp of [mediaOfferGood, offer(media)]) t.regex(problem(sdp, 'required'), /^SRTP is required: /);
  t.regex(problem(secret.replace('0 8', '9'), 'required'), /no common codec/);
  t.regex(problem('', 'required'), /no session description/);
});

test("offers the trunk's codecs in their order, and telephone events", (t) => {
  const own = offer(
    'm=audio 4000 RTP/AVP 0 8 101 13',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=ptime:20',
  );
  t.is(offerWith(own, { codecs: null }), own);
  t.regex(offerWith(own, { codecs: ['PCMA', 'PCMU'] }), /^m=audio 4000 RTP\/AVP 8 0 101 13\r$/m);
  const one = offerWith(own, { codecs: ['PCMA'] });
  t.regex(one, /^m=audio 4000 RTP\/AVP 8 101 13\r$/m);
  t.notRegex(one, /PCMU/);
  t.regex(one, /a=fmtp:101 0-15\r\na=ptime:20\r\n$/);
});

test('offers telephone events at the Opus clock only if Opus is the only codec', (t) => {
  const own = offer(
    'm=audio 4000 RTP/AVP 102 0 8 101 103',
    'a=rtpmap:102 opus/48000/2',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=rtpmap:103 telephone-event/48000',
    'a=fmtp:103 0-15',
  );
  for (const codecs of [null, ['PCMA', 'PCMU'] as const, ['PCMA'] as const]) {
    const narrow = offerWith(own, { codecs: codecs && [...codecs] });
    t.regex(narrow, /^m=audio 4000 RTP\/AVP (?:0 8|8 0|8) 101\r$/m);
    t.notRegex(narrow, /48000|a=fmtp:103/);
  }
  t.regex(offerWith(own, { codecs: ['opus', 'PCMA'] }), /^m=audio 4000 RTP\/AVP 102 8 101 103\r$/m);
});

const offered: readonly [string, TrunkCodec[] | null, string][] = [
  ['0 8 101', null, '0 101'],
  ['8 0 101', null, '8 101'],
  ['9 8 101', null, '8 101'],
  ['8 0 101', ['PCMU', 'PCMA'], '0 101'],
  ['8 9 0 101', ['G722', 'PCMA'], '9 101'],
  ['0 8 101', ['PCMA'], '8 101'],
  ['18 9 8 0 101 13', null, '8 101 13'],
  ['18 101', ['PCMU'], '18 101'],
];
for (const [formats, codecs, left] of offered)
  test(`filters the offer ${formats} for a trunk with ${codecs === null ? 'no list' : codecs.join()} to ${left}`, (t) => {
    const keys = 'a=rtpmap:101 telephone-event/8000';
    const annex = (shown: string): string[] => (shown.startsWith('18') ? ['a=fmtp:18 annexb=no'] : []);
    t.is(
      withOneVoice(offer(`m=audio 4000 RTP/AVP ${formats}`, keys, ...annex(formats)), { codecs }),
      offer(`m=audio 4000 RTP/AVP ${left}`, keys, ...annex(left)),
    );
  });

const packetTimes: readonly [string[], 10 | 20][] = [
  [[], 20],
  [['a=ptime:10'], 10],
  [['a=ptime:10', 'a=maxptime:150'], 10],
  [['a=ptime:20'], 20],
  [['a=ptime: 40'], 20],
  [['a=ptime:20', 'a=maxptime:10'], 10],
  [['a=maxptime:15'], 10],
  [['a=maxptime:60'], 20],
  [['a=ptime:5'], 20],
  [['a=ptime:x'], 20],
];
for (const [lines, milliseconds] of packetTimes)
  test(`supports packets of ${milliseconds} ms: ${lines.join(' ')}`, (t) => {
    t.is(packetMsIn(offer('m=audio 4000 RTP/AVP 0', ...lines)), milliseconds);
  });

test('reads packet lengths at media and session level', (t) => {
  const video = 'm=video 4002 RTP/AVP 99';
  const described = offer('a=ptime:30', 'm=audio 4000 RTP/AVP 0', 'a=maxptime:60', 'a=sendrecv', video);
  t.is(withPackets(described, 20), offer('m=audio 4000 RTP/AVP 0', 'a=sendrecv', video));
  t.is(withPackets(described, 10), offer('m=audio 4000 RTP/AVP 0', 'a=sendrecv', 'a=ptime:10', video));
  t.is(withPackets(offer('m=audio 4000 RTP/AVP 0'), 10), offer('m=audio 4000 RTP/AVP 0', 'a=ptime:10'));
});

const media = 'm=audio 4000 RTP/AVP 0';
const holds: readonly [string, string, boolean][] = [
  ['no direction', offer(media), false],
  ['sendrecv', offer(media, 'a=sendrecv'), false],
  ['recvonly', offer(media, 'a=recvonly'), false],
  ['sendonly', offer(media, 'a=sendonly'), true],
  ['inactive', offer(media, 'a=inactive'), true],
  ['inactive for the whole session', offer('a=inactive', media), true],
  ['inactive for the whole session but not for audio', offer('a=inactive', media, 'a=sendrecv'), false],
  ['inactive for video', offer(media, 'm=video 4002 RTP/AVP 99', 'a=inactive'), false],
  ['to 0.0.0.0', offer(media).replace('127.0.0.1\r\nt=', '0.0.0.0\r\nt='), true],
  ['audio to 0.0.0.0', offer(media, 'c=IN IP4 0.0.0.0'), true],
  ['audio to ::', offer(media, 'c=IN IP6 ::'), true],
  ['inactive for a second audio', offer(media, 'm=audio 4002 RTP/AVP 0', 'a=inactive'), false],
  ['inactive for a rejected audio', offer('m=audio 0 RTP/AVP 0', 'a=inactive', media), false],
  ['no audio', offer('m=video 4002 RTP/AVP 99', 'a=inactive'), false],
  ['nonsense', 'nonsense', false],
];
for (const [what, sdp, held] of holds)
  test(`${what} puts a call ${held ? '' : 'not '}on hold`, (t) => {
    t.is(isHold(sdp), held);
  });

test('states a hold by an address of zeros as a direction', (t) => {
  const zeros = 'c=IN IP4 0.0.0.0';
  t.is(withHoldStated(offer(media, zeros)), offer(media, zeros, 'a=sendonly'));
  t.is(withHoldStated(offer(media, zeros, 'a=sendrecv')), offer(media, zeros, 'a=sendonly'));
  t.is(withHoldStated(offer(media, zeros, 'a=recvonly')), offer(media, zeros, 'a=inactive'));
  t.is(withHoldStated(offer('a=sendrecv', media, zeros)), offer('a=sendrecv', media, zeros, 'a=sendonly'));
  const video = 'm=video 4002 RTP/AVP 99';
  t.is(withHoldStated(offer(media, zeros, video)), offer(media, zeros, 'a=sendonly', video));
  for (const same of [
    offer(media),
    offer(media, 'a=recvonly'),
    offer(media, 'a=sendonly'),
    offer('a=inactive', media),
    offer(media, zeros, 'a=inactive'),
    offer(video),
    'nonsense',
  ])
    t.is(withHoldStated(same), same);
});

test('selects the first acceptable one of several audios and rejects the others in order', (t) => {
  const sdp = offer(
    'a=group:LS 1 2',
    'm=audio 4000 RTP/AVP 18',
    'a=sendrecv',
    'm=audio 4002 RTP/AVP 0',
    'c=IN IP6 ::1',
    'm=audio 4004/2 RTP/AVP 8',
    'a=rtpmap:8 PCMA/8000',
    'm=audio 4006 RTP/AVP 0',
  ).replace('t=0 0', 't=0 0\r\na=recvonly');
  const taken = takeOffer(sdp, { codecs: null, srtp: 'off', families: ['IP4'] });
  if ('why' in taken) return t.fail(taken.why);
  t.is(taken.sdp, offer('m=audio 4004/2 RTP/AVP 8', 'a=rtpmap:8 PCMA/8000', 'a=recvonly'));
  const refused = ['m=audio 0 RTP/AVP 18', 'm=audio 0 RTP/AVP 0'];
  const answer = [...refused, 'm=audio 5000 RTP/AVP 8', 'a=sendonly', 'm=audio 0 RTP/AVP 0'];
  const all = ([first = '', ...others]: readonly string[]): string => offer(first, ...others);
  t.is(taken.answerWith(offer('m=audio 5000 RTP/AVP 8', 'a=sendonly')), all(answer));
  const next = [...refused, 'm=audio 6000 RTP/AVP 0 8', 'm=audio 0 RTP/AVP 0'];
  return t.is(offerAfter(all(answer), offer('m=audio 6000 RTP/AVP 0 8')), all(next));
});

test('reports the first audio with a port as the reason if none is acceptable', (t) => {
  t.regex(whyNot(offer('m=audio 0 RTP/AVP 0', 'm=audio 4000 RTP/AVP 18')), /no common codec/);
  t.like(offerProblem(offer(media, 'c=IN IP6 ::1'), { codecs: null, srtp: 'off', families: ['IP4'] }), {
    warning: 300,
    why: 'Audio over IP6 is not supported: IP4 alone',
  });
});

test('names only offered formats in an answer', (t) => {
  const describing = (formats: string, ...attributes: string[]): string =>
    [
      'v=0',
      'o=- 1 1 IN IP4 127.0.0.1',
      's=-',
      'c=IN IP4 127.0.0.1',
      't=0 0',
      `m=audio 4000 RTP/AVP ${formats}`,
    ]
      .concat(attributes, '')
      .join('\r\n');
  const keys = 'a=rtpmap:101 telephone-event/8000';
  const offered = describing('8 0 101', keys);
  const answer = describing('8 101 103', keys, 'a=rtpmap:103 telephone-event/48000', 'a=fmtp:103 0-15');
  t.is(answering(offered, answer), describing('8 101', keys));
  t.is(answering(offered, describing('8 101', keys)), describing('8 101', keys));
  t.is(answering(offered, describing('9')), describing('9'), 'what cannot be is judged elsewhere');
  t.is(answering('', answer), answer);
});

// SDES

const key = 'A'.repeat(40);
const sdesGood = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`;
const other = `a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:${key}`;

const description = (...media: string[]): string =>
  ['v=0', 'o=far 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', ...media, ''].join('\r\n');

const audio = 'm=audio 4000 RTP/SAVP 0 8';

const secret: readonly string[] = [
  description(audio, sdesGood),
  description(audio, other, sdesGood, 'a=sendrecv'),
  description(audio, `${sdesGood}|2^31`),
  description('m=video 0 RTP/SAVP 99', audio, sdesGood),
  description(audio, sdesGood).replaceAll('\r\n', '\n'),
];
for (const sdp of secret)
  test(`recognizes as encrypted: ${JSON.stringify(sdp.slice(62))}`, (t) => {
    t.true(isSecret(sdp));
  });

const open: readonly [string, string][] = [
  ['nothing', ''],
  ['no key', description(audio)],
  ['a key of the video', description(audio, 'm=video 4002 RTP/SAVP 99', sdesGood)],
  ['a key of the whole session', description(sdesGood, audio)],
  ['a key for an unknown suite', description(audio, other)],
  ['a key that is too short', description(audio, sdesGood.slice(0, -1))],
  ['several keys in one', description(audio, `${sdesGood};inline:${key}`)],
  ['a key with an identifier', description(audio, `${sdesGood}|2^31|1:4`)],
  ['a key without encryption', description(audio, `${sdesGood} UNENCRYPTED_SRTP`)],
  ['RTP/AVP', description('m=audio 4000 RTP/AVP 0 8', sdesGood)],
  ['WebRTC', description('m=audio 4000 UDP/TLS/RTP/SAVPF 0 8', sdesGood)],
  ['unencrypted SRTP parameters', description(audio, sdesGood, 'm=audio 4002 RTP/AVP 0 8')],
];
for (const [what, sdp] of open)
  test(`recognizes as unencrypted: ${what}`, (t) => {
    t.false(isSecret(sdp));
  });

test('keeps only the first acceptable SRTP key of an offer', (t) => {
  const later = sdesGood.replace('crypto:1', 'crypto:3');
  t.is(withOneKey(description(audio, other, sdesGood, later)), description(audio, sdesGood));
  t.is(withOneKey(description(audio, other)), description(audio));
  const video = ['m=video 4002 RTP/SAVP 99', later];
  t.is(
    withOneKey(description(...video, audio, sdesGood)),
    description('m=video 4002 RTP/SAVP 99', audio, sdesGood),
  );
  t.is(keyIn(description(...video, audio, other, sdesGood)), sdesGood.slice('a=crypto:'.length));
  t.is(keyIn(description(...video, audio)), undefined);
});

// Trunk check advice

test('explains missing audio in the same way for every cause', (t) => {
  for (const step of ['registration', 'options', 'call'] as const)
    for (const status of [null, 408])
      t.regex(adviceFor(step, status), /^Nothing came back: check host, port/);
});

test('gives advice on known failures of a trunk', (t) => {
  t.regex(adviceFor('registration', 403), /user name or password/);
  t.regex(adviceFor('registration', 404), /from_domain/);
  t.regex(adviceFor('call', 403), /caller_id/);
  t.regex(adviceFor('call', 404), /number_format/);
  t.regex(adviceFor('call', 488), /"codecs"/);
});

test('reports an unknown failure of a trunk unchanged', (t) => {
  t.regex(adviceFor('options', 500), /trouble of its own/);
  t.regex(adviceFor('call', 499), /answered 499/);
});
