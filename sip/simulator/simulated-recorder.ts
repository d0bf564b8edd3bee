/**
 * Creates recordings of simulated calls, which carry no audio: after the call the words of both parties are
 * synthesized. The last gateway of a call that was taken over does so for the whole call: the journal has the words that
 * were heard before.
 */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { HeardBefore } from '#src/domain/sip-leg.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import type { OpenRecording, RecordingSink } from '#sip/audio/recording-sink.ts';
import type { Resample } from '#sip/audio/resampler.ts';
import type { SpeechEngines } from '#sip/audio/speech.ts';
import { createTimelineRecorder, type TimelineRecorder, type CallTimeline } from './call-timeline.ts';
import { renderRecording } from './render-recording.ts';
import { createRenderings } from './renderings.ts';

export type RecorderOptions = {
  clock: Clock;
  logger: Logger;
  /** Dependencies of recording; `null` if calls are not recorded. */
  recording: {
    open: OpenRecording;
    speech: Pick<SpeechEngines, 'synthesizerFor'>;
    resample: Resample;
  } | null;
  /** Number of recordings that are rendered at the same time. */
  renderingsAtOnce?: number;
};

export const createRecorder = ({ clock, logger, recording, renderingsAtOnce }: RecorderOptions) => {
  const renderings = createRenderings(clock, renderingsAtOnce ?? 2);

  const render = async (
    { speech, resample }: Pick<NonNullable<typeof recording>, 'speech' | 'resample'>,
    call: CallTimeline,
    input: LineInput,
    sink: RecordingSink,
    signal: AbortSignal,
  ) => {
    try {
      const synthesizer = speech.synthesizerFor(input.speech);
      await renderRecording(call, { synthesizer, resample }, sink, signal);
    } catch (error) {
      // An aborted rendering is no failure, because the recording store keeps the written part.
      if (signal.aborted) return;
      logger.warn(
        { call_id: input.callId, err: error },
        'the recording of a simulated call could not be made',
      );
      sink.fail(error instanceof Error ? error : new Error('Making the recording failed', { cause: error }));
    }
  };

  return {
    /**
     * Begins the recording of a call; `null` if it is not recorded. `before` has the words of a call that was taken
     * over.
     */
    record(input: LineInput, time: LineTime, before: HeardBefore | null): TimelineRecorder | null {
      if (!input.recording || recording === null) return null;
      try {
        const sink = recording.open(input.callId, before === null ? 'from now' : 'whole');
        return createTimelineRecorder(time, {
          before,
          language: input.language,
          end: (call) => renderings.add((signal) => render(recording, call, input, sink, signal)),
          left: sink.leave,
        });
      } catch (error) {
        logger.warn({ call_id: input.callId, err: error }, 'a call continues without its recording');
        return null;
      }
    },
    /** Waits for unfinished recordings, at most for the given time. */
    close: renderings.close,
  };
};
