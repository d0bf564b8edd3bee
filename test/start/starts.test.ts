/** Starts of the program, in real time: the first one of a new user, and rejected starts. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { z } from 'zod';
import { readConfig } from '#config/config.ts';
import { StartError } from '#src/domain/start-error.ts';
import { startGateway } from '#src/gateway.ts';
import { findPostmaster } from '#src/persistence/embedded/postmaster.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testGateway } from '#test/helpers/gateway.ts';
import { noServer } from '#test/helpers/no-server.ts';
import { until } from '#test/helpers/until.ts';
import { credentialsIn, emptyFolder, runGateway, serverSettings, startedGateway } from './gateway-process.ts';

// The first start

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** The indented requests of the welcome, each with its continuation lines, after the command that sets their variables. */
const commandsIn = (printed: string): string[] => {
  const [setVariables = ''] = printed.match(/^ {4}eval .*$/m) ?? [];
  const requests = printed.match(/^ {4}curl (?:.*\\\n)*.*$/gm) ?? [];
  return requests.map((request) => `${setVariables}\n${request}`);
};

/** The request of the printed command, for a machine without curl. */
const sendAsPrinted = async (command: string): Promise<unknown> => {
  const [, url = ''] = /(http\S+)/.exec(command) ?? [];
  const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const body = /-d '(.+)'/.exec(command)?.[1];
  const options = body === undefined ? {} : { method: 'POST', body };
  return (await fetch(url, { headers: Object.fromEntries(headers), ...options })).json();
};

const run = async (command: string): Promise<unknown> => {
  if (!hasCurl) return sendAsPrinted(command);
  return JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout);
};

test.serial(
  'the printed commands work for a first-time user and after a restart, and the data folder is locked',
  async (t) => {
    const dataFolder = await emptyFolder(t);
    const settings = {
      GW_DATA_DIR: dataFolder,
      GW_PORT: '0',
      GW_SIMULATOR_SPEED: '50',
      GW_DRAIN_SEC: '0',
      GW_SIMULATOR_SPED: '10',
    };
    const first = await startedGateway(t, settings);
    const { credentials } = first;

    // The file of credentials
    const file = join(dataFolder, 'dev-credentials.json');
    t.is((await stat(file)).mode & 0o777, 0o600);
    t.is((await stat(join(dataFolder, 'master-key'))).mode & 0o777, 0o600);
    t.is(credentials.console_url, `${credentials.base_url}/`);
    const admin = apiClient(credentials.base_url, credentials.admin_token);
    const number = await admin.get(`/api/v1/admin/numbers/${credentials.number_id}`);
    t.like(number.body, { id: credentials.number_id, number: credentials.number });

    // The printed output; the next command for a new user is at its end.
    await first.printed('/CALL_ID/transcript');
    const printed = first.stdout();
    for (const shown of [file, credentials.number, credentials.console_url]) {
      t.true(printed.includes(shown), `${shown} is printed`);
    }
    for (const secret of [credentials.number_key, credentials.admin_token])
      t.false(printed.includes(secret), 'what is no terminal is collected by others');
    const warnings = printed.split('\n').filter((line) => line.includes('GW_SIMULATOR_SPED'));
    t.is(warnings.length, 1);
    t.like(JSON.parse(warnings[0] ?? ''), { level: 40, names: ['GW_SIMULATOR_SPED'] });

    // The printed commands
    const [placing = '', reading = '', ...others] = commandsIn(printed);
    t.deepEqual(others, []);
    const placed = z.strictObject({ call_id: z.uuid(), status: z.literal('ringing'), from: z.string() });
    const { call_id: callId, from } = placed.parse(await run(placing));
    t.is(from, credentials.number);
    const client = apiClient(credentials.base_url, credentials.number_key);
    const ended = await until('the printed call has ended', async () => {
      const { body } = await client.get(`/api/v1/calls/${callId}`);
      return body['status'] === 'completed' ? body : undefined;
    });
    t.is(ended['end_reason'], 'agent_hangup');
    const transcript = z.object({ transcript: z.array(z.object({ text: z.string() })) });
    const read = transcript.parse(await run(reading.replace('CALL_ID', callId)));
    t.true(read.transcript.some(({ text }) => text.includes('내일 오후 3시 예약을 확인해 주세요')));

    // A second gateway
    const second = runGateway(t, settings);
    t.is((await second.ended).code, 1);
    t.regex(second.stderr(), /^[^\n]*Another gateway uses the data folder [^\n]*\(GW_DATA_DIR\)\n$/);
    t.is((await client.get('/readyz')).status, 200);

    // The end
    first.signal('SIGTERM');
    t.deepEqual(await first.ended, { code: 0, signal: null });
    t.is(first.stderr(), '');
    const cluster = join(dataFolder, 'postgresql', 'cluster');
    t.is(await findPostmaster(cluster), undefined, 'its database has ended, too');

    // The next start
    await chmod(file, 0o644);
    const next = await startedGateway(t, settings);
    const { base_url, console_url, ...kept } = next.credentials;
    t.like(credentials, kept);
    t.is(console_url, `${base_url}/`);
    t.is((await stat(file)).mode & 0o777, 0o600, 'a mode that was widened is narrowed again');
    t.is(
      (await apiClient(base_url, kept.number_key).get(`/api/v1/calls/${callId}`)).body['status'],
      'completed',
    );
    next.signal('SIGINT');
    t.deepEqual(await next.ended, { code: 0, signal: null });
    t.is(next.stderr(), '');
  },
);

