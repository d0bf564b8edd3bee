/** Makes the recordings of simulated calls, which have no sound: after the call both parties are given a voice. */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { LineTime } from '../line-time.ts';
import type { OpenRecording, RecordingSink } from '../recording-sink.ts';
import type { Resample } from '../resampler.ts';
import type { SpeechEngines } from '../speech.ts';
import { createTimelineRecorder, type TimelineRecorder, type CallTimeline } from './call-timeline.ts';
import { renderRecording } from './render-recording.ts';
import { createRenderings } from './renderings.ts';

/** A hand-over waits for what is written. Of more calls than this at once the part before it is given up. */
const mostAtHandOver = 10;

export type RecorderOptions = {
  clock: Clock;
  logger: Logger;
  /** What recordings are made with; `null`: no call leaves one. */
  recording: {
    open: OpenRecording;
    speech: Pick<SpeechEngines, 'synthesizerFor'>;
    resample: Resample;
  } | null;
  /** How many recordings are made at the same time. */
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
      // Whoever keeps recordings keeps what there is of it.
      if (signal.aborted) return;
      logger.warn(
        { call_id: input.callId, err: error },
        'the recording of a simulated call could not be made',
      );
      sink.fail(error instanceof Error ? error : new Error('Making the recording failed', { cause: error }));
    }
  };

  return {
    /** Begins the recording of a call; `null` when it is not recorded. */
    record(input: LineInput, time: LineTime): TimelineRecorder | null {
      if (!input.recording || recording === null) return null;
      try {
        const sink = recording.open(input.callId);
        return createTimelineRecorder(time, {
          end: (call) => renderings.add((signal) => render(recording, call, input, sink, signal)),
          left(call) {
            if (renderings.count() >= mostAtHandOver) return sink.leave();
            // What was said here is written before another process goes on with it.
            const unfinished = { ...sink, finish: sink.leave };
            renderings.add((signal) => render(recording, call, input, unfinished, signal));
          },
        });
      } catch (error) {
        logger.warn({ call_id: input.callId, err: error }, 'a call goes on without its recording');
        return null;
      }
    },
    /** Waits at most so long for recordings that are being made. */
    close: renderings.close,
  };
};
