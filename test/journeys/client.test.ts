/** A customer's program from its first number to the sound of its first call, by the published client alone. */
import test from 'ava';
import { createClient, pagesOf, TrunklineProblem, type Call, type CallNews } from '#src/client/client.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

const hoursOfTheDesk = 'We are open from nine to five.';

test('a program gets a number, connects its agent, calls, listens and hangs up', async (t) => {
  const gateway = await testGateway(t);
  const { base_url: baseUrl, admin_token: adminToken } = gateway.credentials;
  const agent = await startAgentServer(sendReply(hoursOfTheDesk));
  t.teardown(agent.close);

  const admin = createClient({ baseUrl, key: adminToken });
  const number = await admin.createNumber({ body: { number: '070-9000-0001', language: 'en' } });
  t.is(number.number, '07090000001');
  const binding = await admin.putAgent({
    id: number.id,
    direction: 'outbound',
    body: { agent: 'endpoint', agent_type: 'webhook', chat_url: agent.url, token: 'secret' },
  });
  t.like(binding, { agent_type: 'webhook', token_configured: true });
  const { key } = await admin.issueKey({ id: number.id });

  const client = createClient({ baseUrl, key });
  const request = { body: { to: '010-0000-0001' }, 'idempotency-key': 'first-call' };
  const placed = await client.createCall(request);
  t.is(placed.from, number.number);
  t.deepEqual(await client.createCall(request), placed, 'a repeated request places no second call');
  const { call_id: callId } = placed;

  const news: CallNews[] = [];
  for await (const one of client.watchCall({ call_id: callId })) {
    news.push(one);
    if (one.type === 'fact' && one.event.type === 'turn.spoken' && one.event.data['role'] === 'user') {
      const asked = await client.hangUp({ call_id: callId, body: { immediate: true } });
      t.deepEqual(asked, { call_id: callId, status: 'hangup_requested' });
    }
  }
  const facts = news.flatMap((one) => (one.type === 'fact' ? [one.event] : []));
  t.deepEqual(
    facts.map(({ sequence }) => sequence),
    facts.map((_, index) => index + 1),
  );
  for (const type of ['call.answered', 'call.ended', 'recording.completed', 'call.summarized'])
    t.true(
      facts.some((fact) => fact.type === type),
      type,
    );
  t.true(news.some((one) => one.type === 'state' && one.state.call.startsWith('active')));

  const call = await client.getCall({ call_id: callId });
  t.like(call, { status: 'completed', end_reason: 'agent_hangup', to: '01000000001' });
  const { transcript } = await client.getTranscript({ call_id: callId });
  t.true(transcript.some(({ role, text }) => role === 'assistant' && text === hoursOfTheDesk));

  const recording = await client.getRecording({ call_id: callId });
  t.is(recording.headers.get('content-type'), call.recording.content_type ?? '');
  const sound = await recording.bytes();
  t.true(sound.length > 1_000);
  const beginning = await client.getRecording({ call_id: callId, range: 'bytes=0-3' });
  t.is(beginning.status, 206);
  t.deepEqual(await beginning.bytes(), sound.slice(0, 4));
});

test('a program reads all its calls, page by page, and learns why one cannot be done', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const { base_url: baseUrl, number_key: key, admin_token: adminToken, number_id: id } = gateway.credentials;
  const client = createClient({ baseUrl, key });
  const placed: string[] = [];
  for (const to of ['01000000002', '01000000002', '01000000003'])
    placed.push((await client.createCall({ body: { to } })).call_id);
  const [first = ''] = placed;
  await client.cancelCall({ call_id: first });
  await until('the call is over', async () =>
    (await client.getCall({ call_id: first })).end_reason === 'cancelled' ? true : undefined,
  );

  const listed: string[] = [];
  for await (const { calls } of pagesOf(client.listCalls, { limit: 1 }))
    listed.push(...calls.map(({ id }) => id));
  t.deepEqual(listed, placed.toReversed());
  const admin = createClient({ baseUrl, key: adminToken });
  await admin.updateNumber({ id, body: { max_duration_sec: 900 } });
  const { calls } = await admin.listWorkspaceCalls({ direction: 'outbound' });
  t.deepEqual(
    calls.map(({ id }) => id),
    listed,
  );

  const refused = async (asked: Promise<unknown>) => t.throwsAsync(asked, { instanceOf: TrunklineProblem });
  t.like(await refused(client.createCall({ body: { to: '+82 10 0000 0001' } })), {
    status: 400,
    code: 'invalid_to',
  });
  t.like(await refused(client.createCall({ body: { to: '01000000001', max_duration_sec: 1_700 } })), {
    code: 'max_duration_exceeds_policy',
    maximum: 900,
  });
  t.like(await refused(client.listCalls({ limit: 0 })), {
    code: 'invalid_request',
    errors: [{ path: 'limit' }],
  });
  t.like(await refused(client.getRecording({ call_id: first })), {
    status: 409,
    code: 'recording_not_available',
    reason: 'none',
  });
  const unknown: Call['id'] = '00000000-0000-4000-8000-000000000000';
  const notFound = await refused(client.getCall({ call_id: unknown }));
  t.like(notFound, { status: 404, code: 'call_not_found' });
  t.regex(notFound?.requestId ?? '', /\S/);
  t.like(await refused(client.watchCall({ call_id: unknown }).next()), { code: 'call_not_found' });
  t.like(await refused(client.listNumbers()), { status: 401, code: 'unauthorized' });
});

test('a stream that is left is closed, and gives its place to another', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const { base_url: baseUrl, number_key: key } = gateway.credentials;
  const client = createClient({ baseUrl, key });
  const { call_id: callId } = await client.createCall({ body: { to: '01000000002' } });
  for (let count = 0; count < 22; count += 1) {
    for await (const one of client.watchCall({ call_id: callId })) {
      t.truthy(one.type);
      break;
    }
  }
  const leaving = new AbortController();
  const watching = client.watchCall({ call_id: callId }, { signal: leaving.signal });
  await watching.next();
  leaving.abort();
  const rest = async () => {
    for await (const one of watching) t.truthy(one.type);
  };
  await t.throwsAsync(rest, { name: 'AbortError' });
});
