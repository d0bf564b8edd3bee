import test from 'ava';
import { Counter, Registry } from 'prom-client';
import { testDatabase } from '#test/helpers/database.ts';
import { fakeGateway } from './fake-gateway.ts';

const healthy = {
  isDraining: () => false,
  dataFolderProblem: () => Promise.resolve(undefined),
  whyLinesAreDown: () => undefined,
  whatIsDown: () => undefined,
};

test('a gateway whose parts work is alive and ready', async (t) => {
  const anonymous = (await fakeGateway(t)).client.as(undefined);
  t.deepEqual((await anonymous.get('/healthz')).body, { status: 'alive' });
  t.deepEqual((await anonymous.get('/readyz')).body, { status: 'ready' });
});

test('while it drains it is alive and not ready', async (t) => {
  const { client } = await fakeGateway(t, { health: { ...healthy, isDraining: () => true } });
  t.is((await client.get('/healthz')).status, 200);
  const { status, body } = await client.get('/readyz');
  t.is(status, 503);
  t.is(body.code, 'draining');
});

test('without lines it is not ready, and says why', async (t) => {
  const { client } = await fakeGateway(t, {
    health: { ...healthy, whyLinesAreDown: () => 'The SIP server cannot be reached.' },
  });
  const { status, body } = await client.get('/readyz');
  t.is(status, 503);
  t.like(body, { code: 'service_unavailable', detail: 'The SIP server cannot be reached.' });
});

test('with a full disk it is not ready, and says so', async (t) => {
  const { client } = await fakeGateway(t, {
    health: { ...healthy, dataFolderProblem: () => Promise.resolve('The data folder cannot be written to.') },
  });
  const { status, body } = await client.get('/readyz');
  t.is(status, 503);
  t.like(body, { code: 'service_unavailable', detail: 'The data folder cannot be written to.' });
});

test('with a part of the lines down it is ready, and says what is down', async (t) => {
  const { client } = await fakeGateway(t, {
    health: { ...healthy, whatIsDown: () => 'One media server cannot be reached.' },
  });
  const { status, body } = await client.get('/readyz');
  t.is(status, 200);
  t.deepEqual(body, { status: 'ready', warning: 'One media server cannot be reached.' });
});

test('without a database it is not ready, and says why', async (t) => {
  const database = { ...(await testDatabase(t)), ping: () => Promise.reject(new Error('gone')) };
  const { client } = await fakeGateway(t, { database });
  const { status, body } = await client.get('/readyz');
  t.is(status, 503);
  t.like(body, { code: 'service_unavailable', detail: 'The database does not answer.' });
});

test('a database that does not answer is waited for only a moment', async (t) => {
  const database = { ...(await testDatabase(t)), ping: () => new Promise<void>(() => {}) };
  const { client } = await fakeGateway(t, { database });
  t.is((await client.get('/readyz')).status, 503);
});

test('figures are those of the registry', async (t) => {
  const metrics = new Registry();
  new Counter({ name: 'trunkline_test_total', help: 'Counts.', registers: [metrics] }).inc(3);
  const { client } = await fakeGateway(t, { metrics });
  const { status, bytes, headers } = await client.as(undefined).get('/metrics');
  t.is(status, 200);
  t.is(headers.get('content-type'), metrics.contentType);
  t.true(bytes.toString().includes('trunkline_test_total 3'));
});
