import { defineEntity, p } from '@mikro-orm/core';
import { Call } from './call.ts';

/** Recording of a call from the answer on. A call that is not recorded has no row. */
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
    /** Path relative to the recordings folder. */
    file: p.text().nullable(),
    /** Gateway whose folder contains the file; null if that is the current or last gateway of the call. */
    node: p.text().nullable(),
    /** Whether the end of the recording is missing because the process that wrote the file ended early. */
    truncated: p.boolean().default(false),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
    /**
     * Time of the erasure. From then on the recording is unavailable; its file is removed soon after, and `file`
     * becomes null.
     */
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
