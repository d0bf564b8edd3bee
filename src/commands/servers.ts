/** `npm run servers`: starts installed drachtio-server and FreeSWITCH with the project's configuration, and the relay. */
import { access, constants, mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ConfigError } from '#config/config.ts';
import { readServersConfig, type ServersConfig } from '#config/servers-config.ts';
import { terminalLines } from '#src/domain/terminal-text.ts';
import { reach } from '#src/servers/server-process.ts';
import { startDrachtio, type StartedServer } from '#src/servers/start-drachtio.ts';
import { freeSwitchLog, startFreeSwitch } from '#src/servers/start-freeswitch.ts';
import { startRelay } from '#src/servers/start-relay.ts';
import { supervise, type RestartTimes, type Supervised } from '#src/servers/supervise.ts';
import { isInstalled } from '#src/speech/run-program.ts';

const restartTimes: RestartTimes = {
  firstMs: 1_000,
  longestMs: 30_000,
  mostStarts: 10,
  steadyMs: 60_000,
  patienceMs: 3_000,
};

const programs = {
  drachtio:
    'drachtio (drachtio-server) is not installed: build it from https://github.com/drachtio/drachtio-server',
  freeswitch:
    'freeswitch (FreeSWITCH) is not installed: build it from https://github.com/signalwire/freeswitch',
};

/** Failure with a message for the operator. */
class ServersError extends Error {
  override readonly name = 'ServersError';
}

const checkInstalled = async (path: string, wanted: readonly (keyof typeof programs)[]): Promise<void> => {
  const missing: string[] = [];
  for (const program of wanted) if (!(await isInstalled(program, path))) missing.push(programs[program]);
  if (missing.length > 0)
    throw new ServersError(
      [...missing, 'Or let Docker bring both: docker compose up (see config/README.md).'].join('\n'),
    );
};

const checkFree = async (
  name: string,
  setting: string,
  at: { host: string; port: number },
): Promise<void> => {
  const isTaken = await reach(at).then(
    () => true,
    () => false,
  );
  if (isTaken)
    throw new ServersError(`Something listens on ${at.host}:${at.port} already: ${name} cannot (${setting})`);
};

/** Checks the files of TLS: drachtio-server exits silently if it cannot read one of them. */
const checkTls = async ({ tls }: ServersConfig['drachtio']): Promise<void> => {
  if (tls === null) return;
  for (const file of [tls.keyFile, tls.certFile, tls.chainFile])
    await access(file, constants.R_OK).catch((cause: unknown) => {
      throw new ServersError(`${file} cannot be read (GW_SIP_TLS_KEY_FILE, _CERT_FILE, _CHAIN_FILE)`, {
        cause,
      });
    });
};

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

const endOf = async ({ name, logs }: Server): Promise<string> => {
  const texts = await Promise.all(logs.map(textOf));
  const lines = texts
    .join('')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-5);
  return `The end of what ${name} says:\n${lines.map((line) => `  ${line}`).join('\n')}`;
};

/** A server that this command runs. The last file in `logs` is the main log; the others hold errors of the start. */
type Server = {
  name: string;
  logs: string[];
  whereItIs: string;
  /** Effect of the server's end on calls, as a part of a sentence. */
  loss: string;
  start: () => StartedServer;
};

const behind = ({ publicAddress }: { publicAddress: string | null }): string =>
  publicAddress === null ? '' : `, known outside as ${publicAddress}`;

const drachtioIn = (folder: string, drachtio: ServersConfig['drachtio']): Server => {
  const log = join(folder, 'drachtio.log');
  const { sip, control, tls } = drachtio;
  return {
    start: () => startDrachtio(drachtio, log),
    name: 'drachtio-server',
    logs: [log],
    loss: ', and its calls with it',
    whereItIs:
      `SIP ${sip.host}:${sip.port} (udp, tcp${tls === null ? '' : `; tls on ${tls.port}`})${behind(drachtio)}; ` +
      `control ${control.host}:${control.port}`,
  };
};

const freeSwitchIn = (folder: string, freeSwitch: NonNullable<ServersConfig['freeSwitch']>): Server => {
  const ownFolder = join(folder, 'freeswitch');
  const startLog = join(folder, 'freeswitch-start.log');
  const { sip, eventSocket, rtp } = freeSwitch;
  return {
    start: () => startFreeSwitch(freeSwitch, ownFolder, startLog),
    name: 'FreeSWITCH',
    logs: [startLog, freeSwitchLog(ownFolder)],
    loss: ', and its calls with it',
    whereItIs:
      `SIP ${sip.host}:${sip.port}, sound ${rtp.from}-${rtp.to} (udp)${behind(freeSwitch)}; ` +
      `event socket ${eventSocket.host}:${eventSocket.port}`,
  };
};

