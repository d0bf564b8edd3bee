import test from 'ava';
import { configuredTrunk } from '#sip/trunks/configured-trunk.ts';
import { callerAt } from '#sip/inbound-access/access-list.ts';
import { someTrunk } from '../trunks/some-trunk.ts';

const configured = { trunk: configuredTrunk({ address: '10.9.9.9' }), addresses: new Set(['10.9.9.9']) };
const open = someTrunk({ name: 'open', inboundAddresses: ['203.0.113.0/24', '2001:db8::/32'] });
const guarded = someTrunk({ name: 'guarded', inboundAuth: 'digest', inboundAddresses: ['198.51.100.7'] });
const anywhere = someTrunk({ name: 'anywhere', inboundAuth: 'digest' });
const outOnly = someTrunk({ name: 'out only' });

test('an address of a trunk is that trunk', (t) => {
  const trunks = [outOnly, open, guarded];
  for (const address of ['203.0.113.255', '::ffff:203.0.113.1', '2001:db8:1::1', '[2001:db8::2]'])
    t.deepEqual(callerAt(address, { trunks, configured }), { trunk: open }, address);
  for (const address of ['203.0.114.1', '2001:db9::1', '127.0.0.1', '::1', 'sip.example.com', ''])
    t.is(callerAt(address, { trunks, configured }), 'unknown', address);
});

test('a trunk with digest is challenged at its addresses, or from anywhere when it has none', (t) => {
  t.deepEqual(callerAt('198.51.100.7', { trunks: [open, guarded], configured }), { accounts: [guarded] });
  t.is(callerAt('198.51.100.8', { trunks: [open, guarded], configured }), 'unknown');
  t.deepEqual(callerAt('198.51.100.8', { trunks: [guarded, anywhere], configured }), {
    accounts: [anywhere],
  });
  t.deepEqual(callerAt('203.0.113.1', { trunks: [anywhere, open], configured }), { trunk: open });
});

test('the configured trunk may call from its own address', (t) => {
  t.deepEqual(callerAt('10.9.9.9', { trunks: [open], configured }), { trunk: configured.trunk });
  t.deepEqual(callerAt('10.9.9.9', { trunks: [], configured }), { trunk: configured.trunk });
  t.is(callerAt('10.9.9.9', { trunks: [], configured: null }), 'unknown');
});

test('this machine may call until there is a trunk that calls come from', (t) => {
  const isLocal = { trunk: configured.trunk };
  t.deepEqual(callerAt('127.0.0.1', { trunks: [outOnly], configured }), isLocal);
  t.deepEqual(callerAt('::1', { trunks: [], configured }), isLocal);
  t.is(callerAt('127.0.0.1', { trunks: [guarded], configured }), 'unknown');
  t.is(callerAt('127.0.0.1', { trunks: [], configured: null }), 'unknown');
});
