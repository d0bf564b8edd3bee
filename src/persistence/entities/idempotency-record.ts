import { defineEntity, p } from '@mikro-orm/core';
import { Call } from './call.ts';
import { PhoneNumber } from './phone-number.ts';

/** The answer to a request with an Idempotency-Key, so that its repetition gets the same. */
export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  properties: {
    numberId: () => p.manyToOne(PhoneNumber).mapToPk().primary().fieldName('number_id'),
    key: p.text().primary(),
    /** Of the request's body: the same key with another body is a mistake of the caller. */
    fingerprint: p.blob().$type<Buffer>(),
    /** The call that the request placed. */
    callId: () =>
      p.manyToOne(Call).mapToPk().fieldName('call_id').updateRule('no action').deleteRule('no action'),
    responseStatus: p.integer(),
    /** To the byte. */
    responseBody: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'idempotency_record_created_at_index', properties: ['createdAt'] }],
});
