import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { StartError } from '#src/domain/start-error.ts';
import { authenticateAdmin } from '#src/persistence/admin-tokens.ts';
import { authenticateNumber } from '#src/persistence/number-keys.ts';
import { createVault } from '#src/persistence/vault.ts';
import { writeCredentials } from '#src/start/credentials.ts';
import { seed } from '#src/start/seed.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { emptyFolder } from './gateway-process.ts';

const urls = { base_url: 'http://127.0.0.1:8080', console_url: 'http://127.0.0.1:8080/' };

/** The first start of a gateway with its credentials kept, and a second start with whatever changed meanwhile. */
const seeded = async (t: ExecutionContext) => {
  const database = await ownDatabase(t);
  const dataFolder = await emptyFolder(t);
  const vault = createVault(Buffer.alloc(32, 7));
  const again = () => seed({ database, vault, dataFolder });
  const first = await again();
  await writeCredentials(dataFolder, { ...urls, ...first });
  const audit = () =>
    database.execute<{ action: string; subject: string; detail: unknown }>(
      'select action, subject, detail from audit_entry order by id',
    );
  return { database, dataFolder, vault, first, again, audit };
};

test('the first start makes one workspace with one number, a key and an admin token that work', async (t) => {
  const { database, vault, first, audit } = await seeded(t);
  t.is(first.number, '07000000000');
  const number = await authenticateNumber(database, vault, first.number_key);
  t.is(number?.id, first.number_id);
  const admin = await authenticateAdmin(database, vault, first.admin_token);
  t.is(admin?.workspace.id, first.workspace_id);
  t.deepEqual(await audit(), [{ action: 'credentials.written', subject: first.number_id, detail: {} }]);
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

test('a lost file of credentials is made anew with the same number and key', async (t) => {
  const { database, dataFolder, vault, first, again, audit } = await seeded(t);
  await rm(join(dataFolder, 'dev-credentials.json'));
  const { admin_token: fresh, ...others } = await again();
  const { admin_token: lost, ...before } = first;
  t.deepEqual(others, before);
  t.not(fresh, lost);
  t.is((await authenticateAdmin(database, vault, fresh))?.workspace.id, first.workspace_id);
  t.is((await audit()).length, 2, 'an admin token that is made leaves its trace');
});

test('a file of credentials of another database is not believed', async (t) => {
  const other = await seeded(t);
  const { database, dataFolder, vault } = await seeded(t);
  await writeCredentials(dataFolder, { ...urls, ...other.first });
  const found = await seed({ database, vault, dataFolder });
  t.not(found.workspace_id, other.first.workspace_id);
  t.is((await authenticateNumber(database, vault, found.number_key))?.id, found.number_id);
});

test('a key from before recovery copies is replaced when the file that held it is lost', async (t) => {
  const { database, dataFolder, vault, first, again } = await seeded(t);
  await database.execute('update number_key set key_sealed = null');
  t.is((await again()).number_key, first.number_key, 'the file still has it');
  await writeFile(join(dataFolder, 'dev-credentials.json'), '{}');
  const { number_key: fresh } = await again();
  t.not(fresh, first.number_key);
  t.is((await authenticateNumber(database, vault, fresh))?.id, first.number_id);
  t.is(await authenticateNumber(database, vault, first.number_key), undefined);
});

test('a master key that is not the one of the database stops the start and changes nothing', async (t) => {
  const { database, dataFolder, first, again } = await seeded(t);
  const error = await t.throwsAsync(seed({ database, dataFolder, vault: createVault(Buffer.alloc(32, 8)) }), {
    instanceOf: StartError,
  });
  t.regex(error.message, /^GW_MASTER_KEY .*GW_OLD_MASTER_KEYS$/);
  t.deepEqual(await again(), first);
});

test('with the earlier master key among the old ones a new one is taken', async (t) => {
  const { database, dataFolder, first } = await seeded(t);
  const vault = createVault(Buffer.alloc(32, 8), [Buffer.alloc(32, 7)]);
  t.deepEqual(await seed({ database, dataFolder, vault }), first);
});
