/** Starts a call in either direction: its permit, its row, its agent, its actor, in this order. */
import type { Logger } from 'pino';
import { outcomeOf } from '#machines/outcome.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { createCallInsertion, type CallBirth } from '#src/persistence/calls.ts';
import { insertCallWithin } from '#src/persistence/spent-minutes.ts';
import { isInDoubt } from '#src/persistence/connection-errors.ts';
import type { Database } from '#src/persistence/database.ts';
import type { KeyedAnswer } from '#src/persistence/keyed-answers.ts';
import type { CountedBirth, CountedOutcome } from '#src/persistence/counted-births.ts';
import type { DayGrant } from '#src/persistence/spent-minutes.ts';
import { checkConcurrency, type Admission } from './admission.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { callBirth, type NewCall } from './call-birth.ts';
import { callInput, type CallTimes } from './call-input.ts';
import type { DailyMinutes } from './daily-minutes.ts';
import type { CallObserver } from '../observer.ts';
import type { CallBeginning } from '#src/persistence/call-revivals.ts';
import type { Beginnings } from '../journal/beginnings.ts';
import type { Journal } from '../journal/journal.ts';
import type { Switchboard } from '../live/switchboard.ts';

export type CallStart = Pick<
  NewCall,
  'number' | 'policy' | 'maxDurationSec' | 'startedAt' | 'metadata' | 'sipHeaders' | 'identity'
> & {
  agentCall: AgentCall;
  /** The response to a repeatable request that places the call. */
  keyedAnswer?: KeyedAnswer | null;
};

/**
 * Resolves when the row is committed and the line is being opened. Throws the refusals of `Admission.enter`,
 * `daily_limit_reached`, and `idempotency_in_progress` if another request with the same key was faster.
 */
export type StartCall = (start: CallStart) => Promise<void>;

/** Whether calls in progress are counted on this gateway only, or across several. */
export type CallCounting = {
  /**
   * Null while there are other gateways. Until the returned function is called, a call is being stored that they cannot
   * count.
   */
  alone: () => (() => void) | null;
  /** Stores a call and counts it across gateways. */
  store: (counted: CountedBirth) => Promise<CountedOutcome>;
};

type StartCallOptions = {
  database: Database;
  counting: CallCounting;
  admission: Admission;
  journal: Journal;
  switchboard: Switchboard;
  observer: CallObserver;
  /** Keeps the input of the agent until the call is released. */
  keepAgent: (callId: string, agentCall: AgentCall, workspaceId: string) => void;
  /** Keeps the resume data for another process until the call is released. */
  keepBeginning: Beginnings['keep'];
  maxCallsInProgress: number;
  dailyMinutes: DailyMinutes;
  /** For a workspace without its own limit; null for no limit. */
  platformDailyMinutes: number | null;
  times: CallTimes;
  /** The name of this gateway among those that share the database. */
  node: string;
  logger: Logger;
};

/**
 * Stores a call, and resolves to its maximum duration in seconds; refuses if another request with its key was faster,
 * and with `daily_limit_reached`.
 */
const createStoreBirth = (options: Pick<StartCallOptions, 'database' | 'counting' | 'journal'>) => {
  const { database, counting } = options;
  const insertCall = createCallInsertion(database);

  const storeAlone = async (birth: CallBirth, within: DayGrant | null): Promise<number | undefined> => {
    if (within !== null) return insertCallWithin(database, birth, within.day, within.grant);
    return (await insertCall(birth)) ? birth.maxDurationSec : undefined;
  };

  const storeCounted = async (counted: CountedBirth): Promise<number | undefined> => {
    const outcome = await counting.store(counted);
    if (outcome.type === 'refused') throw outcome.by;
    return outcome.type === 'stored' ? outcome.maxDurationSec : undefined;
  };

  return async (counted: CountedBirth): Promise<number> => {
    const { birth, within } = counted;
    const isStored = counting.alone();
    try {
      const granted = await (isStored === null ? storeCounted(counted) : storeAlone(birth, within));
      if (granted !== undefined) return granted;
    } catch (error) {
      // The row may exist despite the error, and the call would ring for ever.
      if (isInDoubt(error)) {
        options.journal.publish(birth.id, { type: 'call.ended', ...outcomeOf('system_error', false) });
      }
      throw error;
    } finally {
      isStored?.();
    }
    throw new Refusal(
      'idempotency_in_progress',
      'Another request with this key came at the same time. Try again for its answer.',
    );
  };
};

