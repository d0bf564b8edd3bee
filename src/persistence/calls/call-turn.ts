import { defineEntity, p } from '@mikro-orm/core';

/** One turn of a transcript: words that were actually heard. */
export const CallTurn = defineEntity({
  name: 'CallTurn',
  tableName: 'call_turn',
  properties: {
    /** The column has no foreign key, which would cost another look-up; writers ensure that the call exists. */
    callId: p.uuid().primary(),
    /** Position in the transcript, counted from 1. */
    sequence: p.integer().primary(),
    role: p.enum(['assistant', 'user']),
    text: p.text(),
    /** Start of the turn in seconds from the answer. */
    tOffsetSec: p.double().$type<number>(),
    spokenAt: p.datetime(3),
    /** Whether the turn was heard completely; false for an interrupted reply. */
    whole: p.boolean(),
  },
});
