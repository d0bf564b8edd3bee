import test from 'ava';
import * as fc from 'fast-check';
import { chooseTrunks } from '#sip/trunks/choose.ts';
import { configuredTrunk } from '#sip/trunks/configured-trunk.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { someTrunk, workspaceId } from './some-trunk.ts';

const owner = { workspaceId, trunkId: null };
const configured = configuredTrunk({ address: '10.0.0.1:5080' });

const names = (trunks: readonly Trunk[], changes: Partial<Parameters<typeof chooseTrunks>[0]> = {}) =>
  chooseTrunks({ owner, trunks, isUsable: () => true, random: () => 0, ...changes }).map(({ name }) => name);

test('the lowest priority goes first, the configured trunk last', (t) => {
  const trunks = [
    configured,
    someTrunk({ name: 'third', priority: 65_535 }),
    someTrunk({ name: 'second', priority: 10 }),
    someTrunk({ name: 'first', priority: 9 }),
  ];
  t.deepEqual(names(trunks), ['first', 'second', 'third', 'GW_TRUNK']);
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
        const chosen = chooseTrunks({
          owner,
          trunks,
          isUsable: (id) => made[Number(id.slice(1))]?.usable ?? false,
          random: () => drawn.next().value ?? 0,
        });
        const usable = chosen.map(({ name }) => made[Number(name.slice(1))]?.usable);
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
