/**
 * The interface between a call and its line, in the vocabulary of calls: no SIP, no SDP, no frames. Every line driver
 * (`sip/`) implements it and passes the same contract suite (`test/contract/line-contract.ts`).
 *
 * The contract, beyond the types:
 * 1. A line never emits an event inside a command: events follow in a later task, one at a time, in order of time.
 * 2. Its final event is exactly one of `line.unanswered` (it was never answered) or `line.ended` (it was).
 * 3. Every `say` is answered by exactly one `line.played`, at the latest before `line.ended`, in the order of the
 *    commands; its `text` is the part that the other party could hear, empty if it was not audible at all. `whole` is
 *    false only for utterances stopped by `stopTalking` or by the end of the line; an utterance that could not be
 *    synthesized counts as whole, with an empty text.
 * 4. After `stopTalking`, the reports of stopped utterances come before any later `line.heard` or `line.takes_message`.
 * 5. Noise causes no event. A backchannel ("네", "uh-huh") while the agent's voice is audible is heard, but is no
 *    speech. A voice that was reported as speech because it lasted, and that ends without words, is followed by
 *    `line.no_words`.
 * 6. For an outbound call a line may report the answerer once, after the answer; without a clear result it emits no
 *    event, and the call does not wait for one. `line.takes_message` follows only for a machine.
 * 7. Hold and resume are each reported once, alternately; the line may end in between. The other party does not hear
 *    utterances during a hold. Words that began before the hold may be reported during it; `startedAt`
 *    distinguishes them from music and announcements.
 * 8. Opened to pause (`BargeIn`), a line reports the onset of a voice over the agent's, and then its result, unless it
 *    ends or is held before: `line.speech` or `line.no_speech`. On a pause command it is silent at once and reports
 *    only utterances as played that were fully audible; on resume it continues from the same place, and its final
 *    report covers the audio before and after the pause. `stopTalking` ends a pause, too.
 * 9. Missing audio is reported at most once per direction, before the final event.
 * 10. An adopted line (`Lines.resume`) never emits that it was answered: it emits once that it is adopted, followed by
 *    the events of an answered line; or that it has ended, by the gateway if it could not be adopted. The resumed line
 *    reports the result of actions of the other party between the two gateways: held, resumed or ended.
 * 11. Each `transfer` is answered by exactly one of `line.transferred`, `line.transfer_failed`, `line.referred` and
 *    `line.refer_refused`, unless the line ends before; `cancelTransfer` only hastens that. Once transferred, both
 *    persons hear each other and the line reports no speech; it ends when either of them hangs up. Every leg ends with
 *    the line.
 * 12. During a `transfer` the other party hears a hold tone until it is decided. An answer is reported once, by
 *    `line.transfer_answered`; only `connect` connects it. A `brief` is then followed by at most one `line.briefed`,
 *    when it was heard to its end, and by at most one `line.accepted`, when its digit was pressed, in any order.
 *    Hanging up instead declines the transfer.
 * 13. `changeLanguage` applies to later utterances, and to the other party's speech from its next sentence on. The
 *    language of a `say` takes precedence.
 * 14. Each `press` of an answered line is answered by exactly one of `line.pressed` and `line.press_failed`, unless the
 *    line ends before; digits are reported as pressed when they were sent. A line that cannot send digits, or can send
 *    them again, reports that by `line.dtmf`; without that event it can.
 * 15. A line whose far end is asked to call the person itself (REFER) reports `line.referring` first, and only it
 *    reports `line.referred` or `line.refer_refused`. The request cannot be taken back: `cancelTransfer` after that
 *    report ends the wait for its result. After `line.refer_refused` the line calls the persons of all further
 *    transfers itself.
 * 16. A far end that asks for a transfer (`line.refer_received`) is answered by a cold `transfer` to that number, whose
 *    progress the line reports to it, or by `refuseRefer`. The line itself refuses further requests meanwhile, and a
 *    request without a timely answer.
 * 17. `hearing` returns preliminary words of the other party's current turn, and is empty after its `line.heard`, during
 *    a transfer's conversation and after the final event. Preliminary words are never part of an event, so no state and
 *    no record of a call depends on them.
 */
import { fromCallback, type AnyActorRef } from 'xstate';
import type { DtmfMeans, MediaStatistics } from './media-statistics.ts';

