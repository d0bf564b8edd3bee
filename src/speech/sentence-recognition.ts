/**
 * Recognition by engines that take whole sentences. A sentence goes from a moment before its voice was noticed to the
 * pause behind it; one after the other is sent, so that words come in the order in which they were said.
 */
import type { Recognition } from '#sip/speech.ts';
import { createDeadline } from './deadline.ts';
import { EngineFailure } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, ListenOptions } from './recognition-engine.ts';
import { joinSamples } from '#src/domain/samples.ts';
import { writeWav } from './write-wav.ts';

/** Rejects with an EngineFailure, or with the signal's reason. */
export type Transcribe = (wav: Buffer, language: string, signal: AbortSignal) => Promise<string>;

type Sentence = { samples: Int16Array; endsAt: number };

export const openSentenceRecognition = (
  { clock, limits }: EngineWorld,
  engine: { name: string; transcribe: Transcribe },
  { language, sampleRate }: ListenOptions,
  emit: (event: EngineEvent) => void,
): Recognition => {
  const samplesIn = (milliseconds: number): number => Math.round((milliseconds * sampleRate) / 1_000);
  const preRoll = samplesIn(limits.preRollMs);
  const longest = samplesIn(limits.longestSentenceMs);
  const failure = (what: string): EngineFailure => new EngineFailure(`${engine.name} ${what}`);

  const deadline = createDeadline(clock);
  const queue: Sentence[] = [];
  /** The sentence that goes on, or else what may become its beginning. */
  let recent: Int16Array = new Int16Array();
  let isSentence = false;
  let heard = 0;
  let isBusy = false;
  let isOver = false;

  const end = (): void => {
    isOver = true;
    deadline.end();
    queue.length = 0;
    recent = new Int16Array();
  };

  const recognize = async ({ samples, endsAt }: Sentence): Promise<void> => {
    // Each sentence has a signal of its own, or the deadline's would gather listeners over a long call.
    const own = createDeadline(clock);
    own.set(limits.answerMs, failure('gave no answer in time'));
    const signal = AbortSignal.any([deadline.signal, own.signal]);
    try {
      const text = (await engine.transcribe(writeWav({ sampleRate, samples }), language, signal)).trim();
      if (isOver) return;
      if (text !== '') emit({ type: 'final', text });
      emit({ type: 'settled', samples: endsAt });
    } finally {
      own.end();
    }
  };

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await recognize(next);
    } catch (error) {
      if (isOver) return;
      end();
      emit({ type: 'failed', error: error instanceof Error ? error : failure('failed') });
    } finally {
      isBusy = false;
    }
  };

  const cut = (samples: Int16Array, endsAt: number): void => {
    if (samples.length === 0) return;
    queue.push({ samples, endsAt });
    const waiting = queue.reduce((sum, sentence) => sum + sentence.samples.length, 0);
    if (waiting <= samplesIn(limits.longestWaitingMs)) return void work();
    queue.length = 0;
    deadline.set(0, failure('does not take sentences as fast as they are said'));
  };

  return {
    write(samples) {
      if (isOver) return;
      heard += samples.length;
      recent = joinSamples([recent, samples]);
      if (!isSentence) {
        recent = recent.slice(-preRoll);
        if (!isBusy) emit({ type: 'settled', samples: heard - recent.length });
        return;
      }
      while (recent.length >= longest) {
        cut(recent.slice(0, longest), heard - recent.length + longest);
        recent = recent.slice(longest);
      }
    },
    speechBegan() {
      isSentence = true;
    },
    speechEnded() {
      if (isOver || !isSentence) return;
      isSentence = false;
      cut(recent, heard);
      recent = new Int16Array();
    },
    close: end,
  };
};
