/** Calls by state (the past, the filters of the list, the stream of counts), and a call as a file. */
import test from 'ava';
import { z } from 'zod';
import { systemClock } from '#src/clocks.ts';
import { callFile } from '#src/api/workspace/call-file.ts';
import { createClient } from '#src/client/client.ts';
import type { JournalledChartName } from '#src/domain/chart-name.ts';
import type { CallRow } from '#src/persistence/calls/calls.ts';
import { keepSipMessages } from '#src/persistence/calls/sip-messages.ts';
import { keepTransitions } from '#src/persistence/calls/call-transitions.ts';
import { addNumber, addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { recordingsOf, storeCall, storeRecording } from './stored-calls.ts';

const now = Date.parse('2026-11-21T03:10:00.000Z');

const atNow = { clock: { ...systemClock, now: () => now } };

/** States of a chart by the second in which a call entered them. */
type Path = Record<number, string>;

/** Stores a call that began `minutesAgo` and went this way. */
const storeJourney = async (
  gateway: Pick<FakeGateway, 'database' | 'workspaceId' | 'number'>,
  minutesAgo: number,
  paths: Partial<Record<JournalledChartName, Path>>,
  changes: Partial<CallRow> = {},
): Promise<string> => {
  const startedAt = new Date(now - minutesAgo * 60_000);
  const { id } = await storeCall(gateway, { startedAt, ...changes });
  let sequence = 0;
  const transitions = Object.entries({ call: {}, conversation: {}, voicemail: {}, ...paths }).flatMap(
    ([machine, path]) => {
      let stateBefore: string | null = null;
      return Object.entries(path).map(([second, stateAfter]) => {
        const one = {
          callId: id,
          epoch: 1,
          sequence: (sequence += 1),
          at: new Date(startedAt.getTime() + Number(second) * 1_000),
          machine: machine as JournalledChartName,
          chartVersion: 'abc',
          stateBefore,
          eventType: stateBefore === null ? 'xstate.init' : 'line.answered',
          stateAfter,
          factsBefore: 0,
        };
        stateBefore = stateAfter;
        return one;
      });
    },
  );
  await keepTransitions(gateway.database, transitions);
  return id;
};

const talked = {
  call: { 0: 'ringing.alerting', 2: 'active.talking.conversing', 12: 'completed' },
  conversation: { 2: 'opening', 3: 'listening.silent' },
};

const broke = {
  call: { 0: 'ringing.alerting', 4: 'active.talking.conversing', 24: 'failed' },
  conversation: { 4: 'opening', 7: 'listening.silent', 9: 'awaiting' },
};

const ongoing = {
  call: { 0: 'ringing.alerting', 3: 'active.talking.conversing' },
  conversation: { 3: 'opening', 5: 'listening.silent' },
};

const failed = { status: 'failed', endReason: 'agent_error' } as const;
const inProgress = { status: 'active', endReason: null, endedAt: null, durationSec: null } as const;

test.serial('tells where calls went, how long they stayed in a state, and where they failed', async (t) => {
  const gateway = await fakeGateway(t, atNow);
  await storeJourney(gateway, 5, talked);
  await storeJourney(gateway, 6, broke, failed);
  await storeJourney(gateway, 70, talked);
  const other = await addWorkspace(gateway.database);
  const number = await addNumber({ database: gateway.database, workspaceId: other.workspaceId });
  await storeJourney({ ...gateway, workspaceId: other.workspaceId, number }, 5, talked);

  const { status, body } = await gateway.admin.get('/api/v1/admin/fleet');
  t.is(status, 200);
  t.like(body, {
    since: '2026-11-21T11:10:00.000+09:00',
    until: '2026-11-21T12:10:00.000+09:00',
    calls: 2,
    is_whole: true,
  });
  const state = (chart: string, name: string, entries: number, median: number | null, failures = 0) => ({
    chart,
    state: name,
    entries,
    median_ms: median,
    failed: failures,
  });
  const byName = (all: unknown): string[] =>
    Array.isArray(all) ? all.map((one) => JSON.stringify(one)).toSorted() : [];
  t.deepEqual(
    byName(body['states']),
    byName([
      state('call', 'ringing.alerting', 2, 3_000),
      state('call', 'active.talking.conversing', 2, 15_000, 1),
      state('call', 'completed', 1, null),
      state('call', 'failed', 1, null),
      state('conversation', 'opening', 2, 2_000),
      state('conversation', 'listening.silent', 2, 2_000),
      state('conversation', 'awaiting', 1, null, 1),
    ]),
  );
  const went = (chart: string, from: string | null, to: string, count: number) => ({
    chart,
    from,
    to,
    count,
  });
  t.deepEqual(
    byName(body['transitions']),
    byName([
      went('call', null, 'ringing.alerting', 2),
      went('call', 'ringing.alerting', 'active.talking.conversing', 2),
      went('call', 'active.talking.conversing', 'completed', 1),
      went('call', 'active.talking.conversing', 'failed', 1),
      went('conversation', null, 'opening', 2),
      went('conversation', 'opening', 'listening.silent', 2),
      went('conversation', 'listening.silent', 'awaiting', 1),
    ]),
  );
  t.like((await gateway.admin.get('/api/v1/admin/fleet?minutes=1440')).body, { calls: 3 });
  t.like((await gateway.admin.get('/api/v1/admin/fleet?minutes=1')).body, {
    calls: 0,
    states: [],
    transitions: [],
  });
  const { body: viewer } = await gateway.admin.post('/api/v1/admin/tokens', {
    name: 'looks',
    role: 'viewer',
  });
  t.is((await gateway.admin.as(String(viewer['token'])).get('/api/v1/admin/fleet')).status, 403);
});

test.serial('tells the median time in a state to within 5 percent', async (t) => {
  const gateway = await fakeGateway(t, atNow);
  // 301 visits of a state, whose times are far apart: their median is 6.8 seconds.
  const times = Array.from({ length: 301 }, (_, index) => Math.exp(index / 40) / 6.25);
  let second = 0;
  const path: Path = { 0: 'listening' };
  for (const time of times) {
    path[(second += time)] = 'replying';
    path[(second += 1)] = 'listening';
  }
  await storeJourney(gateway, 30, { conversation: path });
  const { body } = await gateway.admin.get('/api/v1/admin/fleet');
  const states: unknown[] = Array.isArray(body['states']) ? body['states'] : [];
  const stateOf = (name: string) =>
    z
      .object({ entries: z.int(), median_ms: z.int() })
      .parse(states.find((one) => z.object({ state: z.string() }).parse(one).state === name));
  t.is(stateOf('replying').median_ms, 1_000);
  t.is(stateOf('listening').entries, 302);
  const exact = (times[150] ?? 0) * 1_000;
  const told = stateOf('listening').median_ms;
  t.true(Math.abs(told - exact) / exact < 0.05, `${told} of ${exact}`);
});

test.serial(
  'counts a chart that begins again at another gateway, and a call without transitions',
  async (t) => {
    const gateway = await fakeGateway(t, atNow);
    const id = await storeJourney(gateway, 5, {
      call: { 0: 'ringing.alerting', 2: 'active.talking.conversing' },
    });
    await storeCall(gateway, { startedAt: new Date(now - 60_000) });
    t.like((await gateway.admin.get('/api/v1/admin/fleet?minutes=2')).body, { calls: 1, states: [] });
    const again = (sequence: number, second: number, stateBefore: string | null, stateAfter: string) => ({
      callId: id,
      epoch: 2,
      sequence,
      at: new Date(now - 5 * 60_000 + second * 1_000),
      machine: 'call' as const,
      chartVersion: 'abc',
      stateBefore,
      eventType: 'xstate.init',
      stateAfter,
      factsBefore: 0,
    });
    await gateway.database.execute('update call set epoch = 2 where id = $1', [id]);
    await keepTransitions(gateway.database, [
      again(1, 60, null, 'active.taking-over'),
      again(2, 61, 'active.taking-over', 'active.talking.conversing'),
      again(3, 65, 'active.talking.conversing', 'completed'),
    ]);
    const { body } = await gateway.admin.get('/api/v1/admin/fleet');
    t.is(body['calls'], 2);
    const medians = z
      .object({ states: z.array(z.object({ state: z.string(), median_ms: z.int().nullable() })) })
      .parse(body)
      .states.map(({ state, median_ms: median }) => [state, median]);
    t.deepEqual(Object.fromEntries(medians), {
      'ringing.alerting': 2_000,
      'active.talking.conversing': 4_000,
      'active.taking-over': 1_000,
      completed: null,
    });
  },
);

test.serial('returns a result of the last minute again, unless a newer one is requested', async (t) => {
  let time = now;
  const gateway = await fakeGateway(t, { clock: { ...systemClock, now: () => time } });
  const callsAt = async (query: string): Promise<unknown> =>
    (await gateway.admin.get(`/api/v1/admin/fleet${query}`)).body['calls'];
  t.is(await callsAt(''), 0);
  await storeJourney(gateway, 5, talked);
  time += 59_000;
  t.is(await callsAt(''), 0);
  t.is(await callsAt('?max_age_sec=59'), 1);
  t.is(await callsAt('?minutes=30'), 1, 'another period');
});

test.serial('lists calls by the state in which they are or were', async (t) => {
  const gateway = await fakeGateway(t, atNow);
  const ended = await storeJourney(gateway, 5, talked);
  const broken = await storeJourney(gateway, 6, broke, failed);
  const current = await storeJourney(gateway, 7, ongoing, inProgress);
  const found = async (query: string): Promise<unknown> => {
    const { body } = await gateway.admin.get(`/api/v1/admin/calls?${query}`);
    return Array.isArray(body['calls']) ? body['calls'].map(({ id }: { id: string }) => id) : body['code'];
  };
  t.deepEqual(await found('state=conversation.listening'), [current]);
  t.deepEqual(await found('state=conversation.listening.silent&order=oldest'), [current]);
  t.deepEqual(await found('state=conversation.opening'), [], 'the call has left it');
  t.deepEqual(await found('state=call.completed'), [], 'the call is over');
  t.deepEqual(await found('state=conversation.listen'), [], 'a state is named whole');
  t.deepEqual(await found('visited=conversation.listening'), [ended, broken, current]);
  t.deepEqual(await found('visited=call.active.talking&status=failed'), [broken]);
  t.is(await found('state=listening'), 'invalid_request');
  t.is(await found('visited=other.listening'), 'invalid_request');
  const count = await gateway.admin.get('/api/v1/admin/call-count?visited=conversation.awaiting');
  t.like(count.body, { calls: 1 });
});

test.serial('streams the newest counts of the workspace until the reader leaves', async (t) => {
  const watched: string[] = [];
  let tell = (_calls: number): void => {};
  const gateway = await fakeGateway(t, {
    watchFleet(workspaceId, onCounts) {
      watched.push(workspaceId);
      tell = (calls) => {
        const states = { call: { 'active.talking': calls }, conversation: {}, voicemail: {} };
        const counts = { calls, gateways: 1, states };
        onCounts(counts, JSON.stringify(counts));
      };
      tell(1);
      return () => void watched.pop();
    },
  });
  const client = createClient({ baseUrl: gateway.baseUrl, key: gateway.adminToken });
  const seen: object[] = [];
  for await (const counts of client.watchFleet()) {
    seen.push(counts);
    if (seen.length === 2) break;
    t.deepEqual(watched, [gateway.workspaceId]);
    tell(2);
  }
  t.like(seen, [{ calls: 1 }, { calls: 2, gateways: 1, states: { call: { 'active.talking': 2 } } }]);
});

// A call as a file

const words = 'Alice asks about her order';

/** A call with words, a name, a number, metadata, a recording and a SIP message. */
const storeWholeCall = async (gateway: FakeGateway): Promise<string> => {
  const id = await storeJourney(gateway, 5, talked, {
    instruction: words,
    summary: words,
    counterparty: '01012345678',
    metadata: { alice: words },
    sipHeaders: { 'X-Alice': words },
  });
  await gateway.database.execute(
    `insert into call_turn (call_id, sequence, role, text, t_offset_sec, spoken_at, whole)
     values ($1, 1, 'assistant', $2, 0.5, now(), true), ($1, 2, 'user', $2, 2, now(), false)`,
    [id, words],
  );
  await gateway.database.execute(
    `insert into call_fact (call_id, sequence, type, at, data)
     values ($1, 1, 'call.answered', now(), '{}'), ($1, 2, 'turn.spoken', now(), $2), ($1, 3, 'keys.pressed', now(), $3)`,
    [id, { turn: 1, latency: { endpointingMs: 300, firstAudioMs: 420 } }, { keys: '4711' }],
  );
  await keepSipMessages(gateway.database, [
    {
      callId: id,
      atMicros: now * 1_000,
      direction: 'out',
      transport: 'udp',
      local: '192.0.2.7:5060',
      remote: '198.51.100.9:5060',
      text: 'INVITE sip:01012345678@198.51.100.9 SIP/2.0\r\nCall-ID: one@gw\r\n\r\n',
      leftOut: 0,
    },
  ]);
  await storeRecording(gateway.database, id, {
    status: 'completed',
    file: 'a.ogg',
    contentType: 'audio/ogg',
  });
  return id;
};

const fileIn = ({ bytes }: { bytes: Buffer }): ReturnType<typeof callFile.parse> =>
  callFile.parse(JSON.parse(bytes.toString()));

const sound = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));

