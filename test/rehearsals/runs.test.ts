/** Runs of suites by the API: results, comparison, queue, cancellation, and what a restart leaves of them. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { runStatement } from '#test/helpers/database-statement.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { sharedGatewayWithNumbers, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

const sharing = sharedGatewayWithNumbers();
const path = '/api/v1/admin/rehearsals';

const caseOf = (name: string, steps: string, expect = '{}'): string =>
  `  - name: ${name}\n    timeout_sec: 600\n    ${steps}\n    expect: ${expect}\n`;

const quick = `cases:\n${caseOf('declines', 'callee: [{ declines: true }]', '{ end_reason: declined }')}`;
/** A call that lasts until it is hung up. */
const lasting = `cases:\n${caseOf('holds', 'caller: [{ says: Hello. }, { stays_silent_sec: 600 }]')}`;

const run = z.looseObject({ id: z.string(), status: z.string() });

const start = async (gateway: TestGateway, suite: string, fields: object = {}): Promise<string> => {
  const { number } = gateway.credentials;
  const { status, body } = await gateway.admin.post(path, { suite, number, ...fields });
  if (status !== 202) throw new Error(`The run did not start: ${JSON.stringify(body)}`);
  return run.parse(body).id;
};

const read = async (gateway: TestGateway, id: string) =>
  run.parse((await gateway.admin.get(`${path}/${id}`)).body);

const untilStatus = (gateway: TestGateway, id: string, ...statuses: string[]) =>
  until(`the run is ${statuses.join(' or ')}`, async () => {
    const found = await read(gateway, id);
    return statuses.includes(found.status) ? found : undefined;
  });

const ended = ['passed', 'failed', 'cancelled', 'interrupted'];

test.serial('stores the results of a run and its differences to the previous run of the suite', async (t) => {
  const gateway = await sharing(t);
  const first = await untilStatus(
    gateway,
    await start(gateway, quick, { name: 'mine', repeat: 2 }),
    ...ended,
  );
  t.like(first, {
    suite: 'mine',
    status: 'passed',
    calls: 2,
    calls_done: 2,
    cases: { passed: 1, flaky: 0, failed: 0 },
    results: {
      0: { name: 'declines', outcome: 'passed', runs: { 0: { failures: [] }, 1: { failures: [] } } },
    },
    changes: null,
  });
  const busy = quick.replace('end_reason: declined', 'end_reason: busy');
  const second = await untilStatus(gateway, await start(gateway, busy, { name: 'mine' }), ...ended);
  t.like(second, { status: 'failed', changes: { 0: { verdict: 'worse' } } });
  t.regex(JSON.stringify(second['results']), /end_reason: busy was expected, and it was declined/);
  const { body } = await gateway.admin.get(`${path}?limit=1`);
  t.like(body, { rehearsals: { 0: { id: second.id } } });
  const { body: audited } = await gateway.admin.get(`/api/v1/admin/audit?subject=rehearsal:${second.id}`);
  t.like(audited, { entries: { 0: { action: 'rehearsal.started', detail: { suite: 'mine', calls: 1 } } } });
});

test.serial('removes the callees of a run after their calls', async (t) => {
  const gateway = await sharing(t);
  await untilStatus(gateway, await start(gateway, quick), 'passed');
  const { body } = await gateway.admin.get('/api/v1/admin/simulator/callees');
  t.notRegex(JSON.stringify(body), /"script"/);
});

test.serial('queues runs on the same number, and hangs up the calls of a cancelled run', async (t) => {
  const gateway = await sharing(t);
  // The silent caller stays for longer than a busy machine takes for the requests.
  await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 600 });
  const first = await start(gateway, lasting);
  await untilStatus(gateway, first, 'running');
  const calls = `/api/v1/admin/calls?number_id=${gateway.credentials.number_id}`;
  const callId = await until('the call of the run is active', async () => {
    const { body } = await gateway.admin.get(`${calls}&status=active`);
    return z.object({ calls: z.array(z.object({ id: z.string() })) }).parse(body).calls[0]?.id;
  });
  const second = await start(gateway, quick);
  const third = await start(gateway, quick);
  t.is((await read(gateway, second)).status, 'queued');
  t.is((await gateway.admin.post(`${path}/${third}/cancel`)).body['status'], 'cancelled');
  t.is((await gateway.admin.post(`${path}/${first}/cancel`)).body['status'], 'cancelled');
  t.is((await untilStatus(gateway, second, ...ended)).status, 'passed');
  await gateway.untilStatus(callId, 'completed');
  t.is((await read(gateway, first)).status, 'cancelled');
  t.is((await read(gateway, third)).status, 'cancelled');
  t.is((await read(gateway, third))['calls_done'], 0);
  const { body: audited } = await gateway.admin.get('/api/v1/admin/audit?action=rehearsal.cancelled');
  t.like(audited, { entries: { 0: { detail: { suite: 'suite' } } } });
});

