import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import { serverGone, takenByOther, type BridgeSide, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { SampleRate } from '#sip/audio/samples.ts';
import {
  answering,
  hasTelephoneEvents,
  isHold,
  packetMsIn,
  audioRateOf,
  voiceIn,
  type PacketMs,
} from '#sip/sdp/media-offer.ts';
import { within } from '../background-tasks.ts';
import { queryChannelStatistics } from './channel-statistics.ts';
import { offerTo, sendBye, type Channel } from './channel.ts';
import type { Commands } from './connection.ts';
import type { FreeSwitch } from './freeswitch.ts';
import {
  ChannelGone,
  ChannelTaken,
  openChannelAudio,
  type Change,
  type ChannelAudio,
} from './channel-audio.ts';
import type { BegunUnicast, UnicastOptions } from './open-unicast.ts';
import { repark } from './repark.ts';

/**
 * Media timeout during a hold in milliseconds. A party that holds a call may be silent for the longest duration of a
 * call.
 */
const heldSilenceMs = 86_400_000;

/**
 * Returns the header that sets the media timeout of a channel that begins with the caller's offer (see
 * config/freeswitch).
 */
export const rtpTimeoutHeader = (rtpTimeoutMs: number): Record<string, string> =>
  rtpTimeoutMs === 0 ? {} : { 'X-Rtp-Timeout': String(rtpTimeoutMs) };

export type EndpointOptions = UnicastOptions & {
  /** Name of the media server. */
  server: string;
  commands: Commands;
  onDigit: FreeSwitch['control']['onDigit'];
  keepAlive: Pick<FreeSwitch['control']['keepAlive'], 'holderOf'>;
  /** Timeout for FreeSWITCH's confirmation of a BYE. */
  answerMs: number;
  /**
   * Time without RTP after which FreeSWITCH ends the channel, counted from the other party's description; 0 for never.
   */
  rtpTimeoutMs: number;
  logger: Logger;
};

/** Returns FreeSWITCH's reason for a BYE (RFC 3326), such as `MEDIA_TIMEOUT`. */
const reasonOf = (bye: Pick<Srf.SrfRequest, 'get'>): string | null => {
  const reason: string | undefined = bye.get('Reason');
  return /;text="?([A-Z_]{1,64})/.exec(reason ?? '')?.[1] ?? null;
};

/** Returns parts of a dialog that are missing in the types of drachtio-srf. */
const dialogIn = (dialog: Srf.Dialog): MediaChannel['dialog'] => {
  const id: unknown = Reflect.get(dialog, 'id');
  const contact: unknown = Reflect.get(dialog.local, 'contact');
  return typeof id === 'string' && typeof contact === 'string' ? { id, contact } : undefined;
};

const lossOf = (error: unknown): string => {
  if (error instanceof ChannelTaken) return takenByOther;
  return error instanceof ChannelGone ? serverGone : 'NO_SOUND';
};

type LossListener = (reason: string | null) => void;

/** Channel state. A lost channel may still exist in FreeSWITCH and must be hung up. */
const createChannelState = () => {
  const listeners: LossListener[] = [];
  let state: 'up' | 'lost' | 'over' | 'left' | 'destroyed' = 'up';
  let lostReason: string | null = null;
  /** Promise that rejects when the endpoint is destroyed. The catch avoids an unhandled rejection. */
  const destroyed = Promise.withResolvers<never>();
  destroyed.promise.catch(() => {});
  const lose = (reason: string | null): void => {
    if (state !== 'up') return;
    state = 'lost';
    lostReason = reason;
    for (const listener of listeners) listener(reason);
  };
  return {
    destroyed: destroyed.promise,
    isUp: (): boolean => state === 'up',
    lose,
    /** Called when FreeSWITCH has ended the channel. */
    end(reason: string | null): void {
      lose(reason);
      if (state === 'lost') state = 'over';
    },
    onLost(listener: LossListener): void {
      if (state === 'lost' || state === 'over') queueMicrotask(() => listener(lostReason));
      else listeners.push(listener);
    },
    /** Marks the channel as left to another process. Its loss is no longer reported. */
    leave(): void {
      if (state !== 'destroyed') state = 'left';
    },
    /** Marks the channel as ended. Returns whether the channel still has to be hung up. */
    destroy(): boolean {
      const mayExist = state === 'up' || state === 'lost';
      state = 'destroyed';
      destroyed.reject(new Error('The endpoint was destroyed'));
      return mayExist;
    },
  };
};

/**
 * Sets the media timeout, which FreeSWITCH reads when it processes a description. FreeSWITCH's separate timeout for
 * held calls is not used, because FreeSWITCH forgets it immediately. The timeout is set because an endpoint that makes
 * the offer begins without one.
 */
const createAudioTimeout = (uuid: string, { commands, rtpTimeoutMs }: EndpointOptions) => {
  let timeoutMs = 0;
  return async (remoteSdp: string): Promise<void> => {
    const next = rtpTimeoutMs === 0 ? 0 : isHold(remoteSdp) ? heldSilenceMs : rtpTimeoutMs;
    if (next === timeoutMs) return;
    await commands.run(`uuid_setvar ${uuid} media_timeout_audio ${next}`);
    timeoutMs = next;
  };
};

type Frames = { codec: TrunkCodec; packetMs: PacketMs };

const framesOf = ({ localSdp, remoteSdp }: Channel): Frames => ({
  codec: voiceIn(localSdp) ?? 'PCMU',
  packetMs: packetMsIn(remoteSdp ?? localSdp),
});

const changeOf = (before: Frames, after: Frames): Change => {
  if (audioRateOf(before.codec) !== audioRateOf(after.codec) || before.packetMs !== after.packetMs)
    return 'frames';
  return before.codec === after.codec ? 'nothing' : 'codec';
};

type FreeSwitchEndpoint = MediaEndpoint & {
  /** Sets the media timeout for a description of the other party that FreeSWITCH processes next. */
  setAudioTimeout(remoteSdp: string): Promise<void>;
};

/** `takenOver`: the unicast of a channel that was taken over. */
export const createMediaEndpoint = (
  channel: Channel,
  options: EndpointOptions,
  takenOver: BegunUnicast | null = null,
): FreeSwitchEndpoint => {
  const { uuid, dialog, localSdp } = channel;
  const { server, commands, answerMs, clock, logger } = options;
  const channelState = createChannelState();
  const digits: ((digit: string) => void)[] = [];
  const stopListening = options.onDigit(uuid, (digit) => {
    for (const listener of digits) listener(digit);
  });
  dialog.on('destroy', (bye) => {
    stopListening();
    channelState.end(reasonOf(bye));
  });

  const setAudioTimeout = createAudioTimeout(uuid, options);
  let audio: 'not connected' | 'connecting' | ChannelAudio = 'not connected';
  /** Unicast of a channel that was taken over, until the audio is connected. */
  let begun = takenOver;
  const closeBegun = (): void => {
    begun?.close();
    begun = null;
  };
  /** Audio that is connected or being connected; `null` before that. */
  let opening: Promise<ChannelAudio> | null = null;
  const parked = framesOf(channel);
  let frames = parked;
  /** Last accepted session description of the other party. */
  let remote = channel.remoteSdp;
  /** Whether FreeSWITCH's last answer contains telephone events, which it does if the far end supports them. */
  let takesTelephoneEvents = hasTelephoneEvents(localSdp);
  /** Whether the other party sends packets of 10 ms regardless of its description. */
  let sendsShort = false;
  /** Frames at the time when the audio moved to a bridge; `null` while the audio is at this process. */
  let detached: Frames | null = channel.isBridged === true ? parked : null;
  const loseAudio = (error: unknown): void => {
    if (!channelState.isUp()) return;
    logger.warn({ err: error }, 'the audio of a channel could not be continued');
    channelState.lose(lossOf(error));
  };
  const describe = async (remoteSdp: string): Promise<string> => {
    // FreeSWITCH's answer contains its earlier packet length, so the other party's description is used.
    const packetMs = sendsShort ? 10 : packetMsIn(remoteSdp);
    const before = frames;
    const isSame = changeOf(before, { codec: voiceIn(remoteSdp) ?? before.codec, packetMs }) === 'nothing';
    // The audio of a channel that was taken over is connected at once.
    const connected = takenOver !== null && opening !== null ? await opening : audio;
    const paused = typeof connected === 'string' || isSame || detached !== null ? null : connected;
    await paused?.pause();
    if (!isSame && begun !== null) {
      await repark(uuid, options);
      closeBegun();
    }
    try {
      const answer = answering(remoteSdp, await offerTo(channel, remoteSdp, packetMs));
      remote = remoteSdp;
      frames = { codec: voiceIn(answer) ?? before.codec, packetMs };
      takesTelephoneEvents = hasTelephoneEvents(answer);
      return answer;
    } finally {
      paused?.resume(changeOf(before, frames)).catch(loseAudio);
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  const inSequence = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const describeInSequence = (remoteSdp: string): Promise<string> => inSequence(() => describe(remoteSdp));
  /**
   * Changes the frame length. If FreeSWITCH read every 20 ms, it would drop half of the audio. The other party is not
   * notified.
   */
  const requestShortPackets = (): void => {
    if (frames.packetMs === 10 || remote === null) return;
    sendsShort = true;
    describeInSequence(remote).catch((error: unknown) =>
      logger.warn({ err: error }, 'a channel rejected packets of 10 ms'),
    );
  };
  const modify = async (remoteSdp: string): Promise<string> => {
    await setAudioTimeout(remoteSdp);
    try {
      return await describeInSequence(remoteSdp);
    } catch (error) {
      if (remote !== null) await setAudioTimeout(remote);
      throw error;
    }
  };
  const detach = (): Promise<void> =>
    inSequence(async () => {
      if (opening === null) throw new Error('The audio of the call is not connected');
      if (detached !== null) return;
      await (await opening).pause();
      detached = frames;
    });
  const attach = (): Promise<void> =>
    inSequence(async () => {
      if (detached === null) return;
      const before = detached;
      detached = null;
      try {
        await repark(uuid, options);
        await (await opening)?.resume(changeOf(before, frames) === 'nothing' ? 'nothing' : 'codec');
      } catch (error) {
        loseAudio(error);
      }
    });
  const side: BridgeSide = { server, uuid, detach, attach };
  return {
    channel: () => ({ server, uuid, dialog: dialogIn(dialog) }),
    bridgeSide: () => (channelState.isUp() && opening !== null && takesTelephoneEvents ? side : null),
    localSdp,
    sampleRate: () => audioRateOf(frames.codec),
    setAudioTimeout,
    modify,
    answerEarly: describeInSequence,
    async takeAnswer(remoteSdp) {
      await modify(remoteSdp);
    },
    async connect(events, callRate) {
      if (audio !== 'not connected') throw new Error('The audio of a call is connected only once');
      audio = 'connecting';
      const codecRate = (): SampleRate => audioRateOf(frames.codec);
      opening = openChannelAudio(uuid, events, {
        ...options,
        callRate,
        codecRate,
        begun,
        change: changeOf(parked, frames),
        isPaused: detached !== null,
        onShortFrames: requestShortPackets,
        onFailed: loseAudio,
        holder: () => options.keepAlive.holderOf(commands, uuid),
        ended: channelState.destroyed,
      });
      begun = null;
      audio = await opening;
      return audio.path;
    },
    async press(keys) {
      if (!takesTelephoneEvents) throw new Error('The far end does not support telephone events');
      await commands.run(`uuid_send_dtmf ${uuid} ${keys}`);
    },
    hasTelephoneEvents: () => takesTelephoneEvents,
    onDigit: (listener) => void digits.push(listener),
    statistics: async () => (channelState.isUp() ? queryChannelStatistics(uuid, commands) : null),
    onLost: channelState.onLost,
    lose: () => channelState.lose(serverGone),
    async leave(audioEnds) {
      stopListening();
      channelState.leave();
      if (audioEnds !== undefined && typeof audio !== 'string')
        await Promise.race([audioEnds, audio.untilEnded()]);
      channelState.destroy();
      closeBegun();
      if (typeof audio !== 'string') audio.path.close();
    },
    async destroy() {
      stopListening();
      closeBegun();
      if (!channelState.destroy()) return;
      try {
        await within(clock, answerMs, 'BYE to FreeSWITCH', sendBye(channel));
      } catch (error) {
        // Either drachtio-server or FreeSWITCH is gone. In the first case, the event socket ends the channel, unless
        // another gateway has taken it over meanwhile.
        if ((await options.keepAlive.holderOf(commands, uuid)) === 'here')
          await commands.api(`uuid_kill ${uuid}`);
        throw error;
      }
    },
  };
};
