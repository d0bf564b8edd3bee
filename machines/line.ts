/**
 * The interface between a call and its line, in the vocabulary of calls: no SIP, no SDP, no frames. Every line driver
 * (`sip/`) speaks these words and passes the same contract suite (`test/contract/line-contract.ts`).
 *
 * The contract, beyond the types:
 * 1. A line never speaks inside a command: events follow in a later task, one at a time, in order of time.
 * 2. Its last word is exactly one of `line.unanswered` (it was never answered) or `line.ended` (it was).
 * 3. Every `say` is answered by exactly one `line.played`, at the latest before `line.ended`, in the order of the
 *    commands; its `text` is what the other party could hear, empty when nothing of it sounded. `whole` is false only
 *    for what was stopped, by `stopTalking` or by the end of the line; an utterance that could not be synthesized has
 *    run its course with an empty text.
 * 4. After `stopTalking`, the reports of what was stopped come before any later `line.heard` or `line.takes_message`.
 * 5. Noise says nothing. A backchannel ("네", "uh-huh") while the agent's voice is audible is heard, but is no speech.
 * 6. Of an outbound call a line may say who has answered, after the answer and once; it says nothing where that is not
 *    clear, and nothing waits for it. `line.takes_message` follows only where it was a machine.
 * 7. A call that is held is told so once, and once that it is taken back, in turns; the line may end in between. What is
 *    said into a hold is heard by nobody.
 * 8. Opened to pause (`BargeIn`), a line tells the onset of a voice over the agent's, and then, unless it ends or is held
 *    before, what came of it: `line.speech` or `line.no_speech`. Told to pause, it is silent at once and reports nothing
 *    more as played but what had sounded whole; told to go on, it does from where it was, and what it reports in the end
 *    is what was heard before and behind the pause. `stopTalking` ends a pause, too.
 * 9. Of each way the sound of a call may be missing on, a line says so once at most, before its last word.
 * 10. A line that is adopted (`Lines.adopt`) never says that it was answered: it says once that it is adopted, and then
 *    whatever an answered line says; or that it has ended, by the gateway where it could not be adopted. Of what the other
 *    party did while nobody held the call it says how that came out: that it is held, or taken back, or over.
 * 11. Each `transfer` is answered by exactly one of `line.transferred`, `line.transfer_failed`, `line.referred` and
 *    `line.refer_refused`, unless the line ends before; `cancelTransfer` only hastens that. Once transferred, both persons
 *    hear each other and the line hears nothing; it ends when either of them hangs up. With the line every leg of it ends.
 * 12. Of a warm `transfer` the other party hears a hold tone until it is decided. Who answers is told of once, by
 *    `line.transfer_answered`, and is connected at `connect` alone. A `brief` then is followed by one `line.briefed` at
 *    most, when it was heard to its end, and by one `line.accepted` at most, when its key was pressed, in any order.
 *    Who hangs up instead has declined.
 * 13. `changeLanguage` holds for what is said after it, and for what the other party says from its next sentence on. Of
 *    a `say` that names a language, that one counts.
 * 14. Each `press` of an answered line is answered by exactly one of `line.pressed` and `line.press_failed`, unless the
 *    line ends before; digits are reported as pressed when they went out. A line that cannot send any, or can again,
 *    reports that by `line.dtmf`; where it says nothing it can.
 * 15. A line whose far end is asked to call the person itself (REFER) reports `line.referring` first, and only it reports
 *    `line.referred` or `line.refer_refused`. What was asked for cannot be taken back: `cancelTransfer` after that report
 *    ends the wait for its result. After `line.refer_refused` the line calls the persons of all further transfers itself.
 * 16. A far end that asks for a transfer (`line.refer_received`) has its answer by a cold `transfer` to that number, whose
 *    course the line reports to it, or by `refuseRefer`. The line refuses by itself what is asked for meanwhile, and what
 *    has no answer in time.
 */
