/** Calls as an operator and a developer see them while they go on: streams of events, figures. */
import test from 'ava';
import { z } from 'zod';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

const event = z.object({
  sequence: z.number(),
  type: z.string(),
  t_offset_sec: z.number().nullable(),
  data: z.record(z.string(), z.unknown()),
});

const latency = z.record(z.string(), z.number().min(0));

test('a call is followed from its ringing to its summary, and a read shows the same', async (t) => {
  const gateway = await testGateway(t);
  const { base_url: baseUrl, number_key: key } = gateway.credentials;
  // It is over when the test says so: whoever holds a call may take any time, on a busy machine too.
  const callee = '01000000071';
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, {
    script: [{ listen: true }, { say: 'Yes, that is right.' }, { listen: true }, { hold_sec: 600 }],
  });
  const callId = await gateway.call(callee, 'Confirm the reservation');
  const stream = await openEventStream(`${baseUrl}/api/v1/calls/${callId}/events`, key);
  await stream.until('the call is held', ({ data }) => data['conversation'] === 'on-hold');
  await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  await until('the stream ends by itself', () => stream.isOver() || undefined);
  t.is(stream.events.at(-1)?.event, 'end');

  const told = stream.events.filter(({ event: name }) => name === 'fact').map(({ data }) => data);
  const { body } = await gateway.client.get(`/api/v1/calls/${callId}/events`);
  t.deepEqual(told, body['events']);
  const events = z.array(event).parse(told);
  t.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  t.is(events[0]?.type, 'call.answered');
  const types = events.map(({ type }) => type);
  t.true(types.indexOf('call.ended') > types.lastIndexOf('turn.spoken'));
  t.true(types.includes('call.summarized') && types.includes('recording.completed'));

  const turns = events.filter(({ type }) => type === 'turn.spoken');
  const transcript = await gateway.transcript(callId);
  t.deepEqual(
    turns.map(({ data }) => [data['turn'], data['role'], data['text']]),
    transcript.map(({ sequence, role, text }) => [sequence, role, text]),
  );

  const states = stream.events.filter(({ event: name }) => name === 'state').map(({ data }) => data);
  t.deepEqual(states.at(-1), { call: 'completed', conversation: null, voicemail: null });
  t.true(states.some(({ conversation }) => conversation !== null));
  for (const state of states) t.deepEqual(Object.keys(state), ['call', 'conversation', 'voicemail']);
});

test('a turn of the agent tells how long it took, stage by stage; an interrupted reader misses nothing', async (t) => {
  const gateway = await testGateway(t);
  const { base_url: baseUrl, admin_token: token } = gateway.credentials;
  const callId = await gateway.call('01000000001', 'Confirm the reservation');
  const url = `${baseUrl}/api/v1/admin/calls/${callId}/events`;
  const seen: string[] = [];
  for (let isOver = false; !isOver;) {
    const stream = await openEventStream(url, token, { 'last-event-id': seen.at(-1) ?? '0' });
    await stream.until('something new', ({ id, event: name }) => id !== null || name === 'end');
    stream.close();
    seen.push(...stream.events.flatMap(({ id }) => (id === null ? [] : [id])));
    isOver = stream.events.at(-1)?.event === 'end';
  }
  const { body } = await gateway.admin.get(`/api/v1/admin/calls/${callId}/events`);
  const events = z.array(event).parse(body['events']);
  t.deepEqual(
    seen,
    events.map(({ sequence }) => String(sequence)),
  );
  const [first, second] = events.filter(({ data }) => data['role'] === 'assistant');
  const ofKickoff = latency.parse(first?.data['latency']);
  t.deepEqual(Object.keys(ofKickoff).sort(), ['first_audio_ms', 'first_sentence_ms', 'first_token_ms']);
  t.true('endpointing_ms' in latency.parse(second?.data['latency']));
});

test('the figures of a call are there when it is over', async (t) => {
  const gateway = await testGateway(t);
  const figures = async (): Promise<Map<string, number>> => {
    const { bytes } = await gateway.client.as(undefined).get('/metrics');
    const lines = bytes.toString().matchAll(/^(trunkline_\S+) (\S+)$/gm);
    return new Map([...lines].map(([, name, value]) => [String(name), Number(value)]));
  };
  const before = await figures();
  t.is(before.get('trunkline_calls_started_total{direction="outbound"}'), 0);
  t.is(before.get('trunkline_lines_ready'), 1);
  t.is(before.get('trunkline_event_deliveries{state="pending"}'), 0);

  const callId = await gateway.call('01000000001', 'Confirm the reservation');
  const during = await figures();
  t.is(
    (during.get('trunkline_calls_in_progress{direction="outbound",status="ringing"}') ?? 0) +
      (during.get('trunkline_calls_in_progress{direction="outbound",status="active"}') ?? 0),
    1,
  );
  await gateway.untilStatus(callId, ...finalStatuses);
  await until('the recording was counted', async () => {
    const count = (await figures()).get('trunkline_recordings_finished_total{outcome="completed"}');
    return count === 1 ? true : undefined;
  });
  const after = await figures();
  t.is(after.get('trunkline_calls_started_total{direction="outbound"}'), 1);
  t.is(
    after.get(
      'trunkline_calls_ended_total{direction="outbound",status="completed",end_reason="agent_hangup"}',
    ),
    1,
  );
  t.is(after.get('trunkline_calls_in_progress{direction="outbound",status="active"}'), 0);
  t.is(after.get('trunkline_facts_waiting'), 0);
  for (const stage of ['endpointing', 'first_token', 'first_sentence', 'first_audio']) {
    t.true((after.get(`trunkline_turn_stage_seconds_count{stage="${stage}"}`) ?? 0) >= 1, stage);
  }
  t.is(after.get('trunkline_http_requests_total{method="POST",route="/api/v1/calls",status="201"}'), 1);
  t.false([...after.keys()].some((name) => name.includes(callId)));
});

test('an inbound caller who is not let in is counted as well', async (t) => {
  const gateway = await testGateway(t);
  await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, { agent: 'endpoint' });
  await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01012345678',
  });
  const { bytes } = await gateway.client.as(undefined).get('/metrics');
  t.regex(bytes.toString(), /^trunkline_event_loop_stall_seconds_count \d+$/m);
  t.true(
    bytes
      .toString()
      .includes(
        'trunkline_calls_ended_total{direction="inbound",status="failed",end_reason="no_agent_endpoint"} 1',
      ),
  );
});

test('a gateway that drains lets go of its streams at once', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1', GW_DRAIN_SEC: '0' });
  const callId = await gateway.call('01000000002');
  const { base_url: baseUrl, number_key: key } = gateway.credentials;
  const stream = await openEventStream(`${baseUrl}/api/v1/calls/${callId}/events`, key);
  await stream.until('the state', ({ event: name }) => name === 'state');
  await gateway.close();
  await until('the stream is over', () => stream.isOver() || undefined);
  t.false(stream.events.some(({ event: name }) => name === 'end'));
});
