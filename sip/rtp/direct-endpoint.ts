/** Endpoint for calls whose audio this process carries itself by RTP, without a media server. */
import type { MediaStatistics } from '#machines/media-statistics.ts';
import type { Clock } from '#src/domain/clock.ts';
import { usualCodecs, type Trunk } from '#src/domain/trunk.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { telephoneRate } from '#sip/audio/samples.ts';
import { addressText, callStatistics } from './call-statistics.ts';
import { NoMediaCapacity, type MediaEndpoint, type AudioEvents } from '#sip/audio/media-endpoint.ts';
import { createAudioPath, type AudioPath } from '#sip/audio/audio-path.ts';
import type { SampleRing } from '#sip/audio/sample-ring.ts';
import type { RtpAgreement } from './agreement.ts';
import type { RtpStatistics } from './rtp-session.ts';
import { createNegotiation, type Encryption } from './negotiation.ts';

/** One call's RTP session, which runs in the media thread. */
export type RtpChannel = {
  /** Local port for the other party's audio. */
  readonly port: number;
  /** Outgoing audio. */
  readonly ring: SampleRing;
  listen(events: {
    onAudio: (samples: Int16Array) => void;
    onDigit: (digit: string) => void;
    /** Called when the media thread, or the call's session in it, has failed: the call has no audio any more. */
    onLost: () => void;
  }): void;
  agree(agreement: RtpAgreement): void;
  press(digits: string): void;
  /** Returns the statistics that the media thread reported last, at most a second old. */
  statistics(): RtpStatistics;
  /** Requests current statistics. Resolves to the last reported ones if the media thread has ended. */
  measured(): Promise<RtpStatistics>;
  close(): void;
};

export type DirectOptions = {
  /** Opens a pair of ports at this address for a call. Rejects if no pair is free. */
  thread: { open(address: string): Promise<RtpChannel> };
  /** Address of this machine that trunks reach. */
  address: string;
  clock: Clock;
  /** Time without RTP after which the audio of a call counts as lost; 0 disables the check. */
  rtpTimeoutMs: number;
};

const noStream = { loss: null, jitterMs: null } as const;

/** Interval of checks whether RTP still arrives. */
const lookMs = 1_000;

/**
 * State of the endpoint until it is lost or destroyed. A loss is reported to all listeners, even to listeners that are
 * added later.
 */
const createFate = () => {
  const listeners: ((reason: string | null) => void)[] = [];
  let fate: { is: 'standing' | 'destroyed' } | { is: 'lost'; reason: string | null } = { is: 'standing' };
  return {
    isStanding: (): boolean => fate.is === 'standing',
    lose(reason: string | null): void {
      if (fate.is !== 'standing') return;
      fate = { is: 'lost', reason };
      for (const listener of listeners) listener(reason);
    },
    destroy(): void {
      fate = { is: 'destroyed' };
    },
    onLost(listener: (reason: string | null) => void): void {
      if (fate.is === 'lost') {
        const { reason } = fate;
        queueMicrotask(() => listener(reason));
      } else listeners.push(listener);
    },
  };
};

const statisticsOf = (
  { received, lost, jitterMs, sent, lossThere, jitterThereMs, remote, ...reported }: RtpStatistics,
  { codec, localAddress }: Pick<MediaStatistics, 'codec' | 'localAddress'>,
): MediaStatistics =>
  callStatistics({
    codec,
    localAddress,
    remoteAddress: remote && addressText(remote.address, remote.port),
    received: {
      packets: received,
      ...(received === 0 ? noStream : { loss: lost / (received + lost), jitterMs }),
    },
    sent: { packets: sent, loss: lossThere, jitterMs: jitterThereMs },
    roundTripMs: reported.roundTripMs,
    isHeardThere: reported.isHeardThere,
    isSentThere: reported.isSentThere,
  });

type DirectTerms = Pick<Trunk, 'codecs'> & Encryption;

const openChannel = async (
  offer: string | undefined,
  { codecs, ...encryption }: DirectTerms,
  options: DirectOptions,
) => {
  const { thread, address } = options;
  const channel: RtpChannel = await thread.open(address).catch((cause: unknown) => {
    throw new NoMediaCapacity('No port for the audio of a call is free', { cause });
  });
  const negotiation = createNegotiation({ address, port: channel.port }, encryption, channel.agree);
  try {
    const localSdp =
      offer === undefined ? negotiation.offer(codecs ?? usualCodecs) : negotiation.answer(offer);
    return { channel, negotiation, localSdp };
  } catch (error) {
    channel.close();
    throw error;
  }
};

/**
 * Creates an endpoint that applies the far end's offer, or one that makes an offer. Rejects with
 * `UnsupportedDescription` or `NoMediaCapacity`.
 */
export const createDirectEndpoint = async (
  offer: string | undefined,
  terms: DirectTerms,
  options: DirectOptions,
): Promise<MediaEndpoint> => {
  const { channel, negotiation, localSdp } = await openChannel(offer, terms, options);
  const time = createLineTime(options.clock, 1);
  const fate = createFate();
  const digitListeners: ((digit: string) => void)[] = [];
  let connected: { path: AudioPath; events: AudioEvents } | null = null;

  channel.listen({
    onAudio: (samples) => connected?.events.onAudio(samples),
    onDigit: (digit) => digitListeners.forEach((listener) => listener(digit)),
    onLost() {
      connected?.events.onLost();
      fate.lose(null);
    },
  });

  const watchSilence = (): void => {
    const { silentMs } = channel.statistics();
    if (silentMs !== null && silentMs >= options.rtpTimeoutMs) fate.lose('MEDIA_TIMEOUT');
    if (fate.isStanding()) time.after(lookMs, watchSilence);
  };
  if (options.rtpTimeoutMs > 0) time.after(lookMs, watchSilence);

  const hasTelephoneEvents = (): boolean => (negotiation.agreed()?.dtmfPayloadType ?? null) !== null;

  const destroy = async (): Promise<void> => {
    fate.destroy();
    time.stop();
    connected?.path.close();
    channel.close();
  };

  return {
    channel: () => null,
    bridgeSide: () => null,
    localSdp,
    sampleRate: () => telephoneRate,
    modify: async (remoteSdp) => negotiation.answer(remoteSdp),
    answerEarly: async (remoteSdp) => negotiation.answerEarly(remoteSdp),
    takeAnswer: async (remoteSdp) => negotiation.takeAnswer(remoteSdp),
    async connect(events, sampleRate) {
      if (sampleRate !== telephoneRate) throw new Error(`Only audio at ${telephoneRate} Hz is carried here`);
      const path = createAudioPath(telephoneRate, time);
      path.connect(channel.ring, telephoneRate);
      connected = { path, events };
      return path;
    },
    async press(digits) {
      if (!hasTelephoneEvents()) throw new Error('The far end takes no telephone events');
      channel.press(digits);
    },
    hasTelephoneEvents,
    onDigit: (listener) => void digitListeners.push(listener),
    async statistics() {
      const codec = negotiation.agreed()?.codec ?? null;
      const localAddress = addressText(options.address, channel.port);
      return statisticsOf(await channel.measured(), { codec, localAddress });
    },
    onLost: fate.onLost,
    lose: () => fate.lose(null),
    async leave(audioEnds) {
      fate.destroy();
      await audioEnds;
      await destroy();
    },
    destroy,
  };
};
