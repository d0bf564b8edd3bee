/**
 * Customer events, written in the same statement as the change that they report: a call's row and its events never
 * differ, and no event is delivered before a read shows the change.
 */
import { randomUUID } from 'node:crypto';
import type { SnakeCase } from '@mikro-orm/postgresql';
import { expressionBuilder, sql, type Expression, type QueryCreator } from 'kysely';
import { jsonObject, jsonOfColumns, now } from './expressions.ts';
import { notified } from './notifications.ts';
import type { Row, Tables } from './tables.ts';

/** Notification channel that announces pending deliveries. */
export const deliveriesChannel = 'deliveries';

/** Encodes the 122 random bits of a UUID: Node generates UUIDs in batches. */
export const newEventId = (): string =>
  `evt_${Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url')}`;

const callInSnapshot = [
  'id',
  'numberId',
  'direction',
  'ownNumber',
  'counterparty',
  'callerName',
  'diversions',
  'metadata',
  'sipHeaders',
  'transfer',
  'consent',
  'language',
  'status',
  'endReason',
  'instruction',
  'summary',
  'startedAt',
  'answeredAt',
  'endedAt',
  'durationSec',
  'answeredBy',
  'sipStatus',
  'sipReason',
  'sipCallId',
  'sipExplanation',
] as const satisfies readonly (keyof Row<'Call'>)[];

const recordingInSnapshot = [
  'status',
  'contentType',
  'durationSec',
  'bytes',
  'truncated',
] as const satisfies readonly (keyof Row<'Recording'>)[];

/** A row in JSON form: column names, times in ISO 8601. */
type Stored<Fields> = {
  [Name in keyof Fields & string as SnakeCase<Name>]: Fields[Name] extends Date | null
    ? string | Extract<Fields[Name], null>
    : Fields[Name];
};

/** The call after one change, as stored with the event. */
export type CallSnapshot = Omit<
  Stored<Pick<Row<'Call'>, (typeof callInSnapshot)[number]>>,
  | 'answered_by'
  | 'caller_name'
  | 'diversions'
  | 'metadata'
  | 'sip_headers'
  | 'sip_explanation'
  | 'transfer'
  | 'consent'
> & {
  /** Absent in events from before the gateway determined it. */
  answered_by?: Row<'Call'>['answeredBy'];
  caller_name?: Row<'Call'>['callerName'];
  diversions?: Row<'Call'>['diversions'];
  metadata?: Row<'Call'>['metadata'];
  sip_headers?: Row<'Call'>['sipHeaders'];
  sip_explanation?: Row<'Call'>['sipExplanation'];
  transfer?: Row<'Call'>['transfer'];
  consent?: Row<'Call'>['consent'];
};

export type RecordingSnapshot = Omit<
  Stored<Pick<Row<'Recording'>, (typeof recordingInSnapshot)[number]>>,
  'truncated'
> & {
  /** Absent in events from before it was recorded. */
  truncated?: boolean;
};

export type EventSnapshot = {
  call: CallSnapshot;
  /** Time zone of the workspace. */
  time_zone: string;
  /** Only in recording events. */
  recording?: RecordingSnapshot;
};

/** Tables available to a statement that stores events of changes. */
type Telling = Tables & {
  /** Calls after the change. */
  changed: Row<'Call'>;
  /** The event of each changed call. */
  told: Pick<Row<'Event'>, 'id' | 'callId' | 'type' | 'at'>;
};

type TellingOfRecording = Telling & {
  /** The recording after the change. */
  finished: Row<'Recording'>;
};

/** The given columns of one of the statement's tables. */
const columnsIn = (table: keyof TellingOfRecording, names: readonly string[]) =>
  jsonOfColumns(names.map((name) => sql.ref(`${table}.${name}`).as(name)));

const snapshot = {
  call: columnsIn('changed', callInSnapshot),
  time_zone: sql.ref('Workspace.timeZone'),
};

const snapshotWithRecording = { ...snapshot, recording: columnsIn('finished', recordingInSnapshot) };

