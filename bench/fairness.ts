/**
 * Fairness: a workspace beside another one whose servers do not respond. The gateway serves two workspaces. The good
 * one has 40 calls that talk to a webhook agent, and a receiver of their events. The bad one has twelve receivers that
 * hang, twelve numbers whose agents have names at a dead DNS server, and twelve more receivers with such names. In
 * every second round the bad one's receivers and its DNS server (with "no such name") respond at once: the same calls
 * and events without waiting. The rounds alternate, so that a noisy neighbour on the machine affects both; their median
 * counts.
 *
 * - **events**: from the moment at which something happened to its arrival at the good receiver.
 * - **turns**: the gateway's share of a turn (see `turn.ts`). The agent closes each connection, so that every turn
 *   needs a lookup of its server's name (`localhost`) and a new connection.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { loadavg } from 'node:os';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { startNameServer } from '#test/helpers/name-server.ts';
import type { Bench } from './bench.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { median, percentile } from './percentile.ts';
import { startProgram } from './program.ts';
import { fetchAgentTurns, pairTurns, readSpokenTurns, type TurnTimes } from './turn-times.ts';

const rounds = 4;
const goodCalls = 40;
const badServers = 12;
const badCalls = 24;
const rampMs = 3_000;
const callee = '01000000100';
const answer = '네, 오후 세 시가 좋겠습니다.';
const script = [
  { listen: true },
  ...Array.from({ length: 4 }, () => ({ say: answer })),
  { listen: true },
  { hang_up: true },
];
const agentDelayMs = 200;
const pollMs = 250;

const listen = async (started: AsyncDisposableStack, server: Server): Promise<{ url: string }> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  started.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The machine gave no port');
  return { url: `http://127.0.0.1:${address.port}/` };
};

const receivedEvent = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  call: z.object({ id: z.string() }),
});

/** Records the delivery time of each event with its call. */
const startReceiver = async (started: AsyncDisposableStack) => {
  const onTheWayMs: { callId: string; ms: number }[] = [];
  const server = createServer((request, response) => {
    const arrivedAt = Date.now();
    const take = async (): Promise<void> => {
      const { timestamp, call } = receivedEvent.parse(await json(request));
      onTheWayMs.push({ callId: call.id, ms: arrivedAt - Date.parse(timestamp) });
      response.writeHead(204).end();
    };
    take().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  return { ...(await listen(started, server)), onTheWayMs };
};

const withId = z.object({ id: z.string() });

type Place = (to: string) => Promise<string>;

const placeWith =
  (url: string, headers: Readonly<Record<string, string>>): Place =>
  async (to) => {
    const response = await fetch(`${url}/api/v1/calls`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ to }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`a call was not placed: ${response.status} ${text}`);
    return z.object({ call_id: z.string() }).parse(JSON.parse(text)).call_id;
  };

/**
 * Creates a workspace whose servers do not respond. Its numbers and endpoints are created by API in the seeded
 * workspace and then moved, because this bench does not measure administration.
 */
const makeBadWorkspace = async (
  gateway: GatewayProcess,
  hangingUrl: string,
  deadName: (index: number) => string,
): Promise<Place[]> => {
  const workspaceId = randomUUID();
  await gateway.database.execute(
    `insert into workspace (id, name, created_at) values ('${workspaceId}', 'bad', now())`,
  );
  const move = (table: string, id: string) =>
    gateway.database.execute(`update ${table} set workspace_id = '${workspaceId}' where id = '${id}'`);
  const places: Place[] = [];
  for (let index = 0; index < badServers; index += 1) {
    for (const url of [`${hangingUrl}${index}`, `https://${deadName(index)}/events`]) {
      await move('webhook_endpoint', withId.parse(await gateway.admin('POST', '/webhooks', { url })).id);
    }
    const number = `0701234${String(1_000 + index)}`;
    const { id } = withId.parse(
      await gateway.admin('POST', '/numbers', { number, recording_enabled: false }),
    );
    await gateway.admin('PUT', `/numbers/${id}/agents/outbound`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: `https://${deadName(index)}/chat`,
    });
    const { key } = z
      .object({ key: z.string() })
      .parse(await gateway.admin('POST', `/numbers/${id}/key`, {}));
    await move('phone_number', id);
    places.push(placeWith(gateway.url, { ...gateway.headers, authorization: `Bearer ${key}` }));
  }
  return places;
};

