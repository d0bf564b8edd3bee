import test from 'ava';
import { startAgentServer, sendReply, sendJson } from '#test/helpers/agent-server.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { collectTraces, type CollectedSpan } from '#test/helpers/trace-collector.ts';
import { until } from '#test/helpers/until.ts';
import { z } from 'zod';

const spans = collectTraces();

const remote = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

const bind = async (gateway: Awaited<ReturnType<typeof testGateway>>, url: string) => {
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: `${url}/path-hush?key=query-hush`,
  });
};

/** Its end may be stored before its span is over. */
const spanOf = (callId: string): Promise<CollectedSpan> =>
  until('the span of the call is over', () =>
    spans.find(({ attributes, isOver }) => isOver && attributes['trunkline.call_id'] === callId),
  );

const under = (parent: CollectedSpan | undefined, name: string): CollectedSpan[] =>
  spans.filter((span) => span.name === name && span.parentId === parent?.spanId);

test.serial(
  'from a request to the agent it is one trace, which the client of the API has begun',
  async (t) => {
    const gateway = await testGateway(t);
    const agent = await startAgentServer(sendReply('Pomegranate.'));
    t.teardown(agent.close);
    await bind(gateway, agent.url);
    const { status, body } = await gateway.client.post(
      '/api/v1/calls',
      { to: '01000000007', instruction: 'Persimmon.' },
      { traceparent: `00-${remote.traceId}-${remote.spanId}-01` },
    );
    t.is(status, 201);
    const callId = z.string().parse(body['call_id']);
    await gateway.untilStatus(callId, ...finalStatuses);
    await spanOf(callId);

    const request = spans.find(({ name }) => name === 'POST /api/v1/calls');
    t.like(request, { traceId: remote.traceId, parentId: remote.spanId, isOver: true });
    t.deepEqual(request?.attributes, {
      'http.route': '/api/v1/calls',
      'http.request.method': 'POST',
      'http.response.status_code': 201,
    });

    const [call, ...otherCalls] = under(request, 'call');
    t.is(otherCalls.length, 0);
    t.like(call, { isOver: true, status: null });
    t.deepEqual(call?.attributes, {
      'trunkline.call_id': callId,
      'trunkline.direction': 'outbound',
      'trunkline.status': 'completed',
      'trunkline.end_reason': 'counterparty_hangup',
    });

    const turns = under(call, 'turn');
    t.true(turns.length >= 1);
    t.is(turns[0]?.attributes['trunkline.turn'], 1);
    // Interrupted where the callee was the first to speak.
    t.regex(String(turns[0]?.attributes['trunkline.outcome']), /^(finished|abandoned)$/);
    t.true(turns.every(({ isOver }) => isOver));

    const asked = turns.flatMap((turn) => under(turn, 'agent request'));
    const known = asked.map(({ spanId }) => `00-${remote.traceId}-${spanId}-01`);
    t.true(agent.requests.length > 0);
    for (const { headers } of agent.requests) t.true(known.includes(String(headers['traceparent'])));
    t.like(asked[0]?.attributes, { 'http.request.method': 'POST', 'server.address': '127.0.0.1' });
  },
);

test.serial('what fails is marked, from the agent to the call', async (t) => {
  // Slow enough that an answer is there before the callee has more to say.
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '2' });
  const agent = await startAgentServer([sendReply('Good day.'), sendJson({ wrong: true }, 500)]);
  t.teardown(agent.close);
  await bind(gateway, agent.url);
  const callId = await gateway.call('01000000001');
  await gateway.untilStatus(callId, ...finalStatuses);
  const call = await spanOf(callId);
  t.like(call, { status: { message: 'agent_error' } });
  const [first, ...failed] = under(call, 'turn');
  t.like(first, { isOver: true, status: null });
  t.is(failed.length, 2);
  for (const turn of failed) {
    t.like(turn, { isOver: true, status: { message: 'http_error' } });
    t.truthy(under(turn, 'agent request')[0]?.status);
  }
});

test.serial('an inbound call has its spans as well', async (t) => {
  const gateway = await testGateway(t);
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01098765432',
    script: [{ say: 'Zucchini.' }, { listen: true }, { hang_up: true }],
  });
  const callId = z.string().parse(body['call_id']);
  await gateway.untilStatus(callId, ...finalStatuses);
  t.true(under(await spanOf(callId), 'turn').length >= 1);
});

test.serial('no number, no word, no address and no key is in a span', (t) => {
  t.true(spans.length > 10);
  const told = JSON.stringify(spans);
  t.notRegex(told, /hush|pomegranate|persimmon|zucchini|gw_live_|gw_admin_|07000000000|0100000000|98765432/i);
});
