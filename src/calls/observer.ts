import type { Direction } from '#machines/line.ts';
import type { EndReason, FinalStatus } from '#machines/outcome.ts';

/** Notified when calls begin and end on this gateway. Must not throw. */
export type CallObserver = {
  /** Called in the context of the request, so that the call's trace can link to it. */
  began(call: { callId: string; direction: Direction }): void;
  ended(call: { callId: string; direction: Direction; status: FinalStatus; reason: EndReason }): void;
};
