/** The check of a signature by hand (Standard Webhooks 1.0.0), with Node's own cryptography alone. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Older or newer than this, and it is not the attempt that the gateway makes now. */
const toleranceSec = 5 * 60;

const isSame = (one, other) => one.length === other.length && timingSafeEqual(one, other);

/**
 * Returns the event. `body` is the request's body to the byte, as text: what was parsed and written again has another
 * signature. Throws an Error that says why the request must not be believed.
 */
export const verify = (secret, headers, body) => {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures) throw new Error('This is not signed.');
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSec)) throw new Error('This is too old.');

  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // There are two of them for 24 hours after a rotation: one that fits is enough.
  const isSigned = signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    return version === 'v1' && isSame(Buffer.from(value, 'base64'), expected);
  });
  if (!isSigned) throw new Error('The signature is not of this secret.');
  return JSON.parse(body);
};
