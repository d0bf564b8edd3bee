/**
 * A call that another process held: how far it had come there. It is read from what that process has kept
 * (`src/calls/recovery`), so the last moments before its death may be missing.
 */
import type { CollectedKeys } from './collected-keys.ts';
import type { WaitingControl } from './control.ts';
import type { AnsweredBy } from './line.ts';
import type { EndReason } from './outcome.ts';
import type { Message } from './reply.ts';
import type { Transfer } from './transfer.ts';
import type { Spoken } from './turns.ts';

/**
 * The next step of its conversation: say what was left to say; say goodbye, for replies had failed; wait for who had
 * put the call on hold; leave a message on a machine; or ask anew whether the other party agrees. With `words-lost` the
 * floor was free, and what the other party said meanwhile was heard by nobody: it is asked to say it again. A reply that came no further than its first words, or that is
 * not to be asked for twice, is `broken-off`: what had come of it is said, and then an excuse. Otherwise it listens,
 * and answers what was not answered.
 */
export type ResumedAs =
  'listening' | 'words-lost' | 'saying' | 'broken-off' | 'parting' | 'on-hold' | 'voicemail' | 'consenting';

export type TakenOverConversation = {
  resumesAs: ResumedAs;
  messages: readonly Message[];
  turn: number;
  /** The last utterance that was said. */
  utterance: number;
  spoken: Spoken | null;
  unanswered: number;
  /** Words of a program that were still to be said. */
  asked: readonly string[];
  /** What the agent wanted to be done behind some of `unsaid`. */
  controls: readonly WaitingControl[];
  /** To which the agent had changed it; null while it was the one that the call began with. */
  language: string | null;
  /** Keys that the agent wanted, as far as they had come; secret ones have to be pressed once more. */
  collected: CollectedKeys | null;
  failuresInARow: number;
  wasReprompted: boolean;
  /** Utterances that nobody has heard whole; each is said again from its beginning. */
  unsaid: readonly string[];
};

/** A transfer of a call whose process has died, or has let go of it. */
export type LeftTransfer =
  /** Nobody was connected yet, and the person is lost with that process. */
  | { state: 'lost'; transferId: string; to: string }
  /** The other party and the person talk with each other; `talkedMs`: since they were connected. */
  | ({ state: 'connected' } & Pick<
      Transfer,
      'transferId' | 'to' | 'isRecorded' | 'maxDurationSec' | 'talkedMs'
    >);

export type TakenOverCall = {
  /** The name of the gateway that takes it over. */
  node: string;
  answeredBy: AnsweredBy | null;
  recordingIsPaused: boolean;
  /** Whether that was for secret keys alone; where it is not known it was not, and the recording stays paused. */
  pausedForSecret: boolean;
  /** The last keys that the agent wanted were secret, so those that still come are hidden. */
  keysAreHidden: boolean;
  /** The other party was to be told or asked something first, and had not agreed. */
  consentIsAwaited: boolean;
  hangupIsPending: boolean;
  /** Why it was being ended; `null` where its end was not decided. */
  endReason: EndReason | null;
  /** The transfer that was under way, or had come about. */
  transfer: LeftTransfer | null;
  conversation: TakenOverConversation;
};
