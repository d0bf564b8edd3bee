import test from 'ava';
import * as fc from 'fast-check';
import { chooseTrunks, whyNoRoute, type ChoiceOptions } from '#sip/trunks/choose.ts';
import { configuredTrunk } from '#sip/trunks/configured-trunk.ts';
import type { Trunk, TrunkAddress } from '#src/domain/trunk.ts';
import { someTrunk, workspaceId } from './some-trunk.ts';

const owner = { workspaceId, trunkId: null };
const configured = configuredTrunk({ address: '10.0.0.1:5080' });

const choose = (trunks: readonly Trunk[], changes: Partial<ChoiceOptions> = {}) =>
  chooseTrunks({
    owner,
    number: '+821012345678',
    headers: [],
    trunks,
    isUsable: () => true,
    rests: { until: () => null },
    random: () => 0,
    ...changes,
  });
const names = (...given: Parameters<typeof choose>) => choose(...given).routes.map(({ trunk }) => trunk.name);
const secondsUntil = (end: number) => end / 1_000;

test('the lowest priority goes first, the configured trunk last', (t) => {
  const trunks = [
    configured,
    someTrunk({ name: 'third', priority: 65_535 }),
    someTrunk({ name: 'second', priority: 10 }),
    someTrunk({ name: 'first', priority: 9 }),
  ];
  t.deepEqual(names(trunks), ['first', 'second', 'third', 'GW_TRUNK']);
});

test('a call with headers goes by trunks alone that name all of them', (t) => {
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

test('trunks of other workspaces are left out', (t) => {
  const trunks = [
    someTrunk({ name: 'foreign', workspaceId: 'other' }),
    configured,
    someTrunk({ name: 'own' }),
  ];
  t.deepEqual(names(trunks), ['own', 'GW_TRUNK']);
  t.deepEqual(names(trunks, { owner: undefined }), ['GW_TRUNK']);
});

test('a bound number uses its trunk alone, and none when that is not enabled', (t) => {
  const trunks = [someTrunk({ name: 'one' }), someTrunk({ name: 'two' }), configured];
  t.deepEqual(names(trunks, { owner: { workspaceId, trunkId: 'two' } }), ['two']);
  t.deepEqual(names(trunks, { owner: { workspaceId, trunkId: 'gone' } }), []);
});

test('a trunk that is not usable is tried behind all others', (t) => {
  const trunks = [
    someTrunk({ name: 'down', priority: 1 }),
    someTrunk({ name: 'up', priority: 2 }),
    configured,
  ];
  t.deepEqual(names(trunks, { isUsable: (id) => id !== 'down' }), ['up', 'GW_TRUNK', 'down']);
  t.deepEqual(names(trunks, { isUsable: () => false }), ['down', 'up', 'GW_TRUNK']);
});

test('among equals weight decides how often each is first', (t) => {
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

test('every trunk is tried once, whatever chance says', (t) => {
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

test('a trunk is tried at its addresses, the lowest priority first, what does not answer last', (t) => {
  const addresses = [at('c', { priority: 30 }), at('b', { priority: 20 }), at('a', { priority: 9 })];
  t.deepEqual(hosts(addresses), ['a', 'b', 'c']);
  t.deepEqual(hosts(addresses, { isUsable: (_, address) => address !== 'a:5060' }), ['b', 'c', 'a']);
  t.deepEqual(hosts([]), ['sip.example.com']);
});

test('among addresses of the same priority weight decides how often each is first', (t) => {
  const addresses = [at('three', { weight: 3 }), at('one', { weight: 1 })];
  const steps = 1_000;
  const firsts = Array.from(
    { length: steps },
    (_, step) => hosts(addresses, { random: () => step / steps })[0],
  );
  t.is(firsts.filter((host) => host === 'three').length, 750);
});

test('what is drained gets no calls, an address or a whole trunk', (t) => {
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

test('an address that rests is left out, and a trunk when all of its addresses do', (t) => {
  const ends: Record<string, number> = { 'one a:5060': 9_000, 'one b:5060': 7_000, 'two c:5060': 8_000 };
  const rests = { until: (key: string) => ends[key] ?? null };
  const one = someTrunk({ name: 'one', addresses: [at('a'), at('b')] });
  const two = someTrunk({ name: 'two', addresses: [at('c'), at('d')] });
  const { routes, leftOut } = choose([one, two], { rests });
  t.deepEqual(
    routes.map(({ trunk, addresses }) => [trunk.name, addresses]),
    [['two', [at('d')]]],
  );
  t.deepEqual(leftOut, [{ trunk: one, because: 'resting', until: 7_000 }]);
  t.is(whyNoRoute(leftOut, secondsUntil), 'The trunk "one" wants no calls for 7 more seconds.');
  t.is(whyNoRoute([], secondsUntil), 'There is no enabled trunk for this number');
});

test('the longest prefix that fits goes first, before any priority, and behind it who serves all', (t) => {
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

test('a number that no trunk serves is told so, also where the trunk is bound', (t) => {
  const trunks = [someTrunk({ name: 'seoul', prefixes: ['+822'] })];
  const { routes, leftOut } = choose(trunks, { owner: { workspaceId, trunkId: 'seoul' } });
  t.deepEqual(routes, []);
  t.is(
    whyNoRoute(leftOut, secondsUntil),
    'No trunk serves this number: its prefix stands in none of their lists.',
  );
});
