/** Configuration: settings, policy, servers and compose files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { ConfigError, readConfig } from '#config/config.ts';
import {
  agentTimes,
  callTimes,
  deliveryPolicy,
  inboundAccess,
  platformCallPolicy,
  platformMaxCallsInProgress,
  trunkTimes,
} from '#config/policy.ts';
import { readRelayConfig } from '#config/relay-config.ts';
import { serverSettings } from '#config/server-settings.ts';
import { readServersConfig, type ServersConfig } from '#config/servers-config.ts';
import { secretSettings, settings } from '#config/settings.ts';
import { databaseUrl, engineSettings, masterKey, storeSettings } from './config/expected-setting.ts';
import { gatewaySettings } from './config/gateway-settings.ts';
import { lineSettings } from './config/line-settings.ts';
import { read, refused } from './config/read.ts';
import { recordingSettings } from './config/recording-settings.ts';
import { speechSettings } from './config/speech-settings.ts';

// Config
// Settings that depend on each other.

test('shows an invalid setting unchanged on one line', (t) => {
  t.is(refused({ GW_PORT: '80\n80' }), 'GW_PORT must be a whole number from 0 to 65535 (it is "80\\n80")');
});

test('requires the master key if a database is configured', (t) => {
  t.regex(refused({ GW_DATABASE_URL: databaseUrl }), /^GW_MASTER_KEY is required with GW_DATABASE_URL: /);
  t.notRegex(refused({ GW_DATABASE_URL: databaseUrl }), /hush-hush|\n/);
});

test('configures real lines without a trunk of the gateway, and none for simulated lines', (t) => {
  t.is(read({ GW_LINES: 'drachtio' }).realLines?.trunkAddress, null);
  t.is(read({ GW_TRUNK: 'sip.example' }).realLines, null);
});

test('requires address and model name of a language model', (t) => {
  t.is(read().languageModel, null);
  t.regex(refused({ GW_LLM_BASE_URL: 'https://models.example/v1' }), /^GW_LLM_MODEL is required with /);
  t.regex(refused({ GW_LLM_MODEL: 'small' }), /^GW_LLM_BASE_URL is required with /);
  t.regex(refused({ GW_LLM_MODELS: 'large' }), /^GW_LLM_BASE_URL is required with /);
  t.regex(refused({ GW_LLM_API_KEY: 'hush-hush' }), /^GW_LLM_BASE_URL is required with (?!.*hush)/);
});

test('requires all settings of an object store for recordings', (t) => {
  t.is(read().recordings.store, null);
  for (const name of Object.keys(storeSettings)) {
    const message = refused({ ...storeSettings, [name]: '' });
    t.regex(message, new RegExp(`^.*${name}.* required `));
    t.notRegex(message, /hush-hush|\n/);
  }
});

test('rejects a speech engine without its key or address', (t) => {
  const needs: Record<string, [string, ...string[]]> = {
    GW_DEEPGRAM_API_KEY: ['GW_RECOGNIZERS', 'deepgram'],
    GW_VOSK_URL: ['GW_RECOGNIZERS', 'vosk'],
    GW_WHISPER_URL: ['GW_RECOGNIZERS', 'whisper-cpp'],
    GW_SPEECH_BASE_URL: ['GW_RECOGNIZERS', 'openai-transcription'],
    GW_ELEVENLABS_VOICE: ['GW_SYNTHESIZERS', 'elevenlabs'],
    GW_ELEVENLABS_API_KEY: ['GW_SYNTHESIZERS', 'elevenlabs'],
  };
  for (const [name, [setting, engine = '']] of Object.entries(needs)) {
    const others = { ...engineSettings, [name]: '', [setting]: engine };
    t.is(refused(others), `${name} is required with the engine ${engine}`);
  }
  for (const engine of ['deepgram-aura', 'openai-speech'])
    t.regex(
      refused({ GW_SYNTHESIZERS: engine }),
      new RegExp(`^GW_\\w+ is required with the engine ${engine}$`),
    );
});

test('permits agents on loopback only with the embedded database, unless configured', (t) => {
  const configured = { GW_DATABASE_URL: databaseUrl, GW_MASTER_KEY: masterKey };
  t.false(read(configured).agentAllowLoopback);
  t.true(read({ ...configured, GW_AGENT_ALLOW_LOOPBACK: '1' }).agentAllowLoopback);
});

test('logs in a readable format on a terminal', (t) => {
  t.is(readConfig({}, true).logFormat, 'pretty');
  t.is(readConfig({ GW_LOG_FORMAT: 'json' }, true).logFormat, 'json');
});

test('lists mistyped settings and ignores other environment variables', (t) => {
  const { unknownNames } = read({
    GW_PROT: '1',
    GW_PORT: '1',
    PORT: '2',
    GW_LOG_LEVELS: 'info',
    GW_EMPTY: '',
  });
  t.deepEqual(unknownNames, ['GW_PROT', 'GW_LOG_LEVELS']);
});

test('returns an immutable configuration', (t) => {
  t.true(Object.isFrozen(read()));
});

// Settings
// Each setting: its default, accepted values, and rejected ones.

const allSettings = { ...gatewaySettings, ...speechSettings, ...recordingSettings, ...lineSettings };

/** Settings that must be set together or not at all. */
const requiredTogether = new Set([
  'GW_LLM_BASE_URL',
  'GW_LLM_MODEL',
  'GW_DEEPGRAM_API_KEY',
  'GW_ELEVENLABS_API_KEY',
  'GW_ELEVENLABS_VOICE',
  'GW_SPEECH_BASE_URL',
  'GW_VOSK_URL',
  'GW_WHISPER_URL',
  ...Object.keys(storeSettings),
]);

