/**
 * Receives an inbound call (guides/design/calls.md, "Inbound"). All checks precede the answer, so a refused caller is
 * not charged: number, binding, the caller's handshake, limits.
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
import type { CallObserver } from '../observer.ts';
import type { OpenNumber, PolicyOf } from './open-number.ts';
import type { Journal } from '../journal/journal.ts';
import { callBirth, type NewCall } from './call-birth.ts';
import type { StartCall } from './start-call.ts';

/** Asks the customer's authentication URL (guides/design/agents.md, "Handshake"). */
export type AuthenticateCaller = (request: {
  workspaceId: string;
  url: string;
  secret: string;
  context: AgentContext;
}) => Promise<HandshakeResult>;

export type ReceiveCall = (arrival: Arrival) => Promise<ArrivalVerdict>;

type ReceiveCallOptions = {
  database: Database;
  findNumber: (number: string) => Promise<OpenNumber | undefined>;
  policyOf: PolicyOf;
  handshake: AuthenticateCaller;
  startCall: StartCall;
  admission: Pick<Admission, 'approach'>;
  observer: CallObserver;
  journal: Pick<Journal, 'wasWritten'>;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  node: string;
  logger: Logger;
};

type NotTaken = Exclude<ArrivalVerdict, { accepted: true }>;

/** Stores a call that was rejected before it began, so that the number's customer sees it. */
const createReject =
  (options: Pick<ReceiveCallOptions, 'database' | 'observer' | 'journal' | 'now' | 'logger'>) =>
  async (call: NewCall, reason: 'no_agent_endpoint' | 'caller_rejected'): Promise<NotTaken> => {
    const { observer, journal, logger } = options;
    const { call_id: callId, direction } = call.context;
    const outcome = outcomeOf(reason, false);
    const at = options.now();
    await insertEndedCall(options.database, callBirth(call), { ...outcome, at: new Date(at) });
    observer.began({ callId, direction });
    observer.ended({ callId, direction, ...outcome });
    journal.wasWritten(callId, { type: 'call.ended', at, ...outcome });
    logger.info({ call_id: callId, number_id: call.number.id, reason }, 'an inbound call was not taken');
    return { accepted: false, because: reason };
  };

/** Whether the number accepts this caller, and the token for its agent in this call. */
const createAdmitCaller =
  ({ handshake, logger }: Pick<ReceiveCallOptions, 'handshake' | 'logger'>) =>
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

/** A refusal of the gateway becomes a verdict; other errors are unexpected. */
const refusedBecause = (error: unknown, { callId }: Arrival, logger: Logger): NotTaken => {
  if (!(error instanceof Refusal)) throw error;
  const { reason } = error.extras;
  logger.warn(
    { call_id: callId, reason: error.code, ...(reason && { limit: reason }) },
    'an inbound call was not taken',
  );
  const { code } = error;
  return {
    accepted: false,
    because: code === 'draining' || code === 'concurrency_limit' ? code : 'over_capacity',
  };
};

export const createReceiveCall = (options: ReceiveCallOptions): ReceiveCall => {
  const { admission, findNumber, policyOf, startCall, node, logger } = options;
  const reject = createReject(options);
  const admitCaller = createAdmitCaller(options);

  const newCall = (
    { callId, from, identity, sipHeaders, at: startedAt }: Arrival,
    number: OpenNumber,
  ): NewCall => {
    const policy = policyOf(number);
    const context = agentContext({
      id: callId,
      direction: 'inbound',
      ownNumber: number.number,
      counterparty: from,
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
      node,
    };
  };

  const take = async (arrival: Arrival, number: OpenNumber): Promise<ArrivalVerdict> => {
    const call = newCall(arrival, number);
    const binding = number.bindings.inbound;
    if (!canTakeCalls(binding)) return reject(call, 'no_agent_endpoint');
    const { context, instruction } = call;
    const caller = await admitCaller(number, context);
    if (!caller.allowed) return reject(call, 'caller_rejected');
    const { bearerToken } = caller;
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
    const number = await findNumber(arrival.to);
    if (number !== undefined) return take(arrival, number);
    const about = { call_id: arrival.callId };
    logger.info(about, 'an inbound call for a number that belongs to nobody was not taken');
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
