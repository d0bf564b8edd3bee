/**
 * The time of a call: the wall clock at its start plus a monotonic clock. If the machine's clock is set meanwhile,
 * events of the call keep their order and distances, and `duration_sec` is the real duration. A call that is taken over
 * keeps its time, based on the database clock, which all processes share.
 */
import type { CallFact } from '#machines/facts.ts';

export type CallTime = {
  /** Converts a moment of the monotonic clock, such as that of an arrival, to the current wall clock. */
  onWall(at: number): number;
  /** Continues the time of a call that this gateway takes over. */
  begin(callId: string): void;
  /** Continues the time of a call of another process, where the current time of the call is `now`. */
  resume(callId: string, now: number): void;
  /** Returns the fact with its time in the call. A fact without a time gets the current time. */
  stamp(callId: string, fact: CallFact): CallFact & { at: number };
  /** Returns the current time of the call. */
  now(callId: string): number;
  /** Returns the offset of the call's time from the monotonic clock, in milliseconds. */
  shiftOf(callId: string): number;
  release(callId: string): void;
};

/**
 * Creates the time of calls. Both clocks return milliseconds since the epoch; `steady` is monotonic and times the
 * events of calls.
 */
export const createCallTime = (clocks: { wall: () => number; steady: () => number }): CallTime => {
  const offset = (): number => clocks.wall() - clocks.steady();
  const offsets = new Map<string, number>();
  const shiftOf = (callId: string): number => offsets.get(callId) ?? offset();
  return {
    onWall: (at) => at + offset(),
    begin: (callId) => void offsets.set(callId, shiftOf(callId)),
    resume: (callId, now) => void offsets.set(callId, now - clocks.steady()),
    stamp(callId, fact) {
      const shift = shiftOf(callId);
      const at = (fact.at ?? clocks.steady()) + shift;
      if (fact.type !== 'turn.spoken') return { ...fact, at };
      return { ...fact, at, endedAt: fact.endedAt + shift };
    },
    now: (callId) => clocks.steady() + shiftOf(callId),
    shiftOf,
    release: (callId) => void offsets.delete(callId),
  };
};