for (const [name, { of, default: fallback, valid, invalid, with: others = {} }] of Object.entries(
  allSettings,
)) {
  const { [name]: _own, ...needed } = others;

  test(`${name} has its default if it is absent or empty`, (t) => {
    // Settings that depend on it are omitted if it has no default.
    const base = requiredTogether.has(name) ? {} : needed;
    t.deepEqual(of(read(base)), fallback);
    t.deepEqual(of(read({ ...base, [name]: '' })), fallback);
  });

  test(`${name} accepts valid values`, (t) => {
    for (const [text, value] of Object.entries(valid)) {
      t.deepEqual(of(read({ ...needed, [name]: text })), value, text);
    }
  });

  if (invalid.length > 0) {
    test(`${name} rejects any other value with one line that has the name but no secret`, (t) => {
      for (const text of invalid) {
        const message = refused({ ...needed, [name]: text });
        t.true(message.startsWith(`${name} must `), message);
        t.notRegex(message, /\n/);
        t.notRegex(message, /hush-hush/, text);
      }
    });
  }
}

test("the guide's table and this test list every setting with its default", (t) => {
  const page = readFileSync(new URL('../../guides/settings.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `(GW_\w+)`/gm)].map(([, name]) => name);
  t.is(documented.length, Object.keys(allSettings).length);
  for (const name of Object.keys(allSettings)) t.true(documented.includes(name), name);
  t.deepEqual(read(Object.fromEntries(Object.keys(allSettings).map((name) => [name, '']))).unknownNames, []);
});

// Policy

/** Decided values: changing one changes a promise to customers. */
const decided: readonly [string, unknown, unknown][] = [
  [
    'maximum duration that any policy permits, in seconds (decided default)',
    platformCallPolicy.maxDurationSec,
    1_800,
  ],
  [
    'duration of a call without one, in seconds (decided default)',
    platformCallPolicy.defaultDurationSec,
    600,
  ],
  ['ring time-out, in seconds (decided default)', platformCallPolicy.ringTimeoutSec, 45],
  ['silence time-out, in seconds (decided default)', platformCallPolicy.silenceTimeoutSec, 30],
  ['recording of calls (decided default)', platformCallPolicy.recordingEnabled, true],
  [
    'pause of the agent at a voice onset (decided default)',
    platformCallPolicy.bargeIn,
    { mode: 'pause', onsetMs: 80, speechMs: 600, resumeMs: 500 },
  ],
  ['simultaneous calls of one number (platform default)', platformCallPolicy.maxConcurrentCalls, 100],
  ['simultaneous calls of one workspace (platform default)', platformMaxCallsInProgress, 1_000],
  ['farewell time-out, in milliseconds (decided limit)', callTimes.farewellWaitMs, 30_000],
  ['hangup time-out of a line, in milliseconds', callTimes.hangUpTimeoutMs, 5_000],
  ['connection time-out of agents, in milliseconds (decided limit)', agentTimes.connectMs, 3_000],
  ['time-out of the first words of a reply, in milliseconds (decided limit)', agentTimes.firstTokenMs, 8_000],
  ['time-out of a whole reply, in milliseconds (decided limit)', agentTimes.wholeReplyMs, 60_000],
  ['time-out of a handshake, in milliseconds (decided limit)', agentTimes.handshakeMs, 3_000],
  [
    'longest Retry-After of a trunk, in milliseconds (decided limit)',
    trunkTimes.longestCoolDownMs,
    3_600_000,
  ],
  [
    "time-out of a caller's digest response, in milliseconds (decided limit)",
    inboundAccess.challengeMs,
    10_000,
  ],
  [
    'seconds before each delivery attempt (decided schedule)',
    deliveryPolicy.scheduleSec,
    [0, 5, 60, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600],
  ],
];
for (const [what, value, expected] of decided)
  test(`${what}: ${String(expected)}`, (t) => {
    t.deepEqual(value, expected);
  });

// Servers config

const refusedServers = (environment: Record<string, string>): string => {
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
  relay: { host: '127.0.0.1', port: 9023 },
  freeSwitch: {
    eventSocket: { host: '127.0.0.1', port: 8021, secret: 'ClueCon' },
    sip: { host: '127.0.0.1', port: 5080 },
    publicAddress: null,
    clients: '127.0.0.1/32',
    parkSec: 30,
    rtp: { from: 25_000, to: 29_000 },
  },
};

test('binds both servers to loopback if nothing is set', (t) => {
  t.deepEqual(readServersConfig({}), defaults);
});

test('treats an empty setting as absent', (t) => {
  const empty = Object.fromEntries(Object.keys(serverSettings.shape).map((name) => [name, '']));
  t.deepEqual(readServersConfig(empty), defaults);
});

test('uses the same address for SIP and media of both servers, internal and external', (t) => {
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

test('starts only drachtio-server if GW_FREESWITCH=none, whatever else is set', (t) => {
  t.deepEqual(readServersConfig({ GW_FREESWITCH: 'none', GW_FREESWITCH_RTP_TO: '1' }), {
    ...defaults,
    freeSwitch: null,
  });
});

test('accepts IPv6 for SIP without FreeSWITCH', (t) => {
  const { drachtio } = readServersConfig({ GW_FREESWITCH: 'none', GW_SIP_ADDRESS: '2001:db8::7' });
  t.deepEqual(drachtio.sip, { host: '2001:db8::7', port: 5060 });
});

test('requires a key and a certificate for SIP over TLS; the certificate is the default chain', (t) => {
  const files = { GW_SIP_TLS_KEY_FILE: 'key.pem', GW_SIP_TLS_CERT_FILE: 'cert.pem' };
  const ownChain = { port: 5061, keyFile: 'key.pem', certFile: 'cert.pem', chainFile: 'cert.pem' };
  t.deepEqual(readServersConfig(files).drachtio.tls, ownChain);
  t.deepEqual(
    readServersConfig({ ...files, GW_SIP_TLS_CHAIN_FILE: 'chain.pem', GW_SIP_TLS_PORT: '5071' }).drachtio.tls,
    { ...ownChain, chainFile: 'chain.pem', port: 5071 },
  );
  for (const [name, file] of Object.entries(files))
    t.is(
      refusedServers({ [name]: file }),
      'GW_SIP_TLS_KEY_FILE and GW_SIP_TLS_CERT_FILE are required together',
    );
});

test('names an invalid setting of the servers', (t) => {
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
    GW_RELAY: ['a b', '127.0.0.1:9022'],
    // The lease of a gateway must lapse well before FreeSWITCH hangs up its channels.
    GW_FREESWITCH_PARK_SEC: ['2', '29', '3601'],
  };
  for (const [name, texts] of Object.entries(wrong))
    for (const text of texts)
      t.regex(refusedServers({ [name]: text }), new RegExp(`^${name}|^GW_FREESWITCH_RTP_TO`));
});

test('permits the published default secrets only on loopback', (t) => {
  for (const name of ['GW_DRACHTIO', 'GW_FREESWITCH']) {
    t.regex(
      refusedServers({ [name]: '10.0.0.5' }),
      new RegExp(`^${name}_SECRET is required where ${name} is not `),
    );
    t.notThrows(() => readServersConfig({ [name]: '10.0.0.5', [`${name}_SECRET`]: 'hush-hush' }));
  }
});

test('all settings of the servers are also settings of the gateway, because both may share one environment', (t) => {
  const given = Object.fromEntries(Object.keys(serverSettings.shape).map((name) => [name, 'anything']));
  t.deepEqual(readConfig({ ...given, GW_TYPO: '1' }, false).unknownNames, ['GW_TYPO']);
});

test('the page of the servers lists every setting of the servers', (t) => {
  const page = readFileSync(new URL('../../config/README.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `(GW_\w+)`/gm)].map(([, name]) => name);
  for (const name of Object.keys(serverSettings.shape)) t.true(documented.includes(name), name);
});

test('the page of the servers names only existing metrics', (t) => {
  const folder = new URL('../../', import.meta.url).pathname;
  const page = readFileSync(`${folder}config/README.md`, 'utf8');
  const sources = globSync('src/telemetry/*.ts', { cwd: folder }).map((file) =>
    readFileSync(`${folder}${file}`, 'utf8'),
  );
  const named = new Set([...page.matchAll(/`(trunkline_[a-z_]+)`/g)].map(([, name]) => name));
  t.true(named.size > 5);
  for (const name of named) t.true(sources.join('').includes(`'${name}'`), name);
});

// Compose
// compose.yaml agrees with the settings, with the files beside it, and with the configuration of the servers.

const root = fileURLToPath(new URL('../..', import.meta.url));
const readCompose = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

const text = readCompose('compose.yaml');
const example = readCompose('.env.example');

const service = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  entrypoint: z.array(z.string()).optional(),
  network_mode: z.string().optional(),
  networks: z.array(z.string()).optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.coerce.string()),
  restart: z.string(),
  healthcheck: z.object({ test: z.array(z.string()) }),
});
const schema = z.object({
  services: z.object({
    postgres: service,
    drachtio: service,
    relay: service,
    freeswitch: service,
    gateway: service,
  }),
  volumes: z.record(z.string(), z.unknown()),
});

/** Substitutes like Docker `${NAME}`, `${NAME:-otherwise}` and `${NAME:?what it must be}`. */
const filledIn = (given: Record<string, string>) => {
  const parsed = JSON.stringify(parseYaml(text));
  const filled = parsed.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, otherwise) => {
    const value = given[name] ?? '';
    if (value === '' && kind === '?') throw new Error(`${name}: ${otherwise}`);
    return value === '' && kind === '-' ? otherwise : value;
  });
  return schema.parse(JSON.parse(filled));
};

