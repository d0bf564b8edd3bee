import type { LineTime } from '../line-time.ts';

/** Tracks whether the other party's voice sounds, and when it last sounded. */
export type CounterpartyVoice = {
  began(): void;
  /** Records the end of the voice. `at` is wall-clock time in milliseconds. */
  ended(at: number): void;
  isOn(): boolean;
  /** Whether the voice sounds now, or sounded within this many milliseconds of line time. */
  wasOn(withinMs: number): boolean;
};

export const createCounterpartyVoice = (time: Pick<LineTime, 'since'>): CounterpartyVoice => {
  let state: 'on' | { endedAt: number } = { endedAt: -Infinity };
  return {
    began() {
      state = 'on';
    },
    ended(at) {
      state = { endedAt: at };
    },
    isOn: () => state === 'on',
    wasOn: (withinMs) => state === 'on' || time.since(state.endedAt) <= withinMs,
  };
};