import { fromCallback } from 'xstate';
import type { DtmfMeans, SoundFigures } from './sound-figures.ts';

export type Direction = 'inbound' | 'outbound';

/** Why a call was never answered. */
export type UnansweredCause =
  'no_answer' | 'busy' | 'declined' | 'cancelled' | 'invalid_number' | 'trunk_error' | 'media_error';

/**
 * The one who has picked up: a person, an answering machine (a voicemail, an announcement of the network), call screening
 * (an assistant that asks for its owner who calls and why), or a menu that lists keys. Behind call screening another one
 * may follow.
 */
export type AnsweredBy = 'human' | 'machine' | 'screening' | 'menu';

/** Why a request or a response was sent (RFC 3326): a status of SIP, a cause of Q.850, or another protocol's. */
export type SipReason = { protocol: string; cause: number | null; text: string | null };

/** Details of a call that the SIP layer knows, for the call record (`null` where the line has no SIP). */
export type SipDetails = {
  status: number | null;
  /** The reason phrase of the status. */
  reason: string | null;
  callId: string | null;
  /** Reason headers (RFC 3326) of the response, CANCEL or BYE that ended the call; absent without any. */
  reasons?: SipReason[];
  /** Addresses where a refusal is explained (Call-Info, RFC 8688); absent where there are none. */
  callInfo?: string[];
};

/** By which trunk a call goes, for the call record. */
export type CallRoute = {
  trunk: { id: string; name: string };
  /** Ids of the trunks that it went to before, and that have failed it. */
  failedTrunks: string[];
  /** Of the signalling, as `address:port`; `null` where no message was exchanged. */
  localAddress: string | null;
  remoteAddress: string | null;
  /** From the INVITE to the first that is known of the callee: that it rings, or an answer. `null` for who calls us. */
  postDialDelayMs: number | null;
};

/** On which way no sound goes: nothing of the other party comes in; nothing of ours arrives, as its reports say. */
export type OneWaySound = 'nothing_received' | 'nothing_delivered';

/** Events of a line, for its call. `at` and `startedAt` are wall-clock milliseconds since the epoch. */
export type LineEvent =
  /** The far end rings. */
  | { type: 'line.ringing'; at: number }
  | { type: 'line.answered'; at: number; sip?: SipDetails; route?: CallRoute }
  /** The call stood already, in another process, and its voices are carried by this line now. */
  | { type: 'line.adopted'; at: number }
  /** It never came to an answer. The last word. */
  | { type: 'line.unanswered'; at: number; cause: UnansweredCause; sip?: SipDetails; route?: CallRoute }
  /** A voice has begun over the agent's; whether it says something is not known yet. */
  | { type: 'line.onset'; at: number }
  /** What has begun takes no floor: it was noise, a cough or a backchannel. */
  | { type: 'line.no_speech'; at: number }
  /** The other party has begun to really speak. */
  | { type: 'line.speech'; at: number }
  /**
   * These words were heard whole. `startedAt` is when the first of them sounded, `endedAt` when the last one was over,
   * where the line knows.
   */
  | {
      type: 'line.heard';
      at: number;
      startedAt: number;
      endedAt?: number;
      text: string;
      backchannel: boolean;
    }
  /** An utterance has left the line: played whole, or stopped after `text` was heard. */
  | { type: 'line.played'; at: number; startedAt: number; utterance: number; text: string; whole: boolean }
  /** The other party pressed a key of the telephone (0–9, *, #, A–D). */
  | { type: 'line.digit'; at: number; digit: string }
  | { type: 'line.dtmf'; at: number; means: DtmfMeans }
  /** These keys of a `press` went out; none of them did, or not all. */
  | { type: 'line.pressed'; at: number; keys: string }
  | { type: 'line.press_failed'; at: number; keys: string }
  | { type: 'line.answered_by'; at: number; by: AnsweredBy }
  /** The other party has put the call on hold, and is not there until it takes it back. */
  | { type: 'line.held'; at: number }
  | { type: 'line.resumed'; at: number }
  /** What is said from now on is recorded by the machine: its beep is over, or it has been silent for long. */
  | { type: 'line.takes_message'; at: number }
  /** The call stands, and one of both hears nothing of the other. */
  | { type: 'line.one_way'; at: number; missing: OneWaySound }
  /** The person of a warm transfer has answered, and is connected with nobody yet. */
  | { type: 'line.transfer_answered'; at: number }
  /** What that person was told was heard to its end. */
  | { type: 'line.briefed'; at: number }
  /** That person has pressed the key that takes the call. */
  | { type: 'line.accepted'; at: number }
  /** The other party is connected with the person of the transfer. */
  | { type: 'line.transferred'; at: number }
  /** That person was not reached, or has hung up before; the other party is there as before. */
  | { type: 'line.transfer_failed'; at: number; cause: UnansweredCause; sip?: SipDetails }
  /** The far end was asked to call that person itself, which nobody can take back. */
  | { type: 'line.referring'; at: number }
  /** The far end does not call anybody; the person of another `transfer` is called by this line. */
  | { type: 'line.refer_refused'; at: number }
  /** The far end has connected the other party with that person itself, or has taken over doing so: this call is done. */
  | { type: 'line.referred'; at: number }
  /** The far end asks to be connected with the person at this number (domestic format). */
  | { type: 'line.refer_received'; at: number; to: string }
  /** The audio is lost although the call stands; the call will be ended. */
  | { type: 'line.failed'; at: number }
  /** The connection is over. The last word. */
  | {
      type: 'line.ended';
      at: number;
      /** `network`: a far end that was cut off, by the reason that came with its BYE, and has not hung up. */
      by: 'counterparty' | 'network' | 'gateway';
      sip?: SipDetails;
      route?: CallRoute;
      sound?: SoundFigures;
    };

