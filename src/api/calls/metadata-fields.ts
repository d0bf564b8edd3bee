/** Metadata of a call in requests and in search queries (guides/design/wire.md, "Metadata"). */
import * as z from 'zod';
import {
  longestMetadataKey,
  longestMetadataValue,
  metadataKey,
  mostMetadataKeys,
} from '#src/domain/metadata.ts';
import { text } from '../fields.ts';

const entries = z
  .record(
    z.string().regex(metadataKey, {
      error: `A key has 1 to ${longestMetadataKey} letters of ASCII, digits, underscores, dots and hyphens.`,
    }),
    text(longestMetadataValue),
  )
  .refine((given) => Object.keys(given).length <= mostMetadataKeys, {
    error: `There may be up to ${mostMetadataKeys} keys.`,
  });

export const metadata = entries.meta({
  description: `Your own data to find the call by: it is returned with every read of the call, in its events and records. The agent does not receive it. At most ${mostMetadataKeys} keys, values of at most ${longestMetadataValue} characters.`,
  example: { order: 'A-1042' },
});

export const metadataInQuery = entries.meta({
  description:
    'Calls with exactly this metadata; several parameters must all match. Each is a parameter of its own: `metadata.<key>=<value>`.',
  // In a query, each property of the object becomes a separate parameter (style `form`, exploded).
  override: ({ jsonSchema }) =>
    Object.assign(jsonSchema, {
      propertyNames: { type: 'string', pattern: metadataKey.source.replace('^', '^metadata\\.') },
    }),
});
