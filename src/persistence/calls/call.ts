import { defineEntity, p } from '@mikro-orm/core';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import type { MediaStatistics } from '#machines/media-statistics.ts';
import { oneWaySounds } from '#src/domain/one-way-sound.ts';
import { answerers } from '#src/domain/voicemail.ts';
import type { CallConsent } from '#src/domain/consent.ts';
import type { CallTransfer } from '#src/domain/call-transfer.ts';
import type { Diversion } from '#src/domain/caller-identity.ts';
import type { Metadata } from '#src/domain/metadata.ts';
import type { SipExplanation } from '#src/domain/sip-explanation.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import { PhoneNumber } from '../numbers/phone-number.ts';
import { Workspace } from '../workspaces/workspace.ts';

export const Call = defineEntity({
  name: 'Call',
  tableName: 'call',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().fieldName('workspace_id'),
    numberId: () => p.manyToOne(PhoneNumber).mapToPk().fieldName('number_id'),
    direction: p.enum(['inbound', 'outbound']),
    ownNumber: p.text(),
    counterparty: p.text(),
    /** Display name of the caller. */
    callerName: p.text().nullable(),
    /** Diversions of the call; null for a call that was not diverted. */
    diversions: p.json<Diversion[]>().nullable(),
    language: p.text(),
    status: p.enum(callStatuses),
    endReason: p.enum(endReasons).nullable(),
    instruction: p.text().nullable(),
    summary: p.text().nullable(),
    /** Metadata from the client that placed the call; null without metadata. */
    metadata: p.json<Metadata>().nullable(),
    /** Custom headers of the call's INVITE, received or sent; null without such headers. */
    sipHeaders: p.json<SipHeaders>().nullable(),
    /** The last requested transfer; null if no transfer was requested. */
    transfer: p.json<CallTransfer>().nullable(),
    /** Whether the other party consented; null without an announcement, or before an answer. */
    consent: p.json<CallConsent>().nullable(),
    maxDurationSec: p.integer(),
    recordingEnabled: p.boolean(),
    startedAt: p.datetime(3),
    answeredAt: p.datetime(3).nullable(),
    endedAt: p.datetime(3).nullable(),
    /** Duration of the connection in seconds; null before the end of the call. */
    durationSec: p.double().$type<number>().nullable(),
    /** Kind of the answerer; null if it was not determined. */
    answeredBy: p.enum(answerers).nullable(),
    sipStatus: p.integer().nullable(),
    sipReason: p.text().nullable(),
    sipCallId: p.text().nullable(),
    /** Reasons that the network gave for the end, from the rejection, CANCEL or BYE; null if it gave none. */
    sipExplanation: p.json<SipExplanation>().nullable(),
    /**
     * Id of the call's trunk; null without SIP. The column has no foreign key, because a call outlives its trunk, and
     * the configured trunk has no row.
     */
    trunkId: p.text().nullable(),
    trunkName: p.text().nullable(),
    /** Ids of the trunks that were tried before and failed. */
    failedTrunks: p.array().nullable(),
    postDialDelayMs: p.integer().nullable(),
    /** Signalling addresses as `address:port`. */
    localSignalling: p.text().nullable(),
    remoteSignalling: p.text().nullable(),
    /** Direction without audio; null if both parties heard each other, or if this is unknown. */
    oneWay: p.enum(oneWaySounds).nullable(),
    /** Audio statistics; null before the end of the call, and if the line has no packet statistics. */
    sound: p.json<MediaStatistics>().nullable(),
    /**
     * Time at which the words of the call were erased, alone or with all personal data; null if they are not erased.
     */
    wordsErasedAt: p.datetime(3).nullable(),
    /** Time at which all data about the other party was erased; null if the data is not erased. */
    erasedAt: p.datetime(3).nullable(),
    /** Node that holds, or last held, the call. */
    node: p.text(),
    /**
     * Counter of the gateways that have held the call, from 1. A former gateway has a lower epoch and cannot write
     * (`call-facts.ts`).
     */
    epoch: p.integer().default(1),
  },
  // Index for lists, which read it backwards: newest calls first.
  indexes: [
    { name: 'call_number_id_started_at_id_index', properties: ['numberId', 'startedAt', 'id'] },
    { name: 'call_workspace_id_started_at_id_index', properties: ['workspaceId', 'startedAt', 'id'] },
    // Index for counting a workspace's calls. Answers and summaries do not change the indexed columns and the
    // condition, so they do not update the index.
    { name: 'call_in_progress_index', properties: ['workspaceId', 'node'], where: 'ended_at is null' },
    {
      name: 'call_metadata_index',
      properties: ['metadata'],
      type: 'gin',
      where: 'metadata is not null',
    },
  ],
});
