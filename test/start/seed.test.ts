import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { databaseLimits } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';
import { newNumberKey } from '#src/administration/new-key.ts';
import { authenticateAdmin, createAdminToken, fingerprintOf } from '#src/persistence/admin-tokens.ts';
import { openDatabase } from '#src/persistence/database.ts';
import { authenticateNumber, putNumberKey } from '#src/persistence/number-keys.ts';
import { createNumber, deleteNumber } from '#src/persistence/numbers.ts';
import { createSealing } from '#src/persistence/sealing.ts';
import { createWorkspace } from '#src/persistence/workspaces.ts';
import { writeCredentials } from '#src/start/credentials.ts';
import { seed } from '#src/start/seed.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { emptyFolder } from './gateway-process.ts';

const logger = pino({ level: 'silent' });

const urls = { base_url: 'http://127.0.0.1:8080', console_url: 'http://127.0.0.1:8080/' };

const openAs = async (t: ExecutionContext, url: string, node: string) => {
  const opened = await openDatabase({
    connection: { url },
    poolSize: 2,
    journalPoolSize: 1,
    limits: databaseLimits,
    node,
    logger,
  });
  t.teardown(opened.close);
  return opened;
};

/** The first start of a gateway with its credentials kept, and a second start with whatever changed meanwhile. */
const seeded = async (t: ExecutionContext) => {
  const url = await testDatabaseUrl(t);
  const open = (node: string) => openAs(t, url, node);
  const database = await open('one');
  const dataFolder = await emptyFolder(t);
  const sealing = createSealing(Buffer.alloc(32, 7));
  const again = () => seed({ database, sealing, dataFolder, node: 'one', logger });
  const first = await again();
  await writeCredentials(dataFolder, { ...urls, ...first });
  const adminOf = (token: string) => authenticateAdmin(database, sealing, token, new Date());
  const audit = () =>
    database.execute<{ action: string; subject: string; detail: unknown }>(
      'select action, subject, detail from audit_entry order by id',
    );
  return { database, open, dataFolder, sealing, first, again, adminOf, audit };
};

test('the first start makes one workspace with one number, a key and an admin token that work', async (t) => {
  const { database, sealing, first, adminOf, audit } = await seeded(t);
  t.is(first.number, '07000000000');
  const number = await authenticateNumber(database, sealing, first.number_key);
  t.is(number?.id, first.number_id);
  const admin = await adminOf(first.admin_token);
  t.is(admin?.workspace.id, first.workspace_id);
  t.deepEqual(await audit(), [
    {
      action: 'credentials.written',
      subject: `number:${first.number_id}`,
      detail: { admin_token: admin?.id },
    },
  ]);
});

test('of gateways that start at once on an empty database, one makes the workspace, the number and its key for all', async (t) => {
  const url = await testDatabaseUrl(t);
  const sealing = createSealing(Buffer.alloc(32, 7));
  const nodes = ['one', 'two', 'three', 'four', 'five'];
  const opened = await Promise.all(nodes.map((node) => openAs(t, url, node)));
  const [database] = opened;
  const all = await Promise.all(
    opened.map(async (own, index) =>
      seed({
        database: own,
        sealing,
        dataFolder: await emptyFolder(t),
        node: nodes[index] ?? '',
        logger,
      }),
    ),
  );
  for (const { admin_token: token, ...shared } of all) {
    t.like(all[0], shared);
    t.truthy(database && (await authenticateAdmin(database, sealing, token, new Date())));
  }
  t.is(new Set(all.map(({ admin_token: token }) => token)).size, nodes.length);
  t.deepEqual(
    await database?.execute(
      'select (select count(*) from workspace) as workspaces, count(*) as numbers from phone_number',
    ),
    [{ workspaces: 1, numbers: 1 }],
  );
});

test('a later start finds everything again and makes nothing', async (t) => {
  const { database, first, again, audit } = await seeded(t);
  t.deepEqual(await again(), first);
  const [counted] = await database.execute(
    `select (select count(*) from workspace) as workspaces, (select count(*) from phone_number) as numbers,
       (select count(*) from admin_token) as tokens`,
  );
  t.deepEqual(counted, { workspaces: 1, numbers: 1, tokens: 1 });
  t.is((await audit()).length, 1);
});

test('a lost file of credentials is made anew with the same number and key, and its token is worth nothing', async (t) => {
  const { dataFolder, first, again, adminOf, audit } = await seeded(t);
  const lost = await adminOf(first.admin_token);
  await rm(join(dataFolder, 'dev-credentials.json'));
  const { admin_token: fresh, ...others } = await again();
  const { admin_token: before, ...same } = first;
  t.deepEqual(others, same);
  t.not(fresh, before);
  t.is((await adminOf(fresh))?.workspace.id, first.workspace_id);
  t.is(await adminOf(before), undefined);
  t.deepEqual((await audit()).map(({ action, subject }) => [action, subject]).slice(1), [
    ['admin_token.revoked', `admin_token:${lost?.id}`],
    ['credentials.written', `number:${first.number_id}`],
  ]);
  // A gateway that dies before it has written the file.
  await again();
  t.is(await adminOf(fresh), undefined);
});

