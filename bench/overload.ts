/**
 * Overload: calls in progress, and rejected requests, while a gateway receives many more calls than it can carry. 200
 * calls talk to an agent. After ten seconds, 600 requests a second arrive for twenty seconds, regardless of their
 * results; accepted calls talk to the agent, too. The turns of the 200 are measured as in `turn.ts`, before and during
 * the flood.
 *
 * Three rounds with the default GW_MAX_DELAY_MS alternate with three rounds with 0; the median counts. The client, the
 * agent and the database share the processors with the gateway, so a rejected request waits for those, too.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { loadavg } from 'node:os';
import { Pool } from 'undici';
import { z } from 'zod';
import { readConfig } from '#config/config.ts';
import type { Bench } from './bench.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { median, percentile } from './percentile.ts';
import { startTalkingGateway, talkingCallee } from './talking-gateway.ts';
import { fetchAgentTurns, pairTurns, readSpokenTurns } from './turn-times.ts';

const rounds = 3;
const talking = 200;
const perSecond = 600;
const calmMs = 10_000;
const floodMs = 20_000;
const reply = '알겠습니다. 그 시간으로 예약을 확인해 드리겠습니다.';
const script = [
  { listen: true },
  ...Array.from({ length: 8 }, () => ({ say: '네, 오후 세 시가 좋겠습니다.' })),
  { listen: true },
  { hang_up: true },
];

/** Results of the requests, with response times in milliseconds. */
type Flood = { asked: number; refusedMs: number[]; takenMs: number[] };

/** Sends requests at this rate, without waiting for responses to earlier ones. */
const flood = async ({ url, headers }: GatewayProcess): Promise<Flood> => {
  const pool = new Pool(url, { connections: 256, pipelining: 1 });
  const result: Flood = { asked: 0, refusedMs: [], takenMs: [] };
  const body = JSON.stringify({ to: talkingCallee });
  const ask = async (): Promise<void> => {
    const begun = performance.now();
    const { statusCode, body: answer } = await pool.request({
      method: 'POST',
      path: '/api/v1/calls',
      headers,
      body,
    });
    await answer.dump();
    const took = performance.now() - begun;
    if (statusCode === 503) result.refusedMs.push(took);
    if (statusCode === 201) result.takenMs.push(took);
  };
  const begun = performance.now();
  const asking: Promise<void>[] = [];
  for (let now = begun; now - begun < floodMs; now = performance.now()) {
    for (; result.asked < ((now - begun) / 1_000) * perSecond; result.asked += 1) asking.push(ask());
    await pause(5);
  }
  await Promise.all(asking);
  await pool.destroy();
  return result;
};

const placed = z.object({ call_id: z.string() });

/** Starts the calls that talk; resolves to their ids. */
const beginTalking = async ({ url, headers }: GatewayProcess): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  const body = JSON.stringify({ to: talkingCallee });
  while (ids.size < talking) {
    const response = await fetch(`${url}/api/v1/calls`, { method: 'POST', headers, body });
    // Beside other work the gateway may refuse a call of the calm time.
    if (response.status === 503) await response.body?.cancel();
    else ids.add(placed.parse(await response.json()).call_id);
    await pause(20);
  }
  return ids;
};

const untilEnded = async ({ database }: GatewayProcess, ids: ReadonlySet<string>): Promise<void> => {
  const inProgress = z.array(z.object({ id: z.string() }));
  for (;;) {
    const rows = inProgress.parse(
      await database.execute("select id from call where status in ('ringing', 'active')"),
    );
    if (!rows.some(({ id }) => ids.has(id))) return;
    await pause(500);
  }
};

type Round = { flood: Flood; calmP99: number; floodP99: number; load: number };

const measure = async (
  ofBench: AsyncDisposableStack,
  settings: Readonly<Record<string, string>>,
): Promise<Round> => {
  await using started = new AsyncDisposableStack();
  // Owned by the bench as well: no round begins after the bench was interrupted.
  ofBench.defer(() => started.disposeAsync());
  const { gateway, agentUrl } = await startTalkingGateway(started, { script, reply, settings });

  const ids = await beginTalking(gateway);
  const calmFrom = Date.now();
  await pause(calmMs);
  const floodFrom = Date.now();
  const flooded = await flood(gateway);
  const floodUntil = Date.now();
  const [averageLoad = 0] = loadavg();
  await untilEnded(gateway, ids);
  const ofTalking = ({ callId }: { callId: string }): boolean => ids.has(callId);
  const turns = pairTurns(
    (await readSpokenTurns(gateway.database)).filter(ofTalking),
    (await fetchAgentTurns(agentUrl)).filter(ofTalking),
    // Turns lost in the flood have no time to measure.
    'left out',
  );
  const p99 = (from: number, until: number): number =>
    percentile(
      turns
        .filter(({ endedAt }) => endedAt >= from && endedAt < until)
        .map(({ toAgentMs, toLineMs }) => toAgentMs + toLineMs),
      0.99,
    );
  return {
    flood: flooded,
    calmP99: p99(calmFrom, floodFrom),
    floodP99: p99(floodFrom, floodUntil),
    load: averageLoad,
  };
};

export const benchOverload: Bench = async ({ started, print }) => {
  const usual = String(readConfig({}, false).maxDelayMs);
  const kinds = { 'load shed': { GW_MAX_DELAY_MS: usual }, 'never shed': {} };
  const results = new Map<string, Round[]>();
  for (let round = 0; round < rounds; round += 1)
    for (const [kind, settings] of Object.entries(kinds))
      results.set(kind, [...(results.get(kind) ?? []), await measure(started, settings)]);
  for (const [kind, measured] of results) {
    const typical = (figure: (round: Round) => number): string => median(measured.map(figure)).toFixed(0);
    const share = (of: (flood: Flood) => number) => typical(({ flood: all }) => (of(all) / all.asked) * 100);
    const p99 = (times: (flood: Flood) => number[]) =>
      typical((round) => percentile(times(round.flood), 0.99));
    print(
      kind,
      `of ${perSecond} requests a second ${share(({ takenMs }) => takenMs.length)} % are taken, ${share(({ refusedMs }) => refusedMs.length)} % turned away; added per turn p99 ${typical(({ floodP99 }) => floodP99)} ms (before: ${typical(({ calmP99 }) => calmP99)} ms; aim ≤ 50); turned away within p99 ${p99(({ refusedMs }) => refusedMs)} ms (aim ≤ 5), taken within ${p99(({ takenMs }) => takenMs)} ms; load ${typical(({ load: average }) => average)}`,
    );
  }
};
