/** Recording sink that also passes the audio to a listener. */
import type { RecordingSink } from './recording-sink.ts';

const ignore = (): void => undefined;

/** `recording`: `null` for a call that is not recorded. */
export const overheardSink = (
  recording: RecordingSink | null,
  overhear: RecordingSink['write'],
): RecordingSink => ({
  write(counterparty, agent) {
    recording?.write(counterparty, agent);
    overhear(counterparty, agent);
  },
  drained: () => recording?.drained() ?? Promise.resolve(),
  finish: recording?.finish ?? ignore,
  leave: recording?.leave ?? ignore,
  fail: recording?.fail ?? ignore,
});