test('a gateway leaves alone the tokens that people made, and those of gateways that run', async (t) => {
  const { database, open, dataFolder, sealing, first, again, adminOf } = await seeded(t);
  const made = { workspaceId: first.workspace_id, createdAt: new Date() };
  await createAdminToken(database, {
    ...made,
    id: randomUUID(),
    name: 'Me',
    ...fingerprintOf(sealing, 'mine'),
  });
  for (const node of ['running', 'gone']) {
    await database.execute(
      `insert into admin_token (id, workspace_id, name, token_hash, created_at, node) values ($1, $2, $3, $4, $5, $3)`,
      [randomUUID(), first.workspace_id, node, sealing.fingerprint(node), new Date()],
    );
  }
  await open('running');
  await rm(join(dataFolder, 'dev-credentials.json'));
  await again();
  t.truthy(await adminOf('mine'));
  t.truthy(await adminOf('running'));
  t.is(await adminOf('gone'), undefined);
});

test('a gateway under another name keeps its token when another one loses its own', async (t) => {
  const { database, open, sealing, dataFolder, first, adminOf } = await seeded(t);
  const renamed = await open('renamed');
  await seed({ database: renamed, sealing, dataFolder, node: 'renamed', logger });
  await seed({ database, sealing, dataFolder: await emptyFolder(t), node: 'one', logger });
  t.truthy(await adminOf(first.admin_token));
});

test('a key that was reissued comes into the file, and no token is made for it', async (t) => {
  const { database, sealing, first, again } = await seeded(t);
  const key = newNumberKey();
  const numberId = first.number_id;
  await putNumberKey(database, {
    numberId,
    keyHash: sealing.fingerprint(key),
    keySealed: sealing.seal(key, numberId),
    issuedAt: new Date(),
  });
  t.deepEqual(await again(), { ...first, number_key: key });
});

test('a token that somebody revoked is not replaced', async (t) => {
  const { database, first, again, adminOf } = await seeded(t);
  await database.execute('update admin_token set revoked_at = now()');
  t.deepEqual(await again(), first);
  t.is(await adminOf(first.admin_token), undefined);
});

test('where the first number was deleted the next one of the workspace is taken, else a free one is made', async (t) => {
  const { database, first, again } = await seeded(t);
  const workspaceId = first.workspace_id;
  const second = { id: randomUUID(), workspaceId, number: '07012345678', language: 'ko' as const };
  await createNumber(database, { ...second, createdAt: new Date() });
  await deleteNumber(database, { numberId: first.number_id, workspaceId }, new Date());
  t.like(await again(), { number_id: second.id, number: second.number, admin_token: first.admin_token });

  await deleteNumber(database, { numberId: second.id, workspaceId }, new Date());
  const other = randomUUID();
  await createWorkspace(database, { id: other, name: 'Other', createdAt: new Date() });
  await createNumber(database, {
    id: randomUUID(),
    workspaceId: other,
    number: '07000000000',
    language: 'ko',
    createdAt: new Date(),
  });
  t.like(await again(), { number: '07000000001', workspace_id: workspaceId });
});

test('a file of credentials of another database is not believed', async (t) => {
  const other = await seeded(t);
  const { database, dataFolder, sealing } = await seeded(t);
  await writeCredentials(dataFolder, { ...urls, ...other.first });
  const found = await seed({ database, sealing, dataFolder, node: 'one', logger });
  t.not(found.workspace_id, other.first.workspace_id);
  t.is((await authenticateNumber(database, sealing, found.number_key))?.id, found.number_id);
});

test('a key from before recovery copies is replaced when the file that held it is lost', async (t) => {
  const { database, dataFolder, sealing, first, again } = await seeded(t);
  await database.execute('update number_key set key_sealed = null');
  t.is((await again()).number_key, first.number_key, 'the file still has it');
  await writeFile(join(dataFolder, 'dev-credentials.json'), '{}');
  const { number_key: fresh } = await again();
  t.not(fresh, first.number_key);
  t.is((await authenticateNumber(database, sealing, fresh))?.id, first.number_id);
  t.is(await authenticateNumber(database, sealing, first.number_key), undefined);
});

test('a master key that is not the one of the database stops the start and changes nothing', async (t) => {
  const { database, dataFolder, first, again } = await seeded(t);
  const error = await t.throwsAsync(
    seed({ database, dataFolder, sealing: createSealing(Buffer.alloc(32, 8)), node: 'one', logger }),
    {
      instanceOf: StartError,
    },
  );
  t.regex(error.message, /^GW_MASTER_KEY .*GW_OLD_MASTER_KEYS$/);
  t.deepEqual(await again(), first);
});

test('with the earlier master key among the old ones a new one is taken', async (t) => {
  const { database, dataFolder, first } = await seeded(t);
  const sealing = createSealing(Buffer.alloc(32, 8), [Buffer.alloc(32, 7)]);
  t.deepEqual(await seed({ database, dataFolder, sealing, node: 'one', logger }), first);
});
