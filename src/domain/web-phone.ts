/**
 * The messages between a web phone and its gateway, each of them JSON. A web phone is a telephone of flesh and blood
 * for simulated calls: it rings in a browser, a person answers and types or speaks.
 */

/** A call as a phone knows it; numbers in domestic format, callers as in `Arrival`. */
export type PhoneCallDetails = {
  call_id: string;
  /** As the gateway sees it: an `outbound` call rings at the phone, an `inbound` one was dialled there. */
  direction: 'inbound' | 'outbound';
  from: string;
  to: string;
  /** BCP 47. */
  language: string;
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
  /** So many texts wait to be said that this one was not taken. */
  | 'too_much'
  | 'invalid_message';

export type ToPhone =
  | ({ type: 'ring' } & PhoneCallDetails)
  /** The call is this phone's: it was answered here, or dialled here and taken, or the phone has come back to it. */
  | ({ type: 'answered' } & PhoneCallDetails)
  /** An utterance begins, and takes so long at a calm pace. The one before it is over. */
  | { type: 'agent_says'; call_id: string; utterance: number; text: string; duration_ms: number }
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
  | { type: 'answer'; call_id: string }
  | { type: 'decline'; call_id: string }
  /** Calls a number of the workspace. */
  | { type: 'dial'; to: string }
  | { type: 'say'; text: string }
  /** The person begins to speak, the words follow by `say`; or no words come of it. */
  | { type: 'speaking'; on: boolean }
  | { type: 'digit'; digit: string }
  | { type: 'hang_up' }
  /** This phone speaks the agent's words aloud and reports by `played` what was heard, until it says otherwise. */
  | { type: 'voice'; on: boolean }
  /** So many characters of this utterance were heard, counted as JavaScript does; all of them: it is over. */
  | { type: 'played'; utterance: number; heard_chars: number };
