import type { LineTime } from '../line-time.ts';

/** The voice of the other party: whether it sounds, and when it last did. */
export type CounterpartyVoice = {
  began(): void;
  /** At this moment of the wall clock. */
  ended(at: number): void;
  isOn(): boolean;
  /** Whether it sounds, or did within so many milliseconds on the line. */
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
