/** Targets of requests: URLs, name resolution, forbidden addresses and signatures. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { SimulatedClock } from 'xstate';
import { systemClock } from '#src/clocks.ts';
import { createNameServerQuery, type ResolvedAddress } from '#src/outgoing/query-name-servers.ts';
import { endpointUrlProblem } from '#src/outgoing/endpoint-url.ts';
import { openHostsFile, parseHosts } from '#src/outgoing/hosts-file.ts';
import { createNameResolver } from '#src/outgoing/name-resolver.ts';
import { createPermits } from '#src/outgoing/permits.ts';
import { signStandardWebhook } from '#src/outgoing/standard-webhooks.ts';
import { guardLookup, mayConnect, type TargetRules } from '#src/outgoing/target-guard.ts';
import { createTrunkAddresses } from '#src/outgoing/trunk-addresses.ts';
import { startNameServer, type Zone } from '#test/helpers/name-server.ts';
import { until } from '#test/helpers/until.ts';

// Endpoint URL

const endpointUrlStrict = { allowedHosts: [], allowLoopback: false };
const endpointUrlEmbedded = { allowedHosts: [], allowLoopback: true };

for (const url of [
  'https://agent.example.com',
  'https://agent.example.com:8443/chat?tenant=1',
  'https://1.1.1.1/chat',
  'https://[2606:4700::1111]/chat',
  'https://에이전트.example/chat',
]) {
  test(`accepts ${url}`, (t) => {
    t.is(endpointUrlProblem(url, endpointUrlStrict), undefined);
  });
}

const refused: [url: string, sentence: RegExp][] = [
  ['', /not a URL/],
  ['agent.example.com/chat', /not a URL/],
  [' https://agent.example.com', /not a URL/],
  ['https://', /not a URL/],
  ['http://agent.example.com', /begin with https/],
  ['http://10.0.0.1', /begin with https/],
  ['ftp://agent.example.com', /begin with https/],
  ['file:///etc/passwd', /begin with https/],
  ['javascript:alert(1)', /begin with https/],
  ['https://user:secret@agent.example.com', /user name or password/],
  ['https://user@agent.example.com', /user name or password/],
  ['https://agent.example.com/chat#top', /fragment/],
  ['https://agent.example.com/chat#', /fragment/],
  [`https://agent.example.com/${'a'.repeat(2_048)}`, /longer than/],
  ['https://localhost/chat', /private network/],
  ['https://LOCALHOST./chat', /private network/],
  ['https://my.localhost/chat', /private network/],
  ['https://127.0.0.1/chat', /private network/],
  ['https://127.1/chat', /private network/],
  ['https://2130706433/chat', /private network/],
  ['https://0x7f000001/chat', /private network/],
  ['https://0177.0.0.1/chat', /private network/],
  ['https://0/chat', /private network/],
  ['https://①②⑦.0.0.1/chat', /private network/],
  ['https://169.254.169.254/latest/meta-data', /private network/],
  ['https://192.168.0.10', /private network/],
  ['https://[::1]/chat', /private network/],
  ['https://[::]/chat', /private network/],
  ['https://[::ffff:127.0.0.1]/chat', /private network/],
  ['https://[64:ff9b::7f00:1]/chat', /private network/],
  ['https://[fe80::1]/chat', /private network/],
  ['https://[fd00::1]/chat', /private network/],
];

for (const [url, sentence] of refused) {
  test(`rejects ${url === '' ? 'an empty URL' : url.slice(0, 60)}`, (t) => {
    t.regex(endpointUrlProblem(url, endpointUrlStrict) ?? '', sentence);
  });
}

test('omits the URL from the error', (t) => {
  t.notRegex(endpointUrlProblem('https://user:secret@agent.example.com', endpointUrlStrict) ?? '', /secret/);
});

test('permits plain http only to loopback if loopback is permitted', (t) => {
  for (const url of [
    'http://localhost:3000/chat',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'https://localhost',
  ]) {
    t.is(endpointUrlProblem(url, endpointUrlEmbedded), undefined);
  }
  for (const url of [
    'http://agent.example.com',
    'http://192.168.0.10',
    'http://0.0.0.0:3000',
    'https://10.0.0.1',
  ]) {
    t.not(endpointUrlProblem(url, endpointUrlEmbedded), undefined);
  }
});

// Addresses of trunks

const nowhere = () => Promise.reject(new Error('There is no such name'));

const trunkMayBe = test.macro<[string[] | null, string[], string[]]>({
  async exec(t, rules, allowed, denied) {
    const { hostProblem, mayUse } = createTrunkAddresses(rules, nowhere);
    for (const host of allowed) {
      t.is(await hostProblem(host), undefined, host);
      t.true(mayUse([host]), host);
    }
    for (const host of denied) {
      t.regex((await hostProblem(host)) ?? '', /^This gateway sends no SIP to this address\./, host);
      t.false(mayUse(['sip.example.com', host]), host);
    }
  },
  title: (_, rules) => `GW_TRUNK_ADDRESSES=${rules?.join(',') ?? '(unset)'} restricts addresses of trunks`,
});

const metadataServer = ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1'];
const noServers = ['0.0.0.0', '255.255.255.255', '224.0.0.1', '::', 'ff02::1'];

test(
  trunkMayBe,
  null,
  ['10.0.0.1', '127.0.0.1', 'localhost', '192.0.2.1', '8.8.8.8', '[2001:4860:4860::8888]', 'carrier.example'],
  [...metadataServer, ...noServers],
);
test(
  trunkMayBe,
  ['public', '10.1.0.0/16', '!10.1.0.9'],
  ['8.8.8.8', '2001:4860:4860::8888', '10.1.0.1'],
  ['10.1.0.9', '10.2.0.1', '127.0.0.1', 'localhost', '::1', '::ffff:10.2.0.1', ...metadataServer],
);
test(trunkMayBe, ['!private', '!loopback'], ['8.8.8.8'], ['10.0.0.1', 'fd00::1', '127.0.0.9', ...noServers]);
test(trunkMayBe, ['loopback'], ['127.0.0.1', '::1', 'sbc.localhost'], ['8.8.8.8', '10.0.0.1']);
test(trunkMayBe, ['169.254.7.7'], ['169.254.7.7'], ['169.254.169.254']);

test('rejects a trunk name if any of its addresses is outside the configured ranges', async (t) => {
  const lookUp = async (name: string) => (name === 'inner.example' ? ['8.8.8.8', '10.0.0.1'] : ['8.8.8.8']);
  const { hostProblem } = createTrunkAddresses(['public'], lookUp);
  t.truthy(await hostProblem('inner.example'));
  t.is(await hostProblem('carrier.example'), undefined);
  const unset = createTrunkAddresses(null, () => {
    throw new Error('No name is looked up');
  });
  t.is(await unset.hostProblem('inner.example'), undefined);
});

test('accepts a permitted host only over https', (t) => {
  const rules = { allowedHosts: ['10.0.0.9', 'localhost'], allowLoopback: false };
  t.is(endpointUrlProblem('https://10.0.0.9/chat', rules), undefined);
  t.is(endpointUrlProblem('https://localhost/chat', rules), undefined);
  t.not(endpointUrlProblem('http://10.0.0.9/chat', rules), undefined);
  t.not(endpointUrlProblem('https://10.0.0.10/chat', rules), undefined);
});

test('accepts any valid URL for a server configured by the operator, also over http', (t) => {
  const own = { ...endpointUrlStrict, anywhere: true };
  for (const url of ['http://models.house:11434/v1', 'http://10.0.0.5/v1', 'https://127.0.0.1/v1']) {
    t.is(endpointUrlProblem(url, own), undefined, url);
    t.not(endpointUrlProblem(url, endpointUrlStrict), undefined, url);
  }
  for (const url of ['models.house', 'ftp://models.house', 'http://user@models.house']) {
    t.not(endpointUrlProblem(url, own), undefined, url);
  }
});

// Target guard

const targetGuardStrict: TargetRules = { allowedHosts: [], allowLoopback: false };
const targetGuardEmbedded: TargetRules = { allowedHosts: [], allowLoopback: true };

const at = (
  address: string,
  rules: TargetRules,
  { host = 'agent.example.com', secure = true } = {},
): boolean => mayConnect({ host, address, secure }, rules);

for (const address of [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'not-an-address',
  '',
]) {
  test.serial(`rejects ${address === '' ? 'an empty address' : address}`, (t) => {
    t.false(at(address, targetGuardStrict));
  });
}

for (const address of [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.1',
  '172.32.0.1',
  '211.234.1.2',
  '2606:4700::1',
  '2400:cb00::1',
]) {
  test.serial(`permits requests to ${address} only over https`, (t) => {
    t.true(at(address, targetGuardStrict));
    t.false(at(address, targetGuardStrict, { secure: false }));
    t.false(at(address, targetGuardEmbedded, { secure: false }));
  });
}

test.serial('permits loopback over plain http if configured', (t) => {
  for (const address of ['127.0.0.1', '127.8.9.10', '::1']) {
    t.true(at(address, targetGuardEmbedded));
    t.true(at(address, targetGuardEmbedded, { secure: false }));
  }
  for (const address of ['::ffff:127.0.0.1', '0.0.0.0', '10.0.0.1'])
    t.false(at(address, targetGuardEmbedded));
});

test.serial('permits a configured host at any address over https', (t) => {
  const rules = { allowedHosts: ['agent.internal', '10.0.0.9', '[fd00::9]'], allowLoopback: false };
  t.true(at('10.1.2.3', rules, { host: 'agent.internal' }));
  t.true(at('10.1.2.3', rules, { host: 'Agent.Internal.' }));
  t.true(at('10.0.0.9', rules, { host: '10.0.0.9' }));
  t.true(at('fd00::9', rules, { host: 'fd00::9' }));
  t.false(at('10.1.2.3', rules, { host: 'agent.internal', secure: false }));
  t.false(at('10.1.2.3', rules, { host: 'agent.internal.example.com' }));
  t.false(at('10.0.0.9', rules, { host: 'other.internal' }));
});

const lookUp = (found: string[], all: boolean): Promise<Error | null> =>
  new Promise((resolve) => {
    const guarded = guardLookup(
      (_host, _options, callback) => {
        if (all)
          callback(
            null,
            found.map((address) => ({ address, family: 4 })),
          );
        else callback(null, found[0] ?? '', 4);
      },
      targetGuardStrict,
      true,
    );
    guarded('agent.example.com', { all }, (error) => resolve(error));
  });

test.serial('rejects a name if one of its addresses is private', async (t) => {
  t.is(await lookUp(['1.1.1.1'], true), null);
  t.is(await lookUp(['1.1.1.1'], false), null);
  t.like(await lookUp(['1.1.1.1', '10.0.0.1'], true), { failure: 'target_refused' });
  t.like(await lookUp(['169.254.169.254'], false), { failure: 'target_refused' });
});

test.serial('passes a lookup error to the caller', async (t) => {
  const broken = new Error('ENOTFOUND');
  const error = await new Promise((resolve) => {
    guardLookup((_host, _options, callback) => callback(broken, ''), targetGuardStrict, true)(
      'nowhere',
      {},
      resolve,
    );
  });
  t.is(error, broken);
});

test.serial('passes all addresses on if none is forbidden', (t) => {
  for (const address of ['10.0.0.1', '169.254.169.254', '127.0.0.1', '::1', '1.1.1.1']) {
    t.true(at(address, { ...targetGuardStrict, anywhere: true }, { secure: false }));
  }
});

// Name resolver

const limits = {
  lookUpMs: 2_500,
  shortestTtlSec: 5,
  longestTtlSec: 300,
  failureMs: 5_000,
  staleMs: 3_600_000,
  names: 3,
};

const failing = (code: string): Error => Object.assign(new Error('refused'), { code });

const setUpNameResolver = (
  options: { hosts?: Record<string, string[]>; trusted?: string[]; lookUps?: number } = {},
) => {
  const clock = new SimulatedClock();
  const asked: { name: string; answer: PromiseWithResolvers<ResolvedAddress[]> }[] = [];
  const systemAsked: string[] = [];
  const names = createNameResolver({
    queryNameServers(name) {
      const answer = Promise.withResolvers<ResolvedAddress[]>();
      asked.push({ name, answer });
      return answer.promise;
    },
    async querySystem(name) {
      systemAsked.push(name);
      return [{ address: '10.0.0.9', ttlSec: 30 }];
    },
    isTrusted: (name) => options.trusted?.includes(name) ?? false,
    hostsFile: (name) => options.hosts?.[name] ?? [],
    permits: createPermits(options.lookUps ?? 100),
    limits,
    clock,
  });
  const lookUp = (name: string, workspaceId = 'one', family = 0): Promise<string[]> =>
    new Promise((resolve, reject) => {
      names.lookupFor(workspaceId)(name, { all: true, family }, (error, found) => {
        if (error !== null) return reject(error);
        resolve((found as LookupAddress[]).map(({ address }) => address));
      });
    });
  return {
    clock,
    names,
    lookUp,
    systemAsked,
    asked: () => asked.map(({ name }) => name),
    answer: (ttlSec: number, ...addresses: string[]) =>
      asked.at(-1)?.answer.resolve(addresses.map((address) => ({ address, ttlSec }))),
    refuse: (code: string) => asked.at(-1)?.answer.reject(failing(code)),
  };
};

test.serial('resolves a name once for all simultaneous requests and caches it for its TTL', async (t) => {
  const { lookUp, answer, asked, clock } = setUpNameResolver();
  const all = [lookUp('Agent.Example.com.'), lookUp('agent.example.com', 'two'), lookUp('agent.example.com')];
  answer(60, '2001:db8::7', '192.0.2.7');
  for (const found of await Promise.all(all)) t.deepEqual(found, ['192.0.2.7', '2001:db8::7']);
  clock.increment(59_999);
  await lookUp('agent.example.com');
  t.deepEqual(asked(), ['agent.example.com']);
  clock.increment(1);
  const again = lookUp('agent.example.com');
  answer(60, '192.0.2.8');
  t.deepEqual(await again, ['192.0.2.8']);
});

for (const [wished, kept] of [
  [0, 5],
  [100_000, 300],
] as const) {
  test.serial(`caches an answer with a TTL of ${wished} s for ${kept} s`, async (t) => {
    const { lookUp, answer, asked, clock } = setUpNameResolver();
    const first = lookUp('a.example');
    answer(wished, '192.0.2.7');
    await first;
    clock.increment(kept * 1000 - 1);
    await lookUp('a.example');
    t.is(asked().length, 1);
    clock.increment(1);
    const second = lookUp('a.example');
    answer(60, '192.0.2.7');
    await second;
    t.is(asked().length, 2);
  });
}

test.serial('stops using an unresponsive name server for a while', async (t) => {
  const { lookUp, asked, clock } = setUpNameResolver();
  const hanging = lookUp('dead.example');
  clock.increment(limits.lookUpMs);
  t.like(await t.throwsAsync(hanging), { code: 'ETIMEOUT' });
  t.like(await t.throwsAsync(lookUp('dead.example')), { code: 'ETIMEOUT' });
  t.is(asked().length, 1);
  clock.increment(limits.failureMs);
  const again = lookUp('dead.example');
  t.is(asked().length, 2);
  clock.increment(limits.lookUpMs);
  await t.throwsAsync(again);
});

test.serial(
  'uses the last addresses of a name while no name server responds, but not if the name no longer exists',
  async (t) => {
    const { lookUp, answer, refuse, clock } = setUpNameResolver();
    const first = lookUp('a.example');
    answer(5, '192.0.2.7');
    await first;
    clock.increment(60_000);
    const second = lookUp('a.example');
    refuse('ESERVFAIL');
    t.deepEqual(await second, ['192.0.2.7']);
    clock.increment(limits.failureMs);
    const third = lookUp('a.example');
    refuse('ENOTFOUND');
    t.like(await t.throwsAsync(third), { code: 'ENOTFOUND' });
    clock.increment(limits.failureMs);
    const fourth = lookUp('a.example');
    refuse('ESERVFAIL');
    t.like(await t.throwsAsync(fourth), { code: 'ESERVFAIL' });
  },
);

test.serial(
  'twelve pending names of one workspace on a dead name server do not block look-ups of another',
  async (t) => {
    const { lookUp, answer, asked, clock } = setUpNameResolver({ lookUps: 12 });
    const hanging = Array.from({ length: 12 }, (_, index) => lookUp(`dead-${index}.example`));
    const ended = Promise.allSettled(hanging);
    t.is(asked().length, 6);
    const other = lookUp('agent.example', 'two');
    answer(60, '192.0.2.7');
    t.deepEqual(await other, ['192.0.2.7']);
    clock.increment(limits.lookUpMs);
    const failures = (await ended).map((each) => each.status === 'rejected' && each.reason);
    t.is(failures.filter(({ failure }) => failure === 'over_capacity').length, 6);
    t.is(failures.filter(({ code }) => code === 'ETIMEOUT').length, 6);
    // The permits can be acquired again.
    const again = lookUp('late.example');
    answer(60, '192.0.2.9');
    t.deepEqual(await again, ['192.0.2.9']);
  },
);

test.serial('prefers the hosts file, and resolves localhost without a name server', async (t) => {
  const { lookUp, asked } = setUpNameResolver({ hosts: { 'agent.internal': ['10.0.0.7', 'fd00::7'] } });
  t.deepEqual(await lookUp('agent.internal'), ['10.0.0.7', 'fd00::7']);
  t.deepEqual(await lookUp('agent.internal', 'one', 6), ['fd00::7']);
  t.deepEqual(await lookUp('localhost'), ['127.0.0.1', '::1']);
  t.deepEqual(await lookUp('agent.localhost', 'one', 4), ['127.0.0.1']);
  t.deepEqual(asked(), []);
});

test.serial('resolves names unknown to DNS by the operating system only if they are permitted', async (t) => {
  const { lookUp, refuse, systemAsked } = setUpNameResolver({ trusted: ['agent', 'slow'] });
  const allowed = lookUp('agent');
  refuse('ENOTFOUND');
  t.deepEqual(await allowed, ['10.0.0.9']);
  const other = lookUp('customer.example');
  refuse('ENOTFOUND');
  t.like(await t.throwsAsync(other), { code: 'ENOTFOUND' });
  const slow = lookUp('slow');
  refuse('ETIMEOUT');
  t.like(await t.throwsAsync(slow), { code: 'ETIMEOUT' });
  t.deepEqual(systemAsked, ['agent']);
});

test.serial('removes the oldest names beyond the cache limit', async (t) => {
  const { lookUp, answer, asked } = setUpNameResolver();
  for (const name of ['a', 'b', 'c', 'd', 'a']) {
    const found = lookUp(name);
    answer(60, '192.0.2.7');
    await found;
  }
  t.deepEqual(asked(), ['a', 'b', 'c', 'd', 'a']);
  await lookUp('d');
  t.is(asked().length, 5);
});

test.serial(
  'checks exactly the addresses that are connected, even if a name changes in between',
  async (t) => {
    const { names, answer, clock } = setUpNameResolver();
    const guarded = guardLookup(names.lookupFor('one'), { allowedHosts: [], allowLoopback: false }, true);
    const connect = (): Promise<unknown> =>
      new Promise((resolve) => {
        guarded('rebinding.example', { all: true }, (error, found) => resolve(error ?? found));
      });
    const first = connect();
    answer(0, '8.8.8.8');
    t.deepEqual(await first, [{ address: '8.8.8.8', family: 4 }]);
    clock.increment(5_000);
    const second = connect();
    answer(0, '8.8.8.8', '10.0.0.1');
    t.like(await second, { failure: 'target_refused' });
  },
);

// Ask name servers

const setUpAskNameServers = async (t: ExecutionContext, zone: Zone) => {
  const server = await startNameServer(zone);
  t.teardown(server.close);
  return { server, ask: createNameServerQuery({ clock: systemClock, nameServers: [server.address] }) };
};

test.serial('finds addresses of both families with their TTL', async (t) => {
  const { ask, server } = await setUpAskNameServers(t, {
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

test.serial('waits for IPv4 addresses, even if they arrive long after those of IPv6', async (t) => {
  const late = Promise.withResolvers<void>();
  const { server } = await setUpAskNameServers(t, {
    'agent.example.com': { ipv4: ['192.0.2.7'], ipv6: ['2001:db8::7'], ipv4After: late.promise },
  });
  /** Every wait for the other family is over at once. */
  const impatient = { ...systemClock, setTimeout: (callback: () => void) => setImmediate(callback) };
  const ask = createNameServerQuery({ clock: impatient, nameServers: [server.address] });
  const asking = ask('agent.example.com');
  await until('both families are asked for', () => server.asked.length >= 2 || undefined);
  // Another query is answered after that for IPv6.
  await t.throwsAsync(ask('nobody.example.com'), { code: 'ENOTFOUND' });
  late.resolve();
  t.true((await asking).some(({ address }) => address === '192.0.2.7'));
});

