import * as z from 'zod';

/**
 * An id that belongs to no object. A malformed id is replaced by this one, so that it takes the same path as an unknown
 * id.
 */
const nobody = '00000000-0000-0000-0000-000000000000';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id in a path. It always validates: a malformed id is treated as an unknown one. */
export const idInPath = (description: string) =>
  z
    .string()
    .transform((text) => (uuid.test(text) ? text.toLowerCase() : nobody))
    .meta({ description, override: { type: 'string', format: 'uuid' } });

export const callIdInPath = z.object({ call_id: idInPath('The call.') });
