/** The open lines of this gateway, so that each is closed whatever becomes of the call that holds it. */
import { fromCallback } from 'xstate';
import type { Line, LineCommand, LineInput, OpenLine } from '#machines/line.ts';

export const createOpenLines = (open: OpenLine) => {
  const lines = new Map<string, Line>();

  /** Idempotent. The end of a call does it; XState does not, when an actor crashes. */
  const close = (callId: string): void => {
    const line = lines.get(callId);
    lines.delete(callId);
    line?.close();
  };

  return {
    close,
    /** Another gateway holds the call: its far end is left alone. */
    leave(callId: string): void {
      const line = lines.get(callId);
      lines.delete(callId);
      line?.leave();
    },
    /** A line as the charts invoke it: opened with the state, closed with it. */
    actor: fromCallback<LineCommand, LineInput>(({ input, sendBack, receive }) => {
      const line = open(input, sendBack);
      lines.set(input.callId, line);
      receive((command) => line.tell(command));
      return () => close(input.callId);
    }),
  };
};

export type OpenLines = ReturnType<typeof createOpenLines>;
