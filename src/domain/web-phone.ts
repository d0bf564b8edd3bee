/**
 * Protocol between a web phone and its gateway: JSON messages, and binary audio frames. By a web phone, a person
 * answers simulated calls in a browser, by typing or speaking.
 *
 * Audio is mono 16-bit linear at 16 kHz, little-endian. The phone sends a frame every 20 ms during the call, with
 * silence while the person says nothing. A frame of the phone has four bytes with the number of samples played in this
 * connection, and 640 bytes of audio. The gateway sends frames of at most 640 bytes, up to `soundLeadMs` ahead of
 * playback, and starts after the phone's first frame.
 */

/** Sample rate in both directions, in Hz. */
export const phoneSampleRate = 16_000;
/** Samples per frame, which is 20 ms of audio. */
export const phoneFrameSamples = 320;
/** Number of bytes before the audio in a phone's frame, which contain the number of played samples. */
export const phoneFrameHead = 4;
/** Maximum amount of agent audio that is buffered at the phone, in milliseconds. */
export const soundLeadMs = 400;

/** Close code of a phone's connection: a page that was opened later uses the phone's name. */
export const webPhoneReplaced = 4001;

/** A call at a phone. Numbers are in domestic format, callers as in `Arrival`. */
export type PhoneCallDetails = {
  call_id: string;
  /**
   * Direction from the gateway's point of view: an `outbound` call rings at the phone, an `inbound` call was dialled
   * there.
   */
  direction: 'inbound' | 'outbound';
  from: string;
  to: string;
  /** Language of the call (BCP 47). */
  language: string;
  /** `X-…` headers of an outbound call's INVITE; absent if there are none. */
  sip_headers?: Readonly<Record<string, string>>;
};

export type PhoneCallEnd =
  /** The person at this phone hung up or declined. */
  | 'hung_up'
  | 'declined'
  /** The other side hung up or cancelled. */
  | 'other_side'
  | 'cancelled'
  | 'answered_elsewhere';

export type PhoneRefusal =
  /** This phone is already in a call. */
  | 'busy'
  /** The call has ended, or did not ring at this phone. */
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
  /** The message was dropped, because too much text or audio is waiting. */
  | 'too_much'
  /** The gateway has no recognizer, or its calls run faster than real time. */
  | 'no_sound'
  /** The binary message is not an audio frame, or counts samples that were never sent. */
  | 'invalid_sound'
  | 'invalid_message';

export type SaidSentence = { utterance: number; text: string };

export type ToPhone =
  /**
   * Audio calls are possible. This message is sent once, before all others. `languages` are those recognized languages
   * that numbers can have; absent if all of them are recognized.
   */
  | { type: 'sound_offered'; languages?: readonly string[] }
  | ({ type: 'ring' } & PhoneCallDetails)
  /**
   * The call is assigned to this phone: answered here, dialled here and accepted, or resumed. With `sound`, audio is
   * carried for the whole call. `said` contains the agent's sentences since the person last spoke, which may not be
   * journalled yet; absent if there are none.
   */
  | ({ type: 'answered'; sound: boolean; said?: readonly SaidSentence[] } & PhoneCallDetails)
  /**
   * In audio calls: preliminary words of the person's current turn, empty without words. The next message of this kind
   * or `you_said` replaces them.
   */
  | { type: 'you_say'; call_id: string; text: string }
  /** In audio calls: recognized words of the person. */
  | { type: 'you_said'; call_id: string; text: string }
  /** In audio calls: the phone must discard audio that it has not played, and answer with `sound_flushed`. */
  | { type: 'sound_flush'; call_id: string }
  /**
   * An utterance begins, and the previous one has ended. `duration_ms` is its duration at a calm pace. `language` (BCP
   * 47) is present if it differs from the call's first language.
   */
  | {
      type: 'agent_says';
      call_id: string;
      utterance: number;
      text: string;
      duration_ms: number;
      language?: string;
    }
  /** The language of recognition changes (BCP 47). */
  | { type: 'language'; call_id: string; language: string }
  /**
   * The agent was interrupted, or the call ends, and the agent falls silent at once. `heard` is the part of the utterance that was heard, possibly
   * empty; absent from older gateways.
   */
  | { type: 'agent_stops'; call_id: string; heard?: SaidSentence }
  /** The agent pauses within an utterance and will resume it. */
  | { type: 'agent_pauses'; call_id: string }
  | { type: 'agent_goes_on'; call_id: string }
  /** The agent has sent DTMF digits. */
  | { type: 'keys'; call_id: string; keys: string }
  /** The call has ended, or no longer rings at this phone. */
  | { type: 'ended'; call_id: string; reason: PhoneCallEnd }
  | { type: 'refused'; code: PhoneRefusal };

export type FromPhone =
  /** Answers a call. With `sound`, the person uses microphone and speaker in addition to typing. */
  | { type: 'answer'; call_id: string; sound?: boolean | undefined }
  | { type: 'decline'; call_id: string }
  /** Calls a number of the workspace. */
  | { type: 'dial'; to: string; sound?: boolean | undefined }
  | { type: 'say'; text: string }
  /** The person starts or stops speaking. A `say` follows with the words, or reports that there are none. */
  | { type: 'speaking'; on: boolean }
  | { type: 'digit'; digit: string }
  | { type: 'hang_up' }
  /** Sets whether this phone speaks the agent's words aloud and reports by `played` how much was heard. */
  | { type: 'voice'; on: boolean }
  /** Number of heard characters (UTF-16 units) of this utterance. A report of all characters ends the utterance. */
  | { type: 'played'; utterance: number; heard_chars: number }
  /** Number of samples discarded after `sound_flush`. Earlier samples were played and are counted in the frames. */
  | { type: 'sound_flushed'; samples: number };
