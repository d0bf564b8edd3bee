/** Recording sink that also passes the audio to a listener. */
import type { CallSink, Overhearing, RecordingSink } from './recording-sink.ts';

const ignore = (): void => undefined;

/** `recording`: `null` for a call that is not recorded. */
export const overheardSink = (recording: RecordingSink | null, overhearing: Overhearing): CallSink => ({
  write(counterparty, agent) {
    recording?.write(counterparty, agent);
    overhearing.write(counterparty, agent);
  },
  isWanted: () => recording !== null || overhearing.isWanted(),
  drained: () => recording?.drained() ?? Promise.resolve(),
  finish: recording?.finish ?? ignore,
  leave: recording?.leave ?? ignore,
  fail: recording?.fail ?? ignore,
});