const required = {
  POSTGRES_PASSWORD: 'a1',
  GW_DRACHTIO_SECRET: 'b2',
  GW_FREESWITCH_SECRET: 'c3',
  GW_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  GW_SIP_ADDRESS: '192.0.2.10',
};
const { services, volumes } = filledIn(required);

test('every setting in the environment files exists', (t) => {
  const known = new Set([settings, serverSettings].flatMap(({ shape }) => Object.keys(shape)));
  const named = [...`${text}${example}`.matchAll(/GW_\w+/g)].map(([name]) => name);
  t.true(named.length > 30);
  for (const name of named) t.true(known.has(name), name);
});

test('compose.yaml requires secrets and the address, which the example environment leaves empty', (t) => {
  for (const name of Object.keys(required)) {
    t.throws(() => filledIn({ ...required, [name]: '' }), { message: new RegExp(`^${name}: `) });
    t.regex(example, new RegExp(`^${name}=$`, 'm'));
  }
});

test('compose.yaml contains no secret', (t) => {
  for (const { environment } of Object.values(services))
    for (const [name, value] of Object.entries(environment))
      if (secretSettings.has(name) || name.endsWith('PASSWORD'))
        t.true(
          Object.values(required).some((secret) => value.includes(secret)),
          name,
        );
});

