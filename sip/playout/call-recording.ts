/**
 * The recording of a real call, written as it goes: what was heard of the counterparty on one channel, the agent's own
 * playback on the other. The frames of the counterparty, which come without a break, are the clock of both.
 *
 * A paused recording goes on with silence. The voice of the agent is known before it sounds, so it is silenced by its
 * place in the call; the other party's is heard after it sounded, so when a pause is over it is asked of each frame when
 * that was said. What is silenced is never handed on.
 */
import type { LineTime } from '../line-time.ts';
import { recordingSampleRate, type RecordingSink } from '../recording-sink.ts';
import type { SampleRate } from '../samples.ts';

const samplesPerMs = recordingSampleRate / 1_000;
/** Frames that are this much early or late are jitter; beyond it, sound is missing or too much. */
const jitterMs = 200;
/** The time that sound is on its way when nothing holds it up. */
const latencyMs = 200;

export type CallRecording = {
  /** A frame of the counterparty, at the rate of the call. */
  heard(frame: Int16Array): void;
  /** The agent begins to say this now, at the rate of the call. */
  said(samples: Int16Array): void;
  /** The agent falls silent now. */
  cut(): void;
  /** Silence stands on both sides from what is written next, until `resume`. */
  pause(): void;
  /** What is said from now on is recorded; what was on its way is not. */
  resume(): void;
  /** It goes on elsewhere. */
  leave(): void;
  /** The call is over. */
  finish(): void;
};

/** So many frames tell how quick the way is: five seconds of them. */
const rememberedFrames = 250;

/**
 * The delay of frames on their way. They are made without a break, so those that came quickest lately tell when the
 * others were made; a frame that is lost only makes the next ones look older for a while.
 */
const createFrameDelay = () => {
  const lags: number[] = [];
  let made = 0;
  return {
    /** A frame came in at `now` (any clock, in samples). Returns its delay beyond the usual one, in samples. */
    of(now: number, samples: number): number {
      made += samples;
      const lag = now - made;
      lags.push(lag);
      if (lags.length > rememberedFrames) lags.shift();
      return lag - Math.min(...lags);
    },
  };
};

/** At the rate of recordings; where that is twice the call's, each new sample is half-way between its neighbours. */
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

/** The voice of the agent, known before it sounds. Places are counted in samples since the answer. */
const createAgentTrack = () => {
  /** Stretches not yet written, in order. */
  let stretches: { from: number; samples: Int16Array }[] = [];
  return {
    /** Sounds from `at` on, or behind what sounds before. */
    add(samples: Int16Array, at: number): void {
      const last = stretches.at(-1);
      const free = last === undefined ? 0 : last.from + last.samples.length;
      stretches.push({ from: Math.max(at, free), samples });
    },
    /** Falls silent at this place. */
    cut(at: number): void {
      stretches = stretches
        .map(({ from, samples }) => ({ from, samples: samples.subarray(0, Math.max(0, at - from)) }))
        .filter(({ samples }) => samples.length > 0);
    },
    /** What sounds between these places; nothing before `end` is asked for again. */
    take(begin: number, end: number): Int16Array {
      const sound = new Int16Array(end - begin);
      for (const { from, samples } of stretches) {
        if (from >= end) break;
        const skipped = Math.max(0, begin - from);
        sound.set(samples.subarray(skipped, end - from), Math.max(0, from - begin));
      }
      stretches = stretches.filter(({ from, samples }) => from + samples.length > end);
      return sound;
    },
  };
};

/** Begins now, at the answer. */
export const createCallRecording = (sink: RecordingSink, time: LineTime, rate: SampleRate): CallRecording => {
  const answeredAt = time.now();
  const agentTrack = createAgentTrack();
  const delay = createFrameDelay();
  let written = 0;
  let lastHeard = 0;
  let isOver = false;
  /** What was said before this is silent, counted in samples since the answer. */
  let silentUntil = -Infinity;

  const position = (): number => Math.round(time.since(answeredAt) * samplesPerMs);

  const write = (counterparty: Int16Array): void => {
    const end = written + counterparty.length;
    const agent = agentTrack.take(written, end);
    agent.fill(0, 0, Math.max(0, silentUntil - written));
    written = end;
    sink.write(counterparty, agent);
  };

  const fillUpTo = (end: number): void => {
    if (end > written) write(new Int16Array(end - written));
  };

  return {
    heard(frame) {
      if (isOver) return;
      const now = position();
      const length = (frame.length * recordingSampleRate) / rate;
      const begin = now - length;
      const saidAt = begin - delay.of(now, length) - latencyMs * samplesPerMs;
      const sound = saidAt < silentUntil ? new Int16Array(frame.length) : frame;
      if (written - begin > jitterMs * samplesPerMs) return;
      if (begin - written > jitterMs * samplesPerMs) fillUpTo(begin);
      write(forRecording(sound, rate, lastHeard));
      lastHeard = sound.at(-1) ?? lastHeard;
    },
    said: (samples) => agentTrack.add(forRecording(samples, rate, 0), Math.max(position(), written)),
    cut: () => agentTrack.cut(position()),
    pause() {
      silentUntil = Infinity;
    },
    resume() {
      if (silentUntil === Infinity) silentUntil = position();
    },
    leave() {
      isOver = true;
      sink.leave();
    },
    finish() {
      if (isOver) return;
      isOver = true;
      fillUpTo(position());
      sink.finish();
    },
  };
};
