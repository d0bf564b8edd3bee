/**
 * Protocol between a web phone and its gateway: JSON messages, and binary audio frames. On a web phone a person answers
 * simulated calls in a browser, by typing or speaking.
 *
 * Audio is mono 16-bit linear at 16 kHz, little-endian. The phone sends a frame every 20 ms during the call, with
 * silence where nothing is said: four bytes with the number of samples played in this connection, and 640 bytes of
 * audio. The gateway sends frames of at most 640 bytes, up to `soundLeadMs` ahead of playback, starting after the
 * phone's first frame.
 */

/** Sample rate in both directions, in Hz. */
export const phoneSampleRate = 16_000;
/** Samples per frame: 20 ms. */
export const phoneFrameSamples = 320;
/** Bytes before the audio of a phone's frame: the number of played samples. */
export const phoneFrameHead = 4;
/** Agent audio that may be buffered at the phone, in milliseconds. */
export const soundLeadMs = 400;

/** A call at a phone; numbers in domestic format, callers as in `Arrival`. */
export type PhoneCallDetails = {
  call_id: string;
  /** From the gateway's point of view: `outbound` rings at the phone, `inbound` was dialled there. */
  direction: 'inbound' | 'outbound';
  from: string;
  to: string;
  /** BCP 47. */
  language: string;
  /** `X-…` headers of an outbound call's INVITE; absent without any. */
  sip_headers?: Readonly<Record<string, string>>;
};

export type PhoneCallEnd =
  /** This phone hung up or declined. */
  | 'hung_up'
  | 'declined'
  /** The other side hung up or cancelled. */
  | 'other_side'
  | 'cancelled'
  | 'answered_elsewhere';

export type PhoneRefusal =
  /** This phone is already in a call. */
  | 'busy'
  /** The call has ended, or did not ring here. */
  | 'call_not_found'
  /** The dialled number does not belong to this workspace. */
  | 'number_not_found'
  | 'no_agent_endpoint'
  | 'caller_rejected'
  | 'concurrency_limit'
  | 'over_capacity'
  | 'draining'
  /** Dialling failed; the gateway's log has the reason. */
  | 'failed'
  /** The message was dropped: too much text or audio is waiting. */
  | 'too_much'
  /** The gateway has no recognizer, or its calls run faster than real time. */
  | 'no_sound'
  /** A binary message that is not an audio frame, or that counts samples never sent. */
  | 'invalid_sound'
  | 'invalid_message';

export type SaidSentence = { utterance: number; text: string };

export type ToPhone =
  /**
   * Audio calls are possible. Sent once, first. `languages` are the recognized ones among those of numbers; absent if
   * all are.
   */
  | { type: 'sound_offered'; languages?: readonly string[] }
  | ({ type: 'ring' } & PhoneCallDetails)
  /**
   * The call is assigned to this phone: answered here, dialled here and accepted, or resumed. With `sound` audio is
   * carried for the whole call. `said` are the agent's sentences since the person last spoke, which may not be
   * journalled yet; absent without any.
   */
  | ({ type: 'answered'; sound: boolean; said?: readonly SaidSentence[] } & PhoneCallDetails)
  /** Audio calls: recognized words of the person. */
  | { type: 'you_said'; call_id: string; text: string }
  /** Audio calls: discard audio that was not played. The phone answers with `sound_flushed`. */
  | { type: 'sound_flush'; call_id: string }
  /**
   * An utterance begins, with its duration at a calm pace; the previous one has ended. `language` (BCP 47) if it
   * differs from the call's first one.
   */
  | {
      type: 'agent_says';
      call_id: string;
      utterance: number;
      text: string;
      duration_ms: number;
      language?: string;
    }
  /** Recognition changes to this language (BCP 47). */
  | { type: 'language'; call_id: string; language: string }
  /** The agent was interrupted and is silent at once. */
  | { type: 'agent_stops'; call_id: string }
  /** The agent pauses within an utterance and will resume it. */
  | { type: 'agent_pauses'; call_id: string }
  | { type: 'agent_goes_on'; call_id: string }
  /** The agent pressed DTMF digits. */
  | { type: 'keys'; call_id: string; keys: string }
  /** The call no longer rings or exists here. */
  | { type: 'ended'; call_id: string; reason: PhoneCallEnd }
  | { type: 'refused'; code: PhoneRefusal };

export type FromPhone =
  /** `sound`: with microphone and speaker, in addition to typing. */
  | { type: 'answer'; call_id: string; sound?: boolean | undefined }
  | { type: 'decline'; call_id: string }
  /** Calls a number of the workspace. */
  | { type: 'dial'; to: string; sound?: boolean | undefined }
  | { type: 'say'; text: string }
  /** The person starts speaking; `say` follows with the words, or reports that there are none. */
  | { type: 'speaking'; on: boolean }
  | { type: 'digit'; digit: string }
  | { type: 'hang_up' }
  /** This phone speaks the agent's words aloud and reports by `played` what was heard, until it reports otherwise. */
  | { type: 'voice'; on: boolean }
  /** Number of heard characters (UTF-16 units) of this utterance; all of them ends it. */
  | { type: 'played'; utterance: number; heard_chars: number }
  /** Number of samples discarded after `sound_flush`; earlier ones were played and are counted in the frames. */
  | { type: 'sound_flushed'; samples: number };
