/** Open lines of this gateway, so that each is closed even if its call fails. */
import { fromCallback } from 'xstate';
import type { LeftLine } from '#src/domain/sip-leg.ts';
import type { KeysCommand, Line, LineCommand, LineEvent, LineInput, OpenLine } from '#machines/line.ts';
import type { SecretKeys } from './secret-keys.ts';

/** Opens lines as `sip/lines.ts` does. */
type AdoptLine = (input: LineInput, left: LeftLine, emit: (event: LineEvent) => void) => Line;

export const createOpenLines = (options: {
  open: OpenLine;
  adopt: AdoptLine;
  secretKeys: Pick<SecretKeys, 'hide' | 'keep' | 'forget' | 'show' | 'press'>;
}) => {
  const { secretKeys } = options;
  const lines = new Map<string, Line>();
  /** Calls of another process whose lines are not yet taken over. */
  const left = new Map<string, LeftLine>();

  const openOrAdopt: OpenLine = (input, emit) => {
    const standing = left.get(input.callId);
    left.delete(input.callId);
    return standing === undefined ? options.open(input, emit) : options.adopt(input, standing, emit);
  };

  /** Idempotent. Called at the end of a call, because XState does not stop the line of a crashed actor. */
  const close = (callId: string): void => {
    const line = lines.get(callId);
    lines.delete(callId);
    line?.close();
  };

  return {
    close,
    /** The next line of this call takes over the one that another process has left. */
    expect: (callId: string, standing: LeftLine): void => void left.set(callId, standing),
    /** Another gateway holds the call: its remote leg is left alone. */
    leave(callId: string): void {
      const line = lines.get(callId);
      lines.delete(callId);
      line?.leave();
    },
    /** Whether another gateway could take over the line of this call now. */
    canBeLeft: (callId: string): boolean => lines.get(callId)?.canBeLeft() ?? false,
    /** A line as the charts invoke it: opened and closed with the state. */
    actor: fromCallback<LineCommand | KeysCommand, LineInput>(({ input, sendBack, receive }) => {
      const { callId } = input;
      const line = openOrAdopt(input, (event) =>
        sendBack(
          event.type === 'line.digit' ? { ...event, digit: secretKeys.press(callId, event.digit) } : event,
        ),
      );
      lines.set(callId, line);
      receive((command) => {
        switch (command.type) {
          case 'hideKeys':
            secretKeys.hide(callId, command.finish);
            return line.tell({ type: 'hideTones' });
          case 'keepKeys':
            return secretKeys.keep(callId);
          case 'forgetKeys':
            secretKeys.forget(callId);
            return line.tell({ type: 'hideTones' });
          case 'showKeys':
            secretKeys.show(callId);
            return line.tell({ type: 'showTones' });
          default:
            return line.tell(command);
        }
      });
      return () => close(callId);
    }),
  };
};

export type OpenLines = ReturnType<typeof createOpenLines>;
