/** A gateway whose outbound calls talk to an agent in a process of its own, without recordings. */
import { sayingTime } from '#sip/audio/speaking-time.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { startProgram } from './program.ts';

const agentDelayMs = 200;

/** Number of the simulated person who follows the script. */
export const talkingCallee = '01000000100';

const answer = '네, 오후 세 시가 좋겠습니다.';
const usualReply = '예약을 확인해 드리겠습니다.';
/** Silence after which a simulated person speaks (`politePauseMs` of sip/simulator). */
const politePauseMs = 800;

/**
 * A script of a person who answers each reply of the agent, with a turn every `turnSec` seconds, for `lastsSec` seconds.
 */
export const answerEvery = (turnSec: number, lastsSec: number): object[] => {
  const waitSec = Math.max(0, turnSec - (sayingTime(answer) + politePauseMs) / 1_000);
  const turn = [{ wait_sec: waitSec }, { say: answer }];
  return [{ listen: true }, ...Array.from({ length: Math.ceil(lastsSec / turnSec) }, () => turn).flat()];
};

export type TalkingGateway = {
  gateway: GatewayProcess;
  /** Address of the agent, which returns its records (`delayed-agent.ts`). */
  agentUrl: string;
};

/** Starts the gateway and its agent; their resources are released with `started`. */
export const startTalkingGateway = async (
  started: AsyncDisposableStack,
  {
    script,
    reply = usualReply,
    ...options
  }: {
    script: readonly object[];
    /** Every reply of the agent. */
    reply?: string;
  } & NonNullable<Parameters<typeof startGatewayProcess>[1]>,
): Promise<TalkingGateway> => {
  const gateway = await startGatewayProcess(started, options);
  const agent = await startProgram(started, {
    file: 'bench/delayed-agent.ts',
    parameters: (port) => ({ arguments: [String(port), String(agentDelayMs), reply] }),
    readyPath: '/',
  });
  await gateway.admin('PUT', `/simulator/callees/${talkingCallee}`, { script });
  await gateway.admin('PATCH', `/numbers/${gateway.numberId}`, {
    max_concurrent_calls: 10_000,
    recording_enabled: false,
  });
  await gateway.admin('PUT', `/numbers/${gateway.numberId}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: agent.url,
  });
  return { gateway, agentUrl: agent.url };
};
