import { fromCallback } from 'xstate';
import type { LineCommand, LineInput, OpenLine } from '#machines/line.ts';

/** A line as the charts invoke it: opened with the state, disposed with it. */
export const lineActor = (open: OpenLine) =>
  fromCallback<LineCommand, LineInput>(({ input, sendBack, receive }) => {
    const line = open(input, sendBack);
    receive((command) => line.tell(command));
    return () => line.dispose();
  });