export type Direction = 'inbound' | 'outbound';

/** Reason why a far end did not answer. */
export type UnansweredCause =
  | 'no_answer'
  | 'busy'
  | 'declined'
  | 'cancelled'
  | 'invalid_number'
  | 'trunk_error'
  | 'media_error';

/** Reason why a line was never answered; `system_error`: the gateway itself failed. */
export type UnansweredLineCause = UnansweredCause | 'system_error';

/**
 * The answerer: a person, an answering machine (a voicemail, an announcement of the network), call screening (an
 * assistant that asks on behalf of its owner for the caller and the reason), or a menu of DTMF digits. After call
 * screening, a second answerer may follow.
 */
export type AnsweredBy = 'human' | 'machine' | 'screening' | 'menu';

/** Reason of a request or response (RFC 3326): a SIP status, a Q.850 cause, or a value of another protocol. */
export type SipReason = { protocol: string; cause: number | null; text: string | null };

/** SIP details of a call for the call record (`null` if the line has no SIP). */
export type SipDetails = {
  status: number | null;
  /** Reason phrase of the SIP status. */
  reason: string | null;
  callId: string | null;
  /** Reason headers (RFC 3326) of the response, CANCEL or BYE that ended the call; absent without such headers. */
  reasons?: SipReason[];
  /** Addresses that explain a refusal (Call-Info, RFC 8688); absent without such addresses. */
  callInfo?: string[];
};

/** Trunk of a call, for the call record. */
export type CallRoute = {
  trunk: { id: string; name: string };
  /** Ids of the trunks that failed before this one. */
  failedTrunks: string[];
  /** Local signalling address as `address:port`; `null` if no message was exchanged. */
  localAddress: string | null;
  remoteAddress: string | null;
  /** Post-dial delay in ms: from the INVITE to ringing or answer. `null` for inbound calls. */
  postDialDelayMs: number | null;
};

/**
 * Direction without audio. `nothing_received`: audio of the other party is missing. `nothing_delivered`: the gateway's
 * audio does not arrive, according to RTCP reports.
 */
export type OneWayAudio = 'nothing_received' | 'nothing_delivered';

/** Events of a line, for its call. `at` and `startedAt` are wall-clock milliseconds since the epoch. */
export type LineEvent =
  /** The far end rings. */
  | { type: 'line.ringing'; at: number }
  | { type: 'line.answered'; at: number; sip?: SipDetails; route?: CallRoute }
  /** The line of a call of another process was taken over: it carries the audio of the call now. */
  | { type: 'line.adopted'; at: number }
  /** The call was never answered. Final event. */
  | { type: 'line.unanswered'; at: number; cause: UnansweredLineCause; sip?: SipDetails; route?: CallRoute }
  /** A voice has begun over the agent's. At this time it is not known whether the voice contains speech. */
  | { type: 'line.onset'; at: number }
  /** The voice did not take the floor, because it was noise, a cough or a backchannel. */
  | { type: 'line.no_speech'; at: number }
  /** The other party has begun to speak. */
  | { type: 'line.speech'; at: number }
  /** The voice that was reported as speech has ended without words: it was noise. */
  | { type: 'line.no_words'; at: number }
  /**
   * Complete recognized words. `startedAt` is the beginning of the first word, `endedAt` the end of the last one, if
   * the line knows these times.
   */
  | {
      type: 'line.heard';
      at: number;
      startedAt: number;
      endedAt?: number;
      text: string;
      backchannel: boolean;
    }
  /** An utterance has left the line: it was played completely, or stopped after `text` was heard. */
  | { type: 'line.played'; at: number; startedAt: number; utterance: number; text: string; whole: boolean }
  /** The other party pressed a DTMF digit (0–9, *, #, A–D). */
  | { type: 'line.digit'; at: number; digit: string }
  | { type: 'line.dtmf'; at: number; means: DtmfMeans }
  /** The digits of a `press` were sent, or could not be sent completely. */
  | { type: 'line.pressed'; at: number; keys: string }
  | { type: 'line.press_failed'; at: number; keys: string }
  | { type: 'line.answered_by'; at: number; by: AnsweredBy }
  /** The other party put the call on hold, and is absent until it resumes the call. */
  | { type: 'line.held'; at: number }
  | { type: 'line.resumed'; at: number }
  /** The machine records from now on: its beep is over, or the machine has been silent for long. */
  | { type: 'line.takes_message'; at: number }
  /** One party of the call does not hear the other. */
  | { type: 'line.one_way'; at: number; missing: OneWayAudio }
  /** The person of a warm transfer answered, and is not connected yet. */
  | { type: 'line.transfer_answered'; at: number }
  /** The briefing was heard to its end. */
  | { type: 'line.briefed'; at: number }
  /** The person pressed the digit that accepts the call. */
  | { type: 'line.accepted'; at: number }
  /** The other party is connected with the person of the transfer. */
  | { type: 'line.transferred'; at: number }
  /** The person was not reached, or hung up before the connection. The other party is back on the line. */
  | { type: 'line.transfer_failed'; at: number; cause: UnansweredCause; sip?: SipDetails }
  /** The far end was asked to call the person itself (REFER). The request cannot be cancelled. */
  | { type: 'line.referring'; at: number }
  /** The far end refused the REFER. The line itself calls the persons of further transfers. */
  | { type: 'line.refer_refused'; at: number }
  /**
   * The far end has connected the other party with the person, or has taken responsibility for the connection. The call
   * is over.
   */
  | { type: 'line.referred'; at: number }
  /** The far end requests to be connected with the person at this number (domestic format). */
  | { type: 'line.refer_received'; at: number; to: string }
  /** The audio is lost although the call exists. The call will be ended. */
  | { type: 'line.failed'; at: number }
  /** The connection is over. Final event. */
  | {
      type: 'line.ended';
      at: number;
      /**
       * Side that ended the connection. `network`: according to the reason in its BYE, the far end was cut off and did
       * not hang up itself.
       */
      by: 'counterparty' | 'network' | 'gateway';
      sip?: SipDetails;
      route?: CallRoute;
      sound?: MediaStatistics;
    };

