import { defineEntity, p } from '@mikro-orm/core';
import type { BargeIn } from '#src/domain/barge-in.ts';
import type { ConsentPolicy } from '#src/domain/consent.ts';
import type { Destinations } from '#src/domain/destinations.ts';
import type { Retention } from '#src/domain/retention.ts';
import type { TurnEnd } from '#src/domain/turn-end.ts';

/** Owns numbers, webhook endpoints and admin tokens. Its policy columns apply to numbers that name none. */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspace',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** IANA name; timestamps of the workspace's calls are written in it. */
    timeZone: p.text().default('Asia/Seoul'),
    maxDurationSec: p.integer().nullable(),
    defaultDurationSec: p.integer().nullable(),
    silenceTimeoutSec: p.integer().nullable(),
    ringTimeoutSec: p.integer().nullable(),
    maxConcurrentCalls: p.integer().nullable(),
    recordingEnabled: p.boolean().nullable(),
    bargeIn: p.json<BargeIn>().nullable(),
    turnEnd: p.json<TurnEnd>().nullable(),
    /** How long what was said is kept. */
    retentionDays: p.json<Retention>().nullable(),
    /** What the other party is told first. */
    consent: p.json<ConsentPolicy>().nullable(),
    /** Where its numbers may call. */
    destinations: p.json<Destinations>().nullable(),
    /** Upper bound of calls in progress over all numbers of the workspace. */
    maxCallsInProgress: p.integer().nullable(),
    /** How long its outbound calls of a day may last together. */
    dailyMinutes: p.integer().nullable(),
    /** How many entries its audit log has; the next one gets the next number. */
    auditEntries: p.integer().default(0),
    createdAt: p.datetime(3),
  },
});
