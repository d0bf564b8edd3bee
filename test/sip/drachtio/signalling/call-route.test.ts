/** By which trunk a call goes, as its record says. */
import test from 'ava';
import { createRoute, noWay } from '#sip/drachtio/signalling/call-route.ts';
import { someTrunk } from '#test/sip/trunks/some-trunk.ts';

const first = someTrunk({ id: 'first', name: 'First' });
const second = someTrunk({ id: 'second', name: 'Second' });

test('a trunk that got the INVITE and failed is named behind the one that took the call', (t) => {
  const route = createRoute();
  t.is(route.route(), null);
  route.tries(first);
  route.goes(() => noWay);
  route.tries(second);
  route.goes(() => ({ ...noWay, postDialDelayMs: 40 }));
  t.deepEqual(route.route(), {
    trunk: { id: 'second', name: 'Second' },
    failedTrunks: ['first'],
    ...noWay,
    postDialDelayMs: 40,
  });
});

test('a trunk that had no room has failed no call', (t) => {
  const route = createRoute();
  route.tries(first);
  route.tries(second);
  t.like(route.route(), { trunk: { id: 'second' }, failedTrunks: [], ...noWay });
});
