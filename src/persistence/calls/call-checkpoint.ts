import { defineEntity, p } from '@mikro-orm/core';
import type { SealedHeaders } from '#src/domain/agent-headers.ts';
import type { SipLeg } from '#src/domain/sip-leg.ts';

/** Type of a stored hang-up request; its values are those of in-call requests (src/domain). */
const pendingHangups = ['hangup', 'hangup_immediately'] as const;

/**
 * Checkpoint of a call: the data by which another process resumes the call, or hangs up its far ends, when its gateway
 * dies (`src/continuity/README.md`). The row is created with the first leg or with the answer, and deleted when the
 * call and its last leg have ended. The row has no foreign key to the call, because a leg is written with the INVITE,
 * possibly before the call.
 */
export const CallCheckpoint = defineEntity({
  name: 'CallCheckpoint',
  tableName: 'call_checkpoint',
  properties: {
    /** Id of the call. A trunk check has legs without a call, which have an id of their own. */
    callId: p.uuid().primary(),
    /** Node of the process that holds the legs; copied from the call. */
    node: p.text().index(),
    /** Epoch of the call; a writer with another epoch does not change this row. */
    epoch: p.integer().default(1),
    /** Format version, which determines the gateways that can read the row. */
    form: p.integer(),
    /** Milliseconds by which call time (`call-time.ts`) is ahead of the database clock. */
    aheadMs: p.double().$type<number>().nullable(),
    /** Bearer token for the agent, sealed with the call's id; null for an agent that needs none. */
    tokenSealed: p.text().nullable(),
    /** Headers for the agent, each value sealed with the call's id; null if there are no headers. */
    headersSealed: p.json<SealedHeaders>().nullable(),
    /**
     * Settings at the start of the call that the call's row does not have. Null before the answer, when the call cannot
     * be resumed.
     */
    settings: p.json<unknown>().nullable(),
    /** Far ends and their media channels (`LineCheckpoint`), by the id of the leg. Media keys are sealed with that id. */
    legs: p.json().$type<Readonly<Record<string, SipLeg>>>().default('{}'),
    /** State of the conversation, including the current reply; null until it is first stored. */
    progress: p.json<unknown>().nullable(),
    /**
     * Hang-up that was requested while no running gateway held the call (`pending-hangups.ts`); null if there was no
     * request.
     */
    pendingHangup: p.enum(pendingHangups).nullable(),
  },
  indexes: [
    { name: 'call_checkpoint_pending_hangup', properties: ['callId'], where: 'pending_hangup is not null' },
  ],
});
