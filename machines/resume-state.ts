/**
 * Progress of a call that another process held. The data was persisted by that process (`src/continuity`), so the last
 * moments before its death may be missing.
 */
import type { CollectedKeys } from './collected-keys.ts';
import type { WaitingControl } from './control.ts';
import type { AnsweredBy } from './line.ts';
import type { EndReason } from './outcome.ts';
import type { Message } from './reply.ts';
import type { Transfer } from './transfer.ts';
import type { Spoken } from './turns.ts';

/**
 * Next step of the conversation: say the unheard utterances; say goodbye after failed replies; wait for the end of a
 * hold; leave a message on a machine; or ask for consent again. With `words-lost`, the floor was free and speech of the
 * other party was lost in the meantime, so the agent asks for it again. A reply that was lost after its first words, or
 * that must not be requested twice, is `broken-off`: its received part is spoken, followed by an apology. Otherwise the
 * conversation listens, and answers unanswered turns.
 */
export type ResumedAs =
  | 'listening'
  | 'words-lost'
  | 'saying'
  | 'broken-off'
  | 'parting'
  | 'on-hold'
  | 'voicemail'
  | 'consenting';

export type ConversationResumeState = {
  resumesAs: ResumedAs;
  messages: readonly Message[];
  turn: number;
  /** Number of the last utterance. */
  utterance: number;
  spoken: Spoken | null;
  unanswered: number;
  /** Whether the last reply was requested, and has to be requested again if it was aborted: no word of it was heard. */
  isReplyOwed: boolean;
  /** Words of programs that were still queued. */
  asked: readonly string[];
  /** Controls of the agent that are executed after some of the utterances in `unsaid`. */
  controls: readonly WaitingControl[];
  /** Language set by the agent; null while it is the initial one. */
  language: string | null;
  /** Digits collected so far. Secret digits have to be entered again. */
  collected: CollectedKeys | null;
  failuresInARow: number;
  wasReprompted: boolean;
  /** Utterances that were not heard completely. Each of them is spoken again from its beginning. */
  unsaid: readonly string[];
};

/** Transfer of a call whose process died or handed it over. */
export type ResumedTransfer =
  /** The transfer was not connected yet, and the person was lost with the process. */
  | { state: 'lost'; transferId: string; to: string }
  /** The other party and the person are connected. `talkedMs` is the time since the connection. */
  | ({ state: 'connected' } & Pick<
      Transfer,
      'transferId' | 'to' | 'isRecorded' | 'maxDurationSec' | 'talkedMs'
    >);

export type CallResumeState = {
  /** Name of the gateway that takes over the call. */
  node: string;
  /** Name of the gateway that held it before. */
  from: string;
  answeredBy: AnsweredBy | null;
  recordingIsPaused: boolean;
  /**
   * Whether the recording was paused only for secret digits. False if this is unknown; the recording then stays paused.
   */
  pausedForSecret: boolean;
  /** Whether the last requested digits were secret, so that further digits are hidden. */
  keysAreHidden: boolean;
  /** Whether the consent announcement was pending and the other party had not agreed. */
  consentIsAwaited: boolean;
  hangupIsPending: boolean;
  /** Reason of the pending end; `null` if the end was not decided. */
  endReason: EndReason | null;
  /** The transfer in progress, or the completed one. */
  transfer: ResumedTransfer | null;
  conversation: ConversationResumeState;
};
