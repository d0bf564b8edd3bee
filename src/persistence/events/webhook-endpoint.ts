import { defineEntity, p } from '@mikro-orm/core';
import type { EventType } from '#src/domain/event-types.ts';
import type { ServerTrouble } from '#src/domain/server-advice.ts';
import { PhoneNumber } from '../numbers/phone-number.ts';
import { Workspace } from '../workspaces/workspace.ts';

/** Webhook endpoint for a workspace's events. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().index().fieldName('workspace_id'),
    /** Number whose calls the endpoint receives; null for calls of all numbers. */
    numberId: () =>
      p.manyToOne(PhoneNumber).mapToPk().nullable().fieldName('number_id').deleteRule('no action'),
    url: p.text(),
    /** Event types that the endpoint receives; null for all types. */
    events: p.array().$type<EventType[]>().nullable(),
    secretSealed: p.text(),
    /** Replaced secret, which signs beside the new one until `previousSecretUntil`. */
    previousSecretSealed: p.text().nullable(),
    previousSecretUntil: p.datetime(3).nullable(),
    state: p.enum(['active', 'paused', 'disabled']).default('active'),
    disabledReason: p.text().nullable(),
    /** Time of the first failed attempt since the last success; null if the last attempt succeeded. */
    failingSince: p.datetime(3).nullable(),
    /** Error of the last attempt while the endpoint is failing. */
    lastFailure: p.text().nullable(),
    /** Cause of `lastFailure`, and advice for the owner; null if the cause is unknown. */
    lastFailureCode: p.text().$type<ServerTrouble>().nullable(),
    lastFailureAdvice: p.text().nullable(),
    /** Time of a recent successful attempt, at most ten seconds before the last one; null before the first. */
    lastSuccessAt: p.datetime(3).nullable(),
    /** End of the cool-down that the last failed attempt began or found; null if it found none. */
    coolingUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
});
