import * as z from 'zod';

/** Belongs to nothing. What is no UUID is looked up under it, so that it takes the same way as an unknown one. */
const nobody = '00000000-0000-0000-0000-000000000000';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id in a path. It never fails to validate: an id that cannot exist is one that does not exist. */
export const idInPath = (description: string) =>
  z
    .string()
    .transform((text) => (uuid.test(text) ? text.toLowerCase() : nobody))
    .meta({ description, override: { type: 'string', format: 'uuid' } });

export const callIdInPath = z.object({ call_id: idInPath('The call.') });
