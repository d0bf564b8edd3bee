import { defineEntity, p } from '@mikro-orm/core';
import { Call } from './call.ts';

/** The recording of a call, from the answer on. A call without one was not to be recorded. */
export const Recording = defineEntity({
  name: 'Recording',
  tableName: 'recording',
  properties: {
    callId: () =>
      p
        .manyToOne(Call)
        .mapToPk()
        .primary()
        .fieldName('call_id')
        .updateRule('no action')
        .deleteRule('no action'),
    status: p.enum(['pending', 'completed', 'failed']),
    contentType: p.text().nullable(),
    durationSec: p.double().$type<number>().nullable(),
    bytes: p.bigint('number').nullable(),
    /** Relative to the folder of recordings. */
    file: p.text().nullable(),
    /** The gateway whose folder has what there is of it; null where it is the one that holds, or last held, the call. */
    node: p.text().nullable(),
    /** Its end is missing: the process that wrote it ended early. */
    truncated: p.boolean().default(false),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
    /** From when on nobody gets it any more; its file is removed soon after, and `file` is null then. */
    erasedAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'recording_left_index',
      properties: ['node'],
      where: "status = 'pending' and node is not null",
    },
    {
      name: 'recording_to_remove_index',
      properties: ['erasedAt'],
      where: 'erased_at is not null and file is not null',
    },
  ],
});
