/**
 * A gateway is killed, as a process of its own, and others that share its database continue its calls. Real processes,
 * because a kill must take everything of the gateway with it; one kill for all tests, as each process costs two seconds
 * and each takeover ten. Every rule of taking over is tested with a simulated clock in test/calls and test/simulation.
 */
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { phrases } from '#src/domain/phrases.ts';
import { lockRows } from '#test/helpers/database-statement.ts';
import type { EventStreamReader } from '#test/helpers/event-stream.ts';
import { startFakeAgent, type FakeAgent } from '#test/helpers/fake-agents.ts';
import type { Scope } from '#test/helpers/file-scope.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import {
  neverAnswers,
  place,
  recordingOf,
  sharedGateways,
  silent,
  statusOf,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';

/** A callee who answers everything, and stays when the gateway dies. */
const talks = '01000000001';
const isAbsent = '01000000013';
const takesCalls = '01000000011';
/** Maximum delay of a reply, as a setting of the agent: never reached. */
const foreverMs = 600_000;

/** Time limit of all steps together before the first test ends; each step has a limit of its own. */
const arrangedWithinMs = 180_000;

type World = {
  doomed: Running;
  /** A gateway that takes over calls, like a third one. */
  heir: Running;
  /** A gateway without lines, which takes over no calls. */
  showing: Running;
  databaseUrl: string;
  rows: (sql: string) => Promise<unknown[]>;
  scope: Scope;
  /** Places a call from the doomed gateway with this agent, which it keeps regardless of later bindings. */
  placeWith: (agent: FakeAgent, to: string, more?: object) => Promise<string>;
  /** Executed immediately before the kill; the returned function, immediately after it and before every test. */
  aroundKill: (act: () => Promise<() => Promise<void>>) => void;
  killedAt: () => number;
};

type Check = (t: ExecutionContext) => Promise<void>;

/** Executed before the kill; resolves to the expected state after it. */
type Arrange = (world: World) => Promise<Check>;

type When = 'early' | 'last';
const scenarios: { title: string; when: When; arrange: Arrange }[] = [];

const createWorld = (numberPath: string, world: Omit<World, 'placeWith'>): World => {
  const { doomed } = world;
  let placing: Promise<unknown> = Promise.resolve();
  const bindAndPlace = async (agent: FakeAgent, to: string, more: object): Promise<string> => {
    const headers = { 'x-api-key': 'key-of-the-agent' };
    const binding = { ...agent.binding, ...more, token: 'agent-token', headers };
    const { status } = await doomed.admin.put(`${numberPath}/agents/outbound`, binding);
    if (status !== 200) throw new Error(`The agent was not bound: ${status}`);
    return place(doomed, to);
  };
  return {
    ...world,
    placeWith(agent, to, more = {}) {
      // Sequentially: the number has one agent.
      const placed = placing.then(() => bindAndPlace(agent, to, more));
      placing = placed.catch(() => undefined);
      return placed;
    },
  };
};

const numberPathOf = async ({ admin }: Running): Promise<string> => {
  const { body } = await admin.get('/api/v1/admin/numbers');
  const [number] = z.array(z.object({ id: z.string() })).parse(body['numbers']);
  return `/api/v1/admin/numbers/${number?.id}`;
};

const kill = sharedGateways(async ({ start, databaseUrl, rows }, scope) => {
  const inspected = { GW_INSPECT: '1' };
  const doomed = await start('doomed', inspected);
  const [heir, , showing] = await Promise.all([
    start('heir', inspected),
    start('another-heir', inspected),
    start('showing', { ...inspected, GW_LINES: 'none' }),
  ]);
  const numberPath = await numberPathOf(doomed);
  await doomed.admin.patch(numberPath, { transfer_to: [isAbsent, takesCalls], ring_timeout_sec: 120 });
  let killedAt = Infinity;
  const actsAroundKill: (() => Promise<() => Promise<void>>)[] = [];
  const world = createWorld(numberPath, {
    doomed,
    heir,
    showing,
    databaseUrl,
    rows,
    scope,
    aroundKill: (act) => void actsAroundKill.push(act),
    killedAt: () => killedAt,
  });
  const checks = new Map<string, Promise<Check>>();
  for (const now of ['early', 'last'] as const) {
    const arranging = scenarios.filter(({ when }) => when === now);
    for (const { title, arrange } of arranging) checks.set(title, arrange(world));
    // A failed arrangement fails only its own test.
    await Promise.allSettled(checks.values());
  }
  const actsAfterKill: (() => Promise<void>)[] = [];
  for (const act of actsAroundKill) actsAfterKill.push(await act());
  killedAt = Date.now();
  doomed.signal('SIGKILL');
  await doomed.ended;
  for (const act of actsAfterKill) await act();
  return { checks, rows };
});

