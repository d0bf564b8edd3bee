/** Metrics: the event loop, calls and trunks. */
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { Registry } from 'prom-client';
import { SimulatedClock } from 'xstate';
import { z } from 'zod';
import type { CallFact } from '#machines/facts.ts';
import type { SipReason } from '#machines/line.ts';
import { createCallBus } from '#src/calls/call-bus.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { eventLoop } from '#config/policy.ts';
import type { RecordedFact } from '#src/persistence/calls/call-facts.ts';
import { watchEventLoop } from '#src/telemetry/event-loop.ts';
import { createMetrics, lagIntervalMs } from '#src/telemetry/metrics.ts';
import { trunkMetrics } from '#src/telemetry/trunk-metrics.ts';
import { scriptedDatabase } from '#test/helpers/scripted-database.ts';
import { someRoute, someSound } from '#test/helpers/some-sound.ts';

// Metrics

const silent = pino({ level: 'silent' });

type Row = Record<string, unknown>;

/** A database that returns this one row, and counts queries. */
const databaseOf = (answer: () => Promise<Row>) => {
  const asked = { count: 0 };
  const database = scriptedDatabase(async () => {
    asked.count += 1;
    return [await answer()];
  });
  return { database, asked };
};

const nothingWaits = { pending: 0, held: 0, dead: 0, oldestPendingAt: null };

const createMetricsWorld = (answer: () => Promise<Row> = async () => nothingWaits) => {
  const bus = createCallBus({ logger: silent });
  const metrics = createMetrics(bus);
  const liveCalls = createLiveCalls();
  const clock = new SimulatedClock();
  const { database, asked } = databaseOf(answer);
  const health = { isReady: true };
  metrics.watch({
    liveCalls,
    journal: { backlog: () => 3 },
    lines: { health: () => (health.isReady ? { ready: true } : { ready: false, detail: 'It is gone.' }) },
    trunks: {
      all: () => [],
      status: () => ({
        state: 'ready',
        detail: null,
        lastSeenAt: null,
        restsUntil: null,
        channels: 0,
        addresses: [],
      }),
    },
    refusedCallers: () => ({ unknown: 2 }),
    mediaServers: () => [
      {
        name: 'media:8021',
        isUsable: true,
        calls: 3,
        load: { sessions: 5, maxSessions: 1_000, idleCpu: 87.5 },
      },
      { name: 'other:8021', isUsable: false, calls: 0, load: null },
    ],
    lostSipMessages: () => 4,
    lostSeconds: () => 1.5,
    database,
    clock,
    logger: silent,
  });
  const stored = (fact: RecordedFact): void => bus.publish('stored', { callId: 'a', fact, ended: null });
  return { bus, stored, metrics, liveCalls, clock, asked, health, text: () => metrics.registry.metrics() };
};

/** The value of one line of Prometheus' text format; undefined if it is missing. */
const valueIn = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

test.serial('counts calls at start and end, and returns the current number', async (t) => {
  const { bus, liveCalls, text } = createMetricsWorld();
  bus.publish('began', { callId: 'a', direction: 'outbound' });
  liveCalls.add({ callId: 'a', numberId: 'n', workspaceId: 'w', direction: 'outbound', status: 'ringing' });
  let shown = await text();
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="outbound",status="ringing"}'), 1);
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="inbound",status="active"}'), 0);

  liveCalls.setStatus('a', 'active');
  shown = await text();
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="outbound",status="ringing"}'), 0);
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="outbound",status="active"}'), 1);

  liveCalls.remove('a');
  bus.publish('ended', {
    callId: 'a',
    direction: 'outbound',
    status: 'completed',
    reason: 'agent_hangup',
  });
  shown = await text();
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="outbound",status="active"}'), 0);
  t.is(valueIn(shown, 'trunkline_calls_started_total{direction="outbound"}'), 1);
  t.is(
    valueIn(
      shown,
      'trunkline_calls_ended_total{direction="outbound",status="completed",end_reason="agent_hangup"}',
    ),
    1,
  );
});

