import { defineEntity, p } from '@mikro-orm/core';
import type { BargeIn } from '#src/domain/barge-in.ts';
import type { ConsentPolicy } from '#src/domain/consent.ts';
import type { Destinations } from '#src/domain/destinations.ts';
import type { Language } from '#src/domain/language.ts';
import { listenInPolicies } from '#src/domain/listen-in.ts';
import { usualTransferDurationSec } from '#src/domain/transfer-targets.ts';
import { menuPolicies, screeningPolicies, voicemailPolicies } from '#src/domain/voicemail.ts';
import { TrunkRow } from './trunk.ts';
import { Workspace } from './workspace.ts';
import type { Retention } from '#src/domain/retention.ts';
import type { TurnEnd } from '#src/domain/turn-end.ts';

/** A telephone number with its policy; a policy column that is null falls back to the workspace's. */
export const PhoneNumber = defineEntity({
  name: 'PhoneNumber',
  tableName: 'phone_number',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().index().fieldName('workspace_id'),
    /** Domestic format. */
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
    /** How long what was said is kept. */
    retentionDays: p.json<Retention>().nullable(),
    /** What the other party is told first. */
    consent: p.json<ConsentPolicy>().nullable(),
    /** What it may call of that which its workspace allows; null for all of it. */
    destinations: p.json<Destinations>().nullable(),
    /** How long its outbound calls of a day may last together; null for as long as those of its workspace. */
    dailyMinutes: p.integer().nullable(),
    /** What is said first to a caller. */
    greeting: p.text().nullable(),
    inboundAuthMethod: p.enum(['none', 'handshake']).default('none'),
    inboundAuthUrl: p.text().nullable(),
    /** Signs the handshake request. */
    inboundAuthSecretSealed: p.text().nullable(),
    createdAt: p.datetime(3),
    /** A deleted number keeps its row for the sake of its calls, and has neither key nor agents. */
    deletedAt: p.datetime(3).nullable(),
    /** Its outbound calls go this way alone; null for the trunks of the workspace. */
    trunkId: () => p.manyToOne(TrunkRow).mapToPk().nullable().fieldName('trunk_id').deleteRule('set null'),
    voicemail: p.enum(voicemailPolicies).default('talk'),
    /** What is said to a machine; null for the sentence of the language. */
    voicemailMessage: p.text().nullable(),
    screening: p.enum(screeningPolicies).default('answer'),
    /** With which its agent introduces itself to call screening; null for no name. */
    callerName: p.text().nullable(),
    menu: p.enum(menuPolicies).default('talk'),
    /** To whom its calls may be transferred; null for nobody. */
    transferTo: p.json<string[]>().nullable(),
    /** Whether they are recorded from then on, where they are recorded at all. */
    recordTransfers: p.boolean().default(true),
    /** How long the other party and that person may talk. */
    transferMaxDurationSec: p.integer().default(usualTransferDurationSec),
    /** Whether admins may listen to its calls in progress. */
    listenIn: p.enum(listenInPolicies).default('off'),
    /** Engines by their names in the configuration; null for the operator's order. */
    recognizer: p.text().nullable(),
    synthesizer: p.text().nullable(),
    /** Of the synthesizer; null for its usual one. */
    voice: p.text().nullable(),
  },
  // The digits of a deleted number are free again.
  uniques: [{ name: 'phone_number_number_unique', properties: ['number'], where: 'deleted_at is null' }],
});
