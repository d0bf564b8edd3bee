/** When an answering machine takes a message: a moment behind each beep, or once after a long silence. */
import { createAlarm, type LineTime } from '../line-time.ts';

export type MessageNumbers = Readonly<{
  /** Machines may need a moment behind their beep until they record. */
  afterBeepMs: number;
  /** A machine that was silent for so long takes a message without a beep. */
  silentMs: number;
}>;

export type MessageWait = {
  beeped(): void;
  /** It is silent from now on. */
  fellSilent(): void;
  /** The silence was broken; a message that was promised behind a beep is taken all the same. */
  interrupted(): void;
  /** Waits for nothing any more. */
  stop(): void;
};

export const createMessageWait = (options: {
  numbers: MessageNumbers;
  time: Pick<LineTime, 'after'>;
  takesMessage: () => void;
}): MessageWait => {
  const { numbers, time, takesMessage } = options;
  const alarm = createAlarm(time);
  /** `promised`: it has beeped, or was silent for long enough. */
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