test.serial('exports everything stored of a call as a file, and notes it in the audit log', async (t) => {
  const recordings = recordingsOf(sound);
  const gateway = await fakeGateway(t, { ...atNow, recordings });
  const id = await storeWholeCall(gateway);
  const path = `/api/v1/admin/calls/${id}/export`;
  const exported = await gateway.admin.get(path);
  const { status, headers } = exported;
  const body = fileIn(exported);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'application/vnd.trunkline.call+json');
  t.is(headers.get('content-disposition'), `attachment; filename="${id}.call.json"`);
  t.is(body.audio, undefined);
  t.like(body, {
    format: 'trunkline.call',
    version: 1,
    exported_at: '2026-11-21T12:10:00.000+09:00',
    masked: false,
    call: { id, instruction: words, counterparty: '01012345678' },
    facts: [{ type: 'call.answered' }, { data: { text: words } }, { data: { keys: '4711' } }],
    transitions: [
      { chart: 'call', chart_version: 'abc', from: null, event: 'xstate.init', to: 'ringing.alerting' },
      { chart: 'call', from: 'ringing.alerting', to: 'active.talking.conversing' },
      { chart: 'call', to: 'completed' },
      { chart: 'conversation', to: 'opening' },
      { chart: 'conversation', to: 'listening.silent' },
    ],
    charts: [
      { name: 'call', definition: { id: 'call' } },
      { name: 'conversation', definition: { id: 'conversation' } },
    ],
    turns: [
      { text: words, whole: true, latency: { endpointing_ms: 300, first_audio_ms: 420 } },
      { role: 'user', whole: false, latency: null },
    ],
    sip: { messages: [{ start_line: 'INVITE sip:01012345678@198.51.100.9 SIP/2.0' }] },
    truncated: [],
    audio_left_out: 'not_requested',
  });
  const replayed: unknown = (await gateway.admin.get(`/api/v1/admin/calls/${id}/replay`)).body['steps'];
  t.deepEqual<unknown, unknown>(body.steps, replayed);

  const withAudio = fileIn(await gateway.admin.get(`${path}?audio=1`));
  t.is(withAudio.audio_left_out, null);
  t.is(withAudio.audio?.content_type, 'audio/ogg');
  t.deepEqual(Buffer.from(withAudio.audio?.base64 ?? '', 'base64'), sound);
  t.is(recordings.isOpen(), 0);
  t.like((await gateway.admin.get('/api/v1/admin/audit')).body, {
    entries: [
      { action: 'call.exported', subject: `call:${id}`, detail: { audio: true, masked: false } },
      { action: 'call.exported', detail: { audio: false, masked: false } },
    ],
  });

  const { body: viewer } = await gateway.admin.post('/api/v1/admin/tokens', {
    name: 'looks',
    role: 'viewer',
  });
  t.is((await gateway.admin.as(String(viewer['token'])).get(path)).status, 403);
  const { adminToken } = await addWorkspace(gateway.database);
  t.is((await gateway.admin.as(adminToken).get(path)).status, 404);
});