test('every file that compose.yaml mounts exists, and every volume is declared', (t) => {
  for (const { volumes: mounted, build } of Object.values(services)) {
    for (const mount of mounted) {
      const [source = ''] = mount.split(':');
      if (source.startsWith('.')) t.true(existsSync(`${root}${source}`), source);
      else t.true(source in volumes, source);
    }
    if (build !== undefined) t.true(existsSync(`${root}${build.dockerfile}`));
  }
});

test("compose.yaml starts drachtio-server and FreeSWITCH with the project's scripts", (t) => {
  t.deepEqual(services.drachtio.entrypoint, ['sh', '/config/start.sh']);
  t.true(services.drachtio.volumes.includes('./config/drachtio:/config:ro'));
  t.deepEqual(services.freeswitch.entrypoint, ['sh', '/config/start.sh', '/var/lib/freeswitch']);
  t.true(services.freeswitch.volumes.includes('./config/freeswitch:/config:ro'));
  for (const folder of ['drachtio', 'freeswitch']) t.true(existsSync(`${root}config/${folder}/start.sh`));
});

test('the environments of the services are valid and have the same addresses, ports and secrets', (t) => {
  const sip = readServersConfig(services.drachtio.environment).drachtio;
  const media = readServersConfig(services.freeswitch.environment).freeSwitch;
  const { realLines, databaseUrl } = readConfig(
    { ...services.gateway.environment, GW_DRACHTIO_SECRET: 'b2', GW_FREESWITCH_SECRET: 'c3' },
    false,
  );
  const relay = readRelayConfig(services.relay.environment, false);
  t.deepEqual(relay.drachtio, sip.control);
  t.deepEqual(realLines?.drachtio, { ...relay.listen, secret: sip.control.secret });
  t.deepEqual(realLines?.freeSwitches, [media?.eventSocket]);
  t.deepEqual([sip.sip.host, media?.sip.host], ['192.0.2.10', '192.0.2.10']);
  t.deepEqual(media?.rtp, readServersConfig({}).freeSwitch?.rtp);
  const database = new URL(databaseUrl ?? '');
  t.is(services.postgres.environment['POSTGRES_USER'], database.username);
  t.is(services.postgres.environment['POSTGRES_PASSWORD'], database.password);
  t.deepEqual(services.postgres.ports, [`127.0.0.1:${database.port}:5432`]);
  const behindNat = filledIn({ ...required, GW_PUBLIC_ADDRESS: '203.0.113.7' }).services;
  for (const { environment } of [behindNat.drachtio, behindNat.freeswitch])
    t.is(environment['GW_PUBLIC_ADDRESS'], '203.0.113.7');
});

