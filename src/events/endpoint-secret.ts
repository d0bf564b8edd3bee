/** Secrets of webhook endpoints in the format of the Standard Webhooks specification. */
import { randomBytes } from 'node:crypto';
import type { Sealing } from '#src/persistence/database/sealing.ts';

/**
 * Creates a secret: `whsec_` and the base64 of 32 random bytes, which are the HMAC key that signs this endpoint's
 * events.
 */
export const newEndpointSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Time in milliseconds during which the previous secret also signs, so that a receiver need not switch at once. */
export const rotationMs = 24 * 60 * 60 * 1000;

/** Sealed secrets as stored in an endpoint's row, bound to the endpoint's id. */
export type SealedSecrets = {
  secretSealed: string;
  previousSecretSealed: string | null;
  previousSecretUntil: Date | null;
};

/** Returns the secrets that sign now, the current one first. Throws if the secrets cannot be opened. */
export const openEndpointSecrets = (
  sealing: Sealing,
  endpointId: string,
  { secretSealed, previousSecretSealed, previousSecretUntil }: SealedSecrets,
  now: number,
): string[] => {
  const secrets = [sealing.open(secretSealed, endpointId)];
  if (previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil.getTime() > now) {
    secrets.push(sealing.open(previousSecretSealed, endpointId));
  }
  return secrets;
};
