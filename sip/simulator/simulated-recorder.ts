/**
 * Creates recordings of simulated calls, which carry no audio: after the call the words of both parties are
 * synthesized.
 */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import type { OpenRecording, RecordingSink } from '#sip/audio/recording-sink.ts';
import type { Resample } from '#sip/audio/resampler.ts';
import type { SpeechEngines } from '#sip/audio/speech.ts';
import { createTimelineRecorder, type TimelineRecorder, type CallTimeline } from './call-timeline.ts';
import { renderRecording } from './render-recording.ts';
import { createRenderings } from './renderings.ts';

/**
 * A hand-over waits for its recording. With more simultaneous hand-overs than this, the earlier part of a recording is
 * given up.
 */
const mostAtHandOver = 10;

export type RecorderOptions = {
  clock: Clock;
  logger: Logger;
  /** Means of recording; `null`: calls are not recorded. */
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
      // The recording store keeps the written part.
      if (signal.aborted) return;
      logger.warn(
        { call_id: input.callId, err: error },
        'the recording of a simulated call could not be made',
      );
      sink.fail(error instanceof Error ? error : new Error('Making the recording failed', { cause: error }));
    }
  };

  return {
    /** Begins the recording of a call; `null` if it is not recorded. */
    record(input: LineInput, time: LineTime): TimelineRecorder | null {
      if (!input.recording || recording === null) return null;
      try {
        const sink = recording.open(input.callId);
        return createTimelineRecorder(time, {
          end: (call) => renderings.add((signal) => render(recording, call, input, sink, signal)),
          left(call) {
            if (renderings.count() >= mostAtHandOver) return sink.leave();
            // The part of this process is written before another process continues the call.
            const unfinished = { ...sink, finish: sink.leave };
            renderings.add((signal) => render(recording, call, input, unfinished, signal));
          },
        });
      } catch (error) {
        logger.warn({ call_id: input.callId, err: error }, 'a call continues without its recording');
        return null;
      }
    },
    /** Waits at most this long for unfinished recordings. */
    close: renderings.close,
  };
};
