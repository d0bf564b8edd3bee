/** Whatever stops a start is one line on standard error that names the setting to look at, and an exit code. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { credentialsIn, emptyFolder, runGateway, serverSettings, startedGateway } from './gateway-process.ts';

/** What was printed: nothing ready, no stack, one line on standard error. */
const refusal = async (
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

const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server had no port');
  return address.port;
};

test.serial('a setting that is not valid stops the start before anything is made', async (t) => {
  const dataFolder = join(await emptyFolder(t), 'data');
  const line = await refusal(t, { GW_DATA_DIR: dataFolder, GW_PORT: 'eighty' });
  t.true(line.endsWith('GW_PORT must be a whole number from 0 to 65535 (it is "eighty")'), line);
  await t.throwsAsync(access(dataFolder), { code: 'ENOENT' });
});

test.serial('a port that is in use is named', async (t) => {
  const port = String(await listening(t, createServer()));
  const line = await refusal(t, { ...(await serverSettings(t)), GW_PORT: port });
  t.true(line.endsWith(`port ${port} is in use; set GW_PORT to another one`), line);
});

test.serial('the credentials are in their file before the port opens', async (t) => {
  const port = await listening(t, createServer());
  const settings = await serverSettings(t);
  await refusal(t, { ...settings, GW_PORT: String(port) });
  const { base_url } = await credentialsIn(settings['GW_DATA_DIR'] ?? '');
  t.is(base_url, `http://127.0.0.1:${port}`);
});

test.serial('a file in the place of the data folder is named', async (t) => {
  const file = join(await emptyFolder(t), 'file');
  await writeFile(file, '');
  const line = await refusal(t, { GW_DATA_DIR: file });
  t.true(
    line.endsWith(`the data folder ${file} cannot be written to: it is not a folder (GW_DATA_DIR)`),
    line,
  );
});

/** Runs the gateway where a small file system of its own is mounted on a folder; root's own rights do not help there. */
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

mounted(`a data folder on a read-only file system is named${unlessSkipped}`, async (t) => {
  const folder = await emptyFolder(t);
  const line = await refusal(t, { GW_DATA_DIR: folder }, withFileSystem(folder, 'ro'));
  t.true(
    line.endsWith(`${folder} cannot be written to: it is on a read-only file system (GW_DATA_DIR)`),
    line,
  );
});

mounted(`a data folder on a full disk is named${unlessSkipped}`, async (t) => {
  const folder = await emptyFolder(t);
  const fill = 'head -c 16384 /dev/zero > "$0/other"';
  const line = await refusal(t, { GW_DATA_DIR: folder }, withFileSystem(folder, 'size=16k', fill));
  t.true(line.endsWith(`${folder} cannot be written to: the disk is full (GW_DATA_DIR)`), line);
});

mounted(`a disk that becomes full while the database is made is named${unlessSkipped}`, async (t) => {
  const folder = await emptyFolder(t);
  const line = await refusal(t, { GW_DATA_DIR: folder }, withFileSystem(folder, 'size=4m'));
  t.regex(line, /the data folder .* \(GW_DATA_DIR\): the disk is full$/);
});

test.serial('a database that nobody serves is named without its password', async (t) => {
  const port = await closedPort();
  const settings = await serverSettings(t);
  const line = await refusal(t, {
    ...settings,
    GW_DATABASE_URL: `postgresql://gateway:hush%2Dhush@127.0.0.1:${port}/calls`,
  });
  const where = `Cannot use the database at 127.0.0.1:${port}/calls (GW_DATABASE_URL)`;
  t.true(line.endsWith(`${where}: no server listens there`), line);
  t.notRegex(line, /hush/);
});

/** A PostgreSQL server that lets nobody in. */
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

test.serial('a wrong password is said, and not repeated', async (t) => {
  const port = await listening(t, strictServer());
  const settings = await serverSettings(t);
  const gateway = runGateway(t, {
    ...settings,
    GW_LOG_LEVEL: 'debug',
    GW_DATABASE_URL: `postgresql://gateway:hush%2Dhush@127.0.0.1:${port}/calls`,
  });
  t.is((await gateway.ended).code, 1);
  t.regex(gateway.stderr(), /^[^\n]*\(GW_DATABASE_URL\): the user or the password is wrong\n$/);
  t.notRegex(gateway.stdout() + gateway.stderr(), /hush/);
});

test.serial(
  'a second gateway of the same name on one database, and another master key, are refused',
  async (t) => {
    const settings = await serverSettings(t);
    const first = await startedGateway(t, settings);
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
