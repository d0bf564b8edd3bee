/**
 * Secret digits leave no trace. Some ninety PINs are pressed in calls of a whole gateway, in every way in
 * which digits may arrive, and everything that the gateway stores, logs, sends and shows is searched for them.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type AgentType, agentTypes } from '#src/domain/agent-binding.ts';
import { type Answer, redirectTo, sendBody, sendJson, startAgentServer } from '#test/helpers/agent-server.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { everyRow } from '#test/helpers/every-row.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { type TestGateway, finalStatuses, testGateway, withFreshNumber } from '#test/helpers/gateway.ts';
import { collectTraces } from '#test/helpers/trace-collector.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const spans = collectTraces();

// Search

/** The only other values with this many consecutive digits are times in microseconds, which begin differently. */
const newPin = (): string => `9${randomInt(1e11, 1e12 - 1)}`;

/** Removes backslashes and spaces, to search JSON within a string within JSON, too. */
const plain = (text: string): string => text.replaceAll(/[\\\s]+/g, '');

const pinLength = 13;

/** The PINs found in a text of digits. */
const pinsAmong = (digits: string, pins: ReadonlySet<string>): string[] =>
  Array.from({ length: Math.max(0, digits.length - pinLength + 1) }, (_, at) =>
    digits.slice(at, at + pinLength),
  ).filter((piece) => pins.has(piece));

/** Separate digits in order: those of one call, each in an event of its own. */
const lonelyDigits = (text: string): string =>
  [...text.matchAll(/(?<![0-9A-Za-z.:-])[0-9](?![0-9A-Za-z.:-])/g)].join('');

/**
 * The places of these digits in a text, or of any DTMF digit other than `*`, which is never pressed in secret here.
 */