/** The resume data for another process. */
const beginningOf = ({
  number: { greeting, speech, voicemail, screening, menu, transferTo },
  policy,
  agentCall: { binding },
}: CallStart): CallBeginning => {
  const { silenceTimeoutSec, ringTimeoutSec, recordingEnabled, bargeIn, turnEnd, consent } = policy;
  return {
    greeting,
    speech,
    voicemail,
    screening,
    menu,
    transferTo,
    policy: { silenceTimeoutSec, ringTimeoutSec, recordingEnabled, bargeIn, turnEnd, consent },
    binding,
  };
};

/** Starts a call whose row is committed. */
const createConnectCall =
  (
    options: Pick<
      StartCallOptions,
      'journal' | 'switchboard' | 'observer' | 'keepAgent' | 'keepBeginning' | 'times'
    >,
  ) =>
  (start: CallStart): void => {
    const { number, policy, maxDurationSec, sipHeaders, agentCall } = start;
    const { language, greeting, speech, voicemail, screening, menu, workspace } = number;
    const { call_id: callId, direction } = agentCall.context;
    options.observer.began({ callId, direction });
    options.journal.open(callId);
    try {
      options.keepAgent(callId, agentCall, workspace.id);
      options.keepBeginning(callId, beginningOf(start), agentCall);
      options.switchboard.connect({
        numberId: number.id,
        workspaceId: workspace.id,
        input: callInput({
          agentCall,
          language,
          policy,
          maxDurationSec,
          greeting,
          speech,
          voicemail,
          screening,
          menu,
          sipHeaders,
          times: options.times,
        }),
      });
    } catch (error) {
      // Otherwise the stored call would ring for ever.
      const outcome = outcomeOf('system_error', false);
      options.observer.ended({ callId, direction, ...outcome });
      options.journal.publish(callId, { type: 'call.ended', ...outcome });
      throw error;
    }
  };

export const createStartCall = (options: StartCallOptions): StartCall => {
  const { admission, maxCallsInProgress, node, logger } = options;
  const storeBirth = createStoreBirth(options);
  const connectCall = createConnectCall(options);

  const withinTheDay = ({ number, agentCall, maxDurationSec, startedAt }: CallStart) =>
    agentCall.context.direction === 'inbound'
      ? null
      : options.dailyMinutes({
          numberId: number.id,
          workspaceId: number.workspace.id,
          timeZone: number.workspace.timeZone,
          ofNumber: number.dailyMinutes,
          ofWorkspace: number.workspace.dailyMinutes ?? options.platformDailyMinutes,
          maxDurationSec,
          startedAt,
        });

  return async (start) => {
    const { number, policy, agentCall, keyedAnswer = null } = start;
    const { call_id: callId, direction } = agentCall.context;
    const limits = {
      maxConcurrentCalls: policy.maxConcurrentCalls,
      maxCallsInProgress: number.workspace.maxCallsInProgress ?? maxCallsInProgress,
    };
    const permit = admission.enter({ numberId: number.id, workspaceId: number.workspace.id, ...limits });
    try {
      const counted: CountedBirth = {
        birth: { ...callBirth({ ...start, ...agentCall, node }), keyedAnswer },
        within: withinTheDay(start),
        admit: (calls) => checkConcurrency(limits, calls),
      };
      connectCall({ ...start, maxDurationSec: await storeBirth(counted) });
    } finally {
      permit.release();
    }
    logger.info({ call_id: callId, direction, number_id: number.id }, 'a call begins');
  };
};
