/**
 * A streaming agent that is interrupted in each of its replies, in 500 concurrent calls in real time:
 *
 * - from the first byte of a reply (which contains its whole first sentence) to the moment at which the line begins to
 *   say that sentence (`at` of the agent's turn in the journal);
 * - from the first audio of an interruption at the line (`at` of the other party's turn) to the silence of the agent's
 *   voice (`endedAt` of the interrupted turn), and to the end of the request behind it, as the agent's server sees it.
 *
 * Then 10,000 interrupted turns in calls at 20 times the speed: growth of the gateway's memory.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Bench } from './bench.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { percentile } from './percentile.ts';
import { startProgram, type Program } from './program.ts';
import { collecting, readMemory } from './read-memory.ts';
import { readSpokenTurns } from './turn-times.ts';

const callee = '01000000100';
const interruption = '잠깐만요, 다시 말씀해 주세요.';
const interruptions = 4;
const calls = 500;
const rampMs = 8_000;
const pollMs = 500;

const growthTurns = 10_000;
const growthAtOnce = 100;
const turnsOfGrowthCall = 20;

const agentTurns = z.array(
  z.object({ callId: z.string(), message: z.string(), firstByteAt: z.number(), closedAt: z.number() }),
);

const scriptOf = (count: number) => [
  ...Array.from({ length: count }, () => ({ interrupt: interruption })),
  { hang_up: true },
];

const prepare = async (gateway: GatewayProcess, agent: Program, turns: number): Promise<void> => {
  await gateway.admin('PUT', `/simulator/callees/${callee}`, { script: scriptOf(turns) });
  await gateway.admin('PATCH', `/numbers/${gateway.numberId}`, {
    max_concurrent_calls: calls,
    recording_enabled: false,
  });
  await gateway.admin('PUT', `/numbers/${gateway.numberId}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'openai_compatible',
    chat_url: agent.url,
  });
};

const place = async ({ url, headers }: GatewayProcess): Promise<void> => {
  const body = JSON.stringify({ to: callee });
  const response = await fetch(`${url}/api/v1/calls`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`a call was not placed: ${response.status} ${text}`);
};

const inProgress = async ({ database }: GatewayProcess): Promise<number> =>
  (await database.execute("select 1 from call where status in ('ringing', 'active')")).length;

const allEnded = async (gateway: GatewayProcess): Promise<void> => {
  while ((await inProgress(gateway)) > 0) await pause(pollMs);
};

const startAgent = (started: AsyncDisposableStack): Promise<Program> =>
  startProgram(started, {
    file: 'bench/streaming-agent.ts',
    parameters: (port) => ({ arguments: [String(port)] }),
    readyPath: '/',
  });

/** Milliseconds for each interrupted turn. */
const readTimes = async (gateway: GatewayProcess, agent: Program) => {
  const asked = Map.groupBy(agentTurns.parse(await (await fetch(agent.url)).json()), ({ callId }) => callId);
  const spoken = Map.groupBy(await readSpokenTurns(gateway.database), ({ callId }) => callId);
  return [...spoken].flatMap(([callId, turns]) => {
    const said = turns.filter(({ role }) => role === 'assistant');
    const heard = turns.filter(({ role }) => role === 'user');
    const requests = asked.get(callId) ?? [];
    return heard.map((cut, index) => {
      const [reply, request] = [said[index], requests[index]];
      if (reply === undefined || request === undefined) throw new Error(`Call ${callId} lacks a turn`);
      return {
        toFirstSentenceMs: reply.startedAt - request.firstByteAt,
        toSilenceMs: reply.endedAt - cut.startedAt,
        toLettingGoMs: request.closedAt - cut.startedAt,
      };
    });
  });
};

export const benchBargeIn: Bench = async ({ started, print }) => {
  const gateway = await startGatewayProcess(started);
  const agent = await startAgent(started);
  await prepare(gateway, agent, interruptions);
  const placeSomeTime = async (): Promise<void> => {
    await pause(Math.random() * rampMs);
    await place(gateway);
  };
  await Promise.all(Array.from({ length: calls }, placeSomeTime));
  await allEnded(gateway);
  const times = await readTimes(gateway, agent);
  if (times.length !== calls * interruptions) throw new Error(`only ${times.length} turns were interrupted`);
  const describe = (samples: readonly number[]): string =>
    `p50 ${percentile(samples, 0.5)} ms, p99 ${percentile(samples, 0.99)} ms`;
  print(
    'byte to speech',
    `${describe(times.map(({ toFirstSentenceMs }) => toFirstSentenceMs))} from the first byte of a reply to its first sentence at the line, ${calls} calls`,
  );
  print(
    'speech to silence',
    `${describe(times.map(({ toSilenceMs }) => toSilenceMs))} from an interruption to the end of the agent's voice (${times.length} turns)`,
  );
  print(
    '  to letting go',
    `${describe(times.map(({ toLettingGoMs }) => toLettingGoMs))} until the agent's server sees its request closed`,
  );
};

export const benchGrowth: Bench = async ({ started, print }) => {
  const gateway = await startGatewayProcess(started, {
    nodeArguments: collecting,
    settings: { GW_SIMULATOR_SPEED: '20' },
  });
  const agent = await startAgent(started);
  await prepare(gateway, agent, turnsOfGrowthCall);
  const round = async (turns: number): Promise<void> => {
    for (let done = 0; done < turns; done += growthAtOnce * turnsOfGrowthCall) {
      await Promise.all(Array.from({ length: growthAtOnce }, () => place(gateway)));
      await allEnded(gateway);
    }
  };
  // Excludes what the first turns load once (code, connections, cached sentences).
  await round(growthAtOnce * turnsOfGrowthCall);
  const before = await readMemory(gateway);
  await round(growthTurns);
  const after = await readMemory(gateway);
  const growth = after.held - before.held;
  print(
    'growth',
    `${(growth / 1_000).toFixed(0)} kB held more after ${growthTurns} interrupted turns (aim none): ${(growth / growthTurns).toFixed(0)} bytes a turn, of ${(before.held / 1e6).toFixed(0)} MB`,
  );
};