test.serial('has metrics in base units for stages, replies, recordings, requests and lines', async (t) => {
  const { bus, stored, metrics, health, text } = createMetricsWorld();
  bus.publish('measured', { callId: 'a', agent: 'webhook', stage: 'first_token', milliseconds: 250 });
  bus.publish('measured', { callId: 'a', agent: null, stage: 'endpointing', milliseconds: 1_250 });
  stored({ type: 'reply.failed', at: 1, turn: 1, failure: 'http_error' });
  metrics.languageModelFailed('first_token_timeout');
  stored({ type: 'recording.failed', at: 1 });
  const sip = (...reasons: SipReason[]) => ({ status: 603, reason: 'Decline', callId: 'x', reasons });
  const over = { type: 'call.ended', at: 1, reason: 'declined', status: 'no_answer' } as const;
  const q850 = { protocol: 'q.850', cause: 21, text: null };
  stored({ ...over, sip: sip({ protocol: 'SIP', cause: 603, text: 'Blocked' }, q850) });
  for (let cause = 700; cause < 720; cause += 1)
    stored({
      ...over,
      sip: sip({ protocol: 'SIP', cause, text: null }, { protocol: `x${cause}`, cause, text: null }),
    });
  const request = { method: 'GET', route: '/api/v1/calls', status: 200, seconds: 0.02, isStream: false };
  metrics.requestAnswered(request);
  metrics.requestAnswered({ ...request, route: null, status: 404 });
  metrics.requestAnswered({ ...request, seconds: 900, isStream: true });
  health.isReady = false;
  const shown = await text();
  for (const [line, value] of [
    ['trunkline_turn_stage_seconds_sum{stage="first_token",agent="webhook"}', 0.25],
    ['trunkline_turn_stage_seconds_bucket{le="0.2",stage="first_token",agent="webhook"}', 0],
    ['trunkline_turn_stage_seconds_bucket{le="0.3",stage="first_token",agent="webhook"}', 1],
    ['trunkline_turn_stage_seconds_sum{stage="endpointing",agent="none"}', 1.25],
    ['trunkline_replies_failed_total{failure="http_error"}', 1],
    ['trunkline_language_model_failures_total{failure="first_token_timeout"}', 1],
    ['trunkline_sip_reasons_total{protocol="SIP",cause="603"}', 1],
    ['trunkline_sip_reasons_total{protocol="Q.850",cause="21"}', 1],
    ['trunkline_sip_reasons_total{protocol="SIP",cause="other"}', 20],
    ['trunkline_sip_reasons_total{protocol="other",cause="other"}', 20],
    ['trunkline_recordings_finished_total{outcome="failed"}', 1],
    ['trunkline_recordings_finished_total{outcome="completed"}', 0],
    ['trunkline_http_requests_total{method="GET",route="/api/v1/calls",status="200"}', 2],
    ['trunkline_http_requests_total{method="GET",route="none",status="404"}', 1],
    ['trunkline_http_request_seconds_sum{method="GET",route="/api/v1/calls"}', 0.02],
    ['trunkline_lines_ready', 0],
    ['trunkline_trunks{state="unreachable"}', 0],
    ['trunkline_refused_callers_total{fault="unknown"}', 2],
    ['trunkline_media_server_ready{media_server="media:8021"}', 1],
    ['trunkline_media_server_calls{media_server="media:8021"}', 3],
    ['trunkline_media_server_sessions{media_server="media:8021"}', 5],
    ['trunkline_media_server_max_sessions{media_server="media:8021"}', 1_000],
    ['trunkline_media_server_idle_cpu_ratio{media_server="media:8021"}', 0.875],
    ['trunkline_sip_messages_lost_total', 4],
    ['trunkline_unheard_sound_seconds_total', 1.5],
    ['trunkline_facts_waiting', 3],
  ] as const) {
    t.is(valueIn(shown, line), value, line);
  }
  t.notRegex(shown, /sessions\{media_server="other:8021"\}/, 'unknown without a heartbeat');
});

