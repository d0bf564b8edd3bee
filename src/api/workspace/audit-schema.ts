/** Query and response of the audit log. */
import * as z from 'zod';
import type { listAudit } from '#src/administration/administrator.ts';
import { dayNamed } from '#src/domain/day.ts';
import type { Decoded } from '../http/codec.ts';
import { dayInQuery, text, timestamp } from '../fields.ts';

export const auditEntry = z
  .object({
    id: z.int().meta({ example: 42 }),
    actor: z.string().meta({
      description: 'The actor: `admin:` and the id of the token.',
      example: 'admin:0b7c1f64-93d1-4c5e-8a53-5a8f3f1f2f10',
    }),
    action: z
      .string()
      .meta({ description: 'The action, such as `number_key.revealed`.', example: 'agent.changed' }),
    subject: z.string().meta({
      description: 'The target, such as `number:` and its id.',
      example: 'number:7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
    }),
    at: timestamp,
    detail: z.record(z.string(), z.unknown()).meta({
      description: 'Details; never a secret.',
      example: { direction: 'inbound', agent: 'endpoint' },
    }),
  })
  .meta({ id: 'AuditEntry' });

export const auditFilters = z.object({
  actor: text(100).optional().meta({
    description: 'Only entries of this actor.',
    example: 'admin:0b7c1f64-93d1-4c5e-8a53-5a8f3f1f2f10',
  }),
  action: text(100)
    .optional()
    .meta({ description: 'Only entries with this action.', example: 'agent.changed' }),
  subject: text(200).optional().meta({
    description: 'Only entries about this target, or about all of a kind, such as `number`.',
    example: 'number:7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  }),
  q: text(100).min(1).optional().meta({
    description:
      'Only entries with this text in the action, the actor, the target or the details, or about a number, trunk, webhook endpoint or token whose name or URL has it.',
    example: 'example.com',
  }),
  first_day: dayInQuery
    .optional()
    .meta({ description: 'On this day or later, in the time zone of the workspace.' }),
  last_day: dayInQuery
    .optional()
    .meta({ description: 'On this day or earlier, in the time zone of the workspace.' }),
});

type AuditQuery = Omit<Parameters<typeof listAudit>[1], 'limit' | 'before'>;

export const wantedEntries = (
  { id: workspaceId, timeZone }: { id: string; timeZone: string },
  { actor, action, subject, q, firstDay, lastDay }: Decoded<z.output<typeof auditFilters>>,
): AuditQuery => ({
  workspaceId,
  actor,
  action,
  subject,
  text: q,
  since: firstDay === undefined ? undefined : dayNamed(firstDay, timeZone).from,
  until: lastDay === undefined ? undefined : dayNamed(lastDay, timeZone).until,
});
