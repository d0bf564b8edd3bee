import { defineEntity, p } from '@mikro-orm/core';
import { PhoneNumber } from './phone-number.ts';

/** What a request with an Idempotency-Key was answered, so that its repetition gets the same. */
export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  properties: {
    numberId: () => p.manyToOne(PhoneNumber).mapToPk().primary().fieldName('number_id'),
    key: p.text().primary(),
    /** Of the request's body: the same key with another body is a mistake of the caller. */
    fingerprint: p.blob(),
    state: p.enum(['running', 'done']),
    responseStatus: p.integer().nullable(),
    /** To the byte. */
    responseBody: p.text().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'idempotency_record_created_at_index', properties: ['createdAt'] }],
});
