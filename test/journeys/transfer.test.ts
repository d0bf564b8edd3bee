/** Transfers of calls on the simulated line: requested by the API, and written by an agent into its reply. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { stayQuiet } from '#test/helpers/agent-server.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { finalStatuses, sharedGatewayWithNumbers, testGateway } from '#test/helpers/gateway.ts';
import { startModelServer } from '#test/helpers/model-server.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

// By the API

const sharing = sharedGatewayWithNumbers();

/** A callee who answers everything. */
const talks = '01000000001';
const answers = '01000000011';
const isBusy = '01000000012';
const isAbsent = '01000000013';
const declines = '01000000014';
const pressesNothing = '01000000015';
/** A number without a telephone. */
const unassigned = '01000000019';

const transferFact = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

const event = z.object({
  type: z.string(),
  call: z.object({
    transfer: z.object({ to: z.string(), status: z.string(), reason: z.string().nullable() }).optional(),
  }),
});

/** A call in which the agent has said its first words. */
const talking = async (
  t: ExecutionContext,
  transferTo: string[] | null = ['0100000001*'],
  callee = talks,
) => {
  const gateway = await sharing(t);
  const { admin, client, numberPath } = gateway;
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['네, 알겠습니다.'] }));
  t.teardown(agent.close);
  const bound = await admin.put(`${numberPath}/agents/outbound`, { ...agent.binding, token: 'agent-token' });
  t.is(bound.status, 200);
  t.is((await admin.patch(numberPath, { transfer_to: transferTo })).status, 200);
  const place = () => client.post('/api/v1/calls', { to: callee });
  const placed = await place();
  const callId = z.string().parse(placed.body['call_id']);
  const path = `/api/v1/calls/${callId}`;
  await until('a second reply is asked for', () => agent.turns[1]);
  const facts = async () => {
    const { body } = await client.get(`${path}/events`);
    const events = z.array(transferFact).parse(body['events']);
    return events.filter(({ type }) => type.startsWith('call.transfer_') || type === 'call.ended');
  };
  return {
    id: callId,
    transfer: (body: object) => client.post(`${path}/transfer`, body),
    cancel: () => client.post(`${path}/transfer/cancel`, {}),
    act: (act: string, body: object) => client.post(`${path}/${act}`, body),
    hangUp: (id = callId) => client.post(`/api/v1/calls/${id}/hangup`, { immediate: true }),
    place,
    limit: (calls: number | null) => admin.patch(numberPath, { max_concurrent_calls: calls }),
    ownNumbers: async () => {
      const { body } = await client.get(path);
      return [z.string().parse(body['from']), z.string().parse(body['to'])];
    },
    untilTransferIs: (status: string) =>
      until(`the transfer is ${status}`, async () => {
        const { body } = await client.get(path);
        return z.object({ status: z.literal(status) }).safeParse(body['transfer']).success || undefined;
      }),
    end: () => gateway.untilStatus(callId, ...finalStatuses),
    said: async () => (await gateway.transcript(callId)).map(({ text }) => text).join(' '),
    tellWebhook: async (url: string) => {
      const { body } = await admin.post('/api/v1/admin/webhooks', { url });
      return z.string().parse(body['secret']);
    },
    shown: async () => {
      const [one, list] = [await client.get(path), await client.get('/api/v1/calls')];
      const [listed] = z.array(z.record(z.string(), z.unknown())).parse(list.body['calls']);
      return { one: one.body['transfer'], listed: listed?.['transfer'] };
    },
    facts,
    // The agent may be notified shortly before the event is written.
    factsUpTo: (type: string) =>
      until(`${type} is written`, async () => {
        const written = await facts();
        return written.at(-1)?.type === type ? written : undefined;
      }),
    untilTold: (reason: string, to: string) =>
      until('the agent is told', () =>
        JSON.stringify(agent.requests).includes(`[transfer failed: ${reason}]`) &&
        JSON.stringify(agent.requests).includes(to)
          ? true
          : undefined,
      ),
    turns: () => agent.turns.length,
  };
};

test.serial(
  'connects a person who answers with the other party, and ends the call when they hang up',
  async (t) => {
    const call = await talking(t);
    const asked = await call.transfer({ to: answers });
    t.is(asked.status, 202);
    t.is(asked.body['status'], 'transfer_requested');
    t.like(await call.end(), { status: 'completed', end_reason: 'transfer_completed' });
    const facts = await call.facts();
    t.deepEqual(
      facts.map(({ type }) => type),
      ['call.transfer_requested', 'call.transfer_connected', 'call.ended'],
    );
    t.is(facts[0]?.data['to'], answers);
    t.is(facts[1]?.data['transferId'] ?? facts[1]?.data['transfer_id'], asked.body['transfer_id']);
    const { one, listed } = await call.shown();
    t.like(one, {
      id: asked.body['transfer_id'],
      to: answers,
      mode: 'cold',
      status: 'connected',
      reason: null,
    });
    t.deepEqual(listed, one);
  },
);

