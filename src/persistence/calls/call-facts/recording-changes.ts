/** Facts that finish a recording. */
import { sqlText } from '../../database/sql-text.ts';
import type { Row } from '../../database/tables.ts';
import { outboxWithRecording } from '../../events/outbox.ts';
import { eventFactParameters, newEvent, newFact, type NewEventFact } from './new-fact.ts';

type Finished = Pick<Row<'Recording'>, 'contentType' | 'durationSec' | 'bytes' | 'file' | 'truncated'>;

/** `$8` … are the values; only a pending recording is finished. */
const finishing = <Values extends object>(set: string, values: readonly (keyof Values)[]) =>
  sqlText<NewEventFact & Values, { id: string }>(
    `
      with ${newFact},
      ${newEvent},
      recording_after as (
        update recording set ${set}, finished_at = fact.at
        from fact
        where recording.call_id = fact.call_id and recording.status = 'pending'
        returning recording.*
      ),
      call_after as (
        select call.* from call join recording_after on recording_after.call_id = call.id
      ),
      ${outboxWithRecording}
      select call_after.id from call_after, notification
    `,
    [...eventFactParameters, ...values],
  );

export const completeRecording = finishing<Finished>(
  `status = 'completed', content_type = $8, duration_sec = $9, bytes = $10, file = $11, truncated = $12`,
  ['contentType', 'durationSec', 'bytes', 'file', 'truncated'],
);

export const failRecording = finishing<object>(`status = 'failed'`, []);
