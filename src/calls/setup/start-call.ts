/** Starts a call in either direction by creating its permit, its row, its agent and its actor, in this order. */
import { outcomeOf } from '#machines/outcome.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { createCallInsertion, type NewCallRow } from '#src/persistence/calls/calls.ts';
import { insertCallWithin, type DayGrant } from '#src/persistence/calls/spent-minutes.ts';
import { isInDoubt } from '#src/persistence/database/connection-errors.ts';
import type { KeyedAnswer } from '#src/persistence/workspaces/idempotency-records.ts';
import type { CountedCall } from '#src/persistence/calls/counted-creation.ts';
import { checkConcurrency, type Admission } from './admission.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { newCallRow, type NewCall } from './new-call.ts';
import { createDailyMinutes } from './daily-minutes.ts';
import type { CallParts, CallTimes } from '../call-parts.ts';
import type { OwnCall } from '#src/domain/own-call.ts';
import type { CallSettings } from '#src/persistence/calls/call-checkpoints.ts';
import type { CallInput } from '#machines/call-context.ts';
import type { CallResumeState } from '#machines/resume-state.ts';
import { builtInGreeting, phrases } from '#src/domain/phrases.ts';
import type { Language } from '#src/domain/language.ts';
import type { ConsentPolicy } from '#src/domain/consent.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import { introductionFor } from '#src/domain/introduction.ts';

/** Returns the input of a call's chart. */
export const callInput = (call: {
  agentCall: AgentCall;
  language: Language;
  settings: CallSettings;
  maxDurationSec: number;
  times: CallTimes;
  /** Custom headers of an outbound call. */
  sipHeaders?: SipHeaders | null | undefined;
  /** Resume state of a call that was taken over from another process. */
  takenOver?: CallResumeState;
}): CallInput => {
  const { agentCall, language, settings, maxDurationSec, times } = call;
  const { policy, greeting, speech, voicemail, screening, menu } = settings;
  const { voicemailMessage, ...said } = phrases[language];
  const { context, binding, instruction } = agentCall;
  const { call_id: callId, direction, from, to } = context;
  const { recordingEnabled: recording, ringTimeoutSec, silenceTimeoutSec, bargeIn, turnEnd } = policy;
  const isOutbound = direction === 'outbound';
  return {
    callId,
    direction,
    from,
    to,
    language,
    speech,
    recording,
    bargeIn,
    turnEnd,
    ringTimeoutSec,
    maxDurationSec,
    silenceTimeoutSec,
    ...times,
    kickoff: isOutbound ? kickoffFor(instruction) : null,
    greeting: isOutbound ? null : greetingOf(greeting, binding.agent, language),
    consent: consentWanted(policy.consent, language),
    ...said,
    phrasesIn: phrases,
    takenOver: call.takenOver ?? null,
    voicemail: voicemail.policy,
    screening: screening.policy,
    menu,
    introduction: introductionFor(language, { callerName: screening.callerName, instruction }),
    voicemailMessage: voicemail.message ?? voicemailMessage,
    ...(isOutbound && call.sipHeaders ? { sipHeaders: call.sipHeaders } : {}),
  };
};

const consentWanted = ({ announce, require }: ConsentPolicy, language: Language): CallInput['consent'] =>
  announce === null ? null : { announcement: announce, requirement: require, language };

/**
 * Returns the greeting of an inbound call. The built-in agent begins with a greeting. An endpoint waits, unless the
 * number has a greeting (guides/design/calls.md, "Inbound").
 */
const greetingOf = (own: string | null, agent: 'builtin' | 'endpoint', language: Language): string | null =>
  own ?? (agent === 'builtin' ? builtInGreeting[language] : null);

export type CallStart = Omit<NewCall, 'context' | 'instruction' | 'node'> & {
  agentCall: AgentCall;
  /** The response to the repeatable request that places the call. */
  keyedAnswer?: KeyedAnswer | null;
};

/**
 * Starts a call. Resolves when the row is committed and the line is being opened. Rejects with the refusals of
 * `Admission.enter`, with `daily_limit_reached`, and with `idempotency_in_progress` if another request with the same
 * key was stored first.
 */
export type StartCall = (start: CallStart) => Promise<void>;

/**
 * Stores a call. Resolves to the call's maximum duration in seconds. Rejects if another request with the same key was
 * stored first, and with `daily_limit_reached`.
 */
