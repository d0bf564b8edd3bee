/** The first start, as a newcomer meets it: an embedded start, what it prints and keeps, and the starts after it. */
import { execFile, spawnSync } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';
import { findPostmaster } from '#src/persistence/embedded/postmaster.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder, runGateway, startedGateway } from './gateway-process.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** The indented commands of the welcome, each with its continued lines. */
const commandsIn = (printed: string): string[] => printed.match(/^ {4}curl (?:.*\\\n)*.*$/gm) ?? [];

/** What the printed command sends, for a machine without curl. */
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

test('a newcomer gets a gateway that works as printed, keeps it through a restart, and has it alone', async (t) => {
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

  // What is printed; a newcomer's next command stands last.
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
});

test('a gateway that is asked to end while it starts ends cleanly and leaves no database running', async (t) => {
  const dataFolder = await emptyFolder(t);
  const gateway = runGateway(t, { GW_DATA_DIR: dataFolder, GW_PORT: '0' });
  await gateway.printed('the embedded database is ready');
  gateway.signal('SIGTERM');
  t.deepEqual(await gateway.ended, { code: 0, signal: null });
  t.regex(gateway.stdout(), /the gateway is ending/);
  t.is(await findPostmaster(join(dataFolder, 'postgresql', 'cluster')), undefined);
});
