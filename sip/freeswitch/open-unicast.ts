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
import type { AudioEvents } from '#sip/audio/media-endpoint.ts';
import type { SampleRing } from '#sip/audio/sample-ring.ts';
import type { MediaThread, UnicastChannel } from '../media-thread/media-thread.ts';
import { createRateChange, type Resample } from '#sip/audio/resampler.ts';
import type { SampleRate } from '#sip/audio/samples.ts';
import { within } from '../background-tasks.ts';
import type { Commands } from './connection.ts';

/**
 * Time in milliseconds within which the first datagram must arrive. FreeSWITCH polls for messages to a channel every 20
 * ms. The timeout exceeds the time to detect a hanging FreeSWITCH, which must be known first, so that it gets no
 * further calls.
 */
const beginMs = 8_000;

export type UnicastOptions = {
  mediaThread: Pick<MediaThread, 'openUnicast'>;
  /** Address of this host at which FreeSWITCH reaches it. */
  ownAddress: string;
  /** Returns the address of FreeSWITCH. Throws without a connection. */
  serverAddress: () => string;
  /** See `MediaServerNumbers`. */
  silenceMs: number;
  commands: Pick<Commands, 'sendMessage'>;
  resample: Resample;
  clock: Clock;
};

const begin = async (
  uuid: string,
  { port, begun }: UnicastChannel,
  { sendMessage, own, theirs }: Pick<Commands, 'sendMessage'> & { own: string; theirs: string },
): Promise<void> => {
  await sendMessage(uuid, {
    'call-command': 'unicast',
    'local-ip': theirs,
    'local-port': '0',
    'remote-ip': own,
    'remote-port': String(port),
    transport: 'udp',
  });
  await begun;
};

/** Sample rate of the call, and the current rate of the channel's codec. */
export type UnicastRates = { callRate: SampleRate; codecRate: () => SampleRate };

export type UnicastEvents = AudioEvents & {
  /** Called when FreeSWITCH has sent no datagram for `silenceMs`, and when it sends again. */
  onSilence: (isSilent: boolean) => void;
  /** Called when the frames are shorter than 20 ms. */
  onShortFrames: () => void;
};

/** An open unicast. */
export type Unicast = {
  /** Ring with outgoing samples, at the rate of the channel's codec. */
  ring: SampleRing;
  rate: SampleRate;
  close(): void;
};

/** An open unicast without a listener: incoming audio is dropped, and silence is sent. */
export type BegunUnicast = Unicast & {
  /** Passes incoming audio to these handlers from now on, at the rate of the call. */
  listen(events: UnicastEvents, callRate: SampleRate): void;
};

/**
 * Opens a unicast in the current park of the channel, or in the park of `park`, which runs when the local port is open.
 * `inTurn` runs both steps, and may wait before. Rejects when no audio arrives within a few seconds, or when `ended`
 * rejects.
 */
export const beginUnicast = async (
  uuid: string,
  options: UnicastOptions &
    Pick<UnicastRates, 'codecRate'> & {
      park?: () => Promise<void>;
      inTurn?: (work: () => Promise<void>) => Promise<void>;
      ended?: Promise<never>;
    },
): Promise<BegunUnicast> => {
  const { mediaThread, ownAddress: own, silenceMs, commands, clock, ended, park } = options;
  const { inTurn = (work) => work() } = options;
  const theirs = options.serverAddress();
  const rate = options.codecRate();
  const channel = await mediaThread.openUnicast(own, theirs, { sampleRate: rate, silenceMs });
  let events: UnicastEvents | null = null;
  let isLost = false;
  let isSilent = false;
  channel.listen({
    onAudio: (samples) => events?.onAudio(samples),
    onDigit: () => {},
    onLost() {
      isLost = true;
      events?.onLost();
    },
    onSilence(isSilentNow) {
      isSilent = isSilentNow;
      events?.onSilence(isSilentNow);
    },
    onShortFrames: () => events?.onShortFrames(),
  });
  const connect = async (): Promise<void> => {
    await park?.();
    const beginning = within(
      clock,
      beginMs,
      'Connecting the audio of a call',
      begin(uuid, channel, { ...commands, own, theirs }),
    );
    await (ended === undefined ? beginning : Promise.race([ended, beginning]));
  };
  try {
    await inTurn(connect);
  } catch (error) {
    channel.close();
    throw error;
  }
  return {
    ring: channel.ring,
    rate,
    close: channel.close,
    listen(listener, callRate) {
      const change = createRateChange(options.resample, rate, callRate);
      events = { ...listener, onAudio: (samples) => listener.onAudio(change.take(samples)) };
      if (isSilent) listener.onSilence(true);
      if (isLost) listener.onLost();
    },
  };
};

/** Opens a unicast with these handlers, like `beginUnicast`. */
export const openUnicast = async (
  uuid: string,
  events: UnicastEvents,
  options: UnicastOptions & UnicastRates & { ended: Promise<never> },
): Promise<Unicast> => {
  const unicast = await beginUnicast(uuid, options);
  unicast.listen(events, options.callRate);
  return unicast;
};