const tracesIn = (text: string, pins: readonly string[]): string[] => {
  const searched = plain(text);
  const known = new Set(pins);
  const runs = searched.match(/[0-9]{13,}/g) ?? [];
  return [
    ...[...runs, lonelyDigits(searched)].flatMap((digits) => pinsAmong(digits, known)),
    ...(searched.match(/\[keys\][0-9*]{1,20}/g) ?? []),
    ...(searched.match(/"(?:digit|keys|signal)":"[0-9A-D]{1,20}/gi) ?? []),
  ];
};

// Calls

/** A caller presses digits at intervals of 250 ms. */
type Step = object;

type SecretCall = {
  title: string;
  pins: readonly string[];
  /** Steps of the caller. */
  script: readonly Step[];
  /** The words of the agent; `null`: the built-in agent. */
  reply: ((turn: number) => string) | null;
  agentType?: AgentType;
  /** A failure instead of all replies of the agent. */
  failure?: Answer;
  /** The digits that the agent receives, one turn each. */
  gets: readonly string[];
  /** Requests by API once the call is active. */
  program?: (gateway: TestGateway, callId: string) => Promise<void>;
};

const wanted = (attributes: string): string => `Your number, please.<collect ${attributes} secret="true"/>`;
const goodbye = 'Thank you. Goodbye.<hangup/>';

const askFirst = (attributes: string) => (turn: number) => (turn === 1 ? wanted(attributes) : goodbye);

/** A call with several PINs, whose end is known by their number of digits or by a last digit. */
const several = (agentType: AgentType, isCounted: boolean): SecretCall => {
  const pins = Array.from({ length: 4 }, newPin);
  return {
    title: `several PINs, ${agentType}`,
    agentType,
    pins,
    script: [
      { say: 'Hello.' },
      ...pins.flatMap((pin) => [{ listen: true }, { digits: isCounted ? pin : `${pin}#` }]),
    ],
    reply: (turn) => (turn <= pins.length ? wanted(isCounted ? 'digits="13"' : 'finish="#"') : goodbye),
    gets: pins,
  };
};

/** An API client requests the digits, then the caller presses them. */
const byProgram =
  (body: object): NonNullable<SecretCall['program']> =>
  async ({ client }, callId) => {
    const path = `/api/v1/calls/${callId}`;
    const collect = await client.post(`${path}/collect`, body);
    const say = await client.post(`${path}/say`, { text: 'Press now.' });
    if (collect.status !== 202 || say.status !== 202) throw new Error('The program was refused');
  };

const toProgram = (pin: string): Step[] => [
  { hear: 'now' },
  { digits: pin },
  { listen: true },
  { hang_up: true },
];

/** Responses of servers that quote their request. */
const quoting: readonly [string, (asked: string) => Answer][] = [
  ['500', (asked) => sendBody(asked, 500)],
  ['400', (asked) => sendBody(JSON.stringify({ error: { message: `bad: ${asked}`, code: asked } }), 400)],
  ['torn JSON', (asked) => sendBody(`{"reply": ${asked}, "output": `)],
  ['foreign JSON', (asked) => sendBody(JSON.stringify({ [asked]: asked }))],
  ['page', (asked) => sendBody(`<html><body>${asked}</body></html>`, 200, { 'content-type': 'text/html' })],
  ['redirect', (asked) => redirectTo(`http://127.0.0.1:9/?asked=${encodeURIComponent(asked)}`)],
  [
    'error of a stream',
    (asked) =>
      sendBody(
        `event: error\ndata: ${JSON.stringify({ error: { message: asked }, message: asked, type: 'error', payload: { error: asked } })}\n\n`,
        200,
        { 'content-type': 'text/event-stream' },
      ),
  ],
  ['broken connection', (asked) => (response) => void response.write(asked, () => response.destroy())],
];

const failing = (agentType: AgentType): SecretCall[] =>
  quoting.map(([how, answering]) => {
    const pin = newPin();
    return {
      title: `${agentType} fails: ${how}`,
      agentType,
      pins: [pin],
      script: toProgram(pin),
      reply: () => '',
      failure: (response, request) =>
        request.path.endsWith('/threads')
          ? sendJson({ status: 'idle' })(response, request)
          : answering(request.body)(response, request),
      gets: [pin],
      program: byProgram({ digits: pin.length, secret: true }),
    };
  });

const unmaskedFirst = 'unmasked digits precede the secret ones';

const odd = (): SecretCall[] => {
  const pins = Array.from({ length: 12 }, newPin);
  const [late = '', more = '', early = '', over = '', asked = '', own = '', handed = '', twice = ''] = pins;
  return [
    {
      title: 'the rest arrives after the time-out',
      pins: [late],
      script: [
        { say: 'Hello.' },
        { listen: true },
        { digits: late.slice(0, 7) },
        { wait_sec: 4 },
        { digits: late.slice(7) },
        { listen: true },
        { digits: late },
        { hang_up: true },
      ],
      reply: (turn) => (turn === 1 ? wanted('digits="13" timeout_sec="2"') : 'That was too short.'),
      gets: [late.slice(0, 7)],
    },
    {
      title: 'more digits than requested',
      pins: [more],
      script: [{ say: 'Hello.' }, { listen: true }, { digits: more }, { listen: true }, { hang_up: true }],
      reply: askFirst('digits="4"'),
      gets: [more.slice(0, 4)],
    },
    {
      title: unmaskedFirst,
      pins: [early],
      script: [{ digits: '**' }, { say: 'Hello.' }, { listen: true }, { digits: early }],
      reply: askFirst('digits="13"'),
      gets: [early],
    },
    {
      title: "digits are pressed during the agent's question",
      pins: [over],
      script: [
        { say: 'Hello.' },
        { hear: 'Your' },
        { digits: over },
        { listen: true },
        { digits: `${over}#` },
      ],
      reply: (turn) =>
        turn === 1
          ? `Your number, please. It has many digits and stands on the front of your card, below your name.<collect finish="#" secret="true"/>`
          : goodbye,
      gets: [over],
    },
    {
      title: 'a program collects digits',
      pins: [asked],
      script: toProgram(asked),
      reply: () => goodbye,
      gets: [asked],
      program: byProgram({ digits: asked.length, secret: true }),
    },
    {
      title: 'a program collects digits in a call of the built-in agent, which never receives them',
      pins: [own],
      script: toProgram(own),
      reply: null,
      gets: [],
      program: byProgram({ digits: own.length, secret: true }),
    },
    {
      title: 'digits follow a collection that ended with a transfer',
      pins: [handed],
      script: [
        { say: 'Hello.' },
        { listen: true },
        { digits: handed },
        { wait_sec: 1 },
        { digits: handed },
        { wait_sec: 6 },
        { digits: handed },
        { hang_up: true },
      ],
      reply: (turn) => (turn === 1 ? wanted('digits="13"') : 'One moment.<transfer to="01000000011"/>'),
      gets: [handed],
    },
    {
      title: 'digits are pressed twice, because the agent rejected the first ones',
      pins: [twice],
      script: [
        { say: 'Hello.' },
        { listen: true },
        { digits: twice },
        { listen: true },
        { digits: twice },
        { listen: true },
        { hang_up: true },
      ],
      reply: (turn) => (turn <= 2 ? wanted('digits="13"') : goodbye),
      gets: [twice, twice],
    },
  ];
};

const startAgent = async (t: ExecutionContext, { agentType = 'webhook', failure, reply }: SecretCall) => {
  if (failure !== undefined) {
    const server = await startAgentServer(failure);
    t.teardown(server.close);
    const names = { langgraph: { assistant_id: 'asked' }, mastra: { agent_id: 'asked' } };
    return {
      binding: {
        agent: 'endpoint',
        agent_type: agentType,
        chat_url: server.url,
        ...(agentType === 'langgraph' || agentType === 'mastra' ? names[agentType] : {}),
      },
      asked: () => server.requests.map(({ body }) => body),
    };
  }
  const agent = await startFakeAgent(agentType, (_, turn) => ({ pieces: [reply?.(turn) ?? ''] }));
  t.teardown(agent.close);
  return { binding: agent.binding, asked: () => agent.turns.map(({ text }) => text) };
};

/** Resolves at the end of the call, to its id and the agent's requests. */
const run = async (t: ExecutionContext, gateway: TestGateway, call: SecretCall) => {
  const agent = call.reply === null ? null : await startAgent(t, call);
  if (agent !== null) {
    const { status } = await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, {
      ...agent.binding,
      controls: 'inline',
    });
    t.is(status, 200, call.title);
  }
  const settings = { transfer_to: ['01000000011'], greeting: null, silence_timeout_sec: 600 };
  t.is((await gateway.admin.patch(gateway.numberPath, settings)).status, 200);
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01098765432',
    script: call.script,
  });
  const callId = z.uuid().parse(body['call_id']);
  const stream = await openEventStream(
    `${gateway.credentials.base_url}/api/v1/calls/${callId}/events`,
    gateway.credentials.number_key,
  );
  t.teardown(stream.close);
  if (call.program !== undefined) {
    await gateway.untilStatus(callId, 'active');
    await call.program(gateway, callId);
  }
  await gateway.untilStatus(callId, ...finalStatuses);
  const asked = agent?.asked() ?? [];
  for (const keys of call.gets)
    t.true(
      asked.some((text) => text.includes(`[keys] ${keys}`)),
      `${call.title}: the agent has got its keys`,
    );
  return { call, gateway, callId, stream };
};

