import { defineEntity, p } from '@mikro-orm/core';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import type { SoundFigures } from '#machines/sound-figures.ts';
import { oneWaySounds } from '#src/domain/one-way-sound.ts';
import { answerers } from '#src/domain/voicemail.ts';
import type { CallConsent } from '#src/domain/consent.ts';
import type { CallTransfer } from '#src/domain/call-transfer.ts';
import type { Diversion } from '#src/domain/caller-identity.ts';
import type { Metadata } from '#src/domain/metadata.ts';
import type { SipExplanation } from '#src/domain/sip-explanation.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import { PhoneNumber } from './phone-number.ts';
import { Workspace } from './workspace.ts';

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
    /** What a caller's network calls it. */
    callerName: p.text().nullable(),
    /** Who sent a caller on; null where nobody did. */
    diversions: p.json<Diversion[]>().nullable(),
    language: p.text(),
    status: p.enum(callStatuses),
    endReason: p.enum(endReasons).nullable(),
    instruction: p.text().nullable(),
    summary: p.text().nullable(),
    /** What who placed it said of it; null where nothing was said. */
    metadata: p.json<Metadata>().nullable(),
    /** Of its INVITE, beyond what every INVITE has: those taken from it, or sent with it. Null where there is none. */
    sipHeaders: p.json<SipHeaders>().nullable(),
    /** The last one that was asked for; null where none was. */
    transfer: p.json<CallTransfer>().nullable(),
    /** Whether the other party agreed; null where it was told nothing, or has not answered yet. */
    consent: p.json<CallConsent>().nullable(),
    maxDurationSec: p.integer(),
    recordingEnabled: p.boolean(),
    startedAt: p.datetime(3),
    answeredAt: p.datetime(3).nullable(),
    endedAt: p.datetime(3).nullable(),
    /** Connected time; null until the call ended. */
    durationSec: p.double().$type<number>().nullable(),
    /** Null where it was not found out. */
    answeredBy: p.enum(answerers).nullable(),
    sipStatus: p.integer().nullable(),
    sipReason: p.text().nullable(),
    sipCallId: p.text().nullable(),
    /** Why it ended, as the refusal, the CANCEL or the BYE says; null where it says nothing. */
    sipExplanation: p.json<SipExplanation>().nullable(),
    /** Null where there is no SIP; no reference, for a call outlives its trunk, and one is of the configuration. */
    trunkId: p.text().nullable(),
    trunkName: p.text().nullable(),
    /** Ids of those that it went to before, and that have failed it. */
    failedTrunks: p.array().nullable(),
    postDialDelayMs: p.integer().nullable(),
    /** `address:port` */
    localSignalling: p.text().nullable(),
    remoteSignalling: p.text().nullable(),
    /** Null where both have heard each other, or nobody knows. */
    oneWay: p.enum(oneWaySounds).nullable(),
    /** Null until the call ended, and where the line knows nothing of packets. */
    sound: p.json<SoundFigures>().nullable(),
    /** When the words of the call were erased, by themselves or with the rest of it; null while they are kept. */
    wordsErasedAt: p.datetime(3).nullable(),
    /** When all of the call was erased that tells of the other party; null while it is kept. */
    erasedAt: p.datetime(3).nullable(),
    /** The node that holds, or last held, the call. */
    node: p.text(),
    /** Counts those who have held it, from 1. Who holds it no more writes nothing (`call-facts.ts`). */
    epoch: p.integer().default(1),
  },
  // Lists read them backwards: newest first.
  indexes: [
    { name: 'call_number_id_started_at_id_index', properties: ['numberId', 'startedAt', 'id'] },
    { name: 'call_workspace_id_started_at_id_index', properties: ['workspaceId', 'startedAt', 'id'] },
    // By what changes at the end alone, so that no answer and no summary touches an index; a workspace's are counted by it.
    { name: 'call_in_progress_index', properties: ['workspaceId', 'node'], where: 'ended_at is null' },
    {
      name: 'call_metadata_index',
      properties: ['metadata'],
      type: 'gin',
      where: 'metadata is not null',
    },
  ],
});
