import { defineEntity, p } from '@mikro-orm/core';
import type { BargeIn } from '#src/domain/barge-in.ts';
import type { ConsentPolicy } from '#src/domain/consent.ts';
import type { Destinations } from '#src/domain/destinations.ts';
import type { Retention } from '#src/domain/retention.ts';
import type { TurnEnd } from '#src/domain/turn-end.ts';

/**
 * Owner of numbers, webhook endpoints and admin tokens. The policy columns of a workspace are the defaults of its
 * numbers.
 */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspace',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** IANA name of the time zone, which timestamps of the workspace's calls use. */
    timeZone: p.text().default('Asia/Seoul'),
    maxDurationSec: p.integer().nullable(),
    defaultDurationSec: p.integer().nullable(),
    silenceTimeoutSec: p.integer().nullable(),
    ringTimeoutSec: p.integer().nullable(),
    maxConcurrentCalls: p.integer().nullable(),
    recordingEnabled: p.boolean().nullable(),
    bargeIn: p.json<BargeIn>().nullable(),
    turnEnd: p.json<TurnEnd>().nullable(),
    /** Retention periods of calls. */
    retentionDays: p.json<Retention>().nullable(),
    /** Announcement to the other party, and required consent. */
    consent: p.json<ConsentPolicy>().nullable(),
    /** Destinations that the workspace's numbers may call. */
    destinations: p.json<Destinations>().nullable(),
    /** Maximum number of concurrent calls over all numbers of the workspace. */
    maxCallsInProgress: p.integer().nullable(),
    /** Daily limit for the total duration of the workspace's outbound calls. */
    dailyMinutes: p.integer().nullable(),
    /** Number of entries in the workspace's audit log. The next entry gets the next number. */
    auditEntries: p.integer().default(0),
    createdAt: p.datetime(3),
  },
});
