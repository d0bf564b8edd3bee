import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '#src/clocks.ts';
import { createAskNameServers } from '#src/outgoing/ask-name-servers.ts';
import { startNameServer, type Zone } from '#test/helpers/name-server.ts';

const setUp = async (t: ExecutionContext, zone: Zone) => {
  const server = await startNameServer(zone);
  t.teardown(server.close);
  return { server, ask: createAskNameServers({ clock: systemClock, nameServers: [server.address] }) };
};

test('the addresses of both families are found, with their time', async (t) => {
  const { ask, server } = await setUp(t, {
    'agent.example.com': { ipv4: ['192.0.2.7', '192.0.2.8'], ipv6: ['2001:db8::7'], ttlSec: 30 },
    'four.example.com': { ipv4: ['192.0.2.9'] },
    'six.example.com': { ipv6: ['2001:db8::9'] },
  });
  const both = await ask('agent.example.com');
  t.deepEqual(
    new Set(both.map(({ address }) => address)),
    new Set(['192.0.2.7', '192.0.2.8', '2001:db8::7']),
  );
  t.deepEqual(new Set(both.map(({ ttlSec }) => ttlSec)), new Set([30]));
  t.like(await ask('four.example.com'), [{ address: '192.0.2.9' }]);
  t.like(await ask('six.example.com'), [{ address: '2001:db8::9' }]);
  t.true(server.asked.includes('agent.example.com ipv6'));
});

test('a name that does not exist and one without addresses are told apart from a server that does not answer', async (t) => {
  const { ask } = await setUp(t, { 'empty.example.com': {}, 'dead.example.com': 'silent' });
  t.like(await t.throwsAsync(ask('nobody.example.com')), { code: 'ENOTFOUND' });
  t.like(await t.throwsAsync(ask('empty.example.com')), { code: 'ENODATA' });
  t.like(await t.throwsAsync(ask('dead.example.com')), { code: 'ETIMEOUT' });
});

test('names of a dead server hold up neither other names nor the shared threads', async (t) => {
  const dead = Array.from({ length: 12 }, (_, index) => `dead-${index}.example.com`);
  const { ask } = await setUp(t, {
    ...Object.fromEntries(dead.map((name) => [name, 'silent' as const])),
    'agent.example.com': { ipv4: ['192.0.2.7'], ipv6: ['2001:db8::7'] },
  });
  let ended = 0;
  const hanging = Promise.allSettled(dead.map((name) => ask(name).finally(() => (ended += 1))));
  t.is((await ask('agent.example.com')).length, 2);
  // Both need a thread of the pool.
  await readFile(new URL(import.meta.url));
  await promisify(deflate)('words');
  t.is(ended, 0);
  t.true((await hanging).every(({ status }) => status === 'rejected'));
});
