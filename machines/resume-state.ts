/**
 * Progress of a call that another process held. It is read from the data that the process persisted
 * (`src/continuity`), so the last moments before its death may be missing.
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
 * hold; leave a message on a machine; or ask for consent again. With `words-lost` the floor was free and speech of the
 * other party in the meantime was lost: the agent asks for it again. A reply that was lost after its first words, or
 * that must not be requested twice, is `broken-off`: its received part is said, and then an apology. Otherwise the
 * conversation listens, and answers unanswered turns.
 */
export type ResumedAs =
  'listening' | 'words-lost' | 'saying' | 'broken-off' | 'parting' | 'on-hold' | 'voicemail' | 'consenting';

export type ConversationResumeState = {
  resumesAs: ResumedAs;
  messages: readonly Message[];
  turn: number;
  /** Number of the last utterance. */
  utterance: number;
  spoken: Spoken | null;
  unanswered: number;
  /** Words of programs that were still queued. */
  asked: readonly string[];
  /** Controls of the agent that act after some of the utterances in `unsaid`. */
  controls: readonly WaitingControl[];
  /** Language set by the agent; null while it is the initial one. */
  language: string | null;
  /** Collected digits so far; secret ones have to be entered again. */
  collected: CollectedKeys | null;
  failuresInARow: number;
  wasReprompted: boolean;
  /** Utterances that were not heard completely; each is said again from its beginning. */
  unsaid: readonly string[];
};

/** Transfer of a call whose process died or handed it over. */
export type ResumedTransfer =
  /** The transfer was not connected yet; the person was lost with the process. */
  | { state: 'lost'; transferId: string; to: string }
  /** The other party and the person are connected; `talkedMs`: time since then. */
  | ({ state: 'connected' } & Pick<
      Transfer,
      'transferId' | 'to' | 'isRecorded' | 'maxDurationSec' | 'talkedMs'
    >);

export type CallResumeState = {
  /** Name of the gateway that takes the call over. */
  node: string;
  answeredBy: AnsweredBy | null;
  recordingIsPaused: boolean;
  /**
   * Whether the recording was paused only for secret digits. False if that is unknown; the recording then stays paused.
   */
  pausedForSecret: boolean;
  /** The last requested digits were secret, so further ones are hidden. */
  keysAreHidden: boolean;
  /** The consent announcement was pending, and the other party had not agreed. */
  consentIsAwaited: boolean;
  hangupIsPending: boolean;
  /** Reason of the pending end; `null` if the end was not decided. */
  endReason: EndReason | null;
  /** The transfer in progress, or the completed one. */
  transfer: ResumedTransfer | null;
  conversation: ConversationResumeState;
};
