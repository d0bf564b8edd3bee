import * as z from 'zod';

/** An id that belongs to no object, used instead of a malformed id, which is then handled like an unknown id. */
const nobody = '00000000-0000-0000-0000-000000000000';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Schema of an id in a path. Validation always succeeds: a malformed id is handled like an unknown one. */
export const idInPath = (description: string) =>
  z
    .string()
    .transform((text) => (uuid.test(text) ? text.toLowerCase() : nobody))
    .meta({ description, override: { type: 'string', format: 'uuid' } });

export const callIdInPath = z.object({ call_id: idInPath('The call.') });
