/**
 * State from which another process can resume a call (`CallCheckpoint`): its start state, written with the answer, and its
 * progress, written asynchronously. The journal and transcript supply the rest.
 */
import { z } from 'zod';
import type { CollectedKeys, KeysWanted } from '#machines/collected-keys.ts';
import type { WaitingControl } from '#machines/control.ts';
import type { TransferWanted } from '#machines/transfer.ts';
import type { SpeechChoice } from '#machines/line.ts';
import { agentTypes, builtInTools, controlModes, type AgentBinding } from '#src/domain/agent-binding.ts';
import type { SealedHeaders } from '#src/domain/agent-headers.ts';
import { bargeInModes, type BargeIn } from '#src/domain/barge-in.ts';
import { consentRequirements, type ConsentPolicy } from '#src/domain/consent.ts';
import { endReasons, type EndReason } from '#src/domain/end-reasons.ts';
import { turnEndModes, type TurnEnd } from '#src/domain/turn-end.ts';
import {
  menuPolicies,
  screeningPolicies,
  voicemailPolicies,
  type MenuPolicy,
  type Screening,
  type Voicemail,
} from '#src/domain/voicemail.ts';
import { withoutWaitingForDisk } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { rowsOf, type Row } from '../database/tables.ts';
import { storedFarEnd, type StoredFarEnd } from './checkpoint-far-end.ts';

/** Format version of checkpoints. The version is incremented when older gateways cannot read the rows of newer ones. */
export const checkpointForm = 1;

/** Settings at the start of a call that may change during the call. */
export type CallSettings = {
  greeting: string | null;
  speech: SpeechChoice;
  voicemail: Voicemail;
  screening: Screening;
  menu: MenuPolicy;
  /** Numbers to which the call may be transferred. */
  transferTo: readonly string[];
  policy: {
    silenceTimeoutSec: number;
    ringTimeoutSec: number;
    recordingEnabled: boolean;
    bargeIn: BargeIn;
    turnEnd: TurnEnd;
    consent: ConsentPolicy;
  };
  binding: AgentBinding;
};

const direction = z.enum(['inbound', 'outbound']);

/** Tools of a newer gateway that this one lacks are omitted. */
const tools = z.array(z.string()).transform((names) => builtInTools.filter((name) => names.includes(name)));

const settings: z.ZodType<CallSettings> = z.object({
  greeting: z.string().nullable(),
  speech: z.object({
    recognizer: z.string().nullable(),
    synthesizer: z.string().nullable(),
    voice: z.string().nullable(),
  }),
  voicemail: z.object({ policy: z.enum(voicemailPolicies), message: z.string().nullable() }),
  // Older gateways do not write screening and menu.
  screening: z
    .object({ policy: z.enum(screeningPolicies), callerName: z.string().nullable() })
    .default({ policy: 'answer', callerName: null }),
  menu: z.enum(menuPolicies).default('talk'),
  // Older gateways do not write transfer destinations.
  transferTo: z.array(z.string()).default([]),
  policy: z.object({
    silenceTimeoutSec: z.number(),
    ringTimeoutSec: z.number(),
    recordingEnabled: z.boolean(),
    bargeIn: z.object({
      mode: z.enum(bargeInModes),
      onsetMs: z.number(),
      speechMs: z.number(),
      resumeMs: z.number(),
    }),
    turnEnd: z.object({ mode: z.enum(turnEndModes), minSilenceMs: z.number(), maxSilenceMs: z.number() }),
    // Older gateways do not write consent.
    consent: z
      .object({ announce: z.string().nullable(), require: z.enum(consentRequirements) })
      .default({ announce: null, require: 'none' }),
  }),
  binding: z.object({
    direction,
    agent: z.enum(['builtin', 'endpoint']),
    agentType: z.enum(agentTypes).nullable(),
    chatUrl: z.string().nullable(),
    assistantId: z.string().nullable(),
    agentId: z.string().nullable(),
    controls: z.enum(controlModes).default('off'),
    // Older gateways do not write the settings of the built-in agent.
    model: z.string().nullable().default(null),
    prompt: z.string().nullable().default(null),
    tools: tools.nullable().default(null),
  }),
});

