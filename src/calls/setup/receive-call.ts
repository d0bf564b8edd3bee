/**
 * Receives an inbound call (guides/design/calls.md, "Inbound"). All checks precede the answer, so a refused caller is
 * not charged: number, binding, the caller's handshake, limits.
 */
import type { Logger } from 'pino';
import { outcomeOf } from '#machines/outcome.ts';
import { canTakeCalls } from '#src/domain/agent-binding.ts';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';
import { agentContext, type AgentContext } from '#src/domain/agent-context.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { insertEndedCall } from '#src/persistence/calls/calls.ts';
import { findNumberByDigits } from '#src/persistence/numbers/callable-numbers.ts';
import type { Admission } from './admission.ts';
import type { CallParts } from '../call-parts.ts';
import { openNumber, policyOf, withAgent, type OpenNumber } from './open-number.ts';
import { newCallRow, type NewCall } from './new-call.ts';
import type { StartCall } from './start-call.ts';

export type ReceiveCall = (arrival: Arrival) => Promise<ArrivalVerdict>;

type NotTaken = Exclude<ArrivalVerdict, { accepted: true }>;

/** Stores a call that was rejected before it began, so that the customer finds it in the list of calls. */
const createReject =
  ({ storage: { database }, live: { bus }, now, logger }: CallParts) =>
  async (call: NewCall, reason: 'no_agent_endpoint' | 'caller_rejected'): Promise<NotTaken> => {
    const { call_id: callId, direction } = call.context;
    const outcome = outcomeOf(reason, false);
    const at = now();
    await insertEndedCall(database, newCallRow(call), { ...outcome, at: new Date(at) });
    bus.publish('began', { callId, direction });
    bus.publish('ended', { callId, direction, ...outcome });
    bus.publish('stored', { callId, fact: { type: 'call.ended', at, ...outcome }, ended: null });
    logger.info({ call_id: callId, number_id: call.number.id, reason }, 'rejected an inbound call');
    return { accepted: false, because: reason };
  };

/** Decides whether the number accepts this caller, and returns the token for the agent of this call. */
const createAdmitCaller =
  ({ agents: { handshake }, logger }: CallParts) =>
  async (
    { inboundAuth, workspace }: OpenNumber,
    context: AgentContext,
  ): Promise<{ allowed: true; bearerToken: string | null } | { allowed: false }> => {
    if (inboundAuth.method === 'none') return { allowed: true, bearerToken: null };
    const { url, secret } = inboundAuth;
    const answer = await handshake({ workspaceId: workspace.id, url, secret, context });
    if (answer.allowed) return { allowed: true, bearerToken: answer.sessionToken };
    logger.info({ call_id: context.call_id, reason: answer.reason }, 'the handshake rejected a caller');
    return { allowed: false };
  };

/** Converts a refusal of the gateway to a verdict. Other errors are unexpected and thrown again. */
const refusedBecause = (error: unknown, { callId }: Arrival, logger: Logger): NotTaken => {
  if (!(error instanceof Refusal)) throw error;
  const { reason } = error.extras;
  logger.warn(
    { call_id: callId, reason: error.code, ...(reason && { limit: reason }) },
    'rejected an inbound call',
  );
  const { code } = error;
  return {
    accepted: false,
    because: code === 'draining' || code === 'concurrency_limit' ? code : 'over_capacity',
  };
};

export const createReceiveCall = (
  parts: CallParts,
  { admission, startCall }: { admission: Admission; startCall: StartCall },
): ReceiveCall => {
  const { storage, cluster, limits, logger } = parts;
  const reject = createReject(parts);
  const admitCaller = createAdmitCaller(parts);

  const newCall = (
    { callId, from, identity, sipHeaders, at: startedAt }: Arrival,
    number: OpenNumber,
  ): NewCall => {
    const policy = policyOf(number, limits.platformPolicy);
    const context = agentContext({
      id: callId,
      direction: 'inbound',
      from,
      to: number.number,
      language: number.language,
    });
    return {
      number,
      policy,
      maxDurationSec: policy.defaultDurationSec,
      startedAt,
      identity,
      sipHeaders,
      context,
      instruction: null,
      node: cluster.node,
    };
  };

  const take = async (arrival: Arrival, number: OpenNumber): Promise<ArrivalVerdict> => {
    const call = newCall(arrival, number);
    const binding = number.bindings.inbound;
    if (!canTakeCalls(binding)) return reject(call, 'no_agent_endpoint');
    const { context, instruction } = call;
    const caller = await admitCaller(number, context);
    if (!caller.allowed) return reject(call, 'caller_rejected');
    // The session token is for the agent of the number.
    const bearerToken = arrival.agent === undefined ? caller.bearerToken : null;
    const agentCall = {
      context,
      binding,
      bearerToken,
      headers: number.headers.inbound,
      instruction,
      transferTo: number.transferTo,
    };
    try {
      await startCall({ ...call, agentCall });
    } catch (error) {
      return refusedBecause(error, arrival, logger);
    }
    return { accepted: true };
  };

  const receive = async (arrival: Arrival): Promise<ArrivalVerdict> => {
    const number = await findNumberByDigits(storage.database, arrival.to);
    if (number !== undefined)
      return take(arrival, withAgent(openNumber(number, storage.sealing), arrival.agent));
    const about = { call_id: arrival.callId };
    logger.info(about, 'rejected an inbound call to an unknown number');
    return { accepted: false, because: 'unknown_number' };
  };

  return async (arrival) => {
    let request: ReturnType<Admission['approach']>;
    try {
      request = admission.approach();
    } catch (error) {
      return refusedBecause(error, arrival, logger);
    }
    try {
      return await receive(arrival);
    } finally {
      request.leave();
    }
  };
};