for (const [to, reason] of [
  [isBusy, 'busy'],
  [declines, 'declined'],
  [isAbsent, 'no_answer'],
  [unassigned, 'invalid_number'],
] as const)
  test.serial(`${reason}: notifies the agent and continues the call`, async (t) => {
    const call = await talking(t);
    t.is((await call.transfer({ to, ring_timeout_sec: 5 })).status, 202);
    await call.untilTold(reason, to);
    t.like((await call.factsUpTo('call.transfer_failed')).at(-1), { data: { reason } });
    t.like((await call.shown()).one, { to, status: 'failed', reason, connected_at: null });
    t.is((await call.hangUp()).status, 202);
    t.like(await call.end(), { status: 'completed', end_reason: 'agent_hangup' });
  });

test.serial('ends a call with on_failure hangup when the transfer fails', async (t) => {
  const call = await talking(t);
  t.is((await call.transfer({ to: isBusy, on_failure: 'hang_up' })).status, 202);
  t.like(await call.end(), { status: 'completed', end_reason: 'transfer_failed' });
});

test.serial('permits one transfer at a time, and cancels it on request', async (t) => {
  const call = await talking(t);
  t.is((await call.cancel()).body['code'], 'call_not_active');
  t.is((await call.shown()).one, null);
  t.is((await call.transfer({ to: isAbsent, ring_timeout_sec: 120 })).status, 202);
  await until('it rings', async () =>
    JSON.stringify((await call.shown()).one).includes('"status":"ringing"') ? true : undefined,
  );
  const second = await call.transfer({ to: answers });
  t.deepEqual([second.status, second.body['code']], [409, 'transfer_in_progress']);
  t.is((await call.cancel()).status, 202);
  await call.untilTold('cancelled', isAbsent);
  t.truthy(await call.factsUpTo('call.transfer_returned'));
  t.like((await call.shown()).one, { to: isAbsent, status: 'returned', reason: null });
  t.is((await call.hangUp()).status, 202);
  await call.end();
  t.is((await call.transfer({ to: answers })).body['code'], 'call_not_active');
});

test.serial('calls only transfer targets that the number permits', async (t) => {
  for (const transferTo of [null, ['0212345*']]) {
    const call = await talking(t, transferTo);
    const refused = await call.transfer({ to: answers });
    t.deepEqual([refused.status, refused.body['code']], [403, 'transfer_not_allowed']);
    t.is((await call.transfer({ to: 'nobody' })).body['code'], 'invalid_to');
    t.is((await call.hangUp()).status, 202);
    await call.end();
    t.deepEqual(
      (await call.facts()).map(({ type }) => type),
      ['call.ended'],
    );
  }
});

test.serial(
  'delivers the current state of a transfer to endpoints that subscribe to all events',
  async (t) => {
    const receiver = await startWebhookReceiver();
    t.teardown(receiver.close);
    const call = await talking(t);
    receiver.trust(await call.tellWebhook(receiver.url));
    t.is((await call.transfer({ to: isBusy })).status, 202);
    await call.untilTold('busy', isBusy);
    t.is((await call.transfer({ to: answers })).status, 202);
    await call.end();
    const told = await until('its end has arrived', () => {
      const events = receiver.eventsOf(call.id).map(({ rawBody }) => event.parse(JSON.parse(rawBody)));
      return events.some(({ type }) => type === 'call.ended') ? events : undefined;
    });
    t.deepEqual(
      told
        .filter(({ type }) => type.startsWith('call.transfer_') || type === 'call.ended')
        .map(({ type, call: { transfer } }) => [type, transfer?.to, transfer?.status, transfer?.reason]),
      [
        ['call.transfer_requested', isBusy, 'ringing', null],
        ['call.transfer_failed', isBusy, 'failed', 'busy'],
        ['call.transfer_requested', answers, 'ringing', null],
        ['call.transfer_connected', answers, 'connected', null],
        ['call.ended', answers, 'connected', null],
      ],
    );
  },
);

