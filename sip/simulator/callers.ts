/** Inbound callers of a simulated network until their calls are answered. */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import type { Who } from './callees.ts';
import type { CreateParty } from './party.ts';
import type { Person } from './transferring.ts';

/**
 * Time in wall-clock milliseconds after which a caller that was admitted but not answered hangs up. Wall-clock time is
 * used, because the caller waits for the gateway, whose work is not simulated.
 */
const patienceMs = 10_000;

export type SimulatedCaller = {
  who: Who;
  partyFor: (input: LineInput) => CreateParty;
  /** Language of the caller (BCP 47); `undefined` for the language of the call. */
  language: string | undefined;
  people: ReadonlyMap<string, Person>;
};

export type Callers = {
  /** Adds a new call before the admission decision. */
  add(callId: string, caller: SimulatedCaller): void;
  /** Notes that the call was admitted; the caller hangs up if the gateway does not answer soon. */
  letIn(callId: string): void;
  /** Removes the caller of a rejected call. */
  remove(callId: string): void;
  /** Removes and returns the caller of a call when it is answered. */
  take(callId: string): SimulatedCaller | undefined;
  clear(): void;
};

export const createCallers = (options: {
  /** Line time of the network. */
  time: Pick<LineTime, 'after'>;
  /** Speed factor relative to the wall clock. */
  speed: number;
  logger: Logger;
}): Callers => {
  const { time, speed, logger } = options;
  const callers = new Map<string, SimulatedCaller>();

  const giveUp = (callId: string): void => {
    if (callers.delete(callId))
      logger.info({ call_id: callId }, 'a simulated caller was admitted, but its call was not answered');
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