test("the ports in the servers' configuration files are the default ports", (t) => {
  const { drachtio, freeSwitch } = readServersConfig({});
  const drachtioFile = readCompose('config/drachtio/drachtio.conf.xml');
  t.true(
    drachtioFile.includes(`<admin port="${drachtio.control.port}" secret="${drachtio.control.secret}">`),
  );
  t.true(
    drachtioFile.includes(
      `<contact>sip:${drachtio.sip.host}:${drachtio.sip.port};transport=udp,tcp</contact>`,
    ),
  );
  const freeSwitchFile = readCompose('config/freeswitch/freeswitch.xml');
  if (freeSwitch === null) throw new Error('There is no FreeSWITCH');
  const { eventSocket, sip, rtp, clients } = freeSwitch;
  for (const [name, value] of Object.entries({
    gw_address: eventSocket.host,
    gw_port: eventSocket.port,
    gw_secret: eventSocket.secret,
    gw_sip_port: sip.port,
    gw_clients: clients,
    gw_rtp_from: rtp.from,
    gw_rtp_to: rtp.to,
  }))
    t.true(freeSwitchFile.includes(`cmd="set" data="${name}=${value}"`), name);
});

test('compose.yaml keeps control connections on loopback and publishes only required ports', (t) => {
  const { drachtio, relay, freeswitch, gateway, postgres } = services;
  for (const { network_mode, ports } of [drachtio, relay, freeswitch, gateway]) {
    t.is(network_mode, 'host');
    t.deepEqual(ports, []);
  }
  t.is(postgres.network_mode, undefined);
  for (const { environment } of [drachtio, relay, freeswitch, gateway])
    for (const name of ['GW_DRACHTIO', 'GW_RELAY', 'GW_FREESWITCH'])
      t.regex(environment[name] ?? '127.0.0.1:', /^127\.0\.0\.1:/);
  t.is(readConfig({}, false).host, '127.0.0.1');
  t.is(readConfig(gateway.environment, false).realLines?.mediaHost, '127.0.0.1');
});

