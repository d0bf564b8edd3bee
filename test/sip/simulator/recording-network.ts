/** A simulated network that records calls for inspection by a test. */
import { setImmediate } from 'node:timers/promises';
import { recordingSampleRate, type OpenRecording, type RecordingSink } from '#sip/audio/recording-sink.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import type { SimulatorLinesOptions } from '#sip/simulator/simulator-lines.ts';
import type { Audio, Synthesizer } from '#sip/audio/speech.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { createNetwork } from './network.ts';

export const loudness = 8_000;

/** Synthesizes every text as one loud hum that is longer than any text takes in a test. */
export const hum = (sampleRate = recordingSampleRate, seconds = 10): Synthesizer => ({
  name: 'hum',
  synthesize: async (): Promise<Audio> => ({
    sampleRate,
    samples: new Int16Array(sampleRate * seconds).fill(loudness),
  }),
});

type Tape = RecordingSink & {
  readonly counterparty: number[];
  readonly agent: number[];
  readonly outcome: string;
  readonly longestWrite: number;
  readonly extent: Parameters<OpenRecording>[1];
};

export const createTape = (extent?: Tape['extent']): Tape => {
  const tape = {
    counterparty: [] as number[],
    agent: [] as number[],
    outcome: 'open',
    longestWrite: 0,
    extent,
  };
  return Object.assign(tape, {
    write(counterparty: Int16Array, agent: Int16Array): void {
      if (counterparty.length !== agent.length) throw new Error('The channels differ in length');
      tape.longestWrite = Math.max(tape.longestWrite, agent.length);
      for (const sample of counterparty) tape.counterparty.push(sample);
      for (const sample of agent) tape.agent.push(sample);
    },
    drained: () => Promise.resolve(),
    finish(): void {
      tape.outcome = 'finished';
    },
    leave(): void {
      tape.outcome = 'left';
    },
    fail(error: Error): void {
      tape.outcome = error.message;
    },
  });
};

/** All parties have this voice. */
export const recordingNetwork = async ({
  voice = hum(),
  ...options
}: Partial<SimulatorLinesOptions> & { voice?: Synthesizer } = {}) => {
  const tapes = new Map<string, Tape>();
  const network = createNetwork({
    recording: {
      open(callId, extent) {
        const tape = createTape(extent);
        tapes.set(callId, tape);
        return tape;
      },
      speech: sameSpeech(voice),
      resample: await loadResampler(),
    },
    ...options,
  });
  return { ...network, tapes };
};

export const recorded = { callId: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11', recording: true };

/** The recording once it is complete. */
export const done = async (tape: Tape | undefined): Promise<Tape> => {
  if (tape === undefined) throw new Error('Nothing is recorded');
  while (tape.outcome === 'open') await setImmediate();
  return tape;
};

/** Intervals with audio, in milliseconds: `[[from, to], …]`. */
export const stretches = (samples: readonly number[]): [number, number][] => {
  const found: [number, number][] = [];
  const millisecond = recordingSampleRate / 1_000;
  for (const [index, sample] of samples.entries()) {
    if (sample === 0) continue;
    const last = found.at(-1);
    if (last !== undefined && samples[index - 1] !== 0) last[1] = (index + 1) / millisecond;
    else found.push([index / millisecond, (index + 1) / millisecond]);
  }
  return found;
};
