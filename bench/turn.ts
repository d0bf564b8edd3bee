/**
 * The gateway's share of a turn while 500 simulated calls run in real time, each with an agent that takes a fixed time.
 * A turn of the other party is followed by one of the agent, and the gateway adds two intervals to it:
 *
 * - from the end of the turn at the line (the moment at which its words are reported to be complete, `endedAt` in the
 *   call's journal) to the arrival of the request at the agent;
 * - from the agent's reply to the moment at which the line begins to say it (`at` of the agent's turn in the journal).
 *
 * Included are the statecharts, the request over HTTP on loopback, the reply's way to the line, and all waiting for the
 * processor. The agent is a separate process on the same machine with the same clock; all times are whole milliseconds,
 * so a single turn may be off by less than one either way.
 *
 * These times do not include one delay: if the gateway is too busy to poll the line, it notices the end of a turn late.
 * The lateness of the simulated line is therefore printed as well: how much longer than in the fastest case it took
 * from the first audio of the same sentence to its end. The lateness includes the timers' accuracy of one millisecond.
 *
 * Half of the calls belong to a number whose agent may write controls (guides/design/agents.md, "Controls") but writes
 * none: the cost of parsing its replies for controls is visible next to the other half, in the same run.
 *
 * Calls begin at random moments of the ramp, and only turns that end while all 500 are in progress count. Calls are not
 * recorded: recordings of simulated calls are synthesized after the call, which real lines do not do.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Bench } from './bench.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { percentile } from './percentile.ts';
import { startProgram } from './program.ts';
import { fetchAgentTurns, pairTurns, readSpokenTurns, type TurnTimes } from './turn-times.ts';

const secondNumber = '07000000099';
const created = z.object({ id: z.string() });
const issued = z.object({ key: z.string() });

const meanOf = (turns: readonly TurnTimes[]): number =>
  turns.reduce((sum, { toAgentMs, toLineMs }) => sum + toAgentMs + toLineMs, 0) / turns.length;

const calls = 500;
const rampMs = 8_000;
const callee = '01000000100';
const agentDelayMs = 200;
const reply = '알겠습니다. 그 시간으로 예약을 확인해 드리겠습니다.';
const answer = '네, 오후 세 시가 좋겠습니다.';
const answers = 8;
const script = [
  // The callee waits for the agent's opening words, however late.
  { listen: true },
  ...Array.from({ length: answers }, () => ({ say: answer })),
  { listen: true },
  { hang_up: true },
];
const pollMs = 500;

export const benchTurn: Bench = async ({ started, print }) => {
  const { url, headers, ...gateway } = await startGatewayProcess(started);
  await gateway.admin('PUT', `/simulator/callees/${callee}`, { script });

  /** A number whose agent is a separate program that writes no controls. */
  const bind = async (numberId: string, controls: 'off' | 'inline'): Promise<string> => {
    const agent = await startProgram(started, {
      file: 'bench/delayed-agent.ts',
      parameters: (port) => ({ arguments: [String(port), String(agentDelayMs), reply] }),
      readyPath: '/',
    });
    await gateway.admin('PATCH', `/numbers/${numberId}`, {
      max_concurrent_calls: calls,
      recording_enabled: false,
    });
    await gateway.admin('PUT', `/numbers/${numberId}/agents/outbound`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: agent.url,
      controls,
    });
    return agent.url;
  };
  const agentUrl = await bind(gateway.numberId, 'off');
  const second = created.parse(await gateway.admin('POST', '/numbers', { number: secondNumber }));
  const agentWithControlsUrl = await bind(second.id, 'inline');
  const { key: secondKey } = issued.parse(await gateway.admin('POST', `/numbers/${second.id}/key`, {}));
  const callers = [headers, { ...headers, authorization: `Bearer ${secondKey}` }];

  const place = async (_: unknown, index: number): Promise<void> => {
    await pause(Math.random() * rampMs);
    const body = JSON.stringify({ to: callee });
    const response = await fetch(`${url}/api/v1/calls`, {
      method: 'POST',
      headers: callers[index % callers.length] ?? headers,
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`a call was not placed: ${response.status} ${text}`);
  };
  await Promise.all(Array.from({ length: calls }, place));
  const inProgress = async (): Promise<number> =>
    (await gateway.database.execute("select 1 from call where status in ('ringing', 'active')")).length;
  while ((await inProgress()) > 0) await pause(pollMs);

  const spoken = await readSpokenTurns(gateway.database);
  const [asked, askedWithControls] = [
    await fetchAgentTurns(agentUrl),
    await fetchAgentTurns(agentWithControlsUrl),
  ];
  const turns = pairTurns(spoken, [...asked, ...askedWithControls]);
  const withControls = pairTurns(spoken, askedWithControls, 'left out');
  const without = pairTurns(spoken, asked, 'left out');
  if (turns.length < calls) throw new Error(`only ${turns.length} turns ended while ${calls} calls ran`);
  const describe = (samples: readonly number[]): string =>
    `p50 ${percentile(samples, 0.5)} ms, p99 ${percentile(samples, 0.99)} ms`;
  print(
    'added per turn',
    `${describe(turns.map(({ toAgentMs, toLineMs }) => toAgentMs + toLineMs))} with ${calls} calls (aim p50 ≤ 5 ms, p99 ≤ 25 ms; ${turns.length} turns)`,
  );
  print('  to the agent', describe(turns.map(({ toAgentMs }) => toAgentMs)));
  print('  to the line', describe(turns.map(({ toLineMs }) => toLineMs)));
  const quickest = Math.min(...turns.map(({ spokenMs }) => spokenMs));
  const added = (some: typeof turns): string =>
    `${describe(some.map(({ toAgentMs, toLineMs }) => toAgentMs + toLineMs))}, mean ${meanOf(some).toFixed(2)} ms`;
  print('  controls off', added(without));
  print('  controls inline', added(withControls));
  print('  line late by', describe(turns.map(({ spokenMs }) => spokenMs - quickest)));
};