test('each service of compose.yaml restarts when it ends and has a health check', (t) => {
  for (const { restart, healthcheck } of Object.values(services)) {
    t.is(restart, 'unless-stopped');
    t.is(healthcheck.test[0], 'CMD');
  }
});

// One at a time
//
// Two programs started in one fresh clone: `npm ci` begins by removing the other's installation.

const config = fileURLToPath(new URL('../../config', import.meta.url));

/** Installs until the file `go` exists, and fails if another file does. */
const slowNpm = `#!/bin/sh
mkdir busy || exit 9
echo installing >&2
while [ ! -e go ]; do sleep 0.1; done
mkdir -p node_modules
echo "$1 $2" >> installed
rmdir busy
`;

const makeClone = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-clone-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'config'));
  for (const file of ['install.mjs', 'one-at-a-time.mjs', 'bundle-packages.mjs', 'bundled-packages.mjs']) {
    await cp(join(config, file), join(folder, 'config', file));
  }
  await writeFile(join(folder, 'package-lock.json'), '{}');
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/npm'), slowNpm, { mode: 0o755 });
  return folder;
};

const startInstalling = (t: ExecutionContext, folder: string, ...args: readonly string[]): ChildProcess => {
  const path = `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const child = spawn(process.execPath, ['config/install.mjs', ...args], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
};

const untilSaid = async (child: ChildProcess, words: string): Promise<void> => {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    if (said.includes(words)) return;
  }
  throw new Error(`It ended before it said "${words}": ${said}`);
};

const leftLocks = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('.installing'));

test.serial(
  'a second process waits for the installation by the first one and does not repeat it',
  async (t) => {
    const folder = await makeClone(t);
    const first = startInstalling(t, folder);
    await untilSaid(first, 'installing\n');
    const second = startInstalling(t, folder);
    await untilSaid(second, 'Another program in this folder is installing the packages; waiting for it');
    const ends = Promise.all([once(first, 'exit'), once(second, 'exit')]);
    await writeFile(join(folder, 'go'), '');
    t.deepEqual(await ends, [
      [0, null],
      [0, null],
    ]);
    t.is(await readFile(join(folder, 'installed'), 'utf8'), 'ci --ignore-scripts\n');
    t.deepEqual(await leftLocks(folder), []);
  },
);

/** The packages of a lockfile, and those that npm has installed. */
const lockedPackages = {
  '': { name: 'clone' },
  'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' },
  'node_modules/here': {
    version: '1.0.0',
    integrity: 'sha512-here',
    optional: true,
    os: [process.platform],
    cpu: [process.arch],
  },
  'node_modules/elsewhere': {
    version: '1.0.0',
    integrity: 'sha512-elsewhere',
    optional: true,
    os: ['none'],
    cpu: [process.arch],
  },
  'node_modules/for-tests': { version: '1.0.0', integrity: 'sha512-tests', dev: true },
};

for (const [what, change, installs] of [
  ['all of them', {}, false],
  ['another version', { 'node_modules/one': { version: '2.0.0', integrity: 'sha512-two' } }, true],
  ['one missing', { 'node_modules/one': undefined }, true],
  ['one for development missing', { 'node_modules/for-tests': undefined }, true],
  ['one missing for this machine', { 'node_modules/here': undefined }, true],
] as const)
  test.serial(
    `${installs ? 'installs' : 'does not install'} after a manual \`npm ci\`: ${what}`,
    async (t) => {
      const folder = await makeClone(t);
      const { 'node_modules/elsewhere': _, ...here } = lockedPackages;
      await mkdir(join(folder, 'node_modules'));
      await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: lockedPackages }));
      await writeFile(
        join(folder, 'node_modules/.package-lock.json'),
        JSON.stringify({ packages: { ...here, ...change } }),
      );
      await writeFile(join(folder, 'go'), '');
      t.deepEqual(await once(startInstalling(t, folder), 'exit'), [0, null]);
      t.is(existsSync(join(folder, 'installed')), installs);
    },
  );

