import { defineEntity, p } from '@mikro-orm/core';
import type { BargeIn } from '#src/domain/barge-in.ts';
import type { ConsentPolicy } from '#src/domain/consent.ts';
import type { Destinations } from '#src/domain/destinations.ts';
import type { Language } from '#src/domain/language.ts';
import { listenInPolicies } from '#src/domain/listen-in.ts';
import { usualTransferDurationSec } from '#src/domain/transfer-targets.ts';
import { menuPolicies, screeningPolicies, voicemailPolicies } from '#src/domain/voicemail.ts';
import { TrunkRow } from '../trunks/trunk.ts';
import { Workspace } from '../workspaces/workspace.ts';
import type { Retention } from '#src/domain/retention.ts';
import type { TurnEnd } from '#src/domain/turn-end.ts';

/** A phone number with its policy. A policy column that is null inherits from the workspace. */
export const PhoneNumber = defineEntity({
  name: 'PhoneNumber',
  tableName: 'phone_number',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().index().fieldName('workspace_id'),
    /** Telephone number in domestic format. */
    number: p.text(),
    language: p.text().$type<Language>(),
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
    /** Rule that restricts the destinations that the workspace allows; null for no restriction. */
    destinations: p.json<Destinations>().nullable(),
    /** Daily limit for the total duration of the number's outbound calls; null for the limit of its workspace. */
    dailyMinutes: p.integer().nullable(),
    /** Greeting for inbound calls. */
    greeting: p.text().nullable(),
    inboundAuthMethod: p.enum(['none', 'handshake']).default('none'),
    inboundAuthUrl: p.text().nullable(),
    /** Secret that signs the handshake request. */
    inboundAuthSecretSealed: p.text().nullable(),
    createdAt: p.datetime(3),
    /**
     * Time of the deletion. The row of a deleted number remains for its calls; the number has neither key nor agents.
     */
    deletedAt: p.datetime(3).nullable(),
    /** The only trunk for outbound calls of this number; null allows all trunks of the workspace. */
    trunkId: () => p.manyToOne(TrunkRow).mapToPk().nullable().fieldName('trunk_id').deleteRule('set null'),
    voicemail: p.enum(voicemailPolicies).default('talk'),
    /** Message for an answering machine; null for the default sentence of the language. */
    voicemailMessage: p.text().nullable(),
    screening: p.enum(screeningPolicies).default('answer'),
    /** Caller name that the number's agent gives to call screening; null for no name. */
    callerName: p.text().nullable(),
    menu: p.enum(menuPolicies).default('talk'),
    /** Allowed transfer destinations; null if no transfer is allowed. */
    transferTo: p.json<string[]>().nullable(),
    /** Whether recording continues after a transfer, provided that the call is recorded. */
    recordTransfers: p.boolean().default(true),
    /** Maximum duration of the conversation after a transfer. */
    transferMaxDurationSec: p.integer().default(usualTransferDurationSec),
    /** Whether admins may listen to calls in progress. */
    listenIn: p.enum(listenInPolicies).default('off'),
    /** Engines by their configured names; null for the operator's order. */
    recognizer: p.text().nullable(),
    synthesizer: p.text().nullable(),
    /** Voice of the synthesizer; null for the synthesizer's default voice. */
    voice: p.text().nullable(),
  },
  // Unique index on numbers that are not deleted, so that a deleted number can be added again.
  uniques: [{ name: 'phone_number_number_unique', properties: ['number'], where: 'deleted_at is null' }],
});
