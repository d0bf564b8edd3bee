import * as z from 'zod';
import { longestRetentionDays } from '#src/domain/retention.ts';

const days = (description: string, example: number) =>
  z.int().min(0).max(longestRetentionDays).nullable().default(null).meta({ description, example });

/** Retention of conversations. */
export const retention = z
  .strictObject({
    recordings: days('Days after the end of a call; 0: calls are not recorded; null: for ever.', 30),
    words: days(
      'Days after the end of a call for the transcript, the instruction, the summary and keys that were pressed; 0: no transcript and no summary is ever written, and the rest goes with the end; null: for ever.',
      90,
    ),
  })
  .meta({ id: 'Retention' });
