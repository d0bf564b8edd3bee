/** Settings of numbers and workspaces that consist of several fields: consent, destinations, retention, end of turn. */
import * as z from 'zod';
import { turnEndBounds, turnEndModes, usualTurnEnd } from '#src/domain/turn-end.ts';
import { longestRetentionDays } from '#src/domain/retention.ts';
import { destinationKinds, isPrefix } from '#src/domain/destinations.ts';
import { consentRequirements } from '#src/domain/consent.ts';
import { text } from '../fields.ts';

/** Notice for the other party, and whether consent is required. */
export const consent = z
  .strictObject({
    announce: text(1000)
      .refine((announcement) => announcement.trim() !== '', { error: 'This is required.' })
      .nullable()
      .meta({
        description:
          'Said first, before any recording and before the agent is asked; it cannot be interrupted. Null: no announcement.',
        example: 'This call is recorded. Do you agree?',
      }),
    require: z.enum(consentRequirements).default('none').meta({
      description:
        '`none`: the announcement is enough; `speech`: the other party must say yes; `key`: it must press 1. Without a clear answer the question is repeated once; without consent the gateway says goodbye, and the call ends with `consent_refused`.',
      example: 'speech',
    }),
  })
  .refine(({ announce, require }) => announce !== null || require === 'none', {
    path: ['announce'],
    message: 'Consent needs an announcement: set the text that is announced.',
  })
  .meta({ id: 'Consent' });

const prefixes = z
  .array(z.string().refine(isPrefix, { error: 'This is no beginning of a number, such as 0505 or +1242.' }))
  .max(200);

const noneTwice = (values: readonly string[]): boolean => new Set(values).size === values.length;

/** Allowed destinations of calls (guides/design/limits.md, "Destinations"). */
export const destinations = z.strictObject({
  kinds: z
    .array(z.enum(destinationKinds))
    .refine(noneTwice, { error: 'A kind is listed twice.' })
    .meta({
      description:
        'Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind.',
      example: ['mobile', 'fixed_line', 'toll_free'],
    }),
  allowed_prefixes: prefixes.meta({
    description:
      'Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins.',
    example: ['+4420'],
  }),
  denied_prefixes: prefixes.meta({
    description: 'Numbers with these prefixes may not be called, whatever their kind.',
    example: ['0505'],
  }),
});

const days = (description: string, example: number) =>
  z.int().min(0).max(longestRetentionDays).nullable().default(null).meta({ description, example });

/** Retention of conversations. */
export const retention = z
  .strictObject({
    recordings: days('Days after the end of a call; 0: calls are not recorded; null: for ever.', 30),
    words: days(
      'Days after the end of a call for which the transcript, the instruction, the summary and DTMF digits are kept; 0: no transcript and no summary is written, and the rest is deleted at the end; null: for ever.',
      90,
    ),
  })
  .meta({ id: 'Retention' });

const milliseconds = (name: keyof typeof turnEndBounds, description: string) => {
  const [lowest, highest] = turnEndBounds[name];
  const usual = usualTurnEnd[name];
  return z.int().min(lowest).max(highest).default(usual).meta({ description, example: usual });
};

/** Settings of end-of-turn detection. */
export const turnEnd = z
  .strictObject({
    mode: z.enum(turnEndModes).meta({
      description:
        '`pause`: the silence after the words, short when they sound complete and long when they do not. `recognizer`: the end-of-turn event of the recognizer, if it has one (`deepgram`, `deepgram-flux`). `model`: a speech model provided by the operator (`GW_TURN_MODEL`). A mode that this gateway lacks is refused; if it fails later, `pause` applies.',
      example: 'pause',
    }),
    min_silence_ms: milliseconds('minSilenceMs', 'A turn does not end before this silence. Milliseconds.'),
    max_silence_ms: milliseconds(
      'maxSilenceMs',
      'A turn with words ends after this silence in every mode. Milliseconds.',
    ),
  })
  .meta({ id: 'TurnEnd' });
