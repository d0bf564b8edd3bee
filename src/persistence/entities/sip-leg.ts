import { defineEntity, p } from '@mikro-orm/core';
import type { SipLeg } from '#src/domain/sip-leg.ts';

/**
 * The far end of a call that is not over yet, for whoever must end it when its process has died. It refers to no call: it
 * is written as soon as an INVITE is there, which may be before the call is.
 */
export const SipLegRow = defineEntity({
  name: 'SipLegRow',
  tableName: 'sip_leg',
  properties: {
    id: p.uuid().primary(),
    /** Null for the check of a trunk. */
    callId: p.uuid().nullable(),
    node: p.text().index(),
    /** Of the call's holder. */
    epoch: p.integer().default(1),
    leg: p.json<SipLeg>(),
  },
});
