/** A number with everything that its calls need, as the rest of `src/calls` knows it. */
import type { SpeechChoice } from '#machines/line.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { CallPolicy, StoredCallPolicy } from '#src/domain/call-policy.ts';
import type { Language } from '#src/domain/language.ts';
import type { Voicemail } from '#src/domain/voicemail.ts';

export type InboundAuth = { method: 'none' } | { method: 'handshake'; url: string; secret: string };

export type CalledNumber = {
  id: string;
  /** Domestic format. */
  number: string;
  language: Language;
  greeting: string | null;
  speech: SpeechChoice;
  voicemail: Voicemail;
  policy: StoredCallPolicy;
  workspace: { id: string; policy: StoredCallPolicy; maxCallsInProgress: number | null };
  bindings: { inbound: AgentBinding; outbound: AgentBinding };
  /** The bearer token for the outbound agent endpoint, in clear. */
  outboundToken: string | null;
  inboundAuth: InboundAuth;
};

/** The policy in force for a number's next call. */
export type PolicyOf = (number: Pick<CalledNumber, 'policy' | 'workspace'>) => CallPolicy;
