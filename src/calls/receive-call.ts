/**
 * Taking an inbound call (guides/design/calls.md, "Inbound"). Everything that can refuse it happens before it is
 * answered, so a refused caller pays nothing: number, binding, the caller's handshake, limits.
 */
import type { Logger } from 'pino';
import { outcomeOf } from '#machines/outcome.ts';
import type { HandshakeResult } from '#src/domain/agent-call.ts';
import { canTakeCalls } from '#src/domain/agent-binding.ts';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';
import { agentContext, type AgentContext } from '#src/domain/agent-context.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { insertEndedCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Admission } from './admission.ts';
import type { CallObserver } from './observer.ts';
import type { OpenNumber, PolicyOf } from './open-number.ts';
import type { Journal } from './journal.ts';
import type { StartCall } from './start-call.ts';

/** Asks the customer's authentication URL (guides/design/agents.md, "Handshake"). */
export type Handshake = (request: {
  workspaceId: string;
  url: string;
  secret: string;
  context: AgentContext;
}) => Promise<HandshakeResult>;

export type ReceiveCall = (arrival: Arrival) => Promise<ArrivalVerdict>;

export const createReceiveCall = (options: {
  database: Database;
  findNumber: (number: string) => Promise<OpenNumber | undefined>;
  policyOf: PolicyOf;
  handshake: Handshake;
  startCall: StartCall;
  admission: Pick<Admission, 'check'>;
  observer: CallObserver;
  journal: Pick<Journal, 'wasWritten'>;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  node: string;
  logger: Logger;
}): ReceiveCall => {
  const { database, policyOf, logger } = options;

  const reject = async (
    arrival: Arrival,
    number: OpenNumber,
    reason: 'no_agent_endpoint' | 'caller_rejected',
  ): Promise<ArrivalVerdict> => {
    const policy = policyOf(number);
    const outcome = outcomeOf(reason, false);
    const at = options.now();
    await insertEndedCall(
      database,
      {
        id: arrival.callId,
        workspaceId: number.workspace.id,
        numberId: number.id,
        direction: 'inbound',
        ownNumber: number.number,
        counterparty: arrival.from,
        language: number.language,
        instruction: null,
        maxDurationSec: policy.defaultDurationSec,
        recordingEnabled: policy.recordingEnabled,
        startedAt: new Date(arrival.at),
        node: options.node,
      },
      { ...outcome, at: new Date(at) },
    );
    const { callId } = arrival;
    options.observer.began({ callId, direction: 'inbound' });
    options.observer.ended({ callId, direction: 'inbound', ...outcome });
    options.journal.wasWritten(callId, { type: 'call.ended', at, ...outcome });
    logger.info({ call_id: arrival.callId, number_id: number.id, reason }, 'an inbound call was not taken');
    return { accepted: false, because: reason };
  };

  /** What the gateway itself refuses becomes a verdict; anything else is an accident. */
  const notTaken = (arrival: Arrival, error: unknown): ArrivalVerdict => {
    if (!(error instanceof Refusal)) throw error;
    logger.warn({ call_id: arrival.callId, reason: error.code }, 'an inbound call was not taken');
    return { accepted: false, because: error.code === 'draining' ? 'draining' : 'over_capacity' };
  };

  return async (arrival) => {
    try {
      options.admission.check();
    } catch (error) {
      return notTaken(arrival, error);
    }
    const number = await options.findNumber(arrival.to);
    if (number === undefined) {
      logger.info(
        { call_id: arrival.callId },
        'an inbound call for a number that belongs to nobody was not taken',
      );
      return { accepted: false, because: 'unknown_number' };
    }
    const binding = number.bindings.inbound;
    if (!canTakeCalls(binding)) return reject(arrival, number, 'no_agent_endpoint');

    const context = agentContext({
      id: arrival.callId,
      direction: 'inbound',
      ownNumber: number.number,
      counterparty: arrival.from,
      language: number.language,
    });
    let bearerToken: string | null = null;
    if (number.inboundAuth.method === 'handshake') {
      const { url, secret } = number.inboundAuth;
      const answer = await options.handshake({ workspaceId: number.workspace.id, url, secret, context });
      if (!answer.allowed) {
        logger.info({ call_id: arrival.callId, reason: answer.reason }, 'the handshake rejected a caller');
        return reject(arrival, number, 'caller_rejected');
      }
      bearerToken = answer.sessionToken;
    }

    const policy = policyOf(number);
    try {
      await options.startCall({
        number,
        policy,
        maxDurationSec: policy.defaultDurationSec,
        startedAt: arrival.at,
        agentCall: { context, binding, bearerToken, instruction: null },
      });
    } catch (error) {
      return notTaken(arrival, error);
    }
    return { accepted: true };
  };
};
