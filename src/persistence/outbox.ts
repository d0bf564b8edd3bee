/**
 * Events for customers, written in the same statement as the change that they tell of: what a call's row shows and
 * what its events say can never differ, and no event is delivered before a read shows the change.
 */
import { randomUUID } from 'node:crypto';
import type { SnakeCase } from '@mikro-orm/postgresql';
import { expressionBuilder, sql, type Expression, type QueryCreator } from 'kysely';
import { jsonObject, jsonOfColumns, now } from './expressions.ts';
import { notified } from './notifications.ts';
import type { Row, Tables } from './tables.ts';

/** The notification channel that says that there are deliveries to make. */
export const deliveriesChannel = 'deliveries';

/** Of the 122 bits of chance in a UUID: Node asks for those of many at once. */
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

/** A row as JSON keeps it: under the names of its columns, times in ISO 8601. */
type Stored<Fields> = {
  [Name in keyof Fields & string as SnakeCase<Name>]: Fields[Name] extends Date | null
    ? string | Extract<Fields[Name], null>
    : Fields[Name];
};

/** The call as of one change, as it is kept with the event. */
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
  /** Absent from events that were stored before it was asked. */
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
  /** Absent from events that were stored before it was known. */
  truncated?: boolean;
};

export type EventSnapshot = {
  call: CallSnapshot;
  /** Of the workspace. */
  time_zone: string;
  /** With the recording events alone. */
  recording?: RecordingSnapshot;
};

/** The tables that a statement can name which stores events of changes. */
type Telling = Tables & {
  /** Calls as they are after the change. */
  changed: Row<'Call'>;
  /** The event of each, if it was changed. */
  told: Pick<Row<'Event'>, 'id' | 'callId' | 'type' | 'at'>;
};

type TellingOfRecording = Telling & {
  /** The recording after the change. */
  finished: Row<'Recording'>;
};

/** These columns of one of the statement's tables. */
const columnsIn = (table: keyof TellingOfRecording, names: readonly string[]) =>
  jsonOfColumns(names.map((name) => sql.ref(`${table}.${name}`).as(name)));

const snapshot = {
  call: columnsIn('changed', callInSnapshot),
  time_zone: sql.ref('Workspace.timeZone'),
};

const snapshotWithRecording = { ...snapshot, recording: columnsIn('finished', recordingInSnapshot) };

const eventColumns = ['id', 'workspaceId', 'numberId', 'callId', 'type', 'at', 'snapshot'] as const;

/** The row of an event, but for its snapshot. */
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

/** One for each endpoint that wants the event. */
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
    // An endpoint that is deleted meanwhile is left out; without the lock the foreign key would refuse the change itself.
    .forKeyShare('endpoint');

/** A statement goes on so after its events. Its rows are the ids of the calls that changed. */
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
    // Nobody is notified unless the row of `notified` is read.
    .selectFrom(['changed', 'notified'])
    .select('changed.id');

/**
 * Ends a statement with the events of the calls that it changed, and their deliveries. `position` is the place of the
 * event among those of its call.
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

/** The same where a recording has finished, which is part of the snapshot. */
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