/** Settings as the answer stores them. */
export type StoredSettings = CallSettings & {
  /** The sealed script of a simulated person (`sealScript`); null for any other far end. */
  scriptSealed: string | null;
};

const storedSettings: z.ZodType<StoredSettings> = z.intersection(
  settings,
  // Older gateways do not write scripts.
  z.object({ scriptSealed: z.string().nullable().default(null) }),
);

/** Progress of a call that its facts do not contain. */
export type CallProgress = {
  /** Sequence of the last fact published before this progress. */
  facts: number;
  /** End reason of the call; null until it is decided. */
  endReason: EndReason | null;
  /** Whether the recording is paused only for secret digits. */
  pausedForSecret: boolean;
  /** Call time at which the holder released the call for a hand-over; null while the call is held. */
  leftAt: number | null;
  /** Far end of a simulated call that only its holder knows; null for any other. */
  farEnd: StoredFarEnd | null;
  conversation: {
    /** State of the chart, such as `replying.speaking`. */
    state: string;
    turn: number;
    utterance: number;
    /** The turn that is being spoken. Its times are call time. */
    spoken: { startedAt: number; endedAt: number; text: string; whole: boolean } | null;
    unanswered: number;
    /** Whether no word of the last requested reply was audible yet. */
    isReplyOwed: boolean;
    /** Texts requested through the API that wait for the floor. */
    asked: readonly string[];
    /** Controls that the agent requested. Each control is executed after some of `unplayed` was heard. */
    controls: readonly WaitingControl[];
    /** DTMF digits that the agent collects, in call time; null if the agent collects none. */
    collected: CollectedKeys | null;
    failuresInARow: number;
    wasReprompted: boolean;
    /** Replies that are not completely played yet. */
    unplayed: readonly string[];
  };
};

/** Converts the times of a progress to a clock that is ahead by this many milliseconds. */
export const byOtherClock = (progress: CallProgress, aheadMs: number): CallProgress => {
  const { conversation } = progress;
  const spoken = conversation.spoken && {
    ...conversation.spoken,
    startedAt: conversation.spoken.startedAt + aheadMs,
    endedAt: conversation.spoken.endedAt + aheadMs,
  };
  const shifted = (at: number | null): number | null => at && at + aheadMs;
  const collected = conversation.collected && {
    ...conversation.collected,
    startedAt: shifted(conversation.collected.startedAt),
    endedAt: shifted(conversation.collected.endedAt),
  };
  return { ...progress, conversation: { ...conversation, spoken, collected } };
};

export const keysWanted: z.ZodType<KeysWanted> = z.object({
  digits: z.number().nullable(),
  finish: z.string().nullable(),
  timeoutSec: z.number(),
  secret: z.boolean(),
});

const transferWanted: z.ZodType<TransferWanted> = z.object({
  to: z.string(),
  mode: z.enum(['cold', 'warm']),
  say: z.string().nullable(),
  briefing: z.string().nullable(),
  acceptKey: z.string().nullable(),
  ringTimeoutSec: z.number(),
  onFailure: z.enum(['resume', 'hang_up']),
});

const waitingControl: z.ZodType<WaitingControl> = z.object({
  behind: z.number(),
  control: z.discriminatedUnion('act', [
    z.object({ act: z.literal('hang_up') }),
    z.object({ act: z.literal('press_keys'), keys: z.string() }),
    z.object({ act: z.literal('collect_keys'), wanted: keysWanted }),
    z.object({ act: z.literal('transfer'), transfer: transferWanted }),
    z.object({ act: z.literal('change_language'), language: z.string() }),
  ]),
});

