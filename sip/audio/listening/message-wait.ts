/** Determines when an answering machine takes a message: shortly after each beep, or once after a long silence. */
import { createAlarm, type LineTime } from '../line-time.ts';

export type MessageNumbers = Readonly<{
  /** Delay between the beep and the start of the machine's recording. */
  afterBeepMs: number;
  /** Silence after which a machine without a beep takes a message. */
  silentMs: number;
}>;

export type MessageWait = {
  beeped(): void;
  /** Called when the machine has fallen silent. */
  fellSilent(): void;
  /** Called when the silence has ended. A message after a beep remains due. */
  interrupted(): void;
  /** Stops waiting. */
  stop(): void;
};

export const createMessageWait = (options: {
  numbers: MessageNumbers;
  time: Pick<LineTime, 'after'>;
  takesMessage: () => void;
}): MessageWait => {
  const { numbers, time, takesMessage } = options;
  const alarm = createAlarm(time);
  /** State. `promised`: a beep or enough silence has occurred, so a message is due. */
  let state: 'waiting' | 'promised' = 'waiting';

  return {
    beeped() {
      state = 'promised';
      alarm.set(numbers.afterBeepMs, takesMessage);
    },
    fellSilent() {
      if (state === 'promised') return;
      alarm.set(numbers.silentMs, () => {
        state = 'promised';
        takesMessage();
      });
    },
    interrupted() {
      if (state === 'waiting') alarm.cancel();
    },
    stop: () => alarm.cancel(),
  };
};
