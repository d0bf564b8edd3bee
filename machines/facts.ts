/**
 * Facts that a call publishes to its journal. Facts are written once, in order; one transaction updates the call's row
 * and creates the customer events from the fact.
 */
import type { KeysWanted } from './collected-keys.ts';
import type { ConsentMeans } from './consent.ts';
import type { AnsweredBy, CallRoute, OneWayAudio, SipDetails, TransferMode } from './line.ts';
import type { EndReason, FinalStatus } from './outcome.ts';
import type { ReplyFailure } from './reply.ts';
import type { MediaStatistics } from './media-statistics.ts';
import type { TransferFailure } from './transfer.ts';

/**
 * A fact. `at` is wall-clock milliseconds since the epoch. A fact from a timer of the chart has no time, because the
 * chart has no clock, so the journal adds the time of arrival.
 */
export type CallFact =
  | { type: 'call.answered'; at: number; sip?: SipDetails; route?: CallRoute }
  /** The process that held the call ended, and this gateway (`node`) took the call over from that one (`from`). */
  | { type: 'call.taken_over'; at: number; node: string; from: string }
  /** The answerer was detected. The fact is missing if the answerer stays unclear. */
  | { type: 'call.answered_by'; at: number; by: AnsweredBy; latency?: VerdictLatency }
  /** The other party put the call on hold, or resumed it. */
  | { type: 'call.held'; at: number }
  | { type: 'call.resumed'; at: number }
  /** One party does not hear the other. */
  | { type: 'sound.one_way'; at: number; missing: OneWayAudio }
  /** Whether the other party agreed to the consent announcement. */
  | { type: 'call.consent'; at?: number; given: boolean; how: ConsentMeans }
  | { type: 'call.hangup_requested'; at?: number; immediate: boolean }
  | { type: 'call.hangup_cancelled'; at?: number }
  /** Words of either party that were heard on the line. Each such fact is a row of the transcript. */
  | {
      type: 'turn.spoken';
      at: number;
      endedAt: number;
      role: 'assistant' | 'user';
      text: string;
      whole: boolean;
      /** Latencies of the agent's reply. The journal adds them, because the chart has no clock. */
      latency?: TurnLatency;
    }
  /** The agent paused at the onset of a voice and resumed, because the voice contained no speech. */
  | { type: 'agent.paused'; at: number }
  | { type: 'agent.resumed'; at?: number }
  | { type: 'turn.digit'; at: number; digit: string }
  /** The agent sent DTMF digits. `keys` has the format of `press` in `LineCommand`. */
  | { type: 'keys.pressed'; at?: number; keys: string }
  /** DTMF digits of the agent could not be sent, completely or in part. */
  | { type: 'keys.failed'; at?: number; keys: string }
  /** A program requested words in the agent's place. The heard part becomes a turn. */
  | { type: 'say.requested'; at?: number; text: string; interrupt: boolean }
  /** The agent collects DTMF digits of the other party, as described by `KeysWanted`. The entry becomes a turn. */
  | ({ type: 'collect.requested'; at?: number } & KeysWanted)
  /** The agent changed the language of recognition and synthesis (BCP 47). */
  | { type: 'language.changed'; at?: number; language: string }
  /** A transfer to a person began. `announced`: the other party hears an announcement first. */
  | {
      type: 'call.transfer_requested';
      at?: number;
      transferId: string;
      to: string;
      mode: TransferMode;
      announced?: true;
    }
  /** The announcement was heard, and the gateway calls the person. */
  | { type: 'call.transfer_ringing'; at?: number; transferId: string }
  /** The person of a warm transfer answered and hears the briefing. */
  | { type: 'call.transfer_answered'; at: number; transferId: string }
  /** The other party and the person are connected, and the agent has left the call. */
  | {
      type: 'call.transfer_connected';
      at: number;
      transferId: string;
      /** Whether a recorded call is still recorded after the connection. */
      recorded: boolean;
      /** Maximum duration of the conversation between the two persons. */
      maxDurationSec: number;
    }
  /** The transfer failed. */
  | {
      type: 'call.transfer_failed';
      at?: number;
      transferId: string;
      reason: TransferFailure;
      sip?: SipDetails;
    }
  /** The transfer was cancelled before it connected. */
  | { type: 'call.transfer_returned'; at?: number; transferId: string }
  /** The recording is paused until it is resumed. */
  | { type: 'recording.paused'; at?: number }
  | { type: 'recording.resumed'; at?: number }
  /** A reply failed. `turn` is the reply's number; `begun` means that its first words had arrived. */
  | { type: 'reply.failed'; at?: number; turn: number; failure: ReplyFailure; detail?: string; begun?: true }
  | {
      type: 'call.ended';
      at?: number;
      reason: EndReason;
      status: FinalStatus;
      sip?: SipDetails;
      route?: CallRoute;
      sound?: MediaStatistics;
      /**
       * Present if the gateway did not observe the end of this call; the duration of an answered call is then unknown.
       */
      durationIsKnown?: false;
    };

/** Milliseconds from the answer to the detection of the answerer. */
export type VerdictLatency = { answeredByMs: number };

/**
 * The other party's wait for a turn of the agent, in milliseconds by the gateway's clock; unknown times are missing.
 * The wait is exactly `endpointingMs + queuedMs + firstAudioMs`, from the end of the other party's speech to the first
 * audible sound of the reply. Only a turn that answers speech has a wait (guides/latency.md).
 */
export type TurnLatency = {
  /** Kind of the agent that replied: `builtin`, or the type of its binding. */
  agent?: string;
  /** From the end of the other party's speech to the decision that its turn is over. */
  endpointingMs?: number;
  /** From this decision to the request for the reply. Present together with `endpointingMs`. */
  queuedMs?: number;
  /** From the request to the first text of the agent. */
  firstTokenMs?: number;
  /** From the request to the first sentence that can be spoken. */
  firstSentenceMs?: number;
  /** From the request to the first audible sound of the reply. */
  firstAudioMs?: number;
};