/** `last`: runs after the other arrangements, because its time limit has then begun. */
const whenKilled = (title: string, when: When, arrange: Arrange): void => {
  scenarios.push({ title, when, arrange });
  test.serial(title, async (t) => {
    t.timeout(arrangedWithinMs, 'four gateways start, and every call of this file is arranged');
    const { checks } = await kill(t);
    const check = await checks.get(title);
    await check?.(t);
  });
};

const hangUp = async (t: ExecutionContext, { client }: Running, callId: string): Promise<void> => {
  const { status } = await client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  t.is(status, 202);
};

const turnsOf = async ({ client }: Running, callId: string): Promise<{ role: string; text: string }[]> => {
  const { body } = await client.get(`/api/v1/calls/${callId}/transcript`);
  return z.array(z.object({ role: z.string(), text: z.string() })).parse(body['transcript']);
};

const saidIn = async (gateway: Running, callId: string): Promise<string[]> =>
  (await turnsOf(gateway, callId)).filter(({ role }) => role === 'assistant').map(({ text }) => text);

/** The agent of one call also gets the requests of other calls that begin while it is bound to their number. */
const asksAbout = (callId: string, { requests }: FakeAgent): number =>
  requests.filter(({ body, headers }) => `${body} ${JSON.stringify(headers)}`.includes(callId)).length;

/** The call is active, and the agent has received a request with words of the other party. */
const untilSecondReply = (callId: string, agent: FakeAgent) =>
  until('a second reply is asked for', () => asksAbout(callId, agent) > 1 || undefined);

const untilFact = ({ client }: Running, callId: string, type: string) =>
  until(`there is ${type}`, async () => {
    const { body } = await client.get(`/api/v1/calls/${callId}/events`);
    return z
      .array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) }))
      .parse(body['events'])
      .find((fact) => fact.type === type);
  });

whenKilled('a hang-up requested after the kill is done by the next holder', 'early', async (world) => {
  const { doomed, heir, databaseUrl, rows, scope } = world;
  const calls = [await place(doomed, silent), await place(doomed, silent)];
  const [waits = '', atOnce = ''] = calls;
  for (const callId of calls) await untilStatus(heir, callId, 'active');
  const listed = calls.map((callId) => `'${callId}'`).join(', ');
  const request = async (callId: string, immediate: boolean): Promise<unknown[]> => {
    const path = `/api/v1/calls/${callId}/hangup`;
    const { status, body } = await heir.client.post(path, { immediate });
    return [status, body['status']];
  };
  const requestAll = async (): Promise<unknown[][]> => [
    await request(waits, false),
    await request(atOnce, true),
    await request(atOnce, false),
  ];
  let requesting: Promise<unknown[][]> | undefined;
  // While their rows are locked, no gateway takes these calls over, and their facts are not stored.
  world.aroundKill(async () => {
    const unlock = await lockRows(scope, databaseUrl, `select id from call where id in (${listed})`);
    return async () => {
      requesting = requestAll();
      // A failed request fails only its own test.
      await Promise.allSettled([requesting]);
      await unlock();
    };
  });
  return async (t) => {
    const accepted = [202, 'hangup_requested'];
    t.deepEqual(await requesting, [accepted, accepted, accepted]);
    for (const callId of calls) {
      await untilStatus(heir, callId, 'completed');
      t.like((await heir.client.get(`/api/v1/calls/${callId}`)).body, { end_reason: 'agent_hangup' });
    }
    t.deepEqual(
      await rows(`select call_id, data->>'immediate' as immediate from call_fact
        where type = 'call.hangup_requested' and call_id in (${listed}) order by immediate`),
      [
        { call_id: waits, immediate: 'false' },
        { call_id: atOnce, immediate: 'true' },
      ],
    );
  };
});

