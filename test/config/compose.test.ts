/** compose.yaml agrees with the settings, with the files beside it, and with the configuration of the servers. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import test from 'ava';
import { z } from 'zod';
import { readConfig } from '#config/config.ts';
import { readRelayConfig } from '#config/relay-config.ts';
import { serverSettings } from '#config/server-settings.ts';
import { readServersConfig } from '#config/servers-config.ts';
import { secretSettings, settings } from '#config/settings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

const text = read('compose.yaml');
const example = read('.env.example');

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

/** As Docker fills in `${NAME}`, `${NAME:-otherwise}` and `${NAME:?what it must be}`. */
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

test('every setting that it names exists', (t) => {
  const known = new Set([settings, serverSettings].flatMap(({ shape }) => Object.keys(shape)));
  const named = [...`${text}${example}`.matchAll(/GW_\w+/g)].map(([name]) => name);
  t.true(named.length > 30);
  for (const name of named) t.true(known.has(name), name);
});

test('it does not start without its secrets and the address, which the example names and leaves open', (t) => {
  for (const name of Object.keys(required)) {
    t.throws(() => filledIn({ ...required, [name]: '' }), { message: new RegExp(`^${name}: `) });
    t.regex(example, new RegExp(`^${name}=$`, 'm'));
  }
});

test('no secret stands in it', (t) => {
  for (const { environment } of Object.values(services))
    for (const [name, value] of Object.entries(environment))
      if (secretSettings.has(name) || name.endsWith('PASSWORD'))
        t.true(
          Object.values(required).some((secret) => value.includes(secret)),
          name,
        );
});

test('every file that it takes exists, and every volume is declared', (t) => {
  for (const { volumes: mounted, build } of Object.values(services)) {
    for (const mount of mounted) {
      const [source = ''] = mount.split(':');
      if (source.startsWith('.')) t.true(existsSync(`${root}${source}`), source);
      else t.true(source in volumes, source);
    }
    if (build !== undefined) t.true(existsSync(`${root}${build.dockerfile}`));
  }
});

test('drachtio-server and FreeSWITCH run by the scripts of the project', (t) => {
  t.deepEqual(services.drachtio.entrypoint, ['sh', '/config/start.sh']);
  t.true(services.drachtio.volumes.includes('./config/drachtio:/config:ro'));
  t.deepEqual(services.freeswitch.entrypoint, ['sh', '/config/start.sh', '/var/lib/freeswitch']);
  t.true(services.freeswitch.volumes.includes('./config/freeswitch:/config:ro'));
  for (const folder of ['drachtio', 'freeswitch']) t.true(existsSync(`${root}config/${folder}/start.sh`));
});

test('the environment of each is valid, and all mean the same addresses, ports and secrets', (t) => {
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

test('the ports that stand in the files of the servers are those that are the default here', (t) => {
  const { drachtio, freeSwitch } = readServersConfig({});
  const drachtioFile = read('config/drachtio/drachtio.conf.xml');
  t.true(
    drachtioFile.includes(`<admin port="${drachtio.control.port}" secret="${drachtio.control.secret}">`),
  );
  t.true(
    drachtioFile.includes(
      `<contact>sip:${drachtio.sip.host}:${drachtio.sip.port};transport=udp,tcp</contact>`,
    ),
  );
  const freeSwitchFile = read('config/freeswitch/freeswitch.xml');
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

test('control connections stay on loopback, and nothing else is published', (t) => {
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

test('each is started again when it ends, and watched', (t) => {
  for (const { restart, healthcheck } of Object.values(services)) {
    t.is(restart, 'unless-stopped');
    t.is(healthcheck.test[0], 'CMD');
  }
});
