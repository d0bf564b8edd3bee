/**
 * Records a call while it runs: the counterparty's audio on one channel, the agent's audio on the other. The
 * counterparty's frames arrive without gaps and are the clock of both channels.
 *
 * A paused recording continues with silence. The agent's audio is known before it is heard, so it is silenced by its
 * position in the call. The counterparty's audio arrives after it was spoken; after a pause each frame is therefore
 * checked for the time at which it was spoken. Silenced audio is never written.
 */
import type { LineTime } from '../line-time.ts';
import { recordingSampleRate, type CallSink } from '../recording-sink.ts';
import type { SampleRate } from '../samples.ts';
import { createToneGate, type ToneGate } from './tone-gate.ts';

const samplesPerMs = recordingSampleRate / 1_000;
/** Deviation of a frame's arrival that counts as jitter; larger ones mean missing or surplus audio. */
const jitterMs = 200;
/** Transit time in ms of audio without delays. */
const latencyMs = 200;

export type CallRecording = {
  /** A frame of the counterparty, at the sample rate of the call. */
  heard(frame: Int16Array): void;
  /** The agent's samples that begin to play now, at the sample rate of the call. */
  said(samples: Int16Array): void;
  /** The agent's audio stops now. */
  cut(): void;
  /** Whether the audio is used now: it is recorded, or has listeners. */
  isWanted(): boolean;
  /** Writes silence for the time up to now, in place of audio that was not received. */
  passTime(): void;
  /** Writes silence on both channels until `resume`. */
  pause(): void;
  /** Records audio spoken from now on; audio in transit stays silent. */
  resume(): void;
  /** The DTMF tones of the counterparty are silence, until `showTones`. */
  hideTones(): void;
  showTones(): void;
  /** Hands the recording over to the next gateway. */
  leave(): void;
  /** The call has ended. */
  finish(): void;
};

/** Number of frames from which the shortest transit time is taken: five seconds. */
const rememberedFrames = 250;

/**
 * Estimates the delay of frames in transit. Frames are produced without gaps, so the fastest recent frames show when
 * the others were produced. A lost frame makes later ones look older for a while.
 */
const createFrameDelay = () => {
  const lags: number[] = [];
  let made = 0;
  return {
    /**
     * Must be called when a frame arrives at `now` (any clock, in samples). Returns its delay beyond the usual one, in
     * samples.
     */
    of(now: number, samples: number): number {
      made += samples;
      const lag = now - made;
      lags.push(lag);
      if (lags.length > rememberedFrames) lags.shift();
      return lag - Math.min(...lags);
    },
  };
};

/**
 * Converts to the rate of recordings. If that is twice the rate of the call, each new sample is the mean of its
 * neighbours.
 */
const forRecording = (samples: Int16Array, rate: SampleRate, before: number): Int16Array => {
  if (rate === recordingSampleRate) return samples;
  const result = new Int16Array(samples.length * 2);
  let last = before;
  for (const [index, sample] of samples.entries()) {
    result[2 * index] = (last + sample) >> 1;
    result[2 * index + 1] = sample;
    last = sample;
  }
  return result;
};

/** The agent's voice, known before it is heard. Positions are samples since the answer. */
const createAgentTrack = () => {
  /** Stretches of audio that are not written yet, in order. */
  let stretches: { from: number; samples: Int16Array }[] = [];
  return {
    /** Schedules audio from `at` on, or after the scheduled audio. */
    add(samples: Int16Array, at: number): void {
      const last = stretches.at(-1);
      const free = last === undefined ? 0 : last.from + last.samples.length;
      stretches.push({ from: Math.max(at, free), samples });
    },
    /** Silences everything from this position on. */
    cut(at: number): void {
      stretches = stretches
        .map(({ from, samples }) => ({ from, samples: samples.subarray(0, Math.max(0, at - from)) }))
        .filter(({ samples }) => samples.length > 0);
    },
    /** Returns the audio between these positions; positions before `end` are not read again. */
    take(begin: number, end: number): Int16Array {
      const audio = new Int16Array(end - begin);
      for (const { from, samples } of stretches) {
        if (from >= end) break;
        const skipped = Math.max(0, begin - from);
        audio.set(samples.subarray(skipped, end - from), Math.max(0, from - begin));
      }
      stretches = stretches.filter(({ from, samples }) => from + samples.length > end);
      return audio;
    },
  };
};

/** Starts the recording now, at the answer: position 0. */
export const createCallRecording = (sink: CallSink, time: LineTime, rate: SampleRate): CallRecording => {
  const answeredAt = time.now();
  const agentTrack = createAgentTrack();
  let delay = createFrameDelay();
  let written = 0;
  let lastHeard = 0;
  let isOver = false;
  /** Counterparty audio spoken before this position is silenced, in samples since the answer. */
  let silentUntil = -Infinity;
  /** `null` while tones are recorded. */
  let toneGate: ToneGate | null = null;

  const position = (): number => Math.round(time.since(answeredAt) * samplesPerMs);

  const write = (counterparty: Int16Array): void => {
    const end = written + counterparty.length;
    const agent = agentTrack.take(written, end);
    agent.fill(0, 0, Math.max(0, silentUntil - written));
    written = end;
    sink.write(counterparty, agent);
  };

  const writeFrames = (frames: readonly Int16Array[]): void => {
    for (const frame of frames) {
      write(forRecording(frame, rate, lastHeard));
      lastHeard = frame.at(-1) ?? lastHeard;
    }
  };

  /** Writes the frames that the tone gate still holds. */
  const endGate = (): void => {
    writeFrames(toneGate?.end() ?? []);
    toneGate = null;
  };

  const fillUpTo = (end: number): void => {
    if (end <= written) return;
    if (toneGate !== null) {
      endGate();
      toneGate = createToneGate(rate);
    }
    if (end > written) write(new Int16Array(end - written));
  };

  return {
    heard(frame) {
      if (isOver) return;
      const now = position();
      const length = (frame.length * recordingSampleRate) / rate;
      const begin = now - length;
      const saidAt = begin - delay.of(now, length) - latencyMs * samplesPerMs;
      const audio = saidAt < silentUntil ? new Int16Array(frame.length) : frame;
      if (written - begin > jitterMs * samplesPerMs) return;
      if (begin - written > jitterMs * samplesPerMs) fillUpTo(begin);
      writeFrames(toneGate === null ? [audio] : toneGate.take(audio, frame));
    },
    said: (samples) => agentTrack.add(forRecording(samples, rate, 0), Math.max(position(), written)),
    cut: () => agentTrack.cut(position()),
    isWanted: () => silentUntil !== Infinity && sink.isWanted(),
    passTime() {
      if (isOver) return;
      fillUpTo(position());
      delay = createFrameDelay();
    },
    pause() {
      silentUntil = Infinity;
    },
    resume() {
      if (silentUntil === Infinity) silentUntil = position();
    },
    hideTones() {
      toneGate ??= createToneGate(rate);
    },
    showTones: endGate,
    leave() {
      isOver = true;
      endGate();
      sink.leave();
    },
    finish() {
      if (isOver) return;
      isOver = true;
      endGate();
      fillUpTo(position());
      sink.finish();
    },
  };
};