const eventColumns = ['id', 'workspaceId', 'numberId', 'callId', 'type', 'at', 'snapshot'] as const;

/** Columns of an event except its snapshot. */
const eventsTold = () =>
  expressionBuilder<TellingOfRecording>()
    .selectFrom('told')
    .innerJoin('changed', 'changed.id', 'told.callId')
    .innerJoin('Workspace', 'Workspace.id', 'changed.workspaceId')
    .select(['told.id', 'changed.workspaceId', 'changed.numberId', 'told.callId', 'told.type', 'told.at']);

const deliveryColumns = [
  'id',
  'eventId',
  'endpointId',
  'callId',
  'position',
  'state',
  'nextAttemptAt',
  'createdAt',
] as const;

/** One delivery for each endpoint that subscribes to the event. */
const deliveriesTold = (position: Expression<number>) =>
  expressionBuilder<Tables & { eventWritten: Row<'Event'> }>()
    .selectFrom('eventWritten as event')
    .innerJoin('WebhookEndpoint as endpoint', 'endpoint.workspaceId', 'event.workspaceId')
    .select(({ fn }) => [
      fn<string>('gen_random_uuid').as('id'),
      'event.id as eventId',
      'endpoint.id as endpointId',
      'event.callId',
      sql<number>`${position}::int`.as('position'),
      sql.lit('pending').as('state'),
      fn<Date>('least', ['event.at', now]).as('nextAttemptAt'),
      'event.at as createdAt',
    ])
    .where('endpoint.state', '<>', 'disabled')
    .where(({ eb, or, ref }) =>
      or([eb('endpoint.numberId', 'is', null), eb('endpoint.numberId', '=', ref('event.numberId'))]),
    )
    .where(({ eb, fn, or }) =>
      or([eb('endpoint.events', 'is', null), eb('event.type', '=', fn.any('endpoint.events'))]),
    )
    // Skips an endpoint that is deleted concurrently; without the lock its foreign key would reject the change itself.
    .forKeyShare('endpoint');

/** Adds deliveries and notification after the events. The statement returns the ids of the changed calls. */
const withDeliveries = (
  statement: QueryCreator<Telling & { eventWritten: Row<'Event'> }>,
  position: Expression<number>,
) =>
  statement
    .with('deliveryWritten', (write) =>
      write
        .insertInto('EventDelivery')
        .columns(deliveryColumns)
        .expression(deliveriesTold(position))
        .returning('id'),
    )
    .with('notified', (read) =>
      read
        .selectFrom(({ selectFrom }) => selectFrom('deliveryWritten').select('id').limit(1).as('any'))
        .select(({ fn }) => fn.count<number>(notified(deliveriesChannel)).as('count')),
    )
    // PostgreSQL evaluates the notification only if the row of `notified` is read.
    .selectFrom(['changed', 'notified'])
    .select('changed.id');

/**
 * Ends a statement with the events of the changed calls and their deliveries. `position` is the event's position within
 * its call.
 */
export const tellOfCalls = (statement: QueryCreator<Telling>, position: Expression<number>) =>
  withDeliveries(
    statement.with('eventWritten', (write) =>
      write
        .insertInto('Event')
        .columns(eventColumns)
        .expression(eventsTold().select(jsonObject(snapshot).as('snapshot')))
        .returning(eventColumns),
    ),
    position,
  );

/** Like `tellOfCalls`, for a finished recording, which is part of the snapshot. */
export const tellOfRecording = (statement: QueryCreator<TellingOfRecording>, position: Expression<number>) =>
  withDeliveries(
    statement.with('eventWritten', (write) =>
      write
        .insertInto('Event')
        .columns(eventColumns)
        .expression(
          eventsTold()
            .innerJoin('finished', 'finished.callId', 'told.callId')
            .select(jsonObject(snapshotWithRecording).as('snapshot')),
        )
        .returning(eventColumns),
    ),
    position,
  );
