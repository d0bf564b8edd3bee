import { defineEntity, p } from '@mikro-orm/core';

/** One turn of a transcript: words that were really heard. */
export const CallTurn = defineEntity({
  name: 'CallTurn',
  tableName: 'call_turn',
  properties: {
    /** Of a call that is stored, as whoever writes it sees to: the server would look it up once more. */
    callId: p.uuid().primary(),
    /** From 1. */
    sequence: p.integer().primary(),
    role: p.enum(['assistant', 'user']),
    text: p.text(),
    /** Seconds from the answer. */
    tOffsetSec: p.double().$type<number>(),
    spokenAt: p.datetime(3),
    /** False for a reply that was interrupted. */
    whole: p.boolean(),
  },
});