test.serial(
  'a start leaves development packages out, and a developer adds them without removing any',
  async (t) => {
    const folder = await makeClone(t);
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: lockedPackages }));
    await writeFile(join(folder, 'go'), '');
    const install = async (...args: readonly string[]): Promise<readonly string[]> => {
      t.deepEqual(await once(startInstalling(t, folder, ...args), 'exit'), [0, null]);
      return (await readFile(join(folder, 'installed'), 'utf8')).trimEnd().split('\n');
    };
    const commands = ['ci --omit=dev'];
    t.deepEqual(await install('--omit=dev'), commands);
    t.deepEqual(await install('--omit=dev'), commands, 'nothing is missing for a start');
    commands.push('install --no-save');
    t.deepEqual(await install(), commands);
    t.deepEqual(await install('--omit=dev'), commands, 'a start needs nothing that a developer has not');

    await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: {}, changed: true }));
    await rm(join(folder, 'node_modules/.package-lock.json'), { force: true });
    commands.push('ci --ignore-scripts');
    t.deepEqual(
      await install('--omit=dev'),
      commands,
      "a developer's packages are renewed by a start as well",
    );
  },
);

test.serial('installs although the lock of a killed process is left', async (t) => {
  const folder = await makeClone(t);
  const gone = spawn('true');
  await once(gone, 'exit');
  await writeFile(join(folder, '.installing'), String(gone.pid));
  await writeFile(join(folder, 'go'), '');
  const child = startInstalling(t, folder);
  t.deepEqual(await once(child, 'exit'), [0, null]);
  t.is(await readFile(join(folder, 'installed'), 'utf8'), 'ci --ignore-scripts\n');
  t.deepEqual(await leftLocks(folder), []);
});