const createStoreCall = ({ storage: { database }, live: { journal }, cluster: { counting } }: CallParts) => {
  const insertCall = createCallInsertion(database);

  const storeAlone = async (newCall: NewCallRow, within: DayGrant | null): Promise<number | undefined> => {
    if (within !== null) return insertCallWithin(database, newCall, within.day, within.grant);
    return (await insertCall(newCall)) ? newCall.maxDurationSec : undefined;
  };

  const storeCounted = async (counted: CountedCall): Promise<number | undefined> => {
    const outcome = await counting.store(counted);
    if (outcome.type === 'refused') throw outcome.by;
    return outcome.type === 'stored' ? outcome.maxDurationSec : undefined;
  };

  return async (counted: CountedCall): Promise<number> => {
    const { newCall, within } = counted;
    const isStored = counting.alone();
    try {
      const granted = await (isStored === null ? storeCounted(counted) : storeAlone(newCall, within));
      if (granted !== undefined) return granted;
    } catch (error) {
      // The call is ended in the database, because its row may exist despite the error and would otherwise ring
      // forever.
      if (isInDoubt(error)) {
        journal.append(newCall.id, { type: 'call.ended', ...outcomeOf('system_error', false) });
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

/** Returns the data from which another process could resume the call. */
const settingsOf = ({
  number: { greeting, speech, voicemail, screening, menu, transferTo },
  policy,
  agentCall: { binding },
}: CallStart): CallSettings => {
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
  ({ live, agents, times }: CallParts, own: OwnCall) =>
  (start: CallStart): void => {
    const { number, maxDurationSec, sipHeaders, agentCall } = start;
    const { language, workspace } = number;
    const settings = settingsOf(start);
    const { call_id: callId, direction } = agentCall.context;
    live.bus.publish('began', { callId, direction });
    live.journal.open(callId);
    try {
      agents.keepAgent(callId, agentCall, workspace.id, own);
      live.keepSettings(callId, settings, agentCall);
      live.switchboard.connect({
        numberId: number.id,
        workspaceId: workspace.id,
        input: callInput({ agentCall, language, settings, maxDurationSec, sipHeaders, times }),
      });
    } catch (error) {
      // The stored call is ended, because it would otherwise ring forever.
      const outcome = outcomeOf('system_error', false);
      live.bus.publish('ended', { callId, direction, ...outcome });
      live.journal.append(callId, { type: 'call.ended', ...outcome });
      throw error;
    }
  };

export const createStartCall = (
  parts: CallParts,
  { admission, own }: { admission: Admission; own: OwnCall },
): StartCall => {
  const { cluster, limits: callLimits, logger } = parts;
  const dailyMinutes = createDailyMinutes(callLimits.onDailyNotice);
  const storeCall = createStoreCall(parts);
  const connectCall = createConnectCall(parts, own);

  const withinTheDay = ({ number, agentCall, maxDurationSec, startedAt }: CallStart) =>
    agentCall.context.direction === 'inbound'
      ? null
      : dailyMinutes({
          numberId: number.id,
          workspaceId: number.workspace.id,
          timeZone: number.workspace.timeZone,
          ofNumber: number.dailyMinutes,
          ofWorkspace: number.workspace.dailyMinutes ?? callLimits.platformDailyMinutes,
          maxDurationSec,
          startedAt,
        });

  return async (start) => {
    const { number, policy, agentCall, keyedAnswer = null } = start;
    const { call_id: callId, direction } = agentCall.context;
    const limits = {
      maxConcurrentCalls: policy.maxConcurrentCalls,
      maxCallsInProgress: number.workspace.maxCallsInProgress ?? callLimits.maxCallsInProgress,
    };
    const permit = admission.enter({ numberId: number.id, workspaceId: number.workspace.id, ...limits });
    try {
      const counted: CountedCall = {
        newCall: { ...newCallRow({ ...start, ...agentCall, node: cluster.node }), keyedAnswer },
        within: withinTheDay(start),
        admit: (calls) => checkConcurrency(limits, calls),
      };
      connectCall({ ...start, maxDurationSec: await storeCall(counted) });
    } finally {
      permit.release();
    }
    logger.info({ call_id: callId, direction, number_id: number.id }, 'a call begins');
  };
};