/** The person who answers is connected at once; or is told first what the call is about. */
export type TransferMode = 'cold' | 'warm';

export type LineEventOf<Type extends LineEvent['type']> = Extract<LineEvent, { type: Type }>;

type WithoutTime<Event> = Event extends LineEvent ? Omit<Event, 'at'> : never;

/** An event of a line before its time is known. */
export type LineReport = WithoutTime<LineEvent>;

/** Commands of a call to its line. */
export type LineCommand =
  /**
   * Queue this text behind everything still to be said. `utterance` counts up from 1 within the call. `language` (BCP
   * 47) is that of the text, where the line is told only later that it is the call's.
   */
  | { type: 'say'; utterance: number; text: string; language?: string }
  /** From now on the other party is heard in this language and spoken to in it (BCP 47). */
  | { type: 'changeLanguage'; language: string }
  /** Press these keys of the telephone at once, one after another: 0–9, *, #, A–D; `w` waits for half a second. */
  | { type: 'press'; keys: string }
  /** Be silent at once and forget what is queued. */
  | { type: 'stopTalking' }
  /** Be silent at once, and keep what is queued and the rest of what sounds. */
  | { type: 'pauseTalking' }
  | { type: 'resumeTalking' }
  /**
   * From now on the recording holds silence on both sides, until it is resumed: its time goes on, so that what was said
   * stays where it was said. Both do nothing in a call that is not recorded.
   */
  | { type: 'pauseRecording' }
  | { type: 'resumeRecording' }
  /**
   * From now on the recording holds silence in place of the DTMF tones of the other party, or holds the tones again. Both
   * do nothing in a call that is not recorded.
   */
  | { type: 'hideTones' }
  | { type: 'showTones' }
  /** The call will be hung up when the voice is quiet. A line may prepare for it; most have nothing to do. */
  | { type: 'expectHangup' }
  /** Ring this number (domestic format); who answers is connected with the other party at once, or waits. One at a time. */
  | { type: 'transfer'; to: string; mode: TransferMode }
  /** Say this to who has answered a warm transfer; `acceptKey` takes the call, `null` where none is asked for. */
  | { type: 'brief'; text: string; acceptKey: string | null }
  /** Connect who has answered a warm transfer with the other party, whether the briefing is over or not. */
  | { type: 'connect' }
  /** Ring no longer, and let go of who has answered. */
  | { type: 'cancelTransfer' }
  /** Decline the transfer that the far end asks for; does nothing where it asks for none. */
  | { type: 'refuseRefer' }
  /** End the connection now. */
  | { type: 'hangUp' };

