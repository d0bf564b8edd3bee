import * as z from 'zod';
import { makeAdminToken } from '#src/administration/administer-tokens.ts';
import { invalidField } from '#src/domain/refusal.ts';
import type { Decoded } from '../http/codec.ts';
import { moment } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import { presentToken, tokenFields, tokenWithSecret } from './token-schema.ts';

const dayMs = 86_400_000;

export const adminTokenRequest = z.strictObject({
  ...tokenFields,
  expires_at: moment.nullable().optional().meta({ description: 'Its expiry, in the future.' }),
  expires_in_days: z.int().min(1).max(3_650).nullable().optional().meta({
    description: 'Instead of `expires_at`: lifetime in days. Neither: until it is revoked.',
  }),
});

/** Null for a token that does not expire. Throws a Refusal (`invalid_request`). */
export const endOf = (
  { expiresAt: at = null, expiresInDays: days = null }: Decoded<z.output<typeof adminTokenRequest>>,
  now: number,
): Date | null => {
  if (at !== null && days !== null) {
    throw invalidField({
      path: 'expires_in_days',
      message: 'Give expires_at or expires_in_days, not both.',
    });
  }
  if (at !== null && at.getTime() <= now) {
    throw invalidField({ path: 'expires_at', message: 'This is not in the future.' });
  }
  return days === null ? at : new Date(now + days * dayMs);
};

export const createToken = defineRoute({
  method: 'post',
  path: '/api/v1/admin/tokens',
  operationId: 'createToken',
  tag: 'Workspace',
  summary: 'Create an admin token',
  description:
    'For a person or a program, with its own role. Only a fingerprint is stored: this response is the only one that contains the token.',
  auth: 'admin',
  body: adminTokenRequest.meta({ example: { name: 'Dashboard', role: 'viewer', expires_in_days: 90 } }),
  responses: { 201: { description: 'The token.', schema: tokenWithSecret } },
  refusals: [],
}).handledBy(async ({ caller, body }, services) => {
  const now = services.operation.clock.now();
  const { record, token } = await makeAdminToken(services.directory.administrator(caller), {
    name: body.name,
    role: body.role,
    expiresAt: endOf(body, now),
  });
  return { status: 201, body: { ...presentToken(record, now), isCurrent: false, token } };
});