whenKilled('active calls continue at other gateways, and a ringing one is ended', 'early', async (world) => {
  const { doomed, heir, showing, rows, killedAt } = world;
  const calls = [await place(doomed, silent), await place(doomed, silent)];
  const ringing = await place(doomed, neverAnswers);
  const kept = await place(heir, silent);
  for (const callId of [...calls, kept]) await untilStatus(heir, callId, 'active');
  return async (t) => {
    await untilStatus(showing, ringing, 'failed');
    const { body } = await showing.client.get(`/api/v1/calls/${ringing}`);
    t.is(body['end_reason'], 'system_error');
    const endedAt = Date.parse(z.string().parse(body['ended_at']));
    t.true(endedAt - killedAt() < 25_000, 'before the lease of a gateway that keeps its session ends');
    for (const callId of calls) {
      await untilTakenOver(showing, callId);
      t.is(await statusOf(showing, callId), 'active');
      // The request reaches whichever gateway owns the call now.
      await hangUp(t, heir, callId);
      await untilStatus(showing, callId, 'completed');
    }
    t.is(await statusOf(showing, kept), 'active', 'the calls of a living gateway continue');
    await hangUp(t, heir, kept);
    await untilStatus(showing, kept, 'completed');
    t.deepEqual(
      await rows(`select call_id from event where type = 'call.ended' group by call_id having count(*) > 1`),
      [],
    );
  };
});

whenKilled('deliveries that were under way are made again by another gateway', 'last', async (world) => {
  const { doomed, scope } = world;
  const receiver = await startWebhookReceiver();
  scope.teardown(receiver.close);
  const { body } = await doomed.admin.post('/api/v1/admin/webhooks', {
    url: receiver.url,
    events: ['call.ringing'],
  });
  receiver.trust(z.string().parse(body['secret']));
  // The maximum number of simultaneous deliveries of an endpoint.
  receiver.answer(...Array.from({ length: 5 }, () => 'hang' as const));
  for (let call = 0; call < 5; call += 1) await place(doomed, neverAnswers);
  const brokenOff = (await receiver.until(5)).map(({ id }) => id);
  return async (t) => {
    const isMadeAgain = (id: unknown): boolean =>
      receiver.received.filter((delivery) => delivery.id === id).length > 1;
    await until('they have arrived again', () => brokenOff.every(isMadeAgain) || undefined);
    t.pass();
  };
});

whenKilled('a lost transfer has failed, and the agent is notified', 'early', async (world) => {
  const { heir, scope } = world;
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['네, 알겠습니다.'] }));
  scope.teardown(agent.close);
  const callId = await world.placeWith(agent, talks);
  await untilSecondReply(callId, agent);
  const transfer = () =>
    heir.client.post(`/api/v1/calls/${callId}/transfer`, { to: isAbsent, ring_timeout_sec: 120 });
  const first = await transfer();
  if (first.status !== 202) throw new Error(`The transfer was refused: ${JSON.stringify(first.body)}`);
  await untilFact(heir, callId, 'call.transfer_requested');
  const second = await transfer();
  return async (t) => {
    t.deepEqual([second.status, second.body['code']], [409, 'transfer_in_progress']);
    await untilTakenOver(heir, callId);
    t.is((await untilFact(heir, callId, 'call.transfer_failed')).data['reason'], 'trunk_error');
    const { body } = await heir.client.get(`/api/v1/calls/${callId}`);
    t.like(body['transfer'], { to: isAbsent, status: 'failed', reason: 'trunk_error' });
    const notified = await until('the agent is notified', () =>
      agent.turns.find(({ text }) => text.includes('[transfer failed: trunk_error]')),
    );
    t.like(notified.headers, { authorization: 'Bearer agent-token', 'x-api-key': 'key-of-the-agent' });
    await hangUp(t, heir, callId);
    await untilStatus(heir, callId, 'completed');
  };
});