for (const accept_key of [null, '1'])
  test.serial(
    `a person hears the briefing and accepts ${accept_key === null ? 'at once' : 'by a digit'}`,
    async (t) => {
      const call = await talking(t);
      const asked = { to: answers, mode: 'warm', say: '잠시만요. 연결해 드릴게요.', accept_key };
      t.is((await call.transfer(asked)).status, 202);
      t.like(await call.end(), { status: 'completed', end_reason: 'transfer_completed' });
      t.deepEqual(
        (await call.facts()).map(({ type }) => type),
        [
          'call.transfer_requested',
          'call.transfer_ringing',
          'call.transfer_answered',
          'call.transfer_connected',
          'call.ended',
        ],
      );
      t.like((await call.shown()).one, { mode: 'warm', status: 'connected' });
      t.true((await call.said()).includes('잠시만요. 연결해 드릴게요.'));
    },
  );

test.serial('continues with the agent when a person declines during the briefing', async (t) => {
  const call = await talking(t);
  t.is((await call.transfer({ to: declines, mode: 'warm', briefing: '주문 문의입니다.' })).status, 202);
  await call.untilTold('declined', declines);
  t.deepEqual(
    (await call.factsUpTo('call.transfer_failed')).map(({ type }) => type),
    ['call.transfer_requested', 'call.transfer_answered', 'call.transfer_failed'],
  );
  t.like((await call.shown()).one, { status: 'failed', reason: 'declined', connected_at: null });
  t.is((await call.hangUp()).status, 202);
  t.like(await call.end(), { status: 'completed', end_reason: 'agent_hangup' });
});

test.serial('continues with the agent when a person does not press the accept digit', async (t) => {
  const call = await talking(t);
  const asked = { to: pressesNothing, mode: 'warm', accept_key: '1', briefing: '주문 문의입니다.' };
  t.is((await call.transfer(asked)).status, 202);
  await call.untilTold('not_accepted', pressesNothing);
  t.like((await call.factsUpTo('call.transfer_failed')).at(-1), { data: { reason: 'not_accepted' } });
  t.like((await call.shown()).one, { status: 'failed', reason: 'not_accepted', connected_at: null });
  // The same person without an accept digit is connected at the end of the briefing.
  t.is((await call.transfer({ ...asked, accept_key: null })).status, 202);
  t.like(await call.end(), { end_reason: 'transfer_completed' });
});

for (const [when, asked, status] of [
  ['during the announcement to the other party', { say: '잠시만요. '.repeat(80) }, 'requested'],
  ['during the briefing', { briefing: '주문 문의. '.repeat(80) }, 'briefing'],
] as const)
  test.serial(`continues with the agent after a cancellation ${when}`, async (t) => {
    const call = await talking(t);
    t.is((await call.transfer({ to: answers, mode: 'warm', ...asked })).status, 202);
    await call.untilTransferIs(status);
    t.is((await call.cancel()).status, 202);
    await call.untilTold('cancelled', answers);
    t.truthy(await call.factsUpTo('call.transfer_returned'));
    t.like((await call.shown()).one, { status: 'returned', reason: null, connected_at: null });
    t.is((await call.hangUp()).status, 202);
    t.like(await call.end(), { end_reason: 'agent_hangup' });
  });

test.serial(
  'ends the call and releases all limits when the agent hangs up while a person is ringing',
  async (t) => {
    const call = await talking(t);
    t.is((await call.limit(1)).status, 200);
    t.is((await call.place()).body['code'], 'concurrency_limit');
    t.is((await call.transfer({ to: isAbsent, ring_timeout_sec: 120 })).status, 202);
    await call.untilTransferIs('ringing');
    t.is((await call.hangUp()).status, 202);
    t.like(await call.end(), { status: 'completed', end_reason: 'agent_hangup' });
    t.deepEqual(
      (await call.facts()).map(({ type }) => type),
      ['call.transfer_requested', 'call.ended'],
    );
    t.like((await call.shown()).one, { status: 'failed', reason: 'call_ended' });
    const next = await call.place();
    t.is(next.status, 201);
    t.is((await call.limit(null)).status, 200);
    t.is((await call.hangUp(z.string().parse(next.body['call_id']))).status < 500, true);
  },
);

/** Talks for some seconds, and hangs up. */
const leaves = '01055550077';

for (const [to, transfer, reason] of [
  [isAbsent, { status: 'failed', reason: 'call_ended' }, 'counterparty_hangup'],
  [answers, { status: 'connected', reason: null }, 'transfer_completed'],
] as const)
  test.serial(`ends the call when the other party hangs up: ${reason}`, async (t) => {
    const { admin } = await sharing(t);
    const script = [{ say: '안녕하세요.' }, { listen: true }, { wait_sec: 6 }, { hang_up: true }];
    t.is((await admin.put(`/api/v1/admin/simulator/callees/${leaves}`, { script })).status, 200);
    const call = await talking(t, ['0100000001*'], leaves);
    t.is((await call.transfer({ to, ring_timeout_sec: 120 })).status, 202);
    t.like(await call.end(), { status: 'completed', end_reason: reason });
    t.like((await call.shown()).one, transfer);
    t.is((await call.facts()).filter(({ type }) => type === 'call.ended').length, 1);
  });

