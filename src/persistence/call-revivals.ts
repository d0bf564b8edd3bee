/**
 * All that it takes to go on with a call in another process (`CallRevival`): what it began with, written with its
 * answer, and how far it has come, written behind its back. The facts of its journal and its transcript say the rest.
 */
import { z } from 'zod';
import type { CollectedKeys, KeysWanted } from '#machines/collected-keys.ts';
import type { WaitingControl } from '#machines/control.ts';
import type { TransferWanted } from '#machines/transfer.ts';
import type { SpeechChoice } from '#machines/line.ts';
import { agentTypes, controlModes, type AgentBinding } from '#src/domain/agent-binding.ts';
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
import { withoutWaitingForDisk } from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import { rowsOf, type Row } from './tables.ts';

/** Counts up when older gateways could not read what newer ones write. */
export const revivalForm = 1;

/** The beginning of a call, of what may change meanwhile. */
export type CallBeginning = {
  greeting: string | null;
  speech: SpeechChoice;
  voicemail: Voicemail;
  screening: Screening;
  menu: MenuPolicy;
  /** Where the number lets its calls be transferred. */
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

const beginning: z.ZodType<CallBeginning> = z.object({
  greeting: z.string().nullable(),
  speech: z.object({
    recognizer: z.string().nullable(),
    synthesizer: z.string().nullable(),
    voice: z.string().nullable(),
  }),
  voicemail: z.object({ policy: z.enum(voicemailPolicies), message: z.string().nullable() }),
  // Gateways of before knew no call screening and no menus.
  screening: z
    .object({ policy: z.enum(screeningPolicies), callerName: z.string().nullable() })
    .default({ policy: 'answer', callerName: null }),
  menu: z.enum(menuPolicies).default('talk'),
  // Agents of gateways of before could not transfer by a tool.
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
    // Gateways of before asked nobody.
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
  }),
});

/** The progress of a call, beyond what its facts tell. */
export type CallProgress = {
  /** The last fact that was published before. */
  facts: number;
  /** Why it is being ended; null while that is not decided. */
  endReason: EndReason | null;
  /** Whether the recording is paused for secret keys alone. */
  pausedForSecret: boolean;
  /** When its holder let go of it on purpose, in the time of the call; null while it is held. */
  leftAt: number | null;
  conversation: {
    /** Its state, such as `replying.speaking`. */
    state: string;
    turn: number;
    utterance: number;
    /** In the time of the call. */
    spoken: { startedAt: number; endedAt: number; text: string; whole: boolean } | null;
    unanswered: number;
    /** Words of a program that wait for the floor. */
    asked: readonly string[];
    /** What the agent wanted to be done behind some of `unplayed`. */
    controls: readonly WaitingControl[];
    /** Keys that the agent wanted, in the time of the call; null while it wants none. */
    collected: CollectedKeys | null;
    failuresInARow: number;
    wasReprompted: boolean;
    /** Said, and not heard whole yet. */
    unplayed: readonly string[];
  };
};

/** The same by a clock that is so many milliseconds ahead. */
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
  // Gateways of before did not keep these two.
  pausedForSecret: z.boolean().default(false),
  leftAt: z.number().nullable().default(null),
  conversation: z.object({
    state: z.string(),
    turn: z.number(),
    utterance: z.number(),
    spoken: z
      .object({ startedAt: z.number(), endedAt: z.number(), text: z.string(), whole: z.boolean() })
      .nullable(),
    unanswered: z.number(),
    // Gateways of before did not keep these three.
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

export type Revival = {
  beginning: CallBeginning;
  tokenSealed: string | null;
  /** Null as well where a gateway of before has kept none. */
  headersSealed: SealedHeaders | null;
  /** `null` where nothing has happened yet. */
  progress: CallProgress | null;
  /** How far the time of the call is ahead of the database's clock, in milliseconds; null where that was not kept. */
  aheadMs: number | null;
};

export type NewRevival = Omit<Revival, 'progress'>;

/** As it is written first. */
export const revivalRow = (
  callId: string,
  { beginning, tokenSealed, headersSealed, aheadMs }: NewRevival,
) => ({
  callId,
  form: revivalForm,
  start: beginning,
  tokenSealed,
  headersSealed,
  aheadMs,
});

/** A call as a gateway has left it. Undefined where this one cannot read it: another version has written it. */
export const readRevival = (
  row: Pick<Row<'CallRevival'>, 'start' | 'tokenSealed' | 'headersSealed' | 'progress' | 'aheadMs'>,
): Revival | undefined => {
  const start = beginning.safeParse(row.start);
  const now = progress.nullable().safeParse(row.progress);
  if (!start.success || !now.success) return undefined;
  const { tokenSealed, headersSealed, aheadMs } = row;
  return { beginning: start.data, tokenSealed, headersSealed, progress: now.data, aheadMs };
};

/** The progress of a call, by its holder. */
export type KeptProgress = { callId: string; epoch: number; progress: CallProgress; aheadMs: number };

const keeping = prepared((queries, { kept }: { kept: string }) =>
  queries
    .with('hurried', (read) => read.selectNoFrom(withoutWaitingForDisk.as('commit')))
    .updateTable('CallRevival')
    .from(['hurried', rowsOf('CallRevival', kept)])
    .set(({ ref }) => ({ progress: ref('given.progress'), aheadMs: ref('given.aheadMs') }))
    .whereRef('CallRevival.callId', '=', 'given.callId')
    .whereRef('CallRevival.epoch', '=', 'given.epoch')
    .returning('CallRevival.callId'),
);

/** One statement, of however many calls, which waits for no disk. Those that another gateway holds are left out. */
export const keepProgress = async (db: Statements, kept: readonly KeptProgress[]): Promise<void> => {
  await keeping(db, { kept: db.asJson(kept) });
};