whenKilled('two persons who talk with each other go on at another gateway', 'last', async (world) => {
  const { heir, rows, scope } = world;
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['네, 알겠습니다.'] }));
  scope.teardown(agent.close);
  const callId = await world.placeWith(agent, talks);
  await untilSecondReply(callId, agent);
  await heir.client.post(`/api/v1/calls/${callId}/transfer`, { to: takesCalls });
  await untilFact(heir, callId, 'call.transfer_connected');
  const asked = asksAbout(callId, agent);
  return async (t) => {
    await untilTakenOver(heir, callId);
    // The person hangs up ten seconds after the connection, at whichever gateway holds the call then.
    await untilStatus(heir, callId, 'completed');
    const { body } = await heir.client.get(`/api/v1/calls/${callId}`);
    t.is(body['end_reason'], 'transfer_completed');
    t.like(body['transfer'], { to: takesCalls, status: 'connected', reason: null });
    t.is(asksAbout(callId, agent), asked, 'the agent is out');
    t.deepEqual(
      await rows(`select type from call_fact where call_id = '${callId}' and sequence >=
        (select sequence from call_fact where call_id = '${callId}' and type = 'call.transfer_requested')
        and type like 'call.%' and type not in ('call.answered_by', 'call.summarized') order by sequence`),
      [
        { type: 'call.transfer_requested' },
        { type: 'call.transfer_connected' },
        { type: 'call.taken_over' },
        { type: 'call.ended' },
      ],
    );
  };
});

const inspectionMessage = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  rootId: z.string(),
  sessionId: z.string(),
  snapshot: z.looseObject({ value: z.unknown().optional() }).optional(),
});

const inspectorOf = ({ url, adminToken }: Running, callId: string): string =>
  `${url.replace(/^http/, 'ws')}/inspect?${new URLSearchParams({ token: adminToken, call: callId }).toString()}`;

const inspect = async (scope: Scope, gateway: Running, callId: string) => {
  const socket = new WebSocket(inspectorOf(gateway, callId));
  scope.teardown(() => socket.terminate());
  const seen: z.infer<typeof inspectionMessage>[] = [];
  let raw = '';
  socket.on('message', (data: Buffer) => {
    seen.push(inspectionMessage.parse(JSON.parse(data.toString())));
    raw += data.toString();
  });
  await once(socket, 'open');
  const roots = (): string[] => [...new Set(seen.map(({ rootId }) => rootId))];
  return {
    seen,
    roots,
    raw: () => raw,
    closed: once(socket, 'close'),
    /** A state of the conversation from the n-th gateway that sent states. */
    untilConversing: (gateways: number, state: string) =>
      until(`${state} at gateway ${gateways}`, () => {
        const rootId = roots()[gateways - 1];
        const conversations = new Set(
          seen.filter(({ name }) => name === 'conversation').map(({ sessionId }) => sessionId),
        );
        return (
          seen.some(
            (told) =>
              told.rootId === rootId &&
              conversations.has(told.sessionId) &&
              JSON.stringify(told.snapshot?.value) === state,
          ) || undefined
        );
      }),
  };
};

/** The response status that refuses the WebSocket. */
const refusal = async (address: string): Promise<number> => {
  const [error] = await once(new WebSocket(address), 'error').catch((reason: unknown) => [reason]);
  return Number(/(\d{3})$/.exec(String(error))?.[1]);
};