test.serial('sends the agent no requests while two persons talk', async (t) => {
  const call = await talking(t);
  t.is((await call.transfer({ to: answers })).status, 202);
  await call.untilTransferIs('connected');
  const turns = call.turns();
  for (const [act, body, code] of [
    ['transfer', { to: isBusy }, 'transfer_in_progress'],
    ['transfer/cancel', {}, 'call_not_active'],
    ['say', { text: '여보세요.' }, 'call_not_active'],
    ['keys', { keys: '1' }, 'call_not_active'],
    ['collect', { digits: 4 }, 'call_not_active'],
  ] as const)
    t.is((await call.act(act, body)).body['code'], code, act);
  const ended = await call.end();
  t.is(call.turns(), turns);
  t.like(ended, { end_reason: 'transfer_completed' });
  const times = z.object({ answered_at: z.string(), ended_at: z.string(), duration_sec: z.number() });
  const { answered_at: from, ended_at: to, duration_sec: duration } = times.parse(ended);
  t.true(Math.abs((Date.parse(to) - Date.parse(from)) / 1_000 - duration) < 1, 'it counts to the end');
});

test.serial("rejects a transfer to one of the call's own numbers", async (t) => {
  const call = await talking(t, [talks, '010*', '070*']);
  for (const to of await call.ownNumbers()) {
    const refused = await call.transfer({ to });
    t.deepEqual([refused.status, refused.body['code']], [403, 'transfer_not_allowed']);
  }
  t.is((await call.hangUp()).status, 202);
  await call.end();
});

// By the agent

/** A call to its end, with an agent that gives these replies; the last one repeats. */
const called = async (t: ExecutionContext, transferTo: string[] | null, ...replies: string[]) => {
  const gateway = await sharing(t);
  const { admin, client, numberPath } = gateway;
  const agent = await startFakeAgent('openai_compatible', (_, turn) => ({
    // In small chunks, so that controls are split.
    pieces: (replies[turn - 1] ?? '안녕히 계세요.<hangup/>').match(/[^]{1,7}/gu) ?? [],
  }));
  t.teardown(agent.close);
  const bound = await admin.put(`${numberPath}/agents/outbound`, {
    ...agent.binding,
    token: 'agent-token',
    controls: 'inline',
  });
  t.is(bound.status, 200);
  t.is((await admin.patch(numberPath, { transfer_to: transferTo })).status, 200);
  const placed = await client.post('/api/v1/calls', { to: talks });
  const callId = z.string().parse(placed.body['call_id']);
  const call = await gateway.untilStatus(callId, ...finalStatuses);
  const { body } = await client.get(`/api/v1/calls/${callId}/events`);
  return {
    call,
    facts: z
      .array(transferFact)
      .parse(body['events'])
      .filter(({ type }) => type.startsWith('call.transfer_')),
    said: (await gateway.transcript(callId))
      .filter(({ role }) => role === 'assistant')
      .map(({ text }) => text),
    turns: agent.turns.map(({ text }) => text),
    logged: gateway.logged.join(''),
  };
};

const failedTurn = (reason: string, to: string): string =>
  `[transfer failed: ${reason}] The other party is still on the line. You speak first.\n[to] ${to}`;

test.serial(
  'connects a permitted person after the words before the transfer control were heard',
  async (t) => {
    const { call, facts, said } = await called(
      t,
      [answers],
      '안녕하세요.',
      `담당자를 연결해 드릴게요.<transfer to="${answers}" mode="warm" briefing="청구서 문의입니다."/>`,
    );
    t.like(call, { status: 'completed', end_reason: 'transfer_completed' });
    t.like(facts, [
      { type: 'call.transfer_requested', data: { to: answers, mode: 'warm' } },
      { type: 'call.transfer_answered' },
      { type: 'call.transfer_connected' },
    ]);
    t.deepEqual(said, ['안녕하세요.', '담당자를 연결해 드릴게요.']);
  },
);

