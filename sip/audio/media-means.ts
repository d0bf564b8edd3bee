/** Selects the dependencies of one call's audio from those of all calls. */
import type { LineInput } from '#machines/line.ts';
import type { Hearing, MediaMeans } from './call-media.ts';
import type { ListeningNumbers } from './listening/listener.ts';
import { createSpeak } from './playout/synthesis.ts';
import { overheardSink, type OpenRecording, type Overhear } from './recording-sink.ts';
import type { SpeechEngines } from './speech.ts';

export type CommonMeans = Pick<Hearing, 'openDetector' | 'turnModel' | 'resample'> & {
  speech: SpeechEngines;
  listening: ListeningNumbers;
  /** Opens a recording; `null` if calls are not recorded. */
  openRecording: OpenRecording | null;
  overhear: Overhear;
};

export const mediaMeansFor = (
  input: LineInput,
  { speech, resample, openDetector, openRecording, overhear, listening, turnModel }: CommonMeans,
): MediaMeans => {
  const recognizer = speech.recognizerFor(input.speech, input.language);
  return {
    speak: createSpeak(resample, speech.synthesizerFor(input.speech), input.language),
    hearing: recognizer && { recognizer, openDetector, numbers: listening, turnModel, resample },
    openRecording: () =>
      overheardSink(
        input.recording && openRecording !== null ? openRecording(input.callId) : null,
        overhear(input.callId),
      ),
  };
};
