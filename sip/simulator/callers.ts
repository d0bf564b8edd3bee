/** Those who call in on a simulated network, until their call is answered. */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { LineTime } from '../line-time.ts';
import type { Who } from './callees.ts';
import type { CreateParty } from './party.ts';
import type { Person } from './transferring.ts';

/**
 * A caller that was let in and is not answered within this time goes away. It is of the wall clock: the gateway is waited
 * for, whose work is not simulated.
 */
const patienceMs = 10_000;

export type SimulatedCaller = {
  who: Who;
  partyFor: (input: LineInput) => CreateParty;
  /** BCP 47; `undefined`: the language of the call. */
  language: string | undefined;
  people: ReadonlyMap<string, Person>;
};

export type Callers = {
  /** Somebody calls, and nobody has decided about it. */
  add(callId: string, caller: SimulatedCaller): void;
  /** Was let in; goes away when the call is not answered soon. */
  letIn(callId: string): void;
  /** Was turned away. */
  remove(callId: string): void;
  /** Takes out the one whose call is answered, once. */
  take(callId: string): SimulatedCaller | undefined;
  clear(): void;
};

export const createCallers = (options: {
  /** Of the network. */
  time: Pick<LineTime, 'after'>;
  /** How many times faster than the wall clock it goes. */
  speed: number;
  logger: Logger;
}): Callers => {
  const { time, speed, logger } = options;
  const callers = new Map<string, SimulatedCaller>();

  const giveUp = (callId: string): void => {
    if (callers.delete(callId))
      logger.info({ call_id: callId }, 'a simulated caller was let in but never answered');
  };

  return {
    add: (callId, caller) => void callers.set(callId, caller),
    letIn(callId) {
      if (callers.has(callId)) time.after(patienceMs * speed, () => giveUp(callId));
    },
    remove: (callId) => void callers.delete(callId),
    take(callId) {
      const caller = callers.get(callId);
      callers.delete(callId);
      return caller;
    },
    clear: () => callers.clear(),
  };
};