test.serial('exits cleanly when stopped during the start and leaves no database running', async (t) => {
  const dataFolder = await emptyFolder(t);
  const gateway = runGateway(t, { GW_DATA_DIR: dataFolder, GW_PORT: '0' });
  await gateway.printed('the embedded database is ready');
  gateway.signal('SIGTERM');
  t.deepEqual(await gateway.ended, { code: 0, signal: null });
  t.regex(gateway.stdout(), /the gateway is stopping/);
  t.is(await findPostmaster(join(dataFolder, 'postgresql', 'cluster')), undefined);
});

// Refused starts

/** The reason why a gateway in this process does not start, in one line. */
const refusal = async (t: ExecutionContext, settings: Record<string, string>): Promise<string> => {
  const logged: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const config = readConfig(settings, false);
  const error = await t.throwsAsync(startGateway(config, logger), { instanceOf: StartError });
  t.notRegex(logged.join(''), /is ready|hush/);
  const line = error?.message.replaceAll(/\s+/g, ' ') ?? '';
  t.true(line.length > 0);
  return line;
};

/** Output of a failed start: one line on standard error, no stack, and an exit code. */
const printedRefusal = async (
  t: ExecutionContext,
  settings: Record<string, string>,
  wrapper: readonly string[] = [],
): Promise<string> => {
  const gateway = runGateway(t, settings, wrapper);
  const { code } = await gateway.ended;
  t.is(code, 1);
  t.notRegex(gateway.stdout(), /is ready/);
  const [line = '', ...others] = gateway.stderr().split('\n');
  t.deepEqual(others, [''], 'one line');
  t.true(line.startsWith('Trunkline did not start: '), line);
  return line;
};

const listening = async (t: ExecutionContext, server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
};

test.serial('rejects an invalid setting before any file is created', async (t) => {
  const dataFolder = join(await emptyFolder(t), 'data');
  const line = await printedRefusal(t, { GW_DATA_DIR: dataFolder, GW_PORT: 'eighty' });
  t.true(line.endsWith('GW_PORT must be a whole number from 0 to 65535 (it is "eighty")'), line);
  await t.throwsAsync(access(dataFolder), { code: 'ENOENT' });
});

test.serial('names a port in use before it creates a file or starts its database', async (t) => {
  const port = await listening(t, createServer());
  const dataFolder = join(await emptyFolder(t), 'data');
  const line = await printedRefusal(t, { GW_DATA_DIR: dataFolder, GW_PORT: String(port) });
  t.true(line.endsWith(`port ${port} is in use; set GW_PORT to another one`), line);
  await t.throwsAsync(access(dataFolder), { code: 'ENOENT' });
});

test.serial('names a port in use at the start', async (t) => {
  const port = String(await listening(t, createServer()));
  const line = await refusal(t, { ...(await serverSettings(t)), GW_PORT: port });
  t.true(line.endsWith(`port ${port} is in use; set GW_PORT to another one`), line);
});

test.serial('writes the credentials file before the port is open', async (t) => {
  const port = await listening(t, createServer());
  const settings = await serverSettings(t);
  await refusal(t, { ...settings, GW_PORT: String(port) });
  const { base_url } = await credentialsIn(settings['GW_DATA_DIR'] ?? '');
  t.is(base_url, `http://127.0.0.1:${port}`);
});

