/** Policies for answering machines, call screening and menus, and kinds of answerers, for schemas and documents. */
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

/** Setting of a number. `message` is said by `leave_message`; `null` for the language's default. */
export type Voicemail = { policy: VoicemailPolicy; message: string | null };

/** Setting of a number. `callerName`: name used in the introduction; `null` for none. */
export type Screening = { policy: ScreeningPolicy; callerName: string | null };
