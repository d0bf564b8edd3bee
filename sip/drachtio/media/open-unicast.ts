/**
 * Exchanges a channel's audio with FreeSWITCH's `unicast`.
 *
 * Rules of `unicast` (switch_ivr.c of 1.10):
 * - FreeSWITCH chooses a free port (`local-port: 0`) and answers +OK even if it finds none: the unicast has begun when
 *   its first datagram has arrived, and nothing is sent to it before that.
 * - Activate unicast once per park: a second activation leaks a socket that keeps receiving audio, and eventually
 *   crashes FreeSWITCH.
 * - Do not set the flag `native`: with it FreeSWITCH does not receive while it waits for audio to send. Use it only on
 *   a channel without `send_silence_when_idle`, which would interfere.
 * - Its port accepts audio from any source, so it must be on loopback or in a private network.
 * - Its samples have the rate of the channel's codec in both directions; the unicast ends with that codec.
 */
import type { Clock } from '#src/domain/clock.ts';
import { createLineTime } from '../../line-time.ts';
import type { SoundEvents, SoundPath } from '../../media/media-endpoint.ts';
import { createPathAtRate } from '../../media/path-at-rate.ts';
import { createSoundPath } from '../../media/sound-path.ts';
import type { SoundThread, UnicastChannel } from '../../media/thread/sound-thread.ts';
import type { Resample } from '../../resampler.ts';
import { createRateChange } from '../../rate-change.ts';
import type { SampleRate } from '../../samples.ts';
import { within } from '../background-tasks.ts';
import type { Commands } from './event-socket/commands.ts';

/**
 * FreeSWITCH polls for messages to a channel every 20 ms. This timeout exceeds the time to detect a hanging FreeSWITCH,
 * which must be known first, so that it gets no further calls.
 */
const beginMs = 8_000;

export type UnicastMeans = {
  soundThread: Pick<SoundThread, 'openUnicast'>;
  /** Address of this host at which FreeSWITCH reaches it. */
  ownAddress: string;
  /** Address of FreeSWITCH; throws without a connection. */
  serverAddress: () => string;
  /** See `MediaServerNumbers`. */
  silenceMs: number;
  commands: Pick<Commands, 'tell'>;
  resample: Resample;
  clock: Clock;
};

const begin = async (
  uuid: string,
  { port, begun }: UnicastChannel,
  { tell, own, theirs }: Pick<Commands, 'tell'> & { own: string; theirs: string },
): Promise<void> => {
  await tell(uuid, {
    'call-command': 'unicast',
    'local-ip': theirs,
    'local-port': '0',
    'remote-ip': own,
    'remote-port': String(port),
    transport: 'udp',
  });
  await begun;
};

/** Rate of the call, and the current rate of the channel's codec. */
export type UnicastRates = { callRate: SampleRate; codecRate: () => SampleRate };

export type UnicastEvents = SoundEvents & {
  /** FreeSWITCH has sent nothing for `silenceMs`, or sends again. */
  onSilence: (isSilent: boolean) => void;
  /** The frames are shorter than 20 ms. */
  onShortFrames: () => void;
};

/** Rejects when no audio arrives within a few seconds, or when `ended` does. */
export const openUnicast = async (
  uuid: string,
  { onAudio, onLost, onSilence, onShortFrames }: UnicastEvents,
  means: UnicastMeans & UnicastRates & { ended: Promise<never> },
): Promise<SoundPath> => {
  const { soundThread, ownAddress: own, silenceMs, commands, clock, ended } = means;
  const { resample, callRate, codecRate } = means;
  const theirs = means.serverAddress();
  const sampleRate = codecRate();
  const channel = await soundThread.openUnicast(own, theirs, { sampleRate, silenceMs });
  const change = createRateChange(resample, sampleRate, callRate);
  channel.listen({
    onSound: (samples) => onAudio(change.take(samples)),
    onKey: () => {},
    onLost,
    onSilence,
    onShortFrames,
  });
  try {
    const beginning = begin(uuid, channel, { ...commands, own, theirs });
    await Promise.race([ended, within(clock, beginMs, 'Connecting the sound of a call', beginning)]);
  } catch (error) {
    channel.close();
    throw error;
  }
  const straight = createSoundPath(channel.sound, sampleRate, createLineTime(clock, 1));
  const path = createPathAtRate(straight, { callRate, pathRate: sampleRate }, resample);
  return {
    ...path,
    close() {
      path.close();
      channel.close();
    },
  };
};
