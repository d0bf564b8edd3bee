/**
 * Signs what the gateway sends by the Standard Webhooks specification (standardwebhooks.com, version 1.0.0,
 * "Signature scheme"): the receiver can tell who sent it, that it is unchanged, and that it is not an old one.
 */
import { createHmac } from 'node:crypto';

export type WebhookSignatureInput = {
  /** The same for every attempt; the receiver tells repetitions by it. */
  id: string;
  /** Seconds since the epoch, of this attempt. */
  timestamp: number;
  body: string;
  /** `whsec_` and base64. More than one while a secret is being replaced. */
  secrets: readonly string[];
};

export type WebhookHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

export const signStandardWebhook = ({
  id,
  timestamp,
  body,
  secrets,
}: WebhookSignatureInput): WebhookHeaders => {
  const sign = (secret: string): string =>
    `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  };
};
