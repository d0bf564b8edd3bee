import { defineEntity, p } from '@mikro-orm/core';
import { sipTransports } from '#src/domain/sip-message.ts';

/** SIP message of a call (see `SipMessage` for its columns). */
export const SipMessageRow = defineEntity({
  name: 'SipMessageRow',
  tableName: 'sip_message',
  properties: {
    /** The column has no foreign key, because a caller's first messages are stored before its call. */
    callId: p.uuid().primary(),
    atMicros: p.bigint('number').primary().index(),
    direction: p.enum(['in', 'out']),
    transport: p.enum([...sipTransports]),
    local: p.text(),
    remote: p.text(),
    text: p.text(),
    leftOut: p.integer(),
  },
});
