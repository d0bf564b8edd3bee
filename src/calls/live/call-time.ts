/**
 * The time of a call is that of the wall clock at its beginning, and goes on evenly from there: should the clock of the
 * machine be set meanwhile, what happens in the call keeps its order and its distances, and `duration_sec` is what the
 * parties have talked. A call that goes on in another process keeps its time: what that is, the clock of the database
 * says, which all of them share.
 */
import type { CallFact } from '#machines/facts.ts';

export type CallTime = {
  /** A moment of the even clock, such as that of an arrival, on the wall clock of now. */
  onWall(at: number): number;
  /** A call that goes on here keeps the time that it has. */
  begin(callId: string): void;
  /** A call that another process held goes on here; it is `now` in its time. */
  goOn(callId: string, now: number): void;
  /** A fact with its time in the call; one without a time happens now. */
  stamp(callId: string, fact: CallFact): CallFact & { at: number };
  /** Now, in the time of the call. */
  now(callId: string): number;
  /** How far the time of the call is ahead of the even clock, in milliseconds. */
  shiftOf(callId: string): number;
  release(callId: string): void;
};

/** Both in milliseconds since the epoch; `steady` is never set, and what happens in calls is told by it. */
export const createCallTime = (clocks: { wall: () => number; steady: () => number }): CallTime => {
  const offset = (): number => clocks.wall() - clocks.steady();
  const offsets = new Map<string, number>();
  const shiftOf = (callId: string): number => offsets.get(callId) ?? offset();
  return {
    onWall: (at) => at + offset(),
    begin: (callId) => void offsets.set(callId, shiftOf(callId)),
    goOn: (callId, now) => void offsets.set(callId, now - clocks.steady()),
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
