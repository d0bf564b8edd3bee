import { defineEntity, p } from '@mikro-orm/core';
import type { SealedHeaders } from '#src/domain/agent-headers.ts';
import type { SipLeg } from '#src/domain/sip-leg.ts';

/** Named like in-call requests (src/domain). */
const pendingHangups = ['hangup', 'hangup_immediately'] as const;

/**
 * State from which another process resumes a call, or hangs up its far ends, when its holder dies
 * (`src/continuity/README.md`). It begins with the first leg or with the answer, and ends with the call and its last
 * leg. No foreign key to the call: a leg is written with the INVITE, possibly before the call.
 */
export const CallCheckpoint = defineEntity({
  name: 'CallCheckpoint',
  tableName: 'call_checkpoint',
  properties: {
    /** A trunk check, which is no call, has an id of its own. */
    callId: p.uuid().primary(),
    /** Node of the process that holds the legs: the call's, written with it. */
    node: p.text().index(),
    /** Epoch of the call, written with it: fences the writes of this row. */
    epoch: p.integer().default(1),
    /** Format version; determines which gateways can read it. */
    form: p.integer(),
    /** Milliseconds by which call time (`call-time.ts`) is ahead of the database clock. */
    aheadMs: p.double().$type<number>().nullable(),
    /** Bearer token for the agent, sealed with the call's id; null for an agent that needs none. */
    tokenSealed: p.text().nullable(),
    /** Each value is sealed with the call's id; null if there are none. */
    headersSealed: p.json<SealedHeaders>().nullable(),
    /** Settings that the call began with, beyond its row. Null before the answer: the call cannot be resumed then. */
    settings: p.json<unknown>().nullable(),
    /** Far ends and their media channels, by the id of the leg; media keys are sealed with that id. */
    legs: p.json().$type<Readonly<Record<string, SipLeg>>>().default('{}'),
    /** Conversation state including the current reply. Null before the first stored progress of the conversation. */
    progress: p.json<unknown>().nullable(),
    /** Hang-up requested while the call had no running holder (`pending-hangups.ts`); null for none. */
    pendingHangup: p.enum(pendingHangups).nullable(),
  },
  indexes: [
    { name: 'call_checkpoint_pending_hangup', properties: ['callId'], where: 'pending_hangup is not null' },
  ],
});
