/**
 * The messages between a web phone and its gateway, each of them JSON, and the frames of a call's sound, which are binary
 * messages. A web phone is a telephone of flesh and blood for simulated calls: it rings in a browser, a person answers
 * and types or speaks.
 *
 * Sound is mono 16-bit linear at 16 kHz, little-endian. The phone sends a frame every 20 ms for as long as the call is
 * on, of silence where nothing is said: four bytes with the number of samples that it has played in this connection,
 * and 640 bytes of sound. The gateway sends frames of at most 640 bytes, ahead of what is heard by as much as a phone
 * should keep (`soundLeadMs`), and none before the first of the phone's has come.
 */

/** Of the sound both ways, in Hz. */
export const phoneSampleRate = 16_000;
/** Samples of a frame: 20 ms. */
export const phoneFrameSamples = 320;
/** Bytes before the sound of a phone's frame: the number of samples that it has played. */
export const phoneFrameHead = 4;
/** So much of the agent's voice may wait at the phone, in milliseconds. */
export const soundLeadMs = 400;

/** A call as a phone knows it; numbers in domestic format, callers as in `Arrival`. */
export type PhoneCallDetails = {
  call_id: string;
  /** As the gateway sees it: an `outbound` call rings at the phone, an `inbound` one was dialled there. */
  direction: 'inbound' | 'outbound';
  from: string;
  to: string;
  /** BCP 47. */
  language: string;
  /** Headers `X-…` of the INVITE of an outbound call; absent where there are none. */
  sip_headers?: Readonly<Record<string, string>>;
};

export type PhoneCallEnd =
  /** This phone hung up, or declined. */
  | 'hung_up'
  | 'declined'
  /** The other side hung up, or stopped calling. */
  | 'other_side'
  | 'cancelled'
  | 'answered_elsewhere';

export type PhoneRefusal =
  /** This phone is in a call already. */
  | 'busy'
  /** The call is not there any more, or never rang here. */
  | 'call_not_found'
  /** The number that was dialled is none of this workspace. */
  | 'number_not_found'
  | 'no_agent_endpoint'
  | 'caller_rejected'
  | 'concurrency_limit'
  | 'over_capacity'
  | 'draining'
  /** The dialling failed for a reason that the gateway's log tells. */
  | 'failed'
  /** So many texts wait to be said, or so much sound has come at once, that this was not taken. */
  | 'too_much'
  /** The gateway understands no voices: it has no recognizer, or its calls run faster than people speak. */
  | 'no_sound'
  /** A binary message that is no frame of sound, or counts what was never sent. */
  | 'invalid_sound'
  | 'invalid_message';

export type SaidSentence = { utterance: number; text: string };

export type ToPhone =
  /**
   * Calls can be answered and dialled with sound here. Told once, at first. `languages` are those in which the person is
   * understood, of the languages of numbers; absent where that is all of them.
   */
  | { type: 'sound_offered'; languages?: readonly string[] }
  | ({ type: 'ring' } & PhoneCallDetails)
  /**
   * The call is this phone's: it was answered here, or dialled here and taken, or the phone has come back to it. With
   * `sound` both voices are carried, for as long as the call stands. `said` are the sentences of the agent since the
   * person last spoke, of which no journal may tell yet; absent where there are none.
   */
  | ({ type: 'answered'; sound: boolean; said?: readonly SaidSentence[] } & PhoneCallDetails)
  /** Of a call with sound: these words of the person were understood. */
  | { type: 'you_said'; call_id: string; text: string }
  /** Of a call with sound: what was sent and not yet played is not to be played. `sound_flushed` is the answer. */
  | { type: 'sound_flush'; call_id: string }
  /**
   * An utterance begins, and takes so long at a calm pace. The one before it is over. `language` (BCP 47) where it is not
   * the one that the call began with.
   */
  | {
      type: 'agent_says';
      call_id: string;
      utterance: number;
      text: string;
      duration_ms: number;
      language?: string;
    }
  /** From now on the person is heard in this language (BCP 47). */
  | { type: 'language'; call_id: string; language: string }
  /** The agent was interrupted: it is silent at once. */
  | { type: 'agent_stops'; call_id: string }
  /** The agent is silent in the midst of an utterance, and goes on with it. */
  | { type: 'agent_pauses'; call_id: string }
  | { type: 'agent_goes_on'; call_id: string }
  /** Keys that the agent has pressed. */
  | { type: 'keys'; call_id: string; keys: string }
  /** The call rings or stands here no longer. */
  | { type: 'ended'; call_id: string; reason: PhoneCallEnd }
  | { type: 'refused'; code: PhoneRefusal };

export type FromPhone =
  /** `sound`: with the microphone and the speaker, not by typing alone. */
  | { type: 'answer'; call_id: string; sound?: boolean | undefined }
  | { type: 'decline'; call_id: string }
  /** Calls a number of the workspace. */
  | { type: 'dial'; to: string; sound?: boolean | undefined }
  | { type: 'say'; text: string }
  /** The person begins to speak, the words follow by `say`; or no words come of it. */
  | { type: 'speaking'; on: boolean }
  | { type: 'digit'; digit: string }
  | { type: 'hang_up' }
  /** This phone speaks the agent's words aloud and reports by `played` what was heard, until it says otherwise. */
  | { type: 'voice'; on: boolean }
  /** So many characters of this utterance were heard, counted as JavaScript does; all of them: it is over. */
  | { type: 'played'; utterance: number; heard_chars: number }
  /** So many samples were thrown away by `sound_flush`; those before them were played, and are counted in the frames. */
  | { type: 'sound_flushed'; samples: number };
