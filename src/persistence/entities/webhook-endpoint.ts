import { defineEntity, p } from '@mikro-orm/core';
import type { EventType } from '#src/domain/event-types.ts';
import { PhoneNumber } from './phone-number.ts';
import { Workspace } from './workspace.ts';

/** Where a workspace wants its events delivered. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().index().fieldName('workspace_id'),
    /** Null: the calls of every number. */
    numberId: () =>
      p.manyToOne(PhoneNumber).mapToPk().nullable().fieldName('number_id').deleteRule('no action'),
    url: p.text(),
    /** Null: every type. */
    events: p.array().$type<EventType[]>().nullable(),
    secretSealed: p.text(),
    /** Still signs, beside the new one, until `previousSecretUntil`. */
    previousSecretSealed: p.text().nullable(),
    previousSecretUntil: p.datetime(3).nullable(),
    state: p.enum(['active', 'paused', 'disabled']).default('active'),
    disabledReason: p.text().nullable(),
    /** When the first attempt failed since the last one that succeeded; null when that one was the last. */
    failingSince: p.datetime(3).nullable(),
    /** How the last attempt failed, while it is failing. */
    lastFailure: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});