test.serial('queries pending deliveries from the database at most every ten seconds', async (t) => {
  const { clock, asked, text } = createMetricsWorld(async () => ({
    pending: 4,
    held: 2,
    dead: 1,
    oldestPendingAt: new Date(0),
  }));
  clock.set(5_000);
  const shown = await text();
  t.is(valueIn(shown, 'trunkline_event_deliveries{state="pending"}'), 4);
  t.is(valueIn(shown, 'trunkline_event_deliveries{state="held"}'), 2);
  t.is(valueIn(shown, 'trunkline_event_deliveries{state="dead"}'), 1);
  t.is(valueIn(shown, 'trunkline_event_delivery_oldest_seconds'), 5);
  t.is(asked.count, 1);
  clock.set(14_000);
  t.is(valueIn(await text(), 'trunkline_event_delivery_oldest_seconds'), 14);
  t.is(asked.count, 1);
  clock.set(15_001);
  await text();
  t.is(asked.count, 2);
});

test.serial('omits only the database metrics while the database is unreachable', async (t) => {
  const { clock, text } = createMetricsWorld(() => new Promise(() => {}));
  const asking = text();
  clock.increment(2_000);
  const shown = await asking;
  t.notRegex(shown, /^trunkline_event_deliver/m);
  t.is(valueIn(shown, 'trunkline_facts_waiting'), 3);
});

test.serial('every metric has a description and a name by Prometheus conventions', async (t) => {
  const { metrics } = createMetricsWorld();
  const own = (await metrics.registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('trunkline_'));
  t.true(own.length >= 12);
  for (const { name, help, type } of own) {
    t.regex(name, /^trunkline_[a-z]+(_[a-z]+)*$/);
    t.true(help.length > 20, name);
    // The document names types by words, although the library declares them as numbers.
    t.is(String(type) === 'counter', name.endsWith('_total'), name);
    if (String(type) === 'histogram') t.regex(name, /_seconds$/);
  }
});

/** Labels of the series of a metric type. */
const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['_sum', '_count'],
};

const dashboard = z.object({
  title: z.literal('Trunkline'),
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string().min(1),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

const readDashboard = () =>
  dashboard.parse(
    JSON.parse(readFileSync(new URL('../../config/grafana/trunkline.json', import.meta.url), 'utf8')),
  );

test.serial('the dashboard uses existing metrics and labels', async (t) => {
  const { panels, templating } = readDashboard();
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  const { metrics } = createMetricsWorld();
  const exposed = new Map<string, readonly string[]>();
  for (const { name, type } of await metrics.registry.getMetricsAsJSON()) {
    const metric = metrics.registry.getSingleMetric(name);
    const labels = z.object({ labelNames: z.array(z.string()).default([]) }).parse(metric).labelNames;
    for (const suffix of suffixes[String(type)] ?? ['']) exposed.set(`${name}${suffix}`, labels);
  }
  // Labels that Prometheus itself adds.
  const always = ['job', 'instance', 'le'];
  const queries = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.map(({ query }) => query).filter((query) => query.includes('(')),
  ];
  t.true(queries.length > 15);
  for (const query of queries) {
    const names = query.match(/\b(?:trunkline|process|nodejs)_\w+/g) ?? [];
    t.true(names.length > 0, query);
    const [, grouped = ''] = /by \(([^)]*)\)/.exec(query) ?? [];
    for (const name of names) {
      const labels = exposed.get(name);
      t.truthy(labels, name);
      for (const label of grouped.split(', ').filter((word) => word !== ''))
        t.true([...always, ...(labels ?? [])].includes(label), `${name} has no label ${label}`);
    }
  }
  const asked = queries.join(' ');
  for (const name of exposed.keys()) {
    if (name.startsWith('trunkline_') && !/_(sum|count)$/.test(name)) t.true(asked.includes(name), name);
  }
});

