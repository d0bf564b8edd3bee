/** Statements of facts that finish a recording. */
import { callColumns } from '../calls.ts';
import { tellOfRecording } from '../outbox.ts';
import { prepared } from '../prepared.ts';
import { recordingColumns } from '../recordings.ts';
import type { Queries, Row } from '../tables.ts';
import { eventOf, journalling, positionOf, type ToldFact } from './journalled.ts';

type Finished = Partial<
  Pick<Row<'Recording'>, 'contentType' | 'durationSec' | 'bytes' | 'file' | 'truncated'>
>;

const finishing = (
  queries: Queries,
  fact: ToldFact,
  finished: Finished & { status: 'completed' | 'failed' },
) =>
  tellOfRecording(
    journalling(queries, fact)
      .with('told', eventOf(fact.eventId))
      .with('finished', (write) =>
        write
          .updateTable('Recording')
          .from('journalled')
          .set(({ ref }) => ({ ...finished, finishedAt: ref('journalled.at') }))
          .whereRef('Recording.callId', '=', 'journalled.callId')
          .where('Recording.status', '=', 'pending')
          .returning(recordingColumns),
      )
      .with('changed', (read) =>
        read.selectFrom('Call').innerJoin('finished', 'finished.callId', 'Call.id').select(callColumns),
      ),
    positionOf(fact),
  );

export const completeRecording = prepared((queries, fact: ToldFact & Required<Finished>) => {
  const { contentType, durationSec, bytes, file, truncated } = fact;
  return finishing(queries, fact, {
    status: 'completed',
    contentType,
    durationSec,
    bytes,
    file,
    truncated,
  });
});

export const failRecording = prepared((queries, fact: ToldFact) =>
  finishing(queries, fact, { status: 'failed' }),
);
