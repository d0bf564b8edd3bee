/**
 * The sound of a channel, brought here and taken from here by FreeSWITCH's own `unicast`.
 *
 * How it wants to be spoken to (switch_ivr.c of 1.10):
 * - FreeSWITCH takes a free port of its own (`local-port: 0`) and says +OK also where it finds none: it has begun when
 *   its first datagram is here, and not before that is it sent any.
 * - Once a park of the channel: what a second time would leave behind goes on taking sound, and takes FreeSWITCH with it in the end.
 * - Without the flag `native`, with which it hears nothing while it waits for something to say; and on a channel whose
 *   `send_silence_when_idle` is not set, which would come between.
 * - Its port takes sound from anybody, so it is one of loopback or of a private network.
 * - Its samples have the rate of the channel's codec, both ways; with that codec it ends.
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
 * FreeSWITCH looks for what it was told every 20 ms. This is longer than it takes to find out that one hangs: that is
 * known first, and it gets no other call meanwhile.
 */
const beginMs = 8_000;

export type UnicastMeans = {
  soundThread: Pick<SoundThread, 'openUnicast'>;
  /** Of this host, where FreeSWITCH reaches it. */
  ownAddress: string;
  /** Where FreeSWITCH is; throws while it is not connected. */
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

/** The rate of the call, and that of the channel's codec now. */
export type UnicastRates = { callRate: SampleRate; codecRate: () => SampleRate };

export type UnicastEvents = SoundEvents & {
  /** FreeSWITCH has sent nothing for `silenceMs`, or sends again. */
  onSilence: (isSilent: boolean) => void;
  /** Its frames are shorter than 20 ms. */
  onShortFrames: () => void;
};

/** Rejects when no sound comes within a few seconds, or `ended` does. */
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