test('the dashboard subtracts the interval of the measurements from each lag of the event loop', (t) => {
  const lags = readDashboard()
    .panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    .filter((expr) => expr.includes('nodejs_eventloop_lag_'));
  t.true(lags.length > 0);
  for (const expr of lags) {
    const [, subtracted] = /nodejs_eventloop_lag_\w+\{[^}]*\} - ([\d.]+)/.exec(expr) ?? [];
    t.is(Number(subtracted) * 1_000, lagIntervalMs, expr);
  }
});

// Trunk metrics

const createTrunkMetricsWorld = () => {
  const registry = new Registry();
  const bus = createCallBus({ logger: silent });
  trunkMetrics(registry, bus);
  const factPublished = (callId: string, fact: CallFact & { at: number }): void =>
    bus.publish('fact', { callId, fact });
  let calls = 0;
  const call = (
    direction: 'inbound' | 'outbound',
    route: Partial<typeof someRoute>,
    answeredFor: number | null,
    sound = someSound,
  ): void => {
    const callId = String((calls += 1));
    const whole = { ...someRoute, ...route };
    bus.publish('began', { callId, direction });
    if (answeredFor !== null) factPublished(callId, { type: 'call.answered', at: 1_000, route: whole });
    const at = 1_000 + (answeredFor ?? 0);
    const status = answeredFor === null ? 'no_answer' : 'completed';
    factPublished(callId, { type: 'call.ended', at, reason: 'busy', status, route: whole, sound });
    bus.publish('ended', { callId, direction, status, reason: 'busy' });
  };
  const value = async (line: string): Promise<number | undefined> => {
    const found = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  };
  return { registry, bus, factPublished, call, value };
};

test.serial('counts answers, durations, post-dial delays and audio quality for each trunk', async (t) => {
  const { call, value } = createTrunkMetricsWorld();
  call('outbound', {}, 30_000);
  call('outbound', {}, null);
  call('inbound', { postDialDelayMs: null }, 10_000, {
    ...someSound,
    received: { ...someSound.received, mos: 2 },
  });
  const calls = (labels: string) => value(`trunkline_trunk_calls_total{trunk="carrier",${labels}}`);
  t.is(await calls('direction="outbound",outcome="answered"'), 1);
  t.is(await calls('direction="outbound",outcome="unanswered"'), 1);
  t.is(await calls('direction="inbound",outcome="answered"'), 1);
  t.is(await value('trunkline_trunk_call_seconds_sum{trunk="carrier"}'), 40);
  t.is(await value('trunkline_trunk_call_seconds_count{trunk="carrier"}'), 2);
  t.is(await value('trunkline_trunk_post_dial_delay_seconds_count{trunk="carrier"}'), 2);
  t.is(await value('trunkline_trunk_post_dial_delay_seconds_sum{trunk="carrier"}'), 3.66);
  t.is(await value('trunkline_trunk_mos_sum{trunk="carrier"}'), 4.36 + 4.36 + 2);
  t.is(await value('trunkline_trunk_mos_count{trunk="carrier"}'), 3);
});

test.serial('counts a failure for a trunk although another trunk carried the call', async (t) => {
  const { call, value } = createTrunkMetricsWorld();
  call('outbound', { trunk: { id: 'first', name: 'near' } }, 1_000);
  call('outbound', { trunk: { id: 'second', name: 'far' }, failedTrunks: ['first'] }, 1_000);
  const near = 'trunkline_trunk_calls_total{trunk="near",direction="outbound"';
  t.is(await value(`${near},outcome="failed_over"}`), 1);
  t.is(await value(`${near},outcome="answered"}`), 1);
});

