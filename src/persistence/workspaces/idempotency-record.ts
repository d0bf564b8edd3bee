import { defineEntity, p } from '@mikro-orm/core';
import { Call } from '../calls/call.ts';
import { PhoneNumber } from '../numbers/phone-number.ts';

/** Stored response to a request with an Idempotency-Key; a repeated request gets the same response. */
export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  properties: {
    numberId: () => p.manyToOne(PhoneNumber).mapToPk().primary().fieldName('number_id'),
    key: p.text().primary(),
    /** Hash of the request's body. Using the key again with another body is a client error. */
    fingerprint: p.blob().$type<Buffer>(),
    /** The call that the request placed. */
    callId: () =>
      p.manyToOne(Call).mapToPk().fieldName('call_id').updateRule('no action').deleteRule('no action'),
    responseStatus: p.integer(),
    /** The response, byte for byte. */
    responseBody: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'idempotency_record_created_at_index', properties: ['createdAt'] }],
});