test.serial(
  'distinguishes a nonexistent name and one without addresses from an unresponsive server',
  async (t) => {
    const { ask } = await setUpAskNameServers(t, { 'empty.example.com': {}, 'dead.example.com': 'silent' });
    t.like(await t.throwsAsync(ask('nobody.example.com')), { code: 'ENOTFOUND' });
    t.like(await t.throwsAsync(ask('empty.example.com')), { code: 'ENODATA' });
    t.like(await t.throwsAsync(ask('dead.example.com')), { code: 'ETIMEOUT' });
  },
);

test.serial('names on a dead name server delay neither other names nor the shared threads', async (t) => {
  const dead = Array.from({ length: 12 }, (_, index) => `dead-${index}.example.com`);
  const { ask } = await setUpAskNameServers(t, {
    ...Object.fromEntries(dead.map((name) => [name, 'silent' as const])),
    'agent.example.com': { ipv4: ['192.0.2.7'], ipv6: ['2001:db8::7'] },
  });
  let ended = 0;
  const hanging = Promise.allSettled(dead.map((name) => ask(name).finally(() => (ended += 1))));
  t.is((await ask('agent.example.com')).length, 2);
  // Both operations need a thread of Node's thread pool.
  await readFile(new URL(import.meta.url));
  await promisify(deflate)('words');
  t.is(ended, 0);
  t.true((await hanging).every(({ status }) => status === 'rejected'));
});

