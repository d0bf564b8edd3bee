/** The data folder, the credentials, the master key and the settings that are read at the start. */
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { destinationKinds } from '#src/domain/destinations.ts';
import { StartError } from '#src/domain/start-error.ts';
import { readAgentCa } from '#src/start/agent-ca.ts';
import { countryOf, platformPolicyOf } from '#src/start/platform-policy.ts';
import { readCredentials, writeCredentials } from '#src/start/credentials.ts';
import { dataFolderError, prepareDataFolder } from '#src/start/data-folder.ts';
import { storedMasterKey } from '#src/start/master-key.ts';
import { createDataFolderWatch } from '#src/housekeeping/data-folder-watch.ts';
import { emptyFolder } from './gateway-process.ts';

// Data folder

test.serial('creates a data folder and its parents, private to its owner', async (t) => {
  const parent = join(await emptyFolder(t), 'deep', 'down');
  const folder = join(parent, 'data');
  await prepareDataFolder(folder);
  t.deepEqual(await readdir(folder), ['recordings'], 'what was written to try it is gone');
  for (const made of [parent, folder, join(folder, 'recordings')]) {
    t.is((await stat(made)).mode & 0o777, 0o700, made);
  }
});

test.serial('keeps mode and contents of an existing data folder', async (t) => {
  const folder = join(await emptyFolder(t), 'data');
  await mkdir(folder, { mode: 0o750 });
  await writeFile(join(folder, 'master-key'), 'kept');
  await prepareDataFolder(folder);
  t.is((await stat(folder)).mode & 0o777, 0o750);
  t.deepEqual((await readdir(folder)).sort(), ['master-key', 'recordings']);
});

test.serial('several gateways can prepare one data folder at the same time', async (t) => {
  const folder = join(await emptyFolder(t), 'data');
  await t.notThrowsAsync(Promise.all(Array.from({ length: 20 }, () => prepareDataFolder(folder))));
  t.deepEqual(await readdir(folder), ['recordings']);
});

test.serial('reports an unusable data folder in one line that names the setting', async (t) => {
  const folder = await emptyFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '');
  await writeFile(join(folder, 'recordings'), 'in the way');
  for (const [impossible, why] of [
    [file, 'it is not a folder'],
    [join(file, 'below', 'it'), 'it is not a folder'],
    [folder, 'it is not a folder'],
    ['/dev/null/data', 'it is not a folder'],
  ] as const) {
    await t.throwsAsync(prepareDataFolder(impossible), {
      instanceOf: StartError,
      message: `the data folder ${impossible} cannot be written to: ${why} (GW_DATA_DIR)`,
    });
  }
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('reports a file system that accepts no new folder without delaying the start', async (t) => {
  await t.throwsAsync(prepareDataFolder('/proc/trunkline/data'), {
    instanceOf: StartError,
    message:
      'the data folder /proc/trunkline/data cannot be written to: it does not exist and cannot be made (GW_DATA_DIR)',
  });
});

test.serial('explains system errors of a folder in plain words', (t) => {
  const because = (code: string): string =>
    dataFolderError('/data', Object.assign(new Error('raw words'), { code })).message;
  t.regex(because('ENOSPC'), /: the disk is full \(GW_DATA_DIR\)$/);
  t.regex(because('EROFS'), /: it is on a read-only file system \(GW_DATA_DIR\)$/);
  t.regex(because('EACCES'), /: this user may not write there \(GW_DATA_DIR\)$/);
  t.regex(because('EPERM'), /: this user may not write there \(GW_DATA_DIR\)$/);
  t.regex(because('EIO'), /: raw words \(GW_DATA_DIR\)$/);
  t.regex(dataFolderError('/data', 'thrown').message, /: for an unknown reason \(GW_DATA_DIR\)$/);
});

// A data folder that becomes unusable

const logger = pino({ level: 'silent' });
const problem = 'The data folder cannot be written to.';

test.serial('accepts a writable folder and leaves no file in it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-watch-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const clock = new SimulatedClock();
  const why = createDataFolderWatch({ folder, everyMs: 1_000, clock, logger });
  t.is(await why(), undefined);
  t.deepEqual(await readdir(folder), []);
  await rm(folder, { recursive: true });
  t.is(await why(), undefined, 'the answer holds for a while');
  clock.increment(1_000);
  t.is(await why(), problem);
});

