/** Keys of the other party that the agent asks for; secret ones leave no trace. */
import { randomInt } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { everyRow } from '#test/helpers/every-row.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { testGateway, type TestGateway } from '#test/helpers/gateway.ts';

const ownNumber = '07000000000';

const callIn = async (gateway: TestGateway, script: readonly object[]): Promise<string> => {
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: ownNumber,
    from: '01098765432',
    script,
  });
  return z.uuid().parse(body['call_id']);
};

const collectingAgent = async (
  t: ExecutionContext,
  gateway: TestGateway,
  replies: (text: string, turn: number) => string,
) => {
  const agent = await startFakeAgent('webhook', (text, turn) => ({ pieces: [replies(text, turn)] }));
  t.teardown(agent.close);
  const { status } = await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, {
    ...agent.binding,
    controls: 'inline',
  });
  t.is(status, 200);
  return agent;
};

test('the agent gets the keys that it asks for as one turn', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '20' });
  const agent = await collectingAgent(t, gateway, (_, turn) =>
    turn === 1 ? 'Your number, please.<collect finish="#"/>' : 'Thank you. Goodbye.<hangup/>',
  );
  const callId = await callIn(gateway, [{ say: 'Hello.' }, { listen: true }, { digits: '4711#' }]);
  await gateway.untilStatus(callId, 'completed');
  t.is(agent.turns[1]?.text, '[keys] 4711');
  const { body } = await gateway.client.get(`/api/v1/calls/${callId}/transcript`);
  t.true(JSON.stringify(body).includes('[keys] 4711'));
});

test('secret keys are known to the agent alone', async (t) => {
  const databaseUrl = await testDatabaseUrl(t);
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '20', GW_DATABASE_URL: databaseUrl });
  const pins = Array.from({ length: 20 }, () => String(randomInt(1e9, 1e10)));
  const agent = await collectingAgent(t, gateway, (_, turn) =>
    turn <= pins.length
      ? `Number ${turn}, please.<collect digits="10" secret="true"/>`
      : 'Thank you. Goodbye.<hangup/>',
  );
  const callId = await callIn(gateway, [
    { say: 'Hello.' },
    ...pins.flatMap((digits) => [{ listen: true }, { digits }]),
  ]);
  await gateway.untilStatus(callId, 'completed');
  t.deepEqual(
    agent.turns.slice(1).map(({ text }) => text),
    pins.map((pin) => `[keys] ${pin}`),
  );

  const read = async (path: string): Promise<string> =>
    JSON.stringify((await gateway.admin.get(`/api/v1/admin/calls/${callId}${path}`)).body);
  const client = async (path: string): Promise<string> =>
    JSON.stringify((await gateway.client.get(`/api/v1/calls/${callId}${path}`)).body);
  const traces = {
    rows: await everyRow(databaseUrl),
    logs: gateway.logged.join(''),
    call: await client(''),
    transcript: await client('/transcript'),
    events: await client('/events'),
    replay: await read('/replay'),
  };
  for (const [where, trace] of Object.entries(traces)) {
    t.true(trace.length > 2, where);
    const digits = trace.replaceAll(/[^0-9]+/g, '');
    t.deepEqual(
      pins.filter((pin) => trace.includes(pin) || (where === 'events' && digits.includes(pin))),
      [],
      where,
    );
  }
  t.regex(traces.transcript, /\[keys\] ••••/);
  t.regex(traces.events, /"digit":"•"/);
  // The recording pauses for each of them.
  t.is(traces.events.split('recording.paused').length - 1, pins.length);
  t.is(traces.events.split('recording.resumed').length - 1, pins.length);
});
