import * as z from 'zod';
import { eventTypes } from '#src/domain/event-types.ts';
import { serverTroubles } from '#src/domain/server-advice.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { exampleSecret, text, timestamp } from '../fields.ts';
import { idInPath } from '../ids.ts';

export const webhookInPath = z.object({ id: idInPath('The webhook endpoint.') });

const exampleUrl = 'https://example.com/events';

export const webhookFields = {
  url: text(2048).meta({
    description: 'https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it.',
    example: exampleUrl,
  }),
  events: z
    .array(z.enum(eventTypes))
    .min(1)
    .nullable()
    .meta({
      description: 'Event types to deliver; null for all types.',
      example: ['call.ended', 'recording.completed'],
    }),
  number_id: z
    .uuid()
    .nullable()
    .meta({ description: 'Only events of this number; null for all numbers.', example: null }),
};

export const webhook = z
  .object({
    id: z.uuid(),
    ...webhookFields,
    url: z.string().meta({ example: exampleUrl }),
    state: z.enum(['active', 'paused', 'disabled']).meta({
      description: 'Events wait while an endpoint is paused. An endpoint that answered 410 is disabled.',
    }),
    disabled_reason: z.string().nullable(),
    failing_since: timestamp.nullable().meta({
      description:
        'The first failed attempt since the last success; null if there is none. Events wait meanwhile, some without an attempt of their own.',
      example: null,
    }),
    last_failure: z.string().nullable().meta({
      description: 'Failure of the last attempt; null unless the endpoint is failing.',
      example: null,
    }),
    last_failure_code: z.enum(serverTroubles).nullable().meta({
      description: 'A stable code of the cause of that failure; null if it is unknown.',
      example: null,
    }),
    last_failure_advice: z.string().nullable().meta({
      description: 'The cause of that failure in a sentence, with advice; null if it is unknown.',
      example: null,
    }),
    last_success_at: timestamp.nullable().meta({
      description: 'The last delivered event of this URL, to within ten seconds; null if none was delivered.',
    }),
    next_attempt_at: timestamp.nullable().meta({
      description:
        'The next attempt to deliver an event, never in the past; null if no event waits, and while the endpoint is not active. An endpoint that does not answer is tried less often.',
      example: null,
    }),
    previous_secret_until: timestamp.nullable().meta({
      description: 'Time until which the previous secret signs as well.',
      example: null,
    }),
    created_at: timestamp,
  })
  .meta({ id: 'Webhook' });

export const webhookWithSecret = z
  .object({
    ...webhook.shape,
    secret: z.string().meta({
      description: 'Signs the events (Standard Webhooks). Shown only once.',
      example: exampleSecret,
    }),
  })
  .meta({ id: 'WebhookWithSecret' });

export const webhookNotFound = (): Refusal =>
  new Refusal('not_found', 'There is no webhook endpoint with this id in the workspace.');
