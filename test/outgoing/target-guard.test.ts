import test from 'ava';
import { guardLookup, mayConnect, type TargetRules } from '#src/outgoing/target-guard.ts';

const strict: TargetRules = { allowedHosts: [], allowLoopback: false };
const embedded: TargetRules = { allowedHosts: [], allowLoopback: true };

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
  test(`refuses ${address === '' ? 'an empty address' : address}`, (t) => {
    t.false(at(address, strict));
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
  test(`lets a request go to ${address} over https only`, (t) => {
    t.true(at(address, strict));
    t.false(at(address, strict, { secure: false }));
    t.false(at(address, embedded, { secure: false }));
  });
}

test('loopback is reached, also over plain http, where the operator turned it on', (t) => {
  for (const address of ['127.0.0.1', '127.8.9.10', '::1']) {
    t.true(at(address, embedded));
    t.true(at(address, embedded, { secure: false }));
  }
  for (const address of ['::ffff:127.0.0.1', '0.0.0.0', '10.0.0.1']) t.false(at(address, embedded));
});

test('an allowed host is reached wherever it is, over https', (t) => {
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
      strict,
      true,
    );
    guarded('agent.example.com', { all }, (error) => resolve(error));
  });

test('one private address among the answers is enough to refuse a name', async (t) => {
  t.is(await lookUp(['1.1.1.1'], true), null);
  t.is(await lookUp(['1.1.1.1'], false), null);
  t.like(await lookUp(['1.1.1.1', '10.0.0.1'], true), { failure: 'target_refused' });
  t.like(await lookUp(['169.254.169.254'], false), { failure: 'target_refused' });
});

test('an error of the lookup is passed on', async (t) => {
  const broken = new Error('ENOTFOUND');
  const error = await new Promise((resolve) => {
    guardLookup((_host, _options, callback) => callback(broken, ''), strict, true)('nowhere', {}, resolve);
  });
  t.is(error, broken);
});

test('where nothing is refused, every address is connected to', (t) => {
  for (const address of ['10.0.0.1', '169.254.169.254', '127.0.0.1', '::1', '1.1.1.1']) {
    t.true(at(address, { ...strict, anywhere: true }, { secure: false }));
  }
});
