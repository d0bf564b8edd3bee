/** Validates messages from web phones. */
import * as z from 'zod';
import { isStorable } from '#src/domain/storable-text.ts';
import type { FromPhone } from '#src/domain/web-phone.ts';

/** Maximum length of one text. */
export const longestText = 2_000;

const callId = z.uuid();

const fromPhone = z.discriminatedUnion('type', [
  z.object({ type: z.literal('answer'), call_id: callId, sound: z.boolean().optional() }),
  z.object({ type: z.literal('decline'), call_id: callId }),
  z.object({
    type: z.literal('dial'),
    to: z.string().max(40).refine(isStorable),
    sound: z.boolean().optional(),
  }),
  z.object({ type: z.literal('say'), text: z.string().trim().min(1).max(longestText).refine(isStorable) }),
  z.object({ type: z.literal('speaking'), on: z.boolean() }),
  z.object({ type: z.literal('digit'), digit: z.string().regex(/^[0-9*#A-D]$/) }),
  z.object({ type: z.literal('hang_up') }),
  z.object({ type: z.literal('voice'), on: z.boolean() }),
  z.object({
    type: z.literal('played'),
    utterance: z.number().int().positive(),
    heard_chars: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal('sound_flushed'), samples: z.number().int().nonnegative() }),
]) satisfies z.ZodType<FromPhone>;

/** Parses a message; returns `undefined` for an invalid one. */
export const parseFromPhone = (text: string): FromPhone | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return fromPhone.safeParse(value).data;
};
