import * as z from 'zod';
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
          'Said first of all, before anything is recorded and before the agent is asked; it cannot be interrupted. Null: nothing.',
        example: 'This call is recorded. Do you agree?',
      }),
    require: z.enum(consentRequirements).default('none').meta({
      description:
        '`none`: being told is enough; `speech`: the other party has to say yes; `key`: it has to press 1. Who gives no clear answer is asked once more; who does not agree then is said goodbye, and the call ends with `consent_refused`.',
      example: 'speech',
    }),
  })
  .refine(({ announce, require }) => announce !== null || require === 'none', {
    path: ['announce'],
    message: 'Whoever has to agree must be told to what: say what is announced.',
  })
  .meta({ id: 'Consent' });
