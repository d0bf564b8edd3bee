/** Describes in a sentence how a call ended, for the call's page and for `npm run call`. */
import type { Call, CallEvent } from '#src/client/schema.ts';
import type { Texts } from '../language/texts.ts';

/** Whether an event requests to hang up without waiting for the agent. */
export const isHangUpAtOnce = ({ type, data }: Pick<CallEvent, 'type' | 'data'>): boolean =>
  type === 'call.hangup_requested' && data['immediate'] === true;

/**
 * Returns the sentence; undefined for an end reason of a newer gateway. `wasAtOnce`: whether one of the call's events
 * requested to hang up at once.
 */
export const whyEnded = (
  { end_reason: reason }: Pick<Call, 'end_reason'>,
  wasAtOnce: boolean,
  { because, hungUpAtOnce }: Pick<Texts['calls'], 'because' | 'hungUpAtOnce'>,
): string | undefined => {
  if (reason === null) return undefined;
  if (reason === 'agent_hangup' && wasAtOnce) return hungUpAtOnce;
  return Object.hasOwn(because, reason) ? because[reason] : undefined;
};
