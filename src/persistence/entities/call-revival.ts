import { defineEntity, p } from '@mikro-orm/core';
import type { SealedHeaders } from '#src/domain/agent-headers.ts';
import { Call } from './call.ts';

/** As in-call requests are called (src/domain). */
const leftHangups = ['hangup', 'hangup_immediately'] as const;

/**
 * All that another process needs to go on with a call when the one that holds it dies (`call-revivals.ts`). It goes
 * with the end of the call.
 */
export const CallRevival = defineEntity({
  name: 'CallRevival',
  tableName: 'call_revival',
  properties: {
    callId: () =>
      p
        .manyToOne(Call)
        .mapToPk()
        .primary()
        .fieldName('call_id')
        .updateRule('no action')
        .deleteRule('no action'),
    /** Of the call's holder. */
    epoch: p.integer().default(1),
    /** Which gateways can read it. */
    form: p.integer(),
    /** What the call began with; the rest stands in the call. */
    start: p.json<unknown>(),
    /** What its agent is asked with, sealed about the call's id; null for an agent that needs none. */
    tokenSealed: p.text().nullable(),
    /** Each value is sealed about the call's id. Null where there are none, or where a gateway of before has kept it. */
    headersSealed: p.json<SealedHeaders>().nullable(),
    /** Where its conversation stands, with what is being said just now. Null until something happens in it. */
    progress: p.json<unknown>().nullable(),
    /**
     * How far the time of the call (`call-time.ts`) is ahead of the database's clock, in milliseconds. Null where a
     * gateway of before has kept it.
     */
    aheadMs: p.double().$type<number>().nullable(),
    /** A hang-up that was asked for while nobody held the call (`left-hangups.ts`); null for none. */
    leftHangup: p.enum(leftHangups).nullable(),
  },
  indexes: [{ name: 'call_revival_left_hangup', properties: ['callId'], where: 'left_hangup is not null' }],
});