test.serial(
  'masks words, names, numbers, digits and addresses in a file, and leaves the audio out',
  async (t) => {
    const gateway = await fakeGateway(t, { ...atNow, recordings: recordingsOf(sound) });
    const id = await storeWholeCall(gateway);
    const exported = await gateway.admin.get(`/api/v1/admin/calls/${id}/export?masked=1&audio=1`);
    const body = fileIn(exported);
    t.is(body.audio_left_out, 'masked');
    const text = exported.bytes.toString();
    for (const secret of [
      /alice/i,
      /order/,
      /12345678/,
      /(?<![\w-])4711(?![\w-])/,
      /192\.0\.2/,
      /198\.51/,
      /one@gw/,
    ])
      t.notRegex(text, secret);
    t.like(body, {
      masked: true,
      call: { id, status: 'completed', end_reason: 'agent_hangup', counterparty: '010•••••678' },
      facts: [
        { type: 'call.answered' },
        { data: { text: '(26 characters)', latency: { first_audio_ms: 420 } } },
      ],
      transitions: [{ to: 'ringing.alerting' }],
      turns: [{ role: 'assistant', text: '(26 characters)' }],
      sip: { messages: [{ start_line: 'INVITE (masked) SIP/2.0', sip_call_id: '1' }] },
    });
  },
);

test.serial('leaves a recording out that is too large for a file', async (t) => {
  const closed: string[] = [];
  const gateway = await fakeGateway(t, {
    recordings: {
      open: async ({ file }) => ({
        bytes: 33 * 1024 * 1024,
        read: () => Promise.reject(new Error('It is not read.')),
        close: async () => void closed.push(file),
      }),
    },
  });
  const id = await storeWholeCall(gateway);
  const file = fileIn(await gateway.admin.get(`/api/v1/admin/calls/${id}/export?audio=1`));
  t.is(file.audio_left_out, 'too_large');
  t.deepEqual(closed, ['a.ogg']);
});
