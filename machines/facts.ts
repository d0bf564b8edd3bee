/**
 * The facts of a call's journal, which it publishes. A fact is written once, in order; the row of the call and the
 * events for customers are made from it in one transaction.
 */
import type { KeysWanted } from './collected-keys.ts';
import type { ConsentMeans } from './consent.ts';
import type { AnsweredBy, CallRoute, OneWaySound, SipDetails, TransferMode } from './line.ts';
import type { EndReason, FinalStatus } from './outcome.ts';
import type { ReplyFailure } from './reply.ts';
import type { SoundFigures } from './sound-figures.ts';
import type { TransferFailure } from './transfer.ts';

/**
 * `at` is wall-clock milliseconds since the epoch. A fact that comes from a timer of the chart carries none:
 * the chart has no clock, so the journal stamps it on arrival.
 */
export type CallFact =
  | { type: 'call.answered'; at: number; sip?: SipDetails; route?: CallRoute }
  /** The process that held the call is no more, and this gateway goes on with it. */
  | { type: 'call.taken_over'; at: number; node: string }
  /** Who answered; missing where that stays unclear. */
  | { type: 'call.answered_by'; at: number; by: AnsweredBy; latency?: VerdictLatency }
  /** The other party has put the call on hold, and has taken it back. */
  | { type: 'call.held'; at: number }
  | { type: 'call.resumed'; at: number }
  /** One of both hears nothing of the other. */
  | { type: 'sound.one_way'; at: number; missing: OneWaySound }
  /** Whether the other party agrees to what it was told first. */
  | { type: 'call.consent'; at?: number; given: boolean; how: ConsentMeans }
  | { type: 'call.hangup_requested'; at?: number; immediate: boolean }
  | { type: 'call.hangup_cancelled'; at?: number }
  /** Words that were really heard on the line, by either party; a row of the transcript. */
  | {
      type: 'turn.spoken';
      at: number;
      endedAt: number;
      role: 'assistant' | 'user';
      text: string;
      whole: boolean;
      /** Of a reply of the agent, added by who keeps the journal: the chart has no clock. */
      latency?: TurnLatency;
    }
  /** The agent fell silent at the onset of a voice, and went on where it had stopped, as that was nothing. */
  | { type: 'agent.paused'; at: number }
  | { type: 'agent.resumed'; at?: number }
  | { type: 'turn.digit'; at: number; digit: string }
  /** The agent pressed keys, as in `LineCommand`. */
  | { type: 'keys.pressed'; at?: number; keys: string }
  /** The agent wanted these pressed, and they could not be sent, or not all of them. */
  | { type: 'keys.failed'; at?: number; keys: string }
  /** A program has words said in the agent's place; what was heard of them is a turn. */
  | { type: 'say.requested'; at?: number; text: string; interrupt: boolean }
  /** The agent wants keys of the other party, as in `KeysWanted`; what comes is a turn. */
  | ({ type: 'collect.requested'; at?: number } & KeysWanted)
  /** The agent has changed the language in which the other party is heard and spoken to (BCP 47). */
  | { type: 'language.changed'; at?: number; language: string }
  /**
   * Somebody is rung, who is to talk with the other party in the agent's place; `announced`: the other party is told
   * something first.
   */
  | {
      type: 'call.transfer_requested';
      at?: number;
      transferId: string;
      to: string;
      mode: TransferMode;
      announced?: true;
    }
  /** The other party was told what it was to be told, and the person is rung. */
  | { type: 'call.transfer_ringing'; at?: number; transferId: string }
  /** The person of a warm transfer has answered, and hears what the call is about. */
  | { type: 'call.transfer_answered'; at: number; transferId: string }
  /** They talk with each other, and the agent is out. */
  | {
      type: 'call.transfer_connected';
      at: number;
      transferId: string;
      /** Whether a recorded call is recorded from then on. */
      recorded: boolean;
      /** The longest time for which they may talk. */
      maxDurationSec: number;
    }
  /** Nobody was connected. */
  | {
      type: 'call.transfer_failed';
      at?: number;
      transferId: string;
      reason: TransferFailure;
      sip?: SipDetails;
    }
  /** The transfer was taken back before anybody was connected. */
  | { type: 'call.transfer_returned'; at?: number; transferId: string }
  /** Nothing that is said from here on is recorded, until the recording is resumed. */
  | { type: 'recording.paused'; at?: number }
  | { type: 'recording.resumed'; at?: number }
  /** A reply that did not come; `turn` is the reply's number, `begun` that its first words came. */
  | { type: 'reply.failed'; at?: number; turn: number; failure: ReplyFailure; detail?: string; begun?: true }
  | {
      type: 'call.ended';
      at?: number;
      reason: EndReason;
      status: FinalStatus;
      sip?: SipDetails;
      route?: CallRoute;
      sound?: SoundFigures;
      /** Nobody saw when this call really ended: its duration is unknown if it was answered. */
      durationIsKnown?: false;
    };

/** Milliseconds from the answer to the verdict on who answered. */
export type VerdictLatency = { answeredByMs: number };

/**
 * The other party's wait for a turn of the agent, in milliseconds; a time that is not known is missing. The first is
 * the time from the last sound of the other party to its words. The others count from when the reply was asked for: to
 * the agent's first text, to its first sentence, and to the first sound that the other party heard.
 */
export type TurnLatency = {
  endpointingMs?: number;
  firstTokenMs?: number;
  firstSentenceMs?: number;
  firstAudioMs?: number;
};