test.serial('notifies the agent that the transfer target is busy, and continues the call', async (t) => {
  const { call, facts, turns } = await called(
    t,
    ['0100000001*'],
    `연결해 드릴게요.<transfer to="${isBusy}"/>`,
  );
  t.like(call, { status: 'completed', end_reason: 'agent_hangup' });
  t.deepEqual(
    facts.map(({ type }) => type),
    ['call.transfer_requested', 'call.transfer_failed'],
  );
  t.true(turns.includes(failedTurn('busy', isBusy)));
});

for (const [what, to, reason] of [
  ['to a number that is not permitted', answers, 'not_allowed'],
  ['to an invalid number', '12 34', 'invalid_number'],
] as const)
  test.serial(`rejects a transfer ${what}, notifies the agent, and plays all its words`, async (t) => {
    const { call, facts, said, turns, logged } = await called(
      t,
      ['0212345*'],
      `연결해 드릴게요.<transfer to="${to}"/> 잠시만 기다려 주세요.`,
      '죄송합니다. 연결할 수 없습니다.',
    );
    t.like(call, { status: 'completed', end_reason: 'agent_hangup' });
    t.deepEqual(facts, []);
    t.is(turns[1], failedTurn(reason, to));
    t.deepEqual(said.slice(0, 2), [
      '연결해 드릴게요. 잠시만 기다려 주세요.',
      '죄송합니다. 연결할 수 없습니다.',
    ]);
    t.true(logged.includes(`"reason":"${reason}"`));
    t.false(logged.includes(to));
  });

// The briefing

test.serial(
  'the language model summarizes the call for the transfer target, without secret digits',
  async (t) => {
    const summary = '비밀번호를 확인했고 주문을 문의합니다.';
    const model = await startModelServer(() => ({ pieces: [summary] }));
    t.teardown(model.close);
    const agent = await startFakeAgent('openai_compatible', (_, turn) => ({
      pieces: [turn === 1 ? '비밀번호를 눌러 주세요.<collect digits="4" secret="true"/>' : '확인했습니다.'],
    }));
    t.teardown(agent.close);
    const gateway = await testGateway(t, { GW_LLM_BASE_URL: model.url, GW_LLM_MODEL: 'small' });
    const { admin, client, numberPath } = gateway;
    await admin.patch(numberPath, { transfer_to: [isAbsent] });
    await admin.put(`${numberPath}/agents/outbound`, { ...agent.binding, controls: 'inline' });
    const callee = '01077770002';
    await admin.put(`/api/v1/admin/simulator/callees/${callee}`, {
      script: [{ listen: true }, { digits: '7391' }, { listen: true }, { listen: true }],
    });
    const callId = await gateway.call(callee);
    await until('the keys have come', () => agent.turns[1]);
    await until('its answer is heard', async () =>
      (await gateway.transcript(callId)).some(({ text }) => text === '확인했습니다.') ? true : undefined,
    );
    const path = `/api/v1/calls/${callId}`;
    const asked = { to: isAbsent, mode: 'warm', ring_timeout_sec: 120 };
    t.is((await client.post(`${path}/transfer`, asked)).status, 202);
    await model.received(1);
    const [request] = model.requests;
    t.regex(request?.messages[0]?.content ?? '', /^Summarize this telephone call in Korean/);
    t.is(
      request?.messages[1]?.content,
      'Agent: 비밀번호를 눌러 주세요.\nOther party: [keys] ••••\nAgent: 확인했습니다.',
    );
    await client.post(`${path}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);
    const replay = await admin.get(`/api/v1/admin/calls/${callId}/replay`);
    t.notRegex(replay.bytes.toString() + gateway.logged.join(''), /(?<![\w-])7391(?![\w-])/);
    t.notRegex(gateway.logged.join(''), /주문을 문의/);
  },
);

test.serial('delays no party if the language model does not respond', async (t) => {
  const model = await startModelServer(() => stayQuiet);
  t.teardown(model.close);
  const gateway = await testGateway(t, { GW_LLM_BASE_URL: model.url, GW_LLM_MODEL: 'small' });
  const { admin, client, numberPath } = gateway;
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['네, 알겠습니다.'] }));
  t.teardown(agent.close);
  await admin.put(`${numberPath}/agents/outbound`, agent.binding);
  await admin.patch(numberPath, { transfer_to: [answers] });
  const callId = await gateway.call(talks);
  await until('a second reply is asked for', () => agent.turns[1]);
  const { status } = await client.post(`/api/v1/calls/${callId}/transfer`, { to: answers, mode: 'warm' });
  t.is(status, 202);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'transfer_completed' });
  const { body } = await client.get(`/api/v1/calls/${callId}/events`);
  t.true(
    z
      .array(transferFact)
      .parse(body['events'])
      .some(({ type }) => type === 'call.transfer_connected'),
  );
});
