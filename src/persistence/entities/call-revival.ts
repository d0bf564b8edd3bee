import { defineEntity, p } from '@mikro-orm/core';
import type { SealedHeaders } from '#src/domain/agent-headers.ts';
import { Call } from './call.ts';

/** Named like in-call requests (src/domain). */
const leftHangups = ['hangup', 'hangup_immediately'] as const;

/**
 * State from which another process can resume a call when its holder dies (`call-revivals.ts`). Deleted when the call
 * ends.
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
    /** Epoch of the call's holder. */
    epoch: p.integer().default(1),
    /** Format version; determines which gateways can read it. */
    form: p.integer(),
    /** Start state of the call beyond the call's own row. */
    start: p.json<unknown>(),
    /** Bearer token for the agent, sealed with the call's id; null for an agent that needs none. */
    tokenSealed: p.text().nullable(),
    /** Each value is sealed with the call's id. Null if there are none, or if an older gateway wrote the row. */
    headersSealed: p.json<SealedHeaders>().nullable(),
    /** Conversation state including the current reply. Null until something happens in the conversation. */
    progress: p.json<unknown>().nullable(),
    /**
     * Milliseconds by which call time (`call-time.ts`) is ahead of the database clock. Null if an older gateway wrote
     * the row.
     */
    aheadMs: p.double().$type<number>().nullable(),
    /** Hang-up requested while the call had no running holder (`left-hangups.ts`); null for none. */
    leftHangup: p.enum(leftHangups).nullable(),
  },
  indexes: [{ name: 'call_revival_left_hangup', properties: ['callId'], where: 'left_hangup is not null' }],
});