test.serial('detects a full disk and checks it at limited intervals', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-watch-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const clock = new SimulatedClock();
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  let written = 0;
  let hasRoom = false;
  const why = createDataFolderWatch({
    folder,
    everyMs: 1_000,
    clock,
    logger,
    write: async (...given) => {
      written += 1;
      if (hasRoom) return writeFile(...given);
      throw full;
    },
  });
  t.deepEqual(await Promise.all([why(), why(), why()]), [problem, problem, problem]);
  clock.increment(999);
  t.is(await why(), problem);
  t.is(written, 1);
  hasRoom = true;
  clock.increment(1);
  t.is(await why(), undefined);
  t.is(written, 2);
});

// Credentials

const stored = {
  base_url: 'http://127.0.0.1:8080',
  console_url: 'http://127.0.0.1:8080/',
  workspace_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  number_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c12',
  number: '07000000000',
  number_key: 'gw_live_key',
  admin_token: 'gw_admin_token',
};

test.serial('reads credentials as written, from a file private to its owner', async (t) => {
  const folder = await emptyFolder(t);
  const file = join(folder, 'dev-credentials.json');
  t.deepEqual(await writeCredentials(folder, stored), { ...stored, file });
  t.deepEqual(await readCredentials(folder), stored);
  t.deepEqual(JSON.parse(await readFile(file, 'utf8')), stored);
  await chmod(file, 0o644);
  await writeCredentials(folder, { ...stored, base_url: 'http://127.0.0.1:9090' });
  t.is((await stat(file)).mode & 0o777, 0o600);
});

test.serial('returns no credentials for a missing or damaged file', async (t) => {
  const folder = await emptyFolder(t);
  t.is(await readCredentials(folder), undefined);
  const { number_key, ...incomplete } = stored;
  for (const damaged of ['', '{"base_url": ', '[]', JSON.stringify(incomplete)]) {
    await writeFile(join(folder, 'dev-credentials.json'), damaged);
    t.is(await readCredentials(folder), undefined, damaged);
  }
  t.truthy(number_key);
});

test.serial('rejects the start if the credentials cannot be stored', async (t) => {
  await t.throwsAsync(writeCredentials('/dev/null', stored), {
    instanceOf: StartError,
    message: 'the data folder /dev/null cannot be written to: it is not a folder (GW_DATA_DIR)',
  });
});

test.serial('a concurrent reader gets the old or the new credentials completely', async (t) => {
  const folder = await emptyFolder(t);
  const other = { ...stored, admin_token: 'x'.repeat(1_000_000) };
  await writeCredentials(folder, stored);
  let isWriting = true;
  const writing = (async () => {
    for (let round = 0; round < 10; round++) await writeCredentials(folder, round % 2 === 0 ? other : stored);
    isWriting = false;
  })();
  let reads = 0;
  for (; isWriting; reads++) {
    const token = (await readCredentials(folder))?.admin_token;
    t.true(token === stored.admin_token || token === other.admin_token);
  }
  await writing;
  t.true(reads > 0);
  t.deepEqual(await readdir(folder), ['dev-credentials.json']);
});

// Master key

test.serial('creates a master key once, private to its owner, and reads it again', async (t) => {
  const folder = await emptyFolder(t);
  const key = await storedMasterKey(folder);
  t.is(key.length, 32);
  t.is((await stat(join(folder, 'master-key'))).mode & 0o777, 0o600);
  t.deepEqual(await storedMasterKey(folder), key);
  t.deepEqual(await readdir(folder), ['master-key'], 'nothing is left beside it');
  t.notDeepEqual(await storedMasterKey(await emptyFolder(t)), key);
});

