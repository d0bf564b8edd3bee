/**
 * Records a bridge while its audio is needed. Only then does the media server send the audio to this process. Otherwise
 * the recording continues with silence, so that its time matches the call's.
 */
import type { CallMedia } from '#sip/audio/call-media.ts';
import { createAlarm, type LineTime } from '#sip/audio/line-time.ts';
import type { BridgeTaps } from '../../freeswitch/bridge-taps.ts';
import type { Bridge } from '../../freeswitch/media-servers.ts';

/** Interval of the check whether the audio is needed, in milliseconds. */
const lookMs = 500;

export type BridgeRecording = { close(): void };

export const recordBridge = (
  bridge: Pick<Bridge, 'tap'>,
  media: Pick<CallMedia, 'isRecorded' | 'recordHeard' | 'recordSaid' | 'recordSilence'>,
  time: Pick<LineTime, 'after'>,
): BridgeRecording => {
  const next = createAlarm(time);
  let taps: BridgeTaps | null = null;

  const close = (): void => {
    taps?.close();
    taps = null;
  };

  const look = (): void => {
    if (media.isRecorded()) taps ??= bridge.tap({ onFirst: media.recordHeard, onSecond: media.recordSaid });
    else {
      close();
      media.recordSilence();
    }
    next.set(lookMs, look);
  };
  look();

  return {
    close() {
      next.cancel();
      close();
    },
  };
};