whenKilled(
  'the inspector of a gateway without lines follows a call to its next holder',
  'early',
  async (world) => {
    const { doomed, heir, showing, scope } = world;
    const callId = await place(doomed, silent);
    await untilStatus(showing, callId, 'active');
    const onlooker = await inspect(scope, showing, callId);
    await onlooker.untilConversing(1, '{"listening":"silent"}');
    return async (t) => {
      await untilTakenOver(heir, callId);
      await onlooker.untilConversing(2, '{"listening":"silent"}');
      const turns = await turnsOf(heir, callId);
      await hangUp(t, heir, callId);
      const [code] = await onlooker.closed;
      t.is(code, 1000);
      t.true(onlooker.seen.some(({ snapshot }) => snapshot?.value === 'completed'));
      t.is(onlooker.roots().length, 2);
      t.true(turns.length > 0);
      for (const secret of [silent, ...turns.map(({ text }) => text)])
        t.false(onlooker.raw().includes(secret));
      t.is(await refusal(inspectorOf(showing, callId)), 404, 'the call is over');
      t.is(await refusal(inspectorOf(showing, crypto.randomUUID())), 404);
    };
  },
);

/** An agent whose second reply never arrives, and a call in which that reply was requested: the other party waits. */
const thinking = async ({ scope, placeWith }: World) => {
  const agent = await startFakeAgent('webhook', (_, turn) =>
    turn === 2 ? { pieces: [''], pauseMs: foreverMs } : { pieces: [`${turn}번째 대답입니다.`] },
  );
  scope.teardown(agent.close);
  const callId = await placeWith(agent, talks);
  await untilSecondReply(callId, agent);
  return { agent, callId };
};

whenKilled('words that wait for the floor are said by the next holder', 'last', async (world) => {
  const { doomed, heir } = world;
  const words = '잠시만 기다려 주세요.';
  const { callId } = await thinking(world);
  const requested = await doomed.client.post(`/api/v1/calls/${callId}/say`, { text: words });
  await untilFact(heir, callId, 'say.requested');
  return async (t) => {
    t.is(requested.body['status'], 'say_requested');
    await untilTakenOver(heir, callId);
    await until('they were heard', async () => (await saidIn(heir, callId)).includes(words) || undefined);
    t.deepEqual((await saidIn(heir, callId)).slice(1, 3), [phrases.ko.apology, words]);
    await hangUp(t, heir, callId);
    await untilStatus(heir, callId, 'completed');
  };
});

whenKilled('an interrupted farewell is said again, and the hang-up follows it', 'last', async (world) => {
  const { heir, rows, scope } = world;
  const farewell =
    '말씀 감사합니다. 예약을 내일 오후 세 시로 옮겨 드렸습니다. 변경된 내용은 문자로도 보내 드리겠습니다. 좋은 하루 보내세요.';
  const agent = await startFakeAgent('webhook', (_, turn) => ({
    pieces: turn === 1 ? ['안녕하세요.'] : [`${farewell}<hang`, 'up/>'],
  }));
  scope.teardown(agent.close);
  const callId = await world.placeWith(agent, talks, { controls: 'inline' });
  await until('the hang-up after the farewell is stored', async () =>
    (await rows(`select progress from call_checkpoint where call_id = '${callId}'`)).find((row) =>
      JSON.stringify(row).includes('hang_up'),
    ),
  );
  return async (t) => {
    await untilTakenOver(heir, callId);
    await untilStatus(heir, callId, 'completed');
    t.true((await saidIn(heir, callId)).join(' ').endsWith(farewell));
    t.like((await heir.client.get(`/api/v1/calls/${callId}`)).body, { end_reason: 'agent_hangup' });
  };
});

/** The states of the conversation that were sent. */
const statesOf = ({ events }: EventStreamReader): unknown[] =>
  events.filter(({ event }) => event === 'state').map(({ data }) => data['conversation']);

