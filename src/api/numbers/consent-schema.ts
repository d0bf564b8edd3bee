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
    message: 'Whoever has to agree must be told to what: say what is announced.',
  })
  .meta({ id: 'Consent' });
