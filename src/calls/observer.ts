import type { Direction } from '#machines/line.ts';
import type { EndReason, FinalStatus } from '#machines/outcome.ts';

/** Is told of calls as they begin and end on this gateway. Must not throw. */
export type CallObserver = {
  /** Told where the call is asked for, so that it can be traced back to who asked. */
  began(call: { callId: string; direction: Direction }): void;
  ended(call: { callId: string; direction: Direction; status: FinalStatus; reason: EndReason }): void;
};
