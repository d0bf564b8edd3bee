import * as z from 'zod';
import { longestRetentionDays } from '#src/domain/retention.ts';

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
