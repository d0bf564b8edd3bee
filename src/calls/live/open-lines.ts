/** The open lines of this gateway. Each line is closed even if its call crashes. */
import { fromCallback, type AnyActorRef } from 'xstate';
import type { LineResumeState } from '#src/domain/sip-leg.ts';
import type {
  AudioUntil,
  KeysCommand,
  Line,
  LineCommand,
  LineEvent,
  LineInput,
  OpenLine,
} from '#machines/line.ts';
import type { CallBus } from '../call-bus.ts';
import type { SecretKeys } from './secret-keys.ts';

/** Opens lines like `sip/lines.ts`. */
type ResumeLine = (
  input: LineInput,
  state: LineResumeState,
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
  /** Resume states of calls of another process whose lines are not taken over yet. */
  const expected = new Map<string, LineResumeState>();

  const openOrResume: OpenLine = (input, emit, parent) => {
    const state = expected.get(input.callId);
    expected.delete(input.callId);
    return state === undefined
      ? options.open(input, emit, parent)
      : options.resume(input, state, emit, parent);
  };

  /**
   * Closes the line of a call, idempotently. This function is called at the end of a call, because XState does not stop
   * the line of a crashed actor.
   */
  const close = (callId: string): void => {
    const line = lines.get(callId);
    lines.delete(callId);
    line?.close();
  };

  return {
    close,
    /** Returns the preliminary words of the other party in this call; empty without words. */
    hearing: (callId: string): string => lines.get(callId)?.hearing?.() ?? '',
    /** Makes the next line of this call take over the far end that another process left. */
    expect: (callId: string, state: LineResumeState): void => void expected.set(callId, state),
    /** Releases the line of a call that another gateway holds or will take, without changing the far end. */
    release(callId: string, audioUntil: AudioUntil): void {
      const line = lines.get(callId);
      lines.delete(callId);
      line?.release(audioUntil);
    },
    /** Line actor of the charts, which opens the line on entry and closes it on exit of the state. */
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
        // Ends the charts of the line, because their parent is this actor.
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
