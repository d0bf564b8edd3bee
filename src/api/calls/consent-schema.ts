/** Consent of the other party of a call, as clients see it (guides/privacy.md). */
import * as z from 'zod';
import { consentMeans } from '#src/domain/consent.ts';
import { timestamp } from '../fields.ts';

export const callConsent = z
  .object({
    given: z.boolean().meta({ description: 'Whether the call could continue.' }),
    how: z.enum(consentMeans).meta({
      description:
        '`announcement`: the announcement was enough; `speech`: by its words; `key`: by a key; `silence`: it did not answer.',
      example: 'speech',
    }),
    at: timestamp,
  })
  .meta({ id: 'CallConsent' });
