import type { CallInput } from '#machines/call-context.ts';
import type { SpeechChoice } from '#machines/line.ts';
import { builtInGreeting, phrases } from '#src/domain/phrases.ts';
import type { Language } from '#src/domain/language.ts';
import type { CallPolicy } from '#src/domain/call-policy.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import type { Voicemail } from '#src/domain/voicemail.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';

export type CallTimes = { farewellWaitMs: number; hangUpTimeoutMs: number };

/** What a call's chart starts from. */
export const callInput = (call: {
  agentCall: AgentCall;
  language: Language;
  policy: CallPolicy;
  maxDurationSec: number;
  /** The number's own greeting. */
  greeting: string | null;
  speech: SpeechChoice;
  voicemail: Voicemail;
  times: CallTimes;
}): CallInput => {
  const { agentCall, language, policy, voicemail, times } = call;
  const { voicemailMessage, ...said } = phrases[language];
  const { context, binding, instruction } = agentCall;
  const isOutbound = context.direction === 'outbound';
  return {
    callId: context.call_id,
    direction: context.direction,
    from: context.from,
    to: context.to,
    language,
    speech: call.speech,
    recording: policy.recordingEnabled,
    ringTimeoutSec: policy.ringTimeoutSec,
    maxDurationSec: call.maxDurationSec,
    silenceTimeoutSec: policy.silenceTimeoutSec,
    bargeIn: policy.bargeIn,
    turnEnd: policy.turnEnd,
    farewellWaitMs: times.farewellWaitMs,
    hangUpTimeoutMs: times.hangUpTimeoutMs,
    kickoff: isOutbound ? kickoffFor(instruction) : null,
    greeting: isOutbound ? null : greetingOf(call.greeting, binding.agent, language),
    ...said,
    voicemail: voicemail.policy,
    voicemailMessage: voicemail.message ?? voicemailMessage,
  };
};

/**
 * Inbound: the built-in agent opens with a greeting; an endpoint waits, unless the number has one
 * (guides/design/calls.md, "Inbound").
 */
const greetingOf = (own: string | null, agent: 'builtin' | 'endpoint', language: Language): string | null =>
  own ?? (agent === 'builtin' ? builtInGreeting[language] : null);
