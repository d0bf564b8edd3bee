import type { CallInput } from '#machines/call-context.ts';
import type { CallResumeState } from '#machines/resume-state.ts';
import { builtInGreeting, phrases } from '#src/domain/phrases.ts';
import type { Language } from '#src/domain/language.ts';
import type { CallSettings } from '#src/persistence/calls/call-checkpoints.ts';
import type { ConsentPolicy } from '#src/domain/consent.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import type { CallTimes } from '../call-parts.ts';
import { introductionFor } from '#src/domain/introduction.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';

/** The input of a call's chart. */
export const callInput = (call: {
  agentCall: AgentCall;
  language: Language;
  settings: CallSettings;
  maxDurationSec: number;
  times: CallTimes;
  /** For an outbound call. */
  sipHeaders?: SipHeaders | null | undefined;
  /** For a call of another process. */
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
 * Inbound: the built-in agent begins with a greeting; an endpoint waits, unless the number has a greeting
 * (guides/design/calls.md, "Inbound").
 */
const greetingOf = (own: string | null, agent: 'builtin' | 'endpoint', language: Language): string | null =>
  own ?? (agent === 'builtin' ? builtInGreeting[language] : null);