whenKilled(
  'an event stream at another gateway has every fact once, and the states',
  'last',
  async (world) => {
    const { doomed, heir, showing } = world;
    // The opening of this call lasts longer than the preparation of all calls.
    const callId = await place(
      doomed,
      silent,
      Array.from({ length: 4 }, () => '예약 시간을 확인해 주세요').join(', '),
    );
    const stream = await showing.watch(callId);
    await until('the agent speaks', () => statesOf(stream).includes('replying.speaking') || undefined);
    // A state is sent before its effects are stored, and only stored effects can be resumed.
    await untilStatus(showing, callId, 'active');
    return async (t) => {
      await untilTakenOver(heir, callId);
      // The interrupted sentence is repeated.
      await until('the agent listens', () => statesOf(stream).at(-1) === 'listening.silent' || undefined);
      await hangUp(t, heir, callId);
      await stream.until('the end', ({ event }) => event === 'end');
      const { body } = await heir.client.get(`/api/v1/calls/${callId}/events`);
      t.deepEqual(
        stream.events.filter(({ event }) => event === 'fact').map(({ data }) => data),
        body['events'],
      );
      const { truncated, longerBySec, turns, silentTurns } = await recordingOf(heir, callId);
      t.false(truncated);
      t.true(Math.abs(longerBySec) < 2, String(longerBySec));
      t.true(turns > 0);
      t.deepEqual(silentTurns, [], 'words from before the kill are recorded as well');
    };
  },
);

/** The far end of a simulated call is stored in this state. */
const untilFarEnd = ({ rows }: World, callId: string, contained: string) =>
  until(`the far end of the call is stored: ${contained}`, async () => {
    const [row] = await rows(
      `select progress -> 'farEnd' as stored from call_checkpoint where call_id = '${callId}'`,
    );
    return JSON.stringify(row ?? null).includes(contained) || undefined;
  });

whenKilled('a person with a script continues it at another gateway', 'early', async (world) => {
  const { doomed, heir, scope } = world;
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['네, 듣고 있습니다.'] }));
  scope.teardown(agent.close);
  const number = '01055550007';
  const script = [
    { say: '첫 번째 말입니다.' },
    { await_digits: '7' },
    { say: '두 번째 말입니다.' },
    { hang_up: true },
  ];
  const path = `/api/v1/admin/simulator/callees/${number}`;
  await doomed.admin.put(path, { script, rehearsal: { step_timeout_sec: 300 } });
  const callId = await world.placeWith(agent, number);
  await untilFarEnd(world, callId, '"stepsDone":1');
  const removed = await doomed.admin.delete(path);
  return async (t) => {
    t.is(removed.status, 204, 'a call in progress keeps its script');
    await untilTakenOver(heir, callId);
    t.is((await heir.client.post(`/api/v1/calls/${callId}/keys`, { keys: '7' })).status, 202);
    await untilStatus(heir, callId, 'completed');
    const said = (await turnsOf(heir, callId)).filter(({ role }) => role === 'user').map(({ text }) => text);
    t.deepEqual(said, ['첫 번째 말입니다.', '두 번째 말입니다.']);
    t.like((await heir.client.get(`/api/v1/calls/${callId}`)).body, { end_reason: 'counterparty_hangup' });
    t.like((await heir.admin.get(`/api/v1/admin/simulator/calls/${callId}`)).body, {
      steps: 4,
      steps_done: 4,
      outcome: 'done',
    });
  };
});

const rehearsals = '/api/v1/admin/rehearsals';

const startRehearsal = async ({ admin }: Running, suite: string): Promise<string> => {
  const { body } = await admin.post(rehearsals, { suite });
  return z.object({ id: z.string() }).parse(body).id;
};

const rehearsalStatus = async ({ admin }: Running, id: string): Promise<unknown> =>
  (await admin.get(`${rehearsals}/${id}`)).body['status'];