test.serial('stores compiled code for the next start, even when killed', async (t) => {
  const settings = await serverSettings(t);
  const gateway = await startedGateway(t, {
    ...settings,
    // Without the cache of the tests themselves.
    NODE_COMPILE_CACHE: '',
    // A process with a preloaded module loads the gateway's modules one by one.
    NODE_OPTIONS: '--import=data:text/javascript,',
  });
  gateway.signal('SIGKILL');
  await gateway.ended;
  const stored = await readdir(join(settings['GW_DATA_DIR'] ?? '', 'compile-cache'), { recursive: true });
  t.true(stored.length > 500, String(stored.length));
});

test.serial('names a file in the place of the data folder', async (t) => {
  const file = join(await emptyFolder(t), 'file');
  await writeFile(file, '');
  const line = await refusal(t, { GW_DATA_DIR: file });
  t.true(
    line.endsWith(`the data folder ${file} cannot be written to: it is not a folder (GW_DATA_DIR)`),
    line,
  );
});

/** Runs the gateway with a small file system mounted on a folder, where even root is subject to its limits. */
const withFileSystem = (folder: string, options: string, first = 'true'): string[] => [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o ${options} tmpfs "$0" && ${first} && exec "$@"`,
  folder,
];

const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'])
    .status === 0;

const mounted = canMount ? test.serial : test.serial.skip;
const unlessSkipped = canMount ? '' : ' (skipped: this user may mount nothing here)';

mounted(`names a data folder on a read-only file system${unlessSkipped}`, async (t) => {
  const folder = await emptyFolder(t);
  const line = await printedRefusal(t, { GW_DATA_DIR: folder }, withFileSystem(folder, 'ro'));
  t.true(
    line.endsWith(`${folder} cannot be written to: it is on a read-only file system (GW_DATA_DIR)`),
    line,
  );
});

mounted(`names a data folder on a full disk${unlessSkipped}`, async (t) => {
  const folder = await emptyFolder(t);
  const fill = 'head -c 16384 /dev/zero > "$0/other"';
  const line = await printedRefusal(t, { GW_DATA_DIR: folder }, withFileSystem(folder, 'size=16k', fill));
  t.true(line.endsWith(`${folder} cannot be written to: the disk is full (GW_DATA_DIR)`), line);
});

mounted(`names a disk that becomes full during the database creation${unlessSkipped}`, async (t) => {
  const folder = await emptyFolder(t);
  const line = await printedRefusal(t, { GW_DATA_DIR: folder }, withFileSystem(folder, 'size=4m'));
  t.regex(line, /the data folder .* \(GW_DATA_DIR\): the disk is full$/);
});

test.serial('names an unreachable database without its password', async (t) => {
  const { host } = new URL(noServer);
  const settings = await serverSettings(t);
  const line = await refusal(t, {
    ...settings,
    GW_DATABASE_URL: `postgresql://gateway:hush%2Dhush@${host}/calls`,
  });
  const where = `Cannot use the database at ${host}/calls (GW_DATABASE_URL)`;
  t.true(line.endsWith(`${where}: no server listens there`), line);
  t.notRegex(line, /hush/);
});

/** A PostgreSQL server that rejects every login. */
const strictServer = (): Server => {
  const fields = ['SFATAL', 'VFATAL', 'C28P01', 'Mpassword authentication failed for user "gateway"', ''];
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([head, body])));
  });
};

test.serial('reports a wrong password without repeating it', async (t) => {
  const port = await listening(t, strictServer());
  const settings = await serverSettings(t);
  const line = await refusal(t, {
    ...settings,
    GW_DATABASE_URL: `postgresql://gateway:hush%2Dhush@127.0.0.1:${port}/calls`,
  });
  t.regex(line, /\(GW_DATABASE_URL\): the user or the password is wrong$/);
  t.notRegex(line, /hush/);
});

test.serial(
  'rejects a second gateway of the same name on one database, and another master key',
  async (t) => {
    const settings = await serverSettings(t);
    const first = await testGateway(t, settings);
    const other = { ...settings, GW_DATA_DIR: await emptyFolder(t) };
    t.regex(await refusal(t, other), /Another gateway named "gateway" .*\(GW_NODE\)$/);

    const otherKey = Buffer.alloc(32, 8).toString('base64');
    const line = await refusal(t, { ...other, GW_NODE: 'other', GW_MASTER_KEY: otherKey });
    t.regex(line, /GW_MASTER_KEY .*is not the key that sealed/);
    t.false(line.includes(otherKey));
    const { status } = await fetch(`${first.credentials.base_url}/readyz`);
    t.is(status, 200, 'the first one is not disturbed');
  },
);
