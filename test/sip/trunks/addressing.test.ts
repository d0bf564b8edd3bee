import test from 'ava';
import { configuredTrunk } from '#sip/trunks/configured-trunk.ts';
import { inviteTo, placeAt, trunkUri, type Place } from '#sip/trunks/addressing.ts';
import { addressesOf } from '#src/domain/trunk-addresses.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { someTrunk } from './some-trunk.ts';

const call = { from: '07012345678', to: '01012345678' };
const firstOf = (trunk: Trunk): Place => {
  const [address] = addressesOf(trunk);
  if (address === undefined) throw new Error('A trunk is somewhere');
  return placeAt(trunk, address, call.to, 'KR');
};
const inviteBy = (trunk: Trunk, place = firstOf(trunk)) => inviteTo(trunk, place, call.from, 'KR');
const invite = (changes: Partial<Trunk>) => inviteBy(someTrunk(changes));

const uris: readonly [Partial<Trunk>, string][] = [
  [{}, 'sip:sip.example.com'],
  [{ port: 5080 }, 'sip:sip.example.com:5080'],
  [{ transport: 'tcp' }, 'sip:sip.example.com;transport=tcp'],
  [{ transport: 'tls', port: 5061 }, 'sip:sip.example.com:5061;transport=tls'],
  [{ host: '2001:db8::1', port: 5060 }, 'sip:[2001:db8::1]:5060'],
];
for (const [changes, uri] of uris)
  test(`a trunk with ${JSON.stringify(changes)} is at ${uri}`, (t) => {
    t.is(trunkUri(someTrunk(changes)), uri);
  });

test('numbers are written as the trunk wants them', (t) => {
  t.deepEqual(invite({}), {
    uri: 'sip:01012345678@sip.example.com',
    headers: { From: '<sip:07012345678@sip.example.com>' },
  });
  t.deepEqual(invite({ numberFormat: 'e164', fromDomain: 'example.org' }), {
    uri: 'sip:+821012345678@sip.example.com',
    headers: { From: '<sip:+827012345678@example.org>' },
  });
});

test('the number stands in the header that the trunk reads, and From carries the account', (t) => {
  t.deepEqual(invite({ callerId: 'p-asserted-identity', username: 'gw 1@example.com' }).headers, {
    From: '<sip:gw%201@sip.example.com>',
    'P-Asserted-Identity': '<sip:07012345678@sip.example.com>',
  });
  t.deepEqual(invite({ callerId: 'p-preferred-identity' }).headers, {
    From: '<sip:07012345678@sip.example.com>',
    'P-Preferred-Identity': '<sip:07012345678@sip.example.com>',
  });
});

test('with privacy the number is nowhere but in what the trunk alone reads', (t) => {
  t.deepEqual(invite({ privacy: true, callerId: 'p-asserted-identity', username: 'gw' }).headers, {
    From: '"Anonymous" <sip:anonymous@anonymous.invalid>',
    'P-Asserted-Identity': '<sip:07012345678@sip.example.com>',
    Privacy: 'id',
  });
  t.notRegex(JSON.stringify(invite({ privacy: true }).headers), /0701/);
});

test('the configured trunk is an address, and drachtio-server fills in its own', (t) => {
  t.deepEqual(inviteBy(configuredTrunk({ address: '10.0.0.1:5080', numbers: 'e164' })), {
    uri: 'sip:+821012345678@10.0.0.1:5080',
    headers: { From: '<sip:+827012345678@localhost>' },
  });
});

test('an address of the trunk is called in place of its host, which stays the domain', (t) => {
  const addresses = [{ host: '2001:db8::9', port: 5070, priority: 1, weight: 1, drained: false }];
  t.deepEqual(invite({ addresses, transport: 'tcp' }), {
    uri: 'sip:01012345678@[2001:db8::9]:5070;transport=tcp',
    headers: { From: '<sip:07012345678@sip.example.com>' },
  });
  t.is(firstOf(someTrunk({ addresses })).key, 'carrier [2001:db8::9]:5070');
});

test('credentials are given where both are there', (t) => {
  t.deepEqual(invite({ username: 'gw', password: 'x' }).auth, { username: 'gw', password: 'x' });
  t.false('auth' in invite({ username: 'gw' }));
});

test('a place that is not the trunk gets no password, and is not told who hides', (t) => {
  const elsewhere = { uri: 'sip:01012345678@10.0.0.9', isOwn: false, key: null };
  const trunk = { username: 'gw', password: 'x', callerId: 'p-asserted-identity' } as const;
  t.deepEqual(inviteBy(someTrunk({ ...trunk, privacy: true }), elsewhere), {
    uri: elsewhere.uri,
    headers: { From: '"Anonymous" <sip:anonymous@anonymous.invalid>', Privacy: 'id' },
  });
  t.true('P-Asserted-Identity' in inviteBy(someTrunk(trunk), elsewhere).headers);
});