// Hosts file

test.serial('reads the addresses of names from the hosts file, ignoring other content', (t) => {
  const hosts = parseHosts(
    '# 1.1.1.1 nobody\n127.0.0.1\tlocalhost\r\n::1 localhost ip6-localhost # here\n\n10.0.0.7  Agent agent.internal\nnonsense x\n',
  );
  t.deepEqual(Object.fromEntries(hosts), {
    localhost: ['127.0.0.1', '::1'],
    'ip6-localhost': ['::1'],
    agent: ['10.0.0.7'],
    'agent.internal': ['10.0.0.7'],
  });
});

test.serial('reads the hosts file again when it was changed, and tolerates its absence', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-hosts-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'hosts');
  const hosts = openHostsFile(path);
  t.deepEqual(hosts('agent'), []);
  await writeFile(path, '10.0.0.7 agent');
  t.deepEqual(hosts('agent'), ['10.0.0.7']);
  await writeFile(path, '10.0.0.77 agent');
  t.deepEqual(hosts('agent'), ['10.0.0.77']);
  await rm(path);
  t.deepEqual(hosts('agent'), []);
});

// Rebound name
// DNS rebinding, with a real name server and real connections, on a network of the test's own.

const ownNetwork = [
  '--user',
  '--map-root-user',
  '--net',
  'sh',
  '-c',
  'ip link set lo up && ip address add 11.0.0.1/32 dev lo && exec "$@"',
  'sh',
];