const relayIn = (
  folder: string,
  relay: NonNullable<ServersConfig['relay']>,
  drachtio: ServersConfig['drachtio'],
): Server => {
  const log = join(folder, 'relay.log');
  return {
    start: () => startRelay(relay, drachtio, log),
    name: 'The relay',
    logs: [log],
    loss: '; calls wait for it',
    whereItIs: `gateways connect to ${relay.host}:${relay.port} (GW_RELAY)`,
  };
};

const serversOf = ({ drachtio, relay, freeSwitch }: ServersConfig, folder: string): Server[] => [
  drachtioIn(folder, drachtio),
  ...(relay === null ? [] : [relayIn(folder, relay, drachtio)]),
  ...(freeSwitch === null ? [] : [freeSwitchIn(folder, freeSwitch)]),
];

const startKept = (server: Server, print: (text: string) => void, onGivenUp: () => void): Supervised =>
  supervise({
    start: server.start,
    times: restartTimes,
    onEnded: (how, restartsInMs) =>
      print(
        `${server.name} has ended by itself (${how})${server.loss}. It is started again in ${restartsInMs / 1_000} s.`,
      ),
    onBack: () => print(`${server.name} is ready again.`),
    onGivenUp,
  });

const untilReady = async (server: Server, { ready }: Supervised): Promise<string> => {
  const { name, logs, whereItIs } = server;
  try {
    await ready;
  } catch (cause) {
    throw new ServersError(`${name} did not start. ${await endOf(server)}`, { cause });
  }
  return `${name} is ready: ${whereItIs}; log ${relative('', logs.at(-1) ?? '')}`;
};

/** Runs the servers until `asked` aborts. A server that exits is restarted. */
export const runServers = async (
  environment: NodeJS.ProcessEnv,
  print: (text: string) => void,
  asked: AbortSignal,
): Promise<void> => {
  const config = readServersConfig(environment);
  const { freeSwitch } = config;
  await checkInstalled(
    environment['PATH'] ?? '',
    freeSwitch === null ? ['drachtio'] : ['drachtio', 'freeswitch'],
  );
  await checkTls(config.drachtio);
  await checkFree('drachtio-server', 'GW_DRACHTIO', config.drachtio.control);
  if (config.relay !== null) await checkFree('the relay', 'GW_RELAY', config.relay);
  if (freeSwitch !== null) await checkFree('FreeSWITCH', 'GW_FREESWITCH', freeSwitch.eventSocket);
  const folder = join(config.dataFolder, 'servers');
  await mkdir(folder, { recursive: true, mode: 0o700 });

  const givenUp = Promise.withResolvers<Server>();
  const servers = serversOf(config, folder).map((server) => ({
    server,
    kept: startKept(server, print, () => givenUp.resolve(server)),
  }));
  const over = new Promise<'asked'>((resolve) => {
    asked.addEventListener('abort', () => resolve('asked'));
    if (asked.aborted) resolve('asked');
  });
  try {
    const ready = Promise.all(servers.map(async ({ server, kept }) => print(await untilReady(server, kept))));
    if ((await Promise.race([ready, over])) === 'asked') return;
    print(
      freeSwitch === null
        ? 'Now, in another terminal: GW_FREESWITCH=none GW_LINES=drachtio npm start   (Ctrl-C here ends the servers)'
        : 'Now, in another terminal: GW_LINES=drachtio npm start   (Ctrl-C here ends the servers)',
    );
    const hopeless = await Promise.race([over, givenUp.promise]);
    if (hopeless === 'asked') return;
    throw new ServersError(
      `${hopeless.name} has ended ${restartTimes.mostStarts} times in a row and is given up. ${await endOf(hopeless)}`,
    );
  } finally {
    await Promise.all(servers.map(({ kept }) => kept.stop()));
  }
};

if (import.meta.main) {
  const asked = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => asked.abort());
  const print = (text: string): void => void process.stdout.write(`${terminalLines(text)}\n`);
  try {
    await runServers(process.env, print, asked.signal);
    print('All servers have ended.');
  } catch (error) {
    if (!(error instanceof ServersError) && !(error instanceof ConfigError)) throw error;
    process.stderr.write(`${terminalLines(error.message)}\n`);
    process.exitCode = 1;
  }
}