/** Measurements of one round. */
type Felt = { events: number[]; turns: number[] };

export const benchFairness: Bench = async ({ started, print }) => {
  const deadName = (index: number): string => `dead-${index}.example.com`;
  const names = await startNameServer();
  started.defer(() => names.close());
  const gateway = await startGatewayProcess(started, { settings: { GW_NAME_SERVERS: names.address } });
  const agent = await startProgram(started, {
    file: 'bench/delayed-agent.ts',
    parameters: (port) => ({ arguments: [String(port), String(agentDelayMs), '알겠습니다.', 'close'] }),
    readyPath: '/',
  });
  let isHanging = false;
  const hanging = await listen(
    started,
    createServer((_request, response) => void (isHanging || response.writeHead(204).end())),
  );
  const placeBad = await makeBadWorkspace(gateway, hanging.url, deadName);
  const receiver = await startReceiver(started);
  await gateway.admin('POST', '/webhooks', { url: receiver.url });
  await gateway.admin('PUT', `/simulator/callees/${callee}`, { script });
  await gateway.admin('PATCH', `/numbers/${gateway.numberId}`, { recording_enabled: false });
  await gateway.admin('PUT', `/numbers/${gateway.numberId}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: agent.url.replace('127.0.0.1', 'localhost'),
  });
  const placeGood = placeWith(gateway.url, gateway.headers);

  const spread = (count: number, place: (index: number) => Promise<string> | undefined): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        await pause(Math.random() * rampMs);
        return place(index);
      }),
    );

  /** Resolves to the calls of the good workspace after all have ended. */
  const runRound = async (which: 'quiet' | 'noisy'): Promise<Set<unknown>> => {
    isHanging = which === 'noisy';
    for (let index = 0; index < badServers; index += 1) {
      if (isHanging) names.zone[deadName(index)] = 'silent';
      else delete names.zone[deadName(index)];
    }
    const [good] = await Promise.all([
      spread(goodCalls, () => placeGood(callee)),
      spread(badCalls, (index) => placeBad[index % placeBad.length]?.(callee)),
    ]);
    const inProgress = async (): Promise<number> =>
      (await gateway.database.execute("select 1 from call where status in ('ringing', 'active')")).length;
    while ((await inProgress()) > 0) await pause(pollMs);
    return new Set(good);
  };

  const felt: Record<'quiet' | 'noisy', Felt[]> = { quiet: [], noisy: [] };
  // Warm-up: code is still being compiled in the first round.
  await runRound('quiet');
  const calls: { which: 'quiet' | 'noisy'; ids: Set<unknown> }[] = [];
  const load: number[] = [];
  for (let round = 0; round < rounds * 2; round += 1) {
    // Order of rounds: quiet, noisy, noisy, quiet, so that neither kind always comes second.
    const which = round % 4 === 0 || round % 4 === 3 ? 'quiet' : 'noisy';
    calls.push({ which, ids: await runRound(which) });
    load.push(loadavg()[0] ?? 0);
  }
  const spoken = await readSpokenTurns(gateway.database);
  const asked = await fetchAgentTurns(agent.url);
  for (const { which, ids } of calls) {
    const isOwn = ({ callId }: { callId: string }): boolean => ids.has(callId);
    const turns: TurnTimes[] = pairTurns(spoken.filter(isOwn), asked.filter(isOwn));
    felt[which].push({
      turns: turns.map(({ toAgentMs, toLineMs }) => toAgentMs + toLineMs),
      events: receiver.onTheWayMs.filter(isOwn).map(({ ms }) => ms),
    });
  }
  for (const what of ['events', 'turns'] as const) {
    const typical = (which: 'quiet' | 'noisy', share: number): number =>
      median(felt[which].map((round) => percentile(round[what], share)));
    const of = (share: number): string =>
      `${typical('noisy', share)} ms against ${typical('quiet', share)} ms`;
    const ratio = typical('noisy', 0.99) / typical('quiet', 0.99);
    const count = felt.noisy.reduce((sum, round) => sum + round[what].length, 0);
    print(
      `fairness, ${what}`,
      `p99 ${ratio.toFixed(2)} × beside twelve hanging receivers and twelve dead name servers (aim < 1.2): ${of(0.99)}; p50 ${of(0.5)} (${count} beside them)`,
    );
  }
  print('  load', `${Math.min(...load).toFixed(1)} to ${Math.max(...load).toFixed(1)}`);
};
