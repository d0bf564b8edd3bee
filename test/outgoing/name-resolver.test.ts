import type { LookupAddress } from 'node:dns';
import test from 'ava';
import { SimulatedClock } from 'xstate';
import type { ResolvedAddress } from '#src/outgoing/ask-name-servers.ts';
import { createNameResolver } from '#src/outgoing/name-resolver.ts';
import { createPermits } from '#src/outgoing/permits.ts';
import { guardLookup } from '#src/outgoing/target-guard.ts';

const limits = {
  lookUpMs: 2_500,
  shortestTtlSec: 5,
  longestTtlSec: 300,
  failureMs: 5_000,
  staleMs: 3_600_000,
  names: 3,
};

const failing = (code: string): Error => Object.assign(new Error('refused'), { code });

const setUp = (options: { hosts?: Record<string, string[]>; trusted?: string[]; lookUps?: number } = {}) => {
  const clock = new SimulatedClock();
  const asked: { name: string; answer: PromiseWithResolvers<ResolvedAddress[]> }[] = [];
  const systemAsked: string[] = [];
  const names = createNameResolver({
    askNameServers(name) {
      const answer = Promise.withResolvers<ResolvedAddress[]>();
      asked.push({ name, answer });
      return answer.promise;
    },
    async askSystem(name) {
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

test('one name is looked up once, however many ask, and remembered for its time', async (t) => {
  const { lookUp, answer, asked, clock } = setUp();
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
  test(`an answer that wishes to be kept for ${wished} s is kept for ${kept} s`, async (t) => {
    const { lookUp, answer, asked, clock } = setUp();
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

test('a name server that does not answer is given up, and not asked again for a while', async (t) => {
  const { lookUp, asked, clock } = setUp();
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

test('while nobody answers for a name its last addresses are used, but not when there is no such name', async (t) => {
  const { lookUp, answer, refuse, clock } = setUp();
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
});

test('twelve names of a dead server leave another workspace its look-ups', async (t) => {
  const { lookUp, answer, asked, clock } = setUp({ lookUps: 12 });
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
  // The permits are free again.
  const again = lookUp('late.example');
  answer(60, '192.0.2.9');
  t.deepEqual(await again, ['192.0.2.9']);
});

test('the hosts file comes first, and localhost needs nobody', async (t) => {
  const { lookUp, asked } = setUp({ hosts: { 'agent.internal': ['10.0.0.7', 'fd00::7'] } });
  t.deepEqual(await lookUp('agent.internal'), ['10.0.0.7', 'fd00::7']);
  t.deepEqual(await lookUp('agent.internal', 'one', 6), ['fd00::7']);
  t.deepEqual(await lookUp('localhost'), ['127.0.0.1', '::1']);
  t.deepEqual(await lookUp('agent.localhost', 'one', 4), ['127.0.0.1']);
  t.deepEqual(asked(), []);
});

test('what DNS does not know is asked of the system for names that the operator allows, and for no others', async (t) => {
  const { lookUp, refuse, systemAsked } = setUp({ trusted: ['agent', 'slow'] });
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

test('of more names than are remembered the oldest are forgotten', async (t) => {
  const { lookUp, answer, asked } = setUp();
  for (const name of ['a', 'b', 'c', 'd', 'a']) {
    const found = lookUp(name);
    answer(60, '192.0.2.7');
    await found;
  }
  t.deepEqual(asked(), ['a', 'b', 'c', 'd', 'a']);
  await lookUp('d');
  t.is(asked().length, 5);
});

test('the guard sees the very addresses that are connected to, also when a name changes them', async (t) => {
  const { names, answer, clock } = setUp();
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
});