test.serial('limits the number of trunk labels', async (t) => {
  const { registry, call, value } = createTrunkMetricsWorld();
  for (let trunk = 1; trunk <= 250; trunk += 1)
    call('inbound', { trunk: { id: `id-${trunk}`, name: `trunk ${trunk}` } }, 1_000);
  t.is(await value('trunkline_trunk_calls_total{trunk="other",direction="inbound",outcome="answered"}'), 50);
  const lines = (await registry.metrics()).split('\n');
  t.is(lines.filter((line) => line.startsWith('trunkline_trunk_calls_total{')).length, 201);
});

test.serial('counts one-way audio during the call', async (t) => {
  const { factPublished, value } = createTrunkMetricsWorld();
  t.is(await value('trunkline_one_way_sound_total{missing="nothing_delivered"}'), 0);
  factPublished('a', { type: 'sound.one_way', at: 1, missing: 'nothing_delivered' });
  t.is(await value('trunkline_one_way_sound_total{missing="nothing_delivered"}'), 1);
});

test.serial('forgets a call that another gateway has taken over', async (t) => {
  const { registry, bus, factPublished } = createTrunkMetricsWorld();
  bus.publish('began', { callId: 'a', direction: 'outbound' });
  bus.publish('taken', { callId: 'a' });
  bus.publish('released', { callId: 'a' });
  factPublished('a', { type: 'call.ended', at: 1, reason: 'busy', status: 'no_answer', route: someRoute });
  t.notRegex(await registry.metrics(), /trunkline_trunk_calls_total\{/);
});

test.serial('does not count a call without a trunk for any trunk', async (t) => {
  const { registry, factPublished } = createTrunkMetricsWorld();
  factPublished('a', { type: 'call.ended', at: 1, reason: 'busy', status: 'no_answer' });
  t.notRegex(await registry.metrics(), /trunkline_trunk_calls_total\{/);
});

// Event loop

/** Timers that fire when the test decides, however late. */
const watched = (t: ExecutionContext, { isReady = true } = {}) => {
  let nowMs = 1_000;
  let activeMs = 0;
  let due: { callback: () => void; atMs: number } | undefined;
  const logged: Record<string, unknown>[] = [];
  const registry = new Registry();
  const {
    close: end,
    ready,
    delayMs,
    currentDelayMs,
  } = watchEventLoop({
    numbers: eventLoop,
    // `active` is the time of its own work; a delay counts by `own`.
    measureUtilization: (newer, older) => {
      if (newer === undefined || older === undefined)
        return { idle: nowMs - activeMs, active: activeMs, utilization: 0 };
      const active = newer.active - older.active;
      const idle = newer.idle - older.idle;
      return { idle, active, utilization: active / (active + idle) };
    },
    clock: {
      now: () => nowMs,
      setTimeout(callback, milliseconds) {
        t.is(due, undefined, 'one timer at a time');
        due = { callback, atMs: nowMs + milliseconds };
        return due;
      },
      clearTimeout(timer) {
        if (timer === due) due = undefined;
      },
    },
    registry,
    logger: pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
  });
  if (isReady) ready();
  return {
    end,
    ready,
    delayMs,
    currentDelayMs,
    /** The loop works for this long without running the due timer. */
    work(milliseconds: number) {
      nowMs += milliseconds;
      activeMs += milliseconds;
    },
    logged,
    isWaiting: () => due !== undefined,
    /** The timer fires this many milliseconds late; `share` of that time was the loop's own work. */
    tick(lateMs: number, busy = 1) {
      const timer = due;
      due = undefined;
      const before = nowMs;
      nowMs = (timer?.atMs ?? nowMs) + lateMs;
      activeMs += busy * (nowMs - before);
      timer?.callback();
    },
    measured: async (name: string): Promise<unknown> =>
      (await registry.metrics())
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
  };
};

test.serial('measures a stall of the event loop and logs its duration once', async (t) => {
  const loop = watched(t);
  loop.tick(0);
  loop.tick(499);
  t.deepEqual(loop.logged, []);
  loop.tick(2_250.4);
  loop.tick(3);
  t.is(loop.logged.length, 1);
  t.like(loop.logged[0], { stall_ms: 2_250, level: 40 });
  loop.tick(500);
  t.is(loop.logged.length, 2);
  t.is(await loop.measured('trunkline_event_loop_stall_seconds_count'), '2');
  t.is(await loop.measured('trunkline_event_loop_stall_seconds_sum'), '2.75');
});

test.serial('judges no delay from before the gateway was ready', (t) => {
  const loop = watched(t, { isReady: false });
  for (let looks = 0; looks < 10; looks += 1) loop.tick(600);
  t.is(loop.delayMs(), 0);
  t.is(loop.currentDelayMs(), 0);
  t.is(loop.logged.length, 10, 'stalls are logged');
  loop.work(eventLoop.everyMs + 600);
  loop.ready();
  for (let looks = 0; looks < 3; looks += 1) loop.tick(0);
  t.is(loop.delayMs(), 0);
  for (let looks = 0; looks < 3; looks += 1) loop.tick(100);
  t.is(loop.currentDelayMs(), 100);
});

test.serial('clears the timer when event loop watching stops', (t) => {
  const loop = watched(t);
  loop.tick(0);
  t.true(loop.isWaiting());
  loop.end();
  t.false(loop.isWaiting());
});

test.serial('ignores a single stall of the event loop', (t) => {
  const loop = watched(t);
  for (let looks = 0; looks < 10; looks += 1) loop.tick(0);
  loop.tick(5_000);
  loop.tick(0);
  t.is(loop.delayMs(), 0);
});

test.serial('detects a lasting event loop delay within two seconds, and its end within two seconds', (t) => {
  const loop = watched(t);
  t.is(loop.delayMs(), 0);
  for (let looks = 0; looks < 20; looks += 1) loop.tick(0);
  for (let looks = 0; looks < 10; looks += 1) loop.tick(100);
  t.is(loop.delayMs(), 100);
  for (let looks = 0; looks < 20; looks += 1) loop.tick(0);
  t.is(loop.delayMs(), 0);
});

test.serial('detects an event loop delay of seconds after the second one', (t) => {
  const loop = watched(t);
  for (let looks = 0; looks < 30; looks += 1) loop.tick(0);
  loop.tick(3_000);
  t.is(loop.delayMs(), 0);
  loop.tick(3_000);
  t.is(loop.delayMs(), 3_000);
});

test.serial('rejects no calls for delays caused by other programs on the machine', (t) => {
  const loop = watched(t);
  for (let looks = 0; looks < 30; looks += 1) loop.tick(100, 0.3);
  t.is(loop.delayMs(), 0);
  for (let looks = 0; looks < 30; looks += 1) loop.tick(100, 0.65);
  t.is(Math.round(loop.delayMs()), 50);
  for (let looks = 0; looks < 30; looks += 1) loop.tick(100, 0.9);
  t.is(loop.delayMs(), 100);
});

test.serial('measures the current delay from the second late timer on, also one that is pending', (t) => {
  const loop = watched(t);
  for (let looks = 0; looks < 10; looks += 1) loop.tick(0);
  loop.tick(400);
  t.is(loop.currentDelayMs(), 0, 'a single stall');
  loop.work(eventLoop.everyMs + 30);
  t.is(loop.currentDelayMs(), 30, 'the pending timer is late as well');
  loop.tick(40);
  t.is(loop.currentDelayMs(), 40);
  loop.tick(0);
  t.is(loop.currentDelayMs(), 0);
});

test.serial('measures no current delay that other programs on the machine cause', (t) => {
  const loop = watched(t);
  for (let looks = 0; looks < 10; looks += 1) loop.tick(100, 0.3);
  t.is(loop.currentDelayMs(), 0);
});
