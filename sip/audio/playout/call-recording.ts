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
  /** Lags of remembered frames, each shorter than all later ones. The first one is the shortest of all. */
  const shortest: { lag: number; frame: number }[] = [];
  let frames = 0;
  let made = 0;
  return {
    /**
     * Must be called when a frame arrives at `now` (any clock, in samples). Returns its delay beyond the usual one, in
     * samples.
     */
    of(now: number, samples: number): number {
      made += samples;
      frames += 1;
      const lag = now - made;
      for (let last = shortest.at(-1); last !== undefined && last.lag >= lag; last = shortest.at(-1))
        shortest.pop();
      shortest.push({ lag, frame: frames });
      if (shortest[0] !== undefined && shortest[0].frame <= frames - rememberedFrames) shortest.shift();
      return lag - (shortest[0]?.lag ?? lag);
    },
  };
};

/** Longest audio whose memory is used again: a frame is shorter, and silence in place of a long gap is rare. */
const mostReused = recordingSampleRate;

/** Memory for the audio of one write, because fifty allocations a second and call make V8 collect garbage all the time. */
const createScratch = () => {
  const memory = new Int16Array(mostReused);
  return (length: number): Int16Array =>
    length > mostReused ? new Int16Array(length) : memory.subarray(0, length);
};

/** Both are in use in a write, which is over when the next one of any call begins. */
const counterpartyScratch = createScratch();
const agentScratch = createScratch();

/**
 * Converts samples to the rate of recordings, into memory of `reserve`. If that is twice the rate of the call, each new
 * sample is the mean of its neighbours. The code is a loop, because an iterator would take three times as long.
 */
const forRecording = (
  samples: Int16Array,
  rate: SampleRate,
  before: number,
  reserve: (length: number) => Int16Array = (length) => new Int16Array(length),
): Int16Array => {
  if (rate === recordingSampleRate) return samples;
  const result = reserve(samples.length * 2);
  let last = before;
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index] ?? 0;
    result[2 * index] = (last + sample) >> 1;
    result[2 * index + 1] = sample;
    last = sample;
  }
  return result;
};

/** Audio of the agent, kept at the sample rate of the call until it is written. */
type Stretch = { from: number; end: number; audio: () => Int16Array };

const stretchOf = (samples: Int16Array, rate: SampleRate, from: number): Stretch => {
  let converted: Int16Array | null = null;
  return {
    from,
    end: from + (samples.length * recordingSampleRate) / rate,
    audio: () => (converted ??= forRecording(samples, rate, 0)),
  };
};

/** The agent's voice, which is known before it is heard. Positions are samples since the answer. */
const createAgentTrack = (rate: SampleRate) => {
  /** Stretches of audio that are not written yet, in order and without overlap. */
  let stretches: Stretch[] = [];

  /** Discards audio before this position. */
  const skipTo = (position: number): void => {
    while (stretches[0] !== undefined && stretches[0].end <= position) stretches.shift();
  };

  return {
    /** Schedules audio from `at` on, or after the audio that is already scheduled. */
    add(samples: Int16Array, at: number): void {
      stretches.push(stretchOf(samples, rate, Math.max(at, stretches.at(-1)?.end ?? 0)));
    },
    /** Silences all audio from this position on. */
    cut(at: number): void {
      stretches = stretches
        .map((stretch) => ({ ...stretch, end: Math.min(stretch.end, at) }))
        .filter(({ from, end }) => end > from);
    },
    skipTo,
    /**
     * Returns the audio between these positions, until the next call of this function for any call. Positions before
     * `end` must not be read again.
     */
    take(begin: number, end: number): Int16Array {
      const taken = agentScratch(end - begin).fill(0);
      for (const stretch of stretches) {
        if (stretch.from >= end) break;
        const from = Math.max(begin, stretch.from);
        const to = Math.min(end, stretch.end);
        taken.set(
          stretch.audio().subarray(from - stretch.from, Math.max(from, to) - stretch.from),
          from - begin,
        );
      }
      skipTo(end);
      return taken;
    },
  };
};

/** Starts the recording now, at the answer, which is position 0. */
export const createCallRecording = (sink: CallSink, time: LineTime, rate: SampleRate): CallRecording => {
  const answeredAt = time.now();
  const agentTrack = createAgentTrack(rate);
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

  /** Advances the recording without conversion while there is neither a recording nor a listener, as in most calls. */
  const skip = (samples: number): void => {
    written += samples;
    agentTrack.skipTo(written);
    sink.skip(samples);
  };

  const writeFrames = (frames: readonly Int16Array[]): void => {
    for (const frame of frames) {
      if (sink.isWanted()) write(forRecording(frame, rate, lastHeard, counterpartyScratch));
      else skip((frame.length * recordingSampleRate) / rate);
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
    if (end <= written) return;
    if (sink.isWanted()) write(counterpartyScratch(end - written).fill(0));
    else skip(end - written);
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
    said: (samples) => agentTrack.add(samples, Math.max(position(), written)),
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
