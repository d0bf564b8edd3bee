/**
 * Renders the audio of a recorded call. Each part is synthesized when the timeline reaches it, fitted to its duration
 * on the line, and written together with the other side's audio in short pieces. At most one utterance per side is in
 * memory at once.
 */
import { setImmediate } from 'node:timers/promises';
import { recordingSampleRate, type RecordingSink } from '#sip/audio/recording-sink.ts';
import type { Audio, Synthesizer } from '#sip/audio/speech.ts';
import type { Pause, CallTimeline, RecordedPart } from './call-timeline.ts';
import type { Resample } from '#sip/audio/resampler.ts';

const samplesOf = (milliseconds: number): number => Math.round((milliseconds * recordingSampleRate) / 1_000);

const stretch = samplesOf(100);
/** Number of pieces after which the renderer yields to the event loop, because encoding is CPU work. */
const stretchesAtOnce = 5;

/** Maximum factor by which a voice that is slower than the line's is sped up; the rest of the voice is cut off. */
const maxHurry = 1.35;

/**
 * Amplitude up to which samples count as silence. Synthesizers pad speech with silence; on the line a voice is heard
 * from its first moment to its last.
 */
const silence = 64;

const withoutSilence = (samples: Int16Array): Int16Array => {
  const isSound = (sample: number): boolean => Math.abs(sample) > silence;
  const first = samples.findIndex(isSound);
  return first === -1 ? new Int16Array() : samples.subarray(first, samples.findLastIndex(isSound) + 1);
};

/** Synthesizes a text in exactly this number of samples. */
type Speak = (said: Pick<RecordedPart, 'text' | 'language'>, length: number) => Promise<Int16Array>;

/** Silences the samples within pauses. `from` is the position of the first sample in the call. */
const silencePauses = (samples: Int16Array, from: number, pauses: readonly Pause[]): Int16Array => {
  for (const { fromMs, toMs } of pauses)
    samples.fill(0, Math.max(0, samplesOf(fromMs) - from), Math.max(0, samplesOf(toMs) - from));
  return samples;
};

const liesInPause = ({ offsetMs, durationMs }: RecordedPart, pauses: readonly Pause[]): boolean =>
  pauses.some(({ fromMs, toMs }) => offsetMs >= fromMs && offsetMs + durationMs <= toMs);

/** Fits speech into exactly `length` samples. */
const fitInto = (length: number, { sampleRate, samples }: Audio, resample: Resample): Int16Array => {
  const voice = withoutSilence(samples);
  if (voice.length === 0) return new Int16Array(length);
  const naturalLength = (voice.length * recordingSampleRate) / sampleRate;
  const hurry = Math.min(maxHurry, Math.max(1, naturalLength / length));
  const audio = new Int16Array(length);
  audio.set(resample(voice, Math.round(sampleRate * hurry), recordingSampleRate).subarray(0, length));
  return audio;
};

/** Reader of one side of the call, from beginning to end. */
const createSide = (parts: readonly RecordedPart[], pauses: readonly Pause[], speak: Speak) => {
  const waiting = parts.filter((each) => !liesInPause(each, pauses)).values();
  let part: { from: number; audio: Int16Array } | null = null;
  let next = waiting.next().value;
  let readTo = 0;

  return {
    async read(length: number): Promise<Int16Array> {
      const samples = new Int16Array(length);
      const end = readTo + length;
      for (;;) {
        if (part === null) {
          if (next === undefined || samplesOf(next.offsetMs) >= end) break;
          // Timers of a sped-up line are coarse, so a part may seem to begin before the previous one has ended.
          const from: number = Math.max(readTo, samplesOf(next.offsetMs));
          const audio = await speak(next, samplesOf(next.durationMs));
          part = { from, audio: silencePauses(audio, samplesOf(next.offsetMs), pauses) };
          next = waiting.next().value;
        }
        const { from, audio } = part;
        const begin = Math.max(from, readTo);
        samples.set(audio.subarray(begin - from, end - from), begin - (end - length));
        if (from + audio.length > end) break;
        readTo = Math.max(readTo, from + audio.length);
        part = null;
      }
      readTo = end;
      return silencePauses(samples, end - length, pauses);
    },
  };
};

/** Writes the whole call and finishes the sink. Rejects when the synthesizer or the sink fails or `signal` aborts. */
export const renderRecording = async (
  call: CallTimeline,
  { synthesizer, resample }: { synthesizer: Synthesizer; resample: Resample },
  sink: RecordingSink,
  signal: AbortSignal,
): Promise<void> => {
  const speak: Speak = async ({ text, language }, length) =>
    fitInto(length, await synthesizer.synthesize(text, language, signal), resample);
  const counterparty = createSide(call.counterparty, call.pauses, speak);
  const agent = createSide(call.agent, call.pauses, speak);
  const total = samplesOf(call.durationMs);
  for (let written = 0, count = 1; written < total; written += stretch, count += 1) {
    signal.throwIfAborted();
    const length = Math.min(stretch, total - written);
    const samples = await counterparty.read(length);
    sink.write(samples, await agent.read(length));
    if (count % stretchesAtOnce !== 0) continue;
    await setImmediate();
    await sink.drained();
  }
  sink.finish();
};
