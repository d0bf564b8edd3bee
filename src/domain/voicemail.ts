/**
 * Policies for answering machines, call screening and menus, and the kinds of answerers, for schemas and API documents.
 */
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

/**
 * Voicemail setting of a number. `message` is the text for `leave_message`; `null` for the default text of the
 * language.
 */
export type Voicemail = { policy: VoicemailPolicy; message: string | null };

/** Screening setting of a number. `callerName` is the name used in the introduction; `null` for no name. */
export type Screening = { policy: ScreeningPolicy; callerName: string | null };
