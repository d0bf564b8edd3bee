/** `npm run credentials`: shell variables for the commands of the guides. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { main, shellVariables } from '#src/commands/credentials.ts';

const stored = {
  base_url: 'http://127.0.0.1:18104',
  console_url: 'http://127.0.0.1:18104/',
  workspace_id: '5b6e2f0a-94b1-4a3e-9f7c-2d1a8c0e4b10',
  number_id: '0d6a3f1c-8b2e-4c7d-a5f9-1e3b7c9d2a40',
  number: '07000000000',
  number_key: 'gw_live_key',
  admin_token: 'gw_admin_token',
};

/** Runs the command for a data folder; returns what it printed. */
const run = async (dataFolder: string) => {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await main(
    { GW_DATA_DIR: dataFolder },
    (text) => printed.push(text),
    (line) => complaints.push(line),
  );
  return { code, printed: printed.join(''), complaints };
};

const folderOf = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
};

test('prints variables that a shell takes over with eval', async (t) => {
  const folder = await folderOf(t);
  await writeFile(join(folder, 'dev-credentials.json'), JSON.stringify(stored));
  const { code, printed, complaints } = await run(folder);
  t.is(code, 0);
  t.deepEqual(complaints, []);
  const shown = execFileSync(
    '/bin/sh',
    ['-c', 'eval "$0"; printenv GATEWAY_URL NUMBER_KEY ADMIN_TOKEN NUMBER_ID', printed],
    { encoding: 'utf8' },
  );
  t.deepEqual(shown.trim().split('\n'), [
    stored.base_url,
    stored.number_key,
    stored.admin_token,
    stored.number_id,
  ]);
});

test('quotes values, so that a shell runs nothing in them', (t) => {
  const hostile = `it's $(exit 3) \`exit 4\` "; exit 5`;
  const shown = execFileSync(
    '/bin/sh',
    ['-c', 'eval "$0"; printf %s "$GATEWAY_URL"', shellVariables({ ...stored, base_url: hostile })],
    { encoding: 'utf8' },
  );
  t.is(shown, hostile);
});

test('says which command creates missing credentials', async (t) => {
  const folder = await folderOf(t);
  t.deepEqual(await run(folder), {
    code: 1,
    printed: '',
    complaints: [
      `There are no credentials in ${join(folder, 'dev-credentials.json')}: the first npm start creates them.`,
    ],
  });
});
