/** The birth of a call, in either direction: its permit, its row, its agent, its actor; in this order. */
import type { Logger } from 'pino';
import { outcomeOf } from '#machines/outcome.ts';
import type { CallPolicy } from '#src/domain/call-policy.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { createCallInsertion, type CallBirth } from '#src/persistence/calls.ts';
import { isInDoubt } from '#src/persistence/connection-errors.ts';
import type { Database } from '#src/persistence/database.ts';
import type { KeyedAnswer } from '#src/persistence/idempotency.ts';
import type { Admission } from './admission.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { callInput, type CallTimes } from './call-input.ts';
import type { CallObserver } from './observer.ts';
import type { OpenNumber } from './open-number.ts';
import type { Journal } from './journal.ts';
import type { Switchboard } from './switchboard.ts';

export type CallStart = {
  number: OpenNumber;
  policy: CallPolicy;
  /** Seconds, counted from the answer. */
  maxDurationSec: number;
  /** Wall-clock milliseconds since the epoch. */
  startedAt: number;
  agentCall: AgentCall;
  /** The answer to the request that places the call, where it may be repeated. */
  keyedAnswer?: KeyedAnswer | null;
};

/**
 * Resolves when the row is committed and the line is being opened. Throws the refusals of `Admission.enter`, and
 * `idempotency_in_progress` when another request with the same key was quicker.
 */
export type StartCall = (start: CallStart) => Promise<void>;

export const createStartCall = (options: {
  database: Database;
  admission: Admission;
  journal: Journal;
  switchboard: Switchboard;
  observer: CallObserver;
  /** Keeps what the agent is made from until the call is released. */
  keepAgent: (callId: string, agentCall: AgentCall, workspaceId: string) => void;
  maxCallsInProgress: number;
  times: CallTimes;
  /** The name of this gateway among those that share the database. */
  node: string;
  logger: Logger;
}): StartCall => {
  const insertCall = createCallInsertion(options.database);

  const insert = async (birth: CallBirth): Promise<boolean> => {
    try {
      return await insertCall(birth);
    } catch (error) {
      // Where its row is there all the same, it would ring for ever.
      if (isInDoubt(error)) {
        options.journal.publish(birth.id, { type: 'call.ended', ...outcomeOf('system_error', false) });
      }
      throw error;
    }
  };

  return async ({ number, policy, maxDurationSec, startedAt, agentCall, keyedAnswer = null }) => {
    const { context } = agentCall;
    const callId = context.call_id;
    const permit = options.admission.enter({
      numberId: number.id,
      workspaceId: number.workspace.id,
      maxConcurrentCalls: policy.maxConcurrentCalls,
      maxCallsInProgress: number.workspace.maxCallsInProgress ?? options.maxCallsInProgress,
    });
    try {
      const isBorn = await insert({
        id: callId,
        workspaceId: number.workspace.id,
        numberId: number.id,
        direction: context.direction,
        ownNumber: number.number,
        counterparty: context.direction === 'outbound' ? context.to : context.from,
        language: number.language,
        instruction: agentCall.instruction,
        maxDurationSec,
        recordingEnabled: policy.recordingEnabled,
        startedAt: new Date(startedAt),
        node: options.node,
        keyedAnswer,
      });
      if (!isBorn) {
        throw new Refusal(
          'idempotency_in_progress',
          'Another request with this key came at the same time. Try again for its answer.',
        );
      }
      options.observer.began({ callId, direction: context.direction });
      options.journal.open(callId);
      try {
        options.keepAgent(callId, agentCall, number.workspace.id);
        options.switchboard.connect({
          numberId: number.id,
          workspaceId: number.workspace.id,
          input: callInput({
            agentCall,
            language: number.language,
            policy,
            maxDurationSec,
            greeting: number.greeting,
            speech: number.speech,
            voicemail: number.voicemail,
            times: options.times,
          }),
        });
      } catch (error) {
        // Its row is committed: it would ring for ever.
        const outcome = outcomeOf('system_error', false);
        options.observer.ended({ callId, direction: context.direction, ...outcome });
        options.journal.publish(callId, { type: 'call.ended', ...outcome });
        throw error;
      }
    } finally {
      permit.release();
    }
    options.logger.info(
      { call_id: callId, direction: context.direction, number_id: number.id },
      'a call begins',
    );
  };
};