test.serial('gateways that create a master key at the same time all use the stored one', async (t) => {
  const folder = await emptyFolder(t);
  const keys = await Promise.all(Array.from({ length: 20 }, () => storedMasterKey(folder)));
  const kept = await readFile(join(folder, 'master-key'), 'utf8');
  t.deepEqual(new Set(keys.map((key) => `${key.toString('base64')}\n`)), new Set([kept]));
  t.deepEqual(await readdir(folder), ['master-key']);
});

test.serial('rejects the start with a damaged master key, without showing or replacing it', async (t) => {
  const folder = await emptyFolder(t);
  const file = join(folder, 'master-key');
  for (const damaged of ['', 'aHVzaA==', `${Buffer.alloc(33, 1).toString('base64')}\n`]) {
    await writeFile(file, damaged);
    await t.throwsAsync(storedMasterKey(folder), {
      instanceOf: StartError,
      message: `the master key in ${file} is damaged; set GW_MASTER_KEY or restore the file`,
    });
    t.is(await readFile(file, 'utf8'), damaged);
  }
});

test.serial('names the setting of a master key that cannot be read or stored', async (t) => {
  const folder = await emptyFolder(t);
  await mkdir(join(folder, 'master-key'));
  await t.throwsAsync(storedMasterKey(folder), {
    instanceOf: StartError,
    message: `the master key in ${join(folder, 'master-key')} cannot be read (GW_DATA_DIR)`,
  });
  await t.throwsAsync(storedMasterKey(join(folder, 'missing')), {
    instanceOf: StartError,
    message: /missing cannot be written to: .* \(GW_DATA_DIR\)$/,
  });
});

// Certificates of agents

const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

test.serial('reads configured certificates', async (t) => {
  t.is(await readAgentCa(null), undefined);
  const file = join(await emptyFolder(t), 'ca.pem');
  await writeFile(file, certificate);
  t.is(await readAgentCa(file), certificate);
});

test.serial(
  'rejects the start if a certificate file is missing or has no certificate, and names setting and path',
  async (t) => {
    const folder = await emptyFolder(t);
    await t.throwsAsync(readAgentCa(join(folder, 'missing.pem')), {
      instanceOf: StartError,
      message: `GW_AGENT_CA_FILE cannot be read: ${join(folder, 'missing.pem')}`,
    });
    const key = join(folder, 'key.pem');
    await writeFile(key, '-----BEGIN PRIVATE KEY-----\nhush-hush\n-----END PRIVATE KEY-----\n');
    await t.throwsAsync(readAgentCa(key), {
      instanceOf: StartError,
      message: `GW_AGENT_CA_FILE holds no certificate in PEM form: ${key}`,
    });
  },
);

// Country

test.serial('accepts a country with a numbering plan', (t) => {
  t.is(countryOf('KR'), 'KR');
  t.is(countryOf('DE'), 'DE');
});

test.serial('rejects the start with a country code without a numbering plan, and names it', (t) => {
  for (const code of ['XX', 'kr', '', 'constructor']) {
    const error = t.throws(() => countryOf(code), { instanceOf: StartError });
    t.true(error.message.startsWith('GW_COUNTRY '));
    t.true(error.message.endsWith(`(it is "${code}")`));
  }
});

// Platform policy

test.serial('permits premium and foreign numbers only if configured', (t) => {
  const { kinds, ...prefixes } = platformPolicyOf({ destinations: null }).destinations;
  t.deepEqual(
    destinationKinds.filter((kind) => !kinds.includes(kind)),
    ['premium', 'international'],
  );
  t.deepEqual(prefixes, { allowedPrefixes: [], deniedPrefixes: [] });
  t.like(platformPolicyOf({ destinations: ['premium', '!0505'] }).destinations, {
    kinds: ['premium'],
    deniedPrefixes: ['0505'],
  });
});

test.serial(
  'rejects the start with a destination that is neither a kind nor a prefix, and lists the kinds',
  (t) => {
    const error = t.throws(() => platformPolicyOf({ destinations: ['landline'] }));
    t.regex(error.message, /of the kinds mobile, fixed_line, .*\(it has "landline"\)/);
  },
);