test.serial('refuses an invalid suite by line and column, and an unknown number', async (t) => {
  const gateway = await sharing(t);
  const invalid = await gateway.admin.post(path, {
    suite: 'cases:\n  - name: one\n    caller: [{ hear: x }]\n',
  });
  t.is(invalid.status, 400);
  t.like(invalid.body, { errors: { 0: { path: 'suite', message: '3:16: There is no hear here' } } });
  const many = await gateway.admin.post(path, {
    suite: `${quick}${caseOf('other', 'callee: [{ is_busy: true }]')}${caseOf('last', 'callee: [{ is_busy: true }]')}`,
    repeat: 999,
  });
  t.like(many.body, { errors: { 0: { path: 'repeat' } } });
  const unknown = await gateway.admin.post(path, { suite: quick, number: '07099999999' });
  t.like(unknown, { status: 404, body: { code: 'number_not_found' } });
  t.is((await gateway.admin.get(`${path}/${gateway.credentials.number_id}`)).status, 404);
});

test.serial('lets viewers read runs, but not start or cancel them', async (t) => {
  const gateway = await sharing(t);
  const id = await start(gateway, quick);
  const { body } = await gateway.admin.post('/api/v1/admin/tokens', { name: 'Dashboard', role: 'viewer' });
  const viewer = gateway.admin.as(z.string().parse(body['token']));
  t.is((await viewer.get(`${path}/${id}`)).status, 200);
  t.is((await viewer.post(path, { suite: quick })).status, 403);
  t.is((await viewer.post(`${path}/${id}/cancel`)).status, 403);
  await untilStatus(gateway, id, 'passed');
});

test.serial('hangs up the call of a run whose journal cannot be read', async (t) => {
  const database = await testDatabaseUrl(t);
  const gateway = await testGateway(t, { GW_DATABASE_URL: database, GW_DATA_DIR: await emptyFolder(t) });
  await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 600 });
  const id = await start(gateway, lasting);
  const [call] = await until('the call of the run is active', async () => {
    const calls = await runStatement(database, "select id from call where status = 'active'");
    return calls.length > 0 ? calls : undefined;
  });
  const callId = z.string().parse(call?.['id']);
  // The data of this fact has no verdict.
  await runStatement(
    database,
    `insert into call_fact (call_id, sequence, type, at, data) values ('${callId}', 1000, 'call.answered_by', now(), '{}')`,
  );
  t.is((await untilStatus(gateway, id, ...ended)).status, 'failed');
  await t.notThrowsAsync(gateway.untilStatus(callId, 'completed'));
});

const restarted = async (t: ExecutionContext) => {
  const settings = { GW_DATABASE_URL: await testDatabaseUrl(t), GW_DATA_DIR: await emptyFolder(t) };
  const gateway = await testGateway(t, settings);
  const id = await start(gateway, lasting);
  await untilStatus(gateway, id, 'running');
  return { settings, gateway, id };
};

test.serial(
  'shows a run as interrupted whose gateway was closed or died, and frees its number',
  async (t) => {
    const { settings, gateway, id } = await restarted(t);
    await gateway.close();
    const statusIn = async () =>
      (await runStatement(settings.GW_DATABASE_URL, 'select status from rehearsal'))[0]?.['status'];
    t.is(await statusIn(), 'interrupted');
    // The row of a gateway that died has the status that it had.
    await runStatement(settings.GW_DATABASE_URL, "update rehearsal set status = 'running', ended_at = null");
    const next = await testGateway(t, settings);
    t.is((await read(next, id)).status, 'interrupted');
    t.is((await untilStatus(next, await start(next, quick), ...ended)).status, 'passed');

    // A run of another gateway that is silent for half a minute.
    await runStatement(
      settings.GW_DATABASE_URL,
      `update rehearsal set status = 'running', ended_at = null, node = 'other', alive_at = now() - interval '1 minute' where id = '${id}'`,
    );
    t.is((await read(next, id)).status, 'interrupted');
    t.is((await untilStatus(next, await start(next, quick), ...ended)).status, 'passed');
  },
);
