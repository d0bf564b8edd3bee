import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import type { BridgeSide, MediaEndpoint } from '../../media/media-endpoint.ts';
import type { SampleRate } from '../../samples.ts';
import {
  answering,
  hasTelephoneEvents,
  isHold,
  packetMsIn,
  soundRateOf,
  voiceIn,
  type PacketMs,
} from '../../trunks/media-offer.ts';
import { within } from '../background-tasks.ts';
import { askChannelFigures } from './channel-figures.ts';
import { offerTo, sayBye, type Channel } from './channel.ts';
import type { ChannelKeys } from './event-socket/channel-keys.ts';
import type { Commands } from './event-socket/commands.ts';
import { openChannelSound, type Change, type ChannelSound } from './channel-sound.ts';
import type { UnicastMeans } from './open-unicast.ts';
import { repark } from './repark.ts';

/** A party that holds a call may be silent for the longest duration of a call. */
const heldSilenceMs = 86_400_000;

/** Header that sets the media timeout of a channel that begins with the caller's offer; see config/freeswitch. */
export const rtpTimeoutHeader = (rtpTimeoutMs: number): Record<string, string> =>
  rtpTimeoutMs === 0 ? {} : { 'X-Rtp-Timeout': String(rtpTimeoutMs) };

export type FreeSwitchOptions = UnicastMeans & {
  /** Name of the server. */
  server: string;
  commands: Commands;
  keys: Pick<ChannelKeys, 'listen'>;
  /** Timeout for FreeSWITCH's confirmation of a BYE. */
  answerMs: number;
  /**
   * FreeSWITCH ends the channel after this time without RTP, counted from the other party's description; 0 for never.
   */
  rtpTimeoutMs: number;
  logger: Logger;
};

/** FreeSWITCH's reason for a BYE (RFC 3326), such as `MEDIA_TIMEOUT`. */
const reasonOf = (bye: Pick<Srf.SrfRequest, 'get'>): string | null => {
  const reason: string | undefined = bye.get('Reason');
  return /;text="?([A-Z_]{1,64})/.exec(reason ?? '')?.[1] ?? null;
};

/** Parts of a dialog that the drachtio-srf types lack. */
const dialogIn = (dialog: Srf.Dialog): MediaChannel['dialog'] => {
  const id: unknown = Reflect.get(dialog, 'id');
  const contact: unknown = Reflect.get(dialog.local, 'contact');
  return typeof id === 'string' && typeof contact === 'string' ? { id, contact } : undefined;
};

type Ending = (reason: string | null) => void;

/** Channel state. A lost channel may still exist in FreeSWITCH and must be hung up. */
const createFate = () => {
  const listeners: Ending[] = [];
  let state: 'standing' | 'lost' | 'over' | 'destroyed' = 'standing';
  let lostBecause: string | null = null;
  /** Rejects when the endpoint is destroyed; the catch avoids an unhandled rejection. */
  const destroyed = Promise.withResolvers<never>();
  destroyed.promise.catch(() => {});
  const lose = (reason: string | null): void => {
    if (state !== 'standing') return;
    state = 'lost';
    lostBecause = reason;
    for (const listener of listeners) listener(reason);
  };
  return {
    destroyed: destroyed.promise,
    isStanding: (): boolean => state === 'standing',
    lose,
    /** FreeSWITCH has ended the channel. */
    end(reason: string | null): void {
      lose(reason);
      if (state === 'lost') state = 'over';
    },
    onLost(listener: Ending): void {
      if (state === 'lost' || state === 'over') queueMicrotask(() => listener(lostBecause));
      else listeners.push(listener);
    },
    /** Returns whether the channel must be hung up. */
    destroy(): boolean {
      const stood = state === 'standing' || state === 'lost';
      state = 'destroyed';
      destroyed.reject(new Error('The sound of the call is not wanted any more'));
      return stood;
    },
  };
};

/**
 * FreeSWITCH reads the timeout when it processes a description. It also has a timeout for held calls, but forgets it
 * immediately. The audio timeout is set because an endpoint that makes the offer begins without a timeout.
 */
const createSoundTimeout = (uuid: string, { commands, rtpTimeoutMs }: FreeSwitchOptions) => {
  let timeoutMs = 0;
  return async (remoteSdp: string): Promise<void> => {
    const next = rtpTimeoutMs === 0 ? 0 : isHold(remoteSdp) ? heldSilenceMs : rtpTimeoutMs;
    if (next === timeoutMs) return;
    timeoutMs = next;
    await commands.api(`uuid_setvar ${uuid} media_timeout_audio ${next}`);
  };
};

type Frames = { codec: TrunkCodec; packetMs: PacketMs };

const framesOf = ({ localSdp, remoteSdp }: Channel): Frames => ({
  codec: voiceIn(localSdp) ?? 'PCMU',
  packetMs: packetMsIn(remoteSdp ?? localSdp),
});

const changeOf = (before: Frames, after: Frames): Change => {
  if (soundRateOf(before.codec) !== soundRateOf(after.codec) || before.packetMs !== after.packetMs)
    return 'frames';
  return before.codec === after.codec ? 'nothing' : 'codec';
};

