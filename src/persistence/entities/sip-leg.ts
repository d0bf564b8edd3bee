import { defineEntity, p } from '@mikro-orm/core';
import type { SipLeg } from '#src/domain/sip-leg.ts';

/**
 * SIP leg of a call in progress, so that another process can end it after a crash. No foreign key to the call: the leg
 * is written with the INVITE, possibly before the call.
 */
export const SipLegRow = defineEntity({
  name: 'SipLegRow',
  tableName: 'sip_leg',
  properties: {
    id: p.uuid().primary(),
    /** Null for a trunk check. */
    callId: p.uuid().nullable(),
    node: p.text().index(),
    /** Epoch of the call's holder. */
    epoch: p.integer().default(1),
    leg: p.json<SipLeg>(),
  },
});
