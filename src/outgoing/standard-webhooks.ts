/**
 * Signs webhooks by the Standard Webhooks specification (standardwebhooks.com, version 1.0.0, "Signature scheme"), so
 * that the receiver can verify sender, content and age.
 */
import { createHmac } from 'node:crypto';

export type WebhookSignatureInput = {
  /** Id of the event, the same for every attempt, so that the receiver detects repetitions. */
  id: string;
  /** Time of this attempt in seconds since the epoch. */
  timestamp: number;
  body: string;
  /** Secrets, each `whsec_` followed by base64. There are several while a secret is being replaced. */
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
