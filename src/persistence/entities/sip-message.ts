import { defineEntity, p } from '@mikro-orm/core';
import { sipTransports } from '#src/domain/sip-message.ts';

/** A SIP message of a call; see `SipMessage` for what its columns mean. */
export const SipMessageRow = defineEntity({
  name: 'SipMessageRow',
  tableName: 'sip_message',
  properties: {
    /** Not looked up in `call`: a caller's first messages are kept before its call is stored. */
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
