/** Policies towards answering machines, call screening and menus, and answerers, as lists for schemas and documents. */
import type { MenuPolicy, ScreeningPolicy, VoicemailPolicy } from '#machines/call-context.ts';
import type { AnsweredBy } from '#machines/line.ts';

export type { AnsweredBy, MenuPolicy, ScreeningPolicy, VoicemailPolicy };

export const voicemailPolicies = [
  'talk',
  'hang_up',
  'leave_message',
] as const satisfies readonly VoicemailPolicy[];

export const screeningPolicies = ['answer', 'hang_up'] as const satisfies readonly ScreeningPolicy[];

export const menuPolicies = ['talk', 'hang_up'] as const satisfies readonly MenuPolicy[];

export const answerers = ['human', 'machine', 'screening', 'menu'] as const satisfies readonly AnsweredBy[];

/** Of a number. `message` is what `leave_message` says; `null` for the sentence of the call's language. */
export type Voicemail = { policy: VoicemailPolicy; message: string | null };

/** Of a number. `callerName`: with which the agent introduces itself; `null` where it has no name. */
export type Screening = { policy: ScreeningPolicy; callerName: string | null };