whenKilled(
  'the agent of a suite stays in its call and away from the number when the gateway of the run dies',
  'early',
  async (world) => {
    const { doomed, heir, rows, scope } = world;
    const agent = await startFakeAgent('webhook', () => ({ pieces: ['스위트의 에이전트입니다.'] }));
    scope.teardown(agent.close);
    const numberPath = await numberPathOf(doomed);
    const agentsOf = async () =>
      z
        .object({ inbound: z.looseObject({}), outbound: z.looseObject({ chat_url: z.string().nullable() }) })
        .parse((await heir.admin.get(numberPath)).body['agents']);
    const before = await agentsOf();
    const steps =
      '[{ says: 첫 번째 말 }, { awaits_keys: "7" }, { says: 두 번째 말 }, { hears: 에이전트 }, { hangs_up: true }]';
    const url = z.string().parse(agent.binding['chat_url']);
    const id = await startRehearsal(
      doomed,
      `agent: { agent_type: webhook, chat_url: "${url}" }\ncases:\n  - name: calls\n    timeout_sec: 300\n    caller: ${steps}\n`,
    );
    // The only inbound call of this file.
    const callId = await until('the call of the run has begun', async () => {
      const [row] = await rows("select id from call where direction = 'inbound'");
      return row === undefined ? undefined : z.object({ id: z.string() }).parse(row).id;
    });
    await untilFarEnd(world, callId, '"stepsDone":1');
    await until('the agent of the suite was heard', async () => (await saidIn(heir, callId))[0]);
    return async (t) => {
      await untilTakenOver(heir, callId);
      const asked = agent.turns.length;
      t.is((await heir.client.post(`/api/v1/calls/${callId}/keys`, { keys: '7' })).status, 202);
      await until('the next holder asks the agent of the suite', () => agent.turns[asked]);
      await untilStatus(heir, callId, 'completed');
      // The next run on the number marks the run whose gateway is silent.
      await rows(`update rehearsal set alive_at = now() - interval '1 minute' where id = '${id}'`);
      const next = await startRehearsal(
        heir,
        'cases:\n  - name: declines\n    callee: [{ declines: true }]\n    expect: { end_reason: declined }\n',
      );
      await until('the next run has passed', async () =>
        (await rehearsalStatus(heir, next)) === 'passed' ? true : undefined,
      );
      t.is(await rehearsalStatus(heir, id), 'interrupted');
      const after = await agentsOf();
      t.deepEqual(after.inbound, before.inbound);
      t.not(after.outbound.chat_url, url);
    };
  },
);

/** A message to a web phone. */
const phoneMessage = z.looseObject({ type: z.string(), call_id: z.string().optional() });

whenKilled('a person at a web phone stays when the gateway of the call dies', 'early', async (world) => {
  const { doomed, heir, scope } = world;
  const address = `${heir.url.replace(/^http/, 'ws')}/api/v1/admin/phone?phone=phone-of-heir`;
  const phone = new WebSocket(address, ['trunkline', heir.adminToken]);
  scope.teardown(() => phone.terminate());
  const told: z.infer<typeof phoneMessage>[] = [];
  phone.on('message', (data: Buffer) => told.push(phoneMessage.parse(JSON.parse(data.toString()))));
  await once(phone, 'open');
  const send = (message: object): void => phone.send(JSON.stringify(message));
  const untilTold = (type: string, times: number) =>
    until(
      `the phone is told ${type}`,
      () => told.filter((one) => one.type === type).length >= times || undefined,
    );
  const callId = await place(doomed, '01055559999');
  await untilTold('ring', 1);
  send({ type: 'answer', call_id: callId });
  await untilFarEnd(world, callId, '"name":"phone-of-heir"');
  return async (t) => {
    await untilTakenOver(heir, callId);
    await untilTold('answered', 2);
    t.false(told.some(({ type }) => type === 'ended'));
    send({ type: 'say', text: '아직 여기 있습니다.' });
    await until(
      'the words are in the transcript',
      async () =>
        (await turnsOf(heir, callId)).some(({ text }) => text === '아직 여기 있습니다.') || undefined,
    );
    send({ type: 'hang_up' });
    await untilStatus(heir, callId, 'completed');
    t.like((await heir.client.get(`/api/v1/calls/${callId}`)).body, { end_reason: 'counterparty_hangup' });
  };
});

test.serial('removes the row of the killed gateway after the end of its last call', async (t) => {
  const { rows } = await kill(t);
  const names = await until('it is removed', async () => {
    const known = await rows('select name from node order by name');
    return known.length === 3 ? known : undefined;
  });
  t.deepEqual(names, [{ name: 'another-heir' }, { name: 'heir' }, { name: 'showing' }]);
});
