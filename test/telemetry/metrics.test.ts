import { readFileSync } from 'node:fs';
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import * as z from 'zod';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { createMetrics } from '#src/telemetry/metrics.ts';
import { scriptedDatabase } from '#test/helpers/scripted-database.ts';

const silent = pino({ level: 'silent' });

type Row = Record<string, unknown>;

/** A database that gives this one row, and counts how often it was asked. */
const databaseOf = (answer: () => Promise<Row>) => {
  const asked = { count: 0 };
  const database = scriptedDatabase(async () => {
    asked.count += 1;
    return [await answer()];
  });
  return { database, asked };
};

const nothingWaits = { pending: 0, held: 0, dead: 0, oldestPendingAt: null };

const createWorld = (answer: () => Promise<Row> = async () => nothingWaits) => {
  const metrics = createMetrics();
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
    mediaServers: () => [{ name: 'media:8021', isUsable: true, calls: 3 }],
    lostSipMessages: () => 4,
    unheardSeconds: () => 1.5,
    database,
    clock,
    logger: silent,
  });
  return { metrics, liveCalls, clock, asked, health, text: () => metrics.registry.metrics() };
};

/** The value of one line of Prometheus' text format; undefined where there is no such line. */
const valueIn = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

test('calls are counted as they begin and end, and shown while they last', async (t) => {
  const { metrics, liveCalls, text } = createWorld();
  const { observer } = metrics;
  observer.began({ callId: 'a', direction: 'outbound' });
  liveCalls.add({ callId: 'a', numberId: 'n', workspaceId: 'w', direction: 'outbound', status: 'ringing' });
  let shown = await text();
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="outbound",status="ringing"}'), 1);
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="inbound",status="active"}'), 0);

  liveCalls.setStatus('a', 'active');
  shown = await text();
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="outbound",status="ringing"}'), 0);
  t.is(valueIn(shown, 'trunkline_calls_in_progress{direction="outbound",status="active"}'), 1);

  liveCalls.remove('a');
  observer.ended({ callId: 'a', direction: 'outbound', status: 'completed', reason: 'agent_hangup' });
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

test('stages, replies, recordings, requests and lines have their figures, in base units', async (t) => {
  const { metrics, health, text } = createWorld();
  metrics.turnStage('first_token', 250);
  metrics.factWritten({ type: 'reply.failed', at: 1, turn: 1, failure: 'http_error' });
  metrics.languageModelFailed('first_token_timeout');
  metrics.factWritten({ type: 'recording.failed', at: 1 });
  const request = { method: 'GET', route: '/api/v1/calls', status: 200, seconds: 0.02, isStream: false };
  metrics.requestAnswered(request);
  metrics.requestAnswered({ ...request, route: null, status: 404 });
  metrics.requestAnswered({ ...request, seconds: 900, isStream: true });
  health.isReady = false;
  const shown = await text();
  for (const [line, value] of [
    ['trunkline_turn_stage_seconds_sum{stage="first_token"}', 0.25],
    ['trunkline_turn_stage_seconds_bucket{le="0.2",stage="first_token"}', 0],
    ['trunkline_turn_stage_seconds_bucket{le="0.3",stage="first_token"}', 1],
    ['trunkline_replies_failed_total{failure="http_error"}', 1],
    ['trunkline_language_model_failures_total{failure="first_token_timeout"}', 1],
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
    ['trunkline_sip_messages_lost_total', 4],
    ['trunkline_unheard_sound_seconds_total', 1.5],
    ['trunkline_facts_waiting', 3],
  ] as const) {
    t.is(valueIn(shown, line), value, line);
  }
});

test('what waits for its delivery is looked up in the database, not more often than every ten seconds', async (t) => {
  const { clock, asked, text } = createWorld(async () => ({
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

test('while the database is away its figures are missing, and all others are there', async (t) => {
  const { clock, text } = createWorld(() => new Promise(() => {}));
  const asking = text();
  clock.increment(2_000);
  const shown = await asking;
  t.notRegex(shown, /^trunkline_event_deliver/m);
  t.is(valueIn(shown, 'trunkline_facts_waiting'), 3);
});

test('every metric says what it is, by a name that Prometheus would choose', async (t) => {
  const { metrics } = createWorld();
  const own = (await metrics.registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('trunkline_'));
  t.true(own.length >= 12);
  for (const { name, help, type } of own) {
    t.regex(name, /^trunkline_[a-z]+(_[a-z]+)*$/);
    t.true(help.length > 20, name);
    // A type is told by its word in the document, though the declaration of it is a number.
    t.is(String(type) === 'counter', name.endsWith('_total'), name);
    if (String(type) === 'histogram') t.regex(name, /_seconds$/);
  }
});

/** Of the series that a metric of a type has. */
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

test('the dashboard asks for metrics that exist, with labels that they have', async (t) => {
  const file = new URL('../../config/grafana/trunkline.json', import.meta.url);
  const { panels, templating } = dashboard.parse(JSON.parse(readFileSync(file, 'utf8')));
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  const { metrics } = createWorld();
  const exposed = new Map<string, readonly string[]>();
  for (const { name, type } of await metrics.registry.getMetricsAsJSON()) {
    const metric = metrics.registry.getSingleMetric(name);
    const labels = z.object({ labelNames: z.array(z.string()).default([]) }).parse(metric).labelNames;
    for (const suffix of suffixes[String(type)] ?? ['']) exposed.set(`${name}${suffix}`, labels);
  }
  // Added by Prometheus itself.
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