/** Number of calls at the same time, few enough for a busy machine. */
const callsAtOnce = 3;

const inGroups = <One>(all: readonly One[], most: number): (readonly One[])[] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, index) =>
    all.slice(index * most, (index + 1) * most),
  );

type Ran = Awaited<ReturnType<typeof run>>;
type World = Awaited<ReturnType<typeof world>>;

const textOf = async (client: TestGateway['client'], path: string): Promise<string> => {
  const { status, bytes } = await client.get(path);
  if (status !== 200) throw new Error(`${path}: ${status}`);
  return bytes.toString();
};

/** All readable data of one call. */
const shownOf = async ({ gateway, callId, stream }: Ran): Promise<Record<string, string>> => {
  await stream.until('the end of the call', ({ event }) => event === 'end');
  const own = `/api/v1/calls/${callId}`;
  const admins = `/api/v1/admin/calls/${callId}`;
  return {
    call: await textOf(gateway.client, own),
    transcript: await textOf(gateway.client, `${own}/transcript`),
    events: await textOf(gateway.client, `${own}/events`),
    stream: JSON.stringify(stream.events),
    'call for admins': await textOf(gateway.admin, admins),
    'transcript for admins': await textOf(gateway.admin, `${admins}/transcript`),
    'events for admins': await textOf(gateway.admin, `${admins}/events`),
    replay: await textOf(gateway.admin, `${admins}/replay`),
    'SIP messages': await textOf(gateway.admin, `${admins}/sip`),
    log: gateway.logged.filter((line) => line.includes(callId)).join(''),
  };
};

const filesIn = async (folder: string): Promise<string> => {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
};

/** Everything shown of the charts, by the protocol that both pages of the inspector read. */
const inspect = async (t: ExecutionContext, { credentials }: TestGateway): Promise<string[]> => {
  const address = `${credentials.base_url.replace(/^http/, 'ws')}/inspect?token=${credentials.admin_token}`;
  const socket = new WebSocket(address);
  const seen: string[] = [];
  socket.on('message', (data: Buffer) => void seen.push(data.toString()));
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  return seen;
};

const world = async (t: ExecutionContext) => {
  const databaseUrl = await testDatabaseUrl(t);
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-secret-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const gateway = await testGateway(t, {
    GW_DATABASE_URL: databaseUrl,
    GW_DATA_DIR: folder,
    GW_INSPECT: '1',
    GW_SIMULATOR_SPEED: '20',
  });
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  // An unreachable receiver leaves events and their errors in the database.
  receiver.answer({ status: 500, body: 'away' }, 'reset', { status: 503 });
  const { body } = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url });
  receiver.trust(z.string().parse(body['secret']));
  const inspected = await inspect(t, gateway);
  return { gateway, databaseUrl, folder, receiver, inspected };
};