export const createMediaEndpoint = (channel: Channel, options: FreeSwitchOptions): MediaEndpoint => {
  const { uuid, dialog, localSdp } = channel;
  const { server, commands, answerMs, clock, logger } = options;
  const fate = createFate();
  const digits: ((digit: string) => void)[] = [];
  const stopListening = options.keys.listen(uuid, (digit) => {
    for (const listener of digits) listener(digit);
  });
  dialog.on('destroy', (bye) => {
    stopListening();
    fate.end(reasonOf(bye));
  });

  const expectSound = createSoundTimeout(uuid, options);
  let sound: 'not connected' | 'connecting' | ChannelSound = 'not connected';
  /** Audio that is connected or being connected; `null` before. */
  let opening: Promise<ChannelSound> | null = null;
  const parked = framesOf(channel);
  let now = parked;
  /** Last accepted description of the other party. */
  let remote = channel.remoteSdp;
  /** FreeSWITCH's last answer contains telephone events if the far end supports them. */
  let described = localSdp;
  /** The other party sends packets of 10 ms regardless of its description. */
  let sendsShort = false;
  /** Frames at the time its audio moved to a bridge; `null` while its audio is here. */
  let detached: Frames | null = channel.isBridged === true ? parked : null;
  const loseSound = (error: unknown): void => {
    if (!fate.isStanding()) return;
    logger.warn({ err: error }, 'the sound of a channel does not go on');
    fate.lose('NO_SOUND');
  };
  const describe = async (remoteSdp: string): Promise<string> => {
    // FreeSWITCH's answer contains its earlier packet length, so the other party's description is used.
    const packetMs = sendsShort ? 10 : packetMsIn(remoteSdp);
    const before = now;
    const isSame = changeOf(before, { codec: voiceIn(remoteSdp) ?? before.codec, packetMs }) === 'nothing';
    const paused = typeof sound === 'string' || isSame || detached !== null ? null : sound;
    await paused?.pause();
    try {
      const answer = answering(remoteSdp, await offerTo(channel, remoteSdp, packetMs));
      remote = remoteSdp;
      now = { codec: voiceIn(answer) ?? before.codec, packetMs };
      described = answer;
      return answer;
    } finally {
      paused?.resume(changeOf(before, now)).catch(loseSound);
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const describeInTurn = (remoteSdp: string): Promise<string> => inTurn(() => describe(remoteSdp));
  /** If FreeSWITCH read every 20 ms, it would drop half of the audio. The other party is not notified. */
  const takeShortPackets = (): void => {
    if (now.packetMs === 10 || remote === null) return;
    sendsShort = true;
    describeInTurn(remote).catch((error: unknown) =>
      logger.warn({ err: error }, 'a channel does not take packets of 10 ms'),
    );
  };
  const modify = async (remoteSdp: string): Promise<string> => {
    await expectSound(remoteSdp);
    return describeInTurn(remoteSdp);
  };
  const detach = (): Promise<void> =>
    inTurn(async () => {
      if (opening === null) throw new Error('The audio of the call is not connected');
      if (detached !== null) return;
      await (await opening).pause();
      detached = now;
    });
  const attach = (): Promise<void> =>
    inTurn(async () => {
      if (detached === null) return;
      const before = detached;
      detached = null;
      try {
        await repark(uuid, options);
        await (await opening)?.resume(changeOf(before, now) === 'nothing' ? 'nothing' : 'codec');
      } catch (error) {
        loseSound(error);
      }
    });
  const side: BridgeSide = { server, uuid, detach, attach };
  return {
    channel: () => ({ server, uuid, dialog: dialogIn(dialog) }),
    bridgeSide: () => (fate.isStanding() && opening !== null && hasTelephoneEvents(described) ? side : null),
    localSdp,
    sampleRate: () => soundRateOf(now.codec),
    modify,
    answerEarly: describeInTurn,
    async takeAnswer(remoteSdp) {
      await modify(remoteSdp);
    },
    async connect(events, callRate) {
      if (sound !== 'not connected') throw new Error('The sound of a call is connected once');
      sound = 'connecting';
      const codecRate = (): SampleRate => soundRateOf(now.codec);
      opening = openChannelSound(uuid, events, {
        ...options,
        callRate,
        codecRate,
        change: changeOf(parked, now),
        isPaused: detached !== null,
        onShortFrames: takeShortPackets,
        onFailed: loseSound,
        ended: fate.destroyed,
      });
      sound = await opening;
      return sound.path;
    },
    async press(keys) {
      if (!hasTelephoneEvents(described)) throw new Error('The far end takes no telephone events');
      await commands.run(`uuid_send_dtmf ${uuid} ${keys}`);
    },
    hasTelephoneEvents: () => hasTelephoneEvents(described),
    onDigit: (listener) => void digits.push(listener),
    figures: async () => (fate.isStanding() ? askChannelFigures(uuid, commands) : null),
    onLost: fate.onLost,
    lose: () => fate.lose(null),
    async leave() {
      stopListening();
      fate.destroy();
    },
    async destroy() {
      stopListening();
      if (!fate.destroy()) return;
      try {
        await within(clock, answerMs, 'BYE to FreeSWITCH', sayBye(channel));
      } catch (error) {
        // Either drachtio-server or FreeSWITCH is gone; in the first case the event socket ends the channel.
        await commands.api(`uuid_kill ${uuid}`);
        throw error;
      }
    },
  };
};
