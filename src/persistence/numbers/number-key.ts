import { defineEntity, p } from '@mikro-orm/core';
import { PhoneNumber } from './phone-number.ts';

/** The key of a number: a hash for authentication, and a sealed recovery copy. */
export const NumberKey = defineEntity({
  name: 'NumberKey',
  tableName: 'number_key',
  properties: {
    numberId: () =>
      p
        .manyToOne(PhoneNumber)
        .mapToPk()
        .primary()
        .fieldName('number_id')
        .updateRule('no action')
        .deleteRule('no action'),
    keyHash: p.blob().unique(),
    /** Sealed recovery copy; null for a key issued before recovery copies existed. */
    keySealed: p.text().nullable(),
    /** End of the key, which identifies it to people; null for a key of an earlier version. */
    keyTail: p.text().nullable(),
    issuedAt: p.datetime(3),
  },
});
