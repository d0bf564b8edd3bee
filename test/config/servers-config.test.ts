import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test from 'ava';
import { ConfigError, readConfig } from '#config/config.ts';
import { serverSettings } from '#config/server-settings.ts';
import { readServersConfig, type ServersConfig } from '#config/servers-config.ts';

const refused = (environment: Record<string, string>): string => {
  try {
    readServersConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error(`This was accepted: ${JSON.stringify(environment)}`);
};

const defaults: ServersConfig = {
  dataFolder: resolve('.data'),
  drachtio: {
    control: { host: '127.0.0.1', port: 9022, secret: 'cymru' },
    sip: { host: '127.0.0.1', port: 5060 },
    publicAddress: null,
    tls: null,
  },
  freeSwitch: {
    eventSocket: { host: '127.0.0.1', port: 8021, secret: 'ClueCon' },
    sip: { host: '127.0.0.1', port: 5080 },
    publicAddress: null,
    clients: '127.0.0.1/32',
    parkSec: 30,
    rtp: { from: 25_000, to: 29_000 },
  },
};

test('without settings both servers are for this machine alone', (t) => {
  t.deepEqual(readServersConfig({}), defaults);
});

test('an empty setting counts as absent', (t) => {
  const empty = Object.fromEntries(Object.keys(serverSettings.shape).map((name) => [name, '']));
  t.deepEqual(readServersConfig(empty), defaults);
});

test('both servers have the same address for SIP and sound, and the same one outside', (t) => {
  const { drachtio, freeSwitch } = readServersConfig({
    GW_SIP_ADDRESS: '192.0.2.10',
    GW_PUBLIC_ADDRESS: '203.0.113.7',
    GW_SIP_PORT: '5070',
    GW_FREESWITCH_SIP_PORT: '5090',
    GW_FREESWITCH_CLIENTS: '10.0.0.0/8',
    GW_FREESWITCH_RTP_FROM: '30000',
    GW_FREESWITCH_RTP_TO: '30100',
  });
  t.deepEqual(drachtio.sip, { host: '192.0.2.10', port: 5070 });
  t.deepEqual(freeSwitch?.sip, { host: '192.0.2.10', port: 5090 });
  t.is(drachtio.publicAddress, '203.0.113.7');
  t.is(freeSwitch?.publicAddress, '203.0.113.7');
  t.is(freeSwitch?.clients, '10.0.0.0/8');
  t.deepEqual(freeSwitch?.rtp, { from: 30_000, to: 30_100 });
});

test('without FreeSWITCH only the other server is started, whatever is set for it', (t) => {
  t.deepEqual(readServersConfig({ GW_FREESWITCH: 'none', GW_FREESWITCH_RTP_TO: '1' }), {
    ...defaults,
    freeSwitch: null,
  });
});

test('without FreeSWITCH SIP may be over IPv6', (t) => {
  const { drachtio } = readServersConfig({ GW_FREESWITCH: 'none', GW_SIP_ADDRESS: '2001:db8::7' });
  t.deepEqual(drachtio.sip, { host: '2001:db8::7', port: 5060 });
});

test('SIP over TLS needs a key and a certificate, which is its own chain when none is named', (t) => {
  const files = { GW_SIP_TLS_KEY_FILE: 'key.pem', GW_SIP_TLS_CERT_FILE: 'cert.pem' };
  const ownChain = { port: 5061, keyFile: 'key.pem', certFile: 'cert.pem', chainFile: 'cert.pem' };
  t.deepEqual(readServersConfig(files).drachtio.tls, ownChain);
  t.deepEqual(
    readServersConfig({ ...files, GW_SIP_TLS_CHAIN_FILE: 'chain.pem', GW_SIP_TLS_PORT: '5071' }).drachtio.tls,
    { ...ownChain, chainFile: 'chain.pem', port: 5071 },
  );
  for (const [name, file] of Object.entries(files))
    t.is(refused({ [name]: file }), 'GW_SIP_TLS_KEY_FILE and GW_SIP_TLS_CERT_FILE are required together');
});

test('what is not valid is named', (t) => {
  const wrong: Record<string, readonly string[]> = {
    GW_SIP_ADDRESS: ['localhost', '::1', '192.0.2.256', '*'],
    GW_PUBLIC_ADDRESS: ['sip.example.com', '203.0.113'],
    GW_SIP_PORT: ['0', '65536', 'sip'],
    GW_SIP_TLS_PORT: ['0'],
    GW_FREESWITCH_SIP_PORT: ['70000'],
    GW_FREESWITCH_CLIENTS: ['10.0.0.1', '10.0.0.0/33', 'all'],
    GW_FREESWITCH_RTP_FROM: ['-1', '29000'],
    GW_FREESWITCH_RTP_TO: ['25000', 'x'],
    GW_DRACHTIO: ['a b'],
  };
  for (const [name, texts] of Object.entries(wrong))
    for (const text of texts)
      t.regex(refused({ [name]: text }), new RegExp(`^${name}|^GW_FREESWITCH_RTP_TO`));
});

test('the secrets that everybody knows are for loopback alone', (t) => {
  for (const name of ['GW_DRACHTIO', 'GW_FREESWITCH']) {
    t.regex(refused({ [name]: '10.0.0.5' }), new RegExp(`^${name}_SECRET is required where ${name} is not `));
    t.notThrows(() => readServersConfig({ [name]: '10.0.0.5', [`${name}_SECRET`]: 'hush-hush' }));
  }
});

test('the gateway knows these settings too, since one environment may serve all', (t) => {
  const given = Object.fromEntries(Object.keys(serverSettings.shape).map((name) => [name, 'anything']));
  t.deepEqual(readConfig({ ...given, GW_TYPO: '1' }, false).unknownNames, ['GW_TYPO']);
});

test('every setting of the servers is in the table of their page', (t) => {
  const page = readFileSync(new URL('../../config/README.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `(GW_\w+)`/gm)].map(([, name]) => name);
  for (const name of Object.keys(serverSettings.shape)) t.true(documented.includes(name), name);
});

test('the figures that the page names are measured', (t) => {
  const folder = new URL('../../', import.meta.url).pathname;
  const page = readFileSync(`${folder}config/README.md`, 'utf8');
  const sources = globSync('src/telemetry/*.ts', { cwd: folder }).map((file) =>
    readFileSync(`${folder}${file}`, 'utf8'),
  );
  const named = new Set([...page.matchAll(/`(trunkline_[a-z_]+)`/g)].map(([, name]) => name));
  t.true(named.size > 5);
  for (const name of named) t.true(sources.join('').includes(`'${name}'`), name);
});
