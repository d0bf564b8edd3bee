/** Consent of the other party of a call, as clients see it (guides/privacy.md). */
import * as z from 'zod';
import { consentMeans } from '#src/domain/consent.ts';
import { timestamp } from '../fields.ts';

export const callConsent = z
  .object({
    given: z.boolean().meta({ description: 'Whether the call could go on.' }),
    how: z.enum(consentMeans).meta({
      description:
        '`announcement`: it was told, and no answer was wanted; `speech`: by its words; `key`: by a key; `silence`: it gave no answer.',
      example: 'speech',
    }),
    at: timestamp,
  })
  .meta({ id: 'CallConsent' });