const progress: z.ZodType<CallProgress> = z.object({
  facts: z.number(),
  endReason: z.enum(endReasons).nullable(),
  // Older gateways do not write these three fields.
  pausedForSecret: z.boolean().default(false),
  leftAt: z.number().nullable().default(null),
  farEnd: storedFarEnd.nullable().default(null),
  conversation: z.object({
    state: z.string(),
    turn: z.number(),
    utterance: z.number(),
    spoken: z
      .object({ startedAt: z.number(), endedAt: z.number(), text: z.string(), whole: z.boolean() })
      .nullable(),
    unanswered: z.number(),
    // Older gateways do not write these four fields.
    isReplyOwed: z.boolean().default(false),
    asked: z.array(z.string()).default([]),
    controls: z.array(waitingControl).default([]),
    collected: z
      .object({
        wanted: keysWanted,
        keys: z.string(),
        areAll: z.boolean(),
        startedAt: z.number().nullable(),
        endedAt: z.number().nullable(),
      })
      .nullable()
      .default(null),
    failuresInARow: z.number(),
    wasReprompted: z.boolean(),
    unplayed: z.array(z.string()),
  }),
});

export type Checkpoint = {
  settings: StoredSettings;
  tokenSealed: string | null;
  /** Headers for the agent; null if there are none, or if an older gateway stored none. */
  headersSealed: SealedHeaders | null;
  /** Progress of the conversation; `null` before the first stored one. */
  progress: CallProgress | null;
  /** Milliseconds by which call time is ahead of the database clock; null if this was not stored. */
  aheadMs: number | null;
};

/** The row as the answer stores it. */
export type NewCheckpoint = Omit<Checkpoint, 'progress'> & Pick<Row<'CallCheckpoint'>, 'legs'>;

/** Returns the row of a checkpoint as the answer stores it. */
export const checkpointRow = (
  callId: string,
  { settings, tokenSealed, headersSealed, aheadMs, legs }: NewCheckpoint,
) => ({
  callId,
  form: checkpointForm,
  settings,
  tokenSealed,
  headersSealed,
  aheadMs,
  legs,
});

/**
 * Reads the resume state that a gateway left. Returns undefined if a newer version wrote it in a format that this
 * version cannot read.
 */
export const readCheckpoint = (
  row: Pick<Row<'CallCheckpoint'>, 'settings' | 'tokenSealed' | 'headersSealed' | 'progress' | 'aheadMs'>,
): Checkpoint | undefined => {
  const begun = storedSettings.safeParse(row.settings);
  const now = progress.nullable().safeParse(row.progress);
  if (!begun.success || !now.success) return undefined;
  const { tokenSealed, headersSealed, aheadMs } = row;
  return { settings: begun.data, tokenSealed, headersSealed, progress: now.data, aheadMs };
};

/** Progress of a call, written by its holder. */
export type StoredProgress = { callId: string; epoch: number; progress: CallProgress; aheadMs: number };

const keeping = kyselyQuery((queries, { kept }: { kept: string }) =>
  queries
    .with('hurried', (read) => read.selectNoFrom(withoutWaitingForDisk.as('commit')))
    .updateTable('CallCheckpoint')
    .from(['hurried', rowsOf('CallCheckpoint', kept)])
    .set(({ ref }) => ({ progress: ref('given.progress'), aheadMs: ref('given.aheadMs') }))
    .whereRef('CallCheckpoint.callId', '=', 'given.callId')
    .whereRef('CallCheckpoint.epoch', '=', 'given.epoch')
    .returning('CallCheckpoint.callId'),
);

/**
 * Writes the progress of several calls in one statement, without waiting for the disk. Calls that another gateway holds
 * are skipped.
 */
export const storeProgress = async (db: Statements, kept: readonly StoredProgress[]): Promise<void> => {
  await keeping(db, { kept: db.asJson(kept) });
};
