/** Policies towards answering machines, and answerers, as lists for schemas and documents. */
import type { VoicemailPolicy } from '#machines/call-context.ts';
import type { AnsweredBy } from '#machines/line.ts';

export type { AnsweredBy, VoicemailPolicy };

export const voicemailPolicies = [
  'talk',
  'hang_up',
  'leave_message',
] as const satisfies readonly VoicemailPolicy[];

export const answerers = ['human', 'machine'] as const satisfies readonly AnsweredBy[];

/** Of a number. `message` is what `leave_message` says; `null` for the sentence of the call's language. */
export type Voicemail = { policy: VoicemailPolicy; message: string | null };
