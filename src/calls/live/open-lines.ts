/** The open lines of this gateway. Each is closed even if its call crashes. */
import { fromCallback, type AnyActorRef } from 'xstate';
import type { LineCheckpoint } from '#src/domain/sip-leg.ts';
import type { KeysCommand, Line, LineCommand, LineEvent, LineInput, OpenLine } from '#machines/line.ts';
import type { CallBus } from '../call-bus.ts';
import type { SecretKeys } from './secret-keys.ts';

/** Opens lines as `sip/lines.ts` does. */
type ResumeLine = (
  input: LineInput,
  left: LineCheckpoint,
  emit: (event: LineEvent) => void,
  parent?: AnyActorRef,
) => Line;

export const createOpenLines = (options: {
  open: OpenLine;
  resume: ResumeLine;
  bus: CallBus;
  secretKeys: Pick<SecretKeys, 'hide' | 'keep' | 'forget' | 'show' | 'press'>;
}) => {
  const { bus, secretKeys } = options;
  const lines = new Map<string, Line>();
  /** Calls of another process whose lines are not taken over yet. */
  const left = new Map<string, LineCheckpoint>();

  const openOrResume: OpenLine = (input, emit, parent) => {
    const standing = left.get(input.callId);
    left.delete(input.callId);
    return standing === undefined
      ? options.open(input, emit, parent)
      : options.resume(input, standing, emit, parent);
  };

  /**
   * Closes the line of a call. Idempotent. Called at the end of a call, because XState does not stop the line of a
   * crashed actor.
   */
  const close = (callId: string): void => {
    const line = lines.get(callId);
    lines.delete(callId);
    line?.close();
  };

  return {
    close,
    /** Makes the next line of this call take over the far end that another process left. */
    expect: (callId: string, standing: LineCheckpoint): void => void left.set(callId, standing),
    /** Releases the line of a call that another gateway holds, without changing its far end. */
    release(callId: string): void {
      const line = lines.get(callId);
      lines.delete(callId);
      line?.release();
    },
    /** Whether another gateway could take over the line of this call now. */
    canBeResumed: (callId: string): boolean => lines.get(callId)?.canBeResumed() ?? false,
    /** The line actor of the charts: opens the line on entry and closes it on exit of the state. */
    actor: fromCallback<LineCommand | KeysCommand, LineInput>(({ input, self, sendBack, receive }) => {
      const { callId } = input;
      const tell = (reported: LineEvent): void => {
        const event =
          reported.type === 'line.digit'
            ? { ...reported, digit: secretKeys.press(callId, reported.digit) }
            : reported;
        bus.publish('line', { callId, event });
        sendBack(event);
      };
      const line = openOrResume(input, tell, self);
      lines.set(callId, line);
      receive((command) => {
        // Ends the charts of the line, whose parent is this actor.
        if (command.type.startsWith('xstate.')) return undefined;
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