/** Interval at which rows are read while calls are in progress, in milliseconds. */
const lookMs = 1_000;

/** Runs the calls, and resolves to the content of rows meanwhile. */
const runAll = async (t: ExecutionContext, { gateway, databaseUrl }: World, calls: readonly SecretCall[]) => {
  const pins = calls.flatMap((call) => call.pins);
  const ran: Ran[] = [];
  const inProgress = new Set<string>();
  let lookedAt = -Infinity;
  for (const some of inGroups(calls, callsAtOnce)) {
    const running = Promise.all(some.map(async (call) => run(t, await withFreshNumber(gateway), call)));
    const isOver = running.then(
      () => true,
      () => true,
    );
    await until('the calls are over', async () => {
      if (performance.now() - lookedAt > lookMs) {
        for (const found of tracesIn(await everyRow(databaseUrl), pins)) inProgress.add(found);
        lookedAt = performance.now();
      }
      return Promise.race([isOver, Promise.resolve(undefined)]);
    });
    ran.push(...(await running));
  }
  return { ran, inProgress };
};

const leavesNoTrace = test.macro(async (t, makeCalls: () => SecretCall[]) => {
  const started = await world(t);
  const { gateway, databaseUrl, folder, receiver, inspected } = started;
  const calls = makeCalls();
  const pins = calls.flatMap((call) => call.pins);
  const { ran, inProgress } = await runAll(t, started, calls);
  t.deepEqual([...inProgress], [], 'rows while the calls are in progress');

  for (const one of ran)
    for (const [where, text] of Object.entries(await shownOf(one)))
      t.deepEqual(tracesIn(text, one.call.pins), [], `${one.call.title}: ${where}`);

  const everything: Record<string, string> = {
    rows: await everyRow(databaseUrl),
    files: await filesIn(folder),
    log: gateway.logged.join(''),
    traces: JSON.stringify(spans),
    metrics: await textOf(gateway.client, '/metrics'),
    webhooks: receiver.received.map(({ rawBody }) => rawBody).join('\n'),
    inspector: inspected.join('\n'),
    'list of calls': await textOf(gateway.admin, '/api/v1/admin/calls?limit=100'),
    'list as CSV': await textOf(gateway.admin, '/api/v1/admin/calls.csv'),
    'call records': await textOf(gateway.admin, '/api/v1/admin/call-records'),
    'call records as JSON': await textOf(gateway.admin, '/api/v1/admin/call-records?format=jsonl'),
    audit: await textOf(gateway.admin, '/api/v1/admin/audit.csv'),
    overview: await textOf(gateway.admin, '/api/v1/admin/overview'),
  };
  for (const [where, text] of Object.entries(everything)) {
    t.true(text.length > 50, where);
    t.deepEqual(tracesIn(text, pins), [], where);
  }
  for (const pin of pins.slice(0, 3))
    t.false((await textOf(gateway.admin, `/api/v1/admin/calls?q=${pin}`)).includes('call_id'));
  for (const one of ran.filter(({ call }) => call.pins.length > 1)) {
    const { events = '' } = await shownOf(one);
    for (const fact of ['recording.paused', 'recording.resumed'])
      t.is(events.split(fact).length - 1, one.call.pins.length, `${one.call.title}: ${fact}`);
  }
  const clear = ran.find(({ call }) => call.title === unmaskedFirst);
  if (clear !== undefined)
    t.is((await shownOf(clear))['events']?.split('"digit":"*"').length, 3, 'digits before are not hidden');
});

for (const agentType of agentTypes)
  test.serial(
    `no digit of a PIN is stored, logged or returned, and only the requesting agent receives it (${agentType})`,
    leavesNoTrace,
    () => [several(agentType, true), several(agentType, false), ...failing(agentType)],
  );

test.serial(
  'secret digits are never stored, logged, sent or returned, however they are pressed',
  leavesNoTrace,
  odd,
);

test.serial('the search for leaks finds unmasked digits in every place', async (t) => {
  const { gateway, databaseUrl } = await world(t);
  const pin = newPin();
  const ran = await run(t, gateway, {
    title: 'unmasked',
    pins: [pin],
    script: [{ say: 'Hello.' }, { listen: true }, { digits: pin }],
    reply: (turn) => (turn === 1 ? 'Your number, please.<collect digits="13"/>' : goodbye),
    gets: [pin],
  });
  const shown = await shownOf(ran);
  for (const where of ['transcript', 'events', 'stream'])
    t.true(tracesIn(shown[where] ?? '', [pin]).includes(pin), where);
  t.true(tracesIn(await everyRow(databaseUrl), [pin]).includes(pin));
});