const run = (...command: string[]) => spawnSync('unshare', [...ownNetwork, ...command], { encoding: 'utf8' });

const canMakeNetwork = process.platform === 'linux' && run('true').status === 0;
const inOwnNetwork = canMakeNetwork ? test : test.skip;
const unlessSkipped = canMakeNetwork ? '' : ' (skipped: this user may make no network here)';

inOwnNetwork(
  `connects to the checked address of a name that moves to this machine, and later refuses it${unlessSkipped}`,
  (t) => {
    const program = fileURLToPath(new URL('rebound-name.ts', import.meta.url));
    const { stdout, stderr } = run(process.execPath, program);
    t.deepEqual(
      JSON.parse(stdout),
      {
        first: { failure: 'connection_failed', checked: 1, own: 0 },
        later: { failure: 'target_refused', checked: 1, own: 0 },
      },
      stderr,
    );
  },
);

// Standard webhooks

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const now = (): number => Math.floor(Date.now() / 1000);

test('the official standardwebhooks library accepts every body', (t) => {
  const secret = newSecret();
  fc.assert(
    fc.property(fc.json(), fc.uuid(), (body, id) => {
      const headers = signStandardWebhook({ id, timestamp: now(), body, secrets: [secret] });
      t.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    }),
    { numRuns: 50 },
  );
});

test('receivers accept a signature with the old and the new secret during a rotation', (t) => {
  const secrets = [newSecret(), newSecret()];
  const body = '{"text":"안녕하세요"}';
  const headers = signStandardWebhook({ id: 'evt_1', timestamp: now(), body, secrets });
  for (const secret of secrets) t.notThrows(() => new Webhook(secret).verify(body, headers));
  t.throws(() => new Webhook(newSecret()).verify(body, headers), { instanceOf: WebhookVerificationError });
});

test('receivers reject a changed body, id or time', (t) => {
  const secret = newSecret();
  const receiver = new Webhook(secret);
  const timestamp = now();
  const headers = signStandardWebhook({ id: 'evt_1', timestamp, body: '{"a":1}', secrets: [secret] });
  t.throws(() => receiver.verify('{"a":2}', headers));
  t.throws(() => receiver.verify('{"a":1}', { ...headers, 'webhook-id': 'evt_2' }));
  t.throws(() => receiver.verify('{"a":1}', { ...headers, 'webhook-timestamp': String(timestamp + 1) }));
});

test('signs events according to Standard Webhooks', (t) => {
  const headers = signStandardWebhook({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });
  t.is(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