/**
 * Mode of a transfer. `cold`: the person who answers is connected at once. `warm`: the person hears a briefing first.
 */
export type TransferMode = 'cold' | 'warm';

export type LineEventOf<Type extends LineEvent['type']> = Extract<LineEvent, { type: Type }>;

type WithoutTime<Event> = Event extends LineEvent ? Omit<Event, 'at'> : never;

/** A line event without its time. The line adds the time. */
export type LineReport = WithoutTime<LineEvent>;

/** Commands of a call to its line. */
export type LineCommand =
  /**
   * Queues this text after all unplayed utterances. `utterance` counts up from 1 within the call. `language` (BCP 47)
   * is the language of the text, if the command for the change of language follows later.
   */
  | { type: 'say'; utterance: number; text: string; language?: string }
  /** Changes the language of recognition and synthesis (BCP 47). */
  | { type: 'changeLanguage'; language: string }
  /** Sends these DTMF digits at once, one after another: 0–9, *, #, A–D; `w` is a pause of half a second. */
  | { type: 'press'; keys: string }
  /** Falls silent at once and clears the queue. */
  | { type: 'stopTalking' }
  /** Falls silent at once. The queue and the rest of the current utterance remain. */
  | { type: 'pauseTalking' }
  | { type: 'resumeTalking' }
  /**
   * Pauses or resumes the recording. A paused recording contains silence on both sides and its time continues, so that
   * words keep their position. Both commands have no effect in a call that is not recorded.
   */
  | { type: 'pauseRecording' }
  | { type: 'resumeRecording' }
  /**
   * Replaces the other party's DTMF tones in the recording by silence, or stops replacing them. Both commands have no
   * effect in a call that is not recorded.
   */
  | { type: 'hideTones' }
  | { type: 'showTones' }
  /**
   * The call will be hung up when the agent's audio has been played. A line may prepare for the hang-up; most lines
   * ignore this command.
   */
  | { type: 'expectHangup' }
  /**
   * Calls this number (domestic format). The person who answers is connected with the other party at once, or waits in
   * a warm transfer. A line runs one transfer at a time.
   */
  | { type: 'transfer'; to: string; mode: TransferMode }
  /**
   * Plays this briefing to the person of a warm transfer. `acceptKey` is the digit that accepts the call, or `null` if
   * acceptance is not required.
   */
  | { type: 'brief'; text: string; acceptKey: string | null }
  /** Connects the person of a warm transfer with the other party, even during the briefing. */
  | { type: 'connect' }
  /** Stops ringing, and releases a person who has answered. */
  | { type: 'cancelTransfer' }
  /** Declines the transfer that the far end requests; has no effect without such a request. */
  | { type: 'refuseRefer' }
  /** Ends the connection now. */
  | { type: 'hangUp' };