/** Commands of a call about the keys that the other party presses. */
export type KeysCommand =
  /** From now on they are a secret, but for the one that says that these were all. */
  | { type: 'hideKeys'; finish: string | null }
  /** The secret ones that came are a turn now; those that follow are secret too, and part of no turn. */
  | { type: 'keepKeys' }
  /** The secret ones that came are part of no turn; those that follow are secret too, and part of no turn either. */
  | { type: 'forgetKeys' }
  /** They are no secret any more. */
  | { type: 'showKeys' };

/**
 * The recognizer and the synthesizer of a call, by the names that the operator's engines have; `null` leaves it to the
 * operator's order. A voice is one of the synthesizer that is named, `null` its usual one.
 */
export type SpeechChoice = { recognizer: string | null; synthesizer: string | null; voice: string | null };

/**
 * The agent's voice when the other party speaks into it: it pauses at the onset of a voice and goes on when that was
 * nothing, it stops when real speech is heard, or it finishes.
 */
export type BargeInMode = 'pause' | 'stop' | 'off';

/** The numbers are those of `pause`. */
export type BargeIn = {
  mode: BargeInMode;
  /** A voice that has lasted for so long is an onset. */
  onsetMs: number;
  /** Speech that has lasted for so long is an interruption, also where its words are not known yet. */
  speechMs: number;
  /** When nobody has spoken for so long behind an onset of which no words came, the agent goes on. */
  resumeMs: number;
};

/**
 * The judge of whether the other party has said all that it wanted to: the pause behind its words and what they are,
 * the recognizer, or a model of speech. Where what is chosen is not there, or has nothing to say, pauses decide.
 */
export type TurnEndMode = 'pause' | 'recognizer' | 'model';

export type TurnEnd = {
  mode: TurnEndMode;
  /** Before so much silence no turn is over … */
  minSilenceMs: number;
  /** … and after so much one that has words is, whoever decides. */
  maxSilenceMs: number;
};

/** The input of a line. It does not change during the call. */
export type LineInput = {
  callId: string;
  direction: Direction;
  /** Domestic format. */
  from: string;
  /** Domestic format. */
  to: string;
  /** BCP 47, for recognition and synthesis. */
  language: string;
  speech: SpeechChoice;
  /** Whether this call is to be recorded from the answer on. */
  recording: boolean;
  bargeIn: BargeIn;
  turnEnd: TurnEnd;
  /** Headers `X-…` that the INVITE of an outbound call is to have, by their names. */
  sipHeaders?: Readonly<Record<string, string>>;
};

/** An open line. */
export interface Line {
  tell(command: LineCommand): void;
  /** Lets go of everything at once; a call that still stands is hung up. After it the line is silent. Idempotent. */
  close(): void;
  /**
   * Lets go of everything here and leaves the call standing, which another gateway holds: the far end notices nothing.
   * After it the line is silent. Idempotent.
   */
  leave(): void;
  /** Whether another gateway could go on with it now: it is answered, and its far end outlives this process. */
  canBeLeft(): boolean;
}

/** Starts dialing (outbound) or answers the waiting arrival of this call (inbound). */
export type OpenLine = (input: LineInput, emit: (event: LineEvent) => void) => Line;

/** The actor's place in the charts; the composition root provides the real one. */
export const line = fromCallback<LineCommand | KeysCommand, LineInput>(() => {
  throw new Error('No "line" was provided to this machine');
});