/** Commands about the DTMF digits of the other party. */
export type KeysCommand =
  /** Hides digits from now on, except the digit that finishes the entry. */
  | { type: 'hideKeys'; finish: string | null }
  /** Notes that the hidden digits became a turn. Later digits are hidden too, but do not belong to a turn. */
  | { type: 'keepKeys' }
  /** Drops the hidden digits. Later digits are hidden too, and do not belong to a turn. */
  | { type: 'forgetKeys' }
  /** Stops hiding digits. */
  | { type: 'showKeys' };

/**
 * Recognizer and synthesizer of a call, by the names of the operator's engines; `null` means the operator's order. A
 * voice belongs to the named synthesizer; `null` means the synthesizer's default voice.
 */
export type SpeechChoice = { recognizer: string | null; synthesizer: string | null; voice: string | null };

/**
 * Reaction of the agent's voice to an interruption: pause at the onset of a voice and resume if it was not speech, stop
 * at real speech, or finish.
 */
export type BargeInMode = 'pause' | 'stop' | 'off';

/** Barge-in settings. The thresholds apply to the mode `pause`. */
export type BargeIn = {
  mode: BargeInMode;
  /** Duration of a voice that counts as an onset, in milliseconds. */
  onsetMs: number;
  /** Duration of speech that counts as an interruption even without recognized words, in milliseconds. */
  speechMs: number;
  /** Silence in milliseconds after an onset without words, after which the agent resumes. */
  resumeMs: number;
};

/**
 * Detector of the end of the other party's turn: the pause after its words together with their content (`pause`), the
 * recognizer, or a speech model. If the chosen detector is unavailable or has no result, pauses decide.
 */
export type TurnEndMode = 'pause' | 'recognizer' | 'model';

export type TurnEnd = {
  mode: TurnEndMode;
  /** Silence in milliseconds before which a turn is never over. */
  minSilenceMs: number;
  /** Silence in milliseconds after which a turn with words is always over, for any detector. */
  maxSilenceMs: number;
};

/** Input of a line; constant during the call. */
export type LineInput = {
  callId: string;
  direction: Direction;
  /** Calling number in domestic format. */
  from: string;
  /** Called number in domestic format. */
  to: string;
  /** Language of recognition and synthesis (BCP 47). */
  language: string;
  speech: SpeechChoice;
  /** Whether this call is recorded from the answer on. */
  recording: boolean;
  bargeIn: BargeIn;
  turnEnd: TurnEnd;
  /** `X-…` headers for the INVITE of an outbound call, by name. */
  sipHeaders?: Readonly<Record<string, string>>;
};

/**
 * End of the audio of a released line: now, because another gateway has it; when another gateway has taken it over; or
 * when this process ends. Until then the far end hears silence, and two connected persons hear each other.
 */
export type AudioUntil = 'now' | 'taken' | 'exit';

/** An open line. */
export interface Line {
  tell(command: LineCommand): void;
  /**
   * Returns the other party's words in its current turn as recognized so far; empty without words. A read has no effect.
   * Absent if the line has no preliminary words.
   */
  hearing?(): string;
  /** Releases everything at once and hangs up a call in progress. The line emits no events afterwards. Idempotent. */
  close(): void;
  /**
   * Releases local resources without ending the call, which another gateway holds or will take; the far end notices no
   * change. The line emits no events afterwards. Idempotent.
   */
  release(audioUntil: AudioUntil): void;
}

/**
 * Starts dialling (outbound) or answers the waiting arrival of this call (inbound). `parent` is the line actor of the
 * call; the charts of the line then belong to the actor system of the call.
 */
export type OpenLine = (input: LineInput, emit: (event: LineEvent) => void, parent?: AnyActorRef) => Line;

/** Placeholder of the line actor. The composition root provides the real actor. */
export const line = fromCallback<LineCommand | KeysCommand, LineInput>(() => {
  throw new Error('No "line" was provided to this machine');
});
