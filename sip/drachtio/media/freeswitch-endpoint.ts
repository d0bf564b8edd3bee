import type Srf from 'drachtio-srf';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import type { SampleRate } from '../../samples.ts';
import { answering, hasTelephoneEvents, isHold, soundRateOf, voiceIn } from '../../trunks/media-offer.ts';
import { within } from '../background-tasks.ts';
import { askChannelFigures } from './channel-figures.ts';
import { sayBye, type Channel } from './channel.ts';
import type { ChannelKeys } from './event-socket/channel-keys.ts';
import type { Commands } from './event-socket/commands.ts';
import { openChannelSound, type ChannelSound } from './channel-sound.ts';
import type { UnicastMeans } from './open-unicast.ts';

/** Who holds a call may be silent for as long as a call may last. */
const heldSilenceMs = 86_400_000;

/** The header by which a channel that begins with the caller's offer is told its time-out; see config/freeswitch. */
export const rtpTimeoutHeader = (rtpTimeoutMs: number): Record<string, string> =>
  rtpTimeoutMs === 0 ? {} : { 'X-Rtp-Timeout': String(rtpTimeoutMs) };

export type FreeSwitchOptions = UnicastMeans & {
  /** Its name. */
  server: string;
  commands: Commands;
  keys: Pick<ChannelKeys, 'listen'>;
  /** How long FreeSWITCH may take to confirm a BYE. */
  answerMs: number;
  /**
   * FreeSWITCH ends the channel when no RTP has come for so long, from the moment at which the other side's description is
   * known; 0 for never.
   */
  rtpTimeoutMs: number;
};

/** Why FreeSWITCH says BYE (RFC 3326), such as `MEDIA_TIMEOUT`. */
const reasonOf = (bye: Pick<Srf.SrfRequest, 'get'>): string | null => {
  const reason: string | undefined = bye.get('Reason');
  return /;text="?([A-Z_]{1,64})/.exec(reason ?? '')?.[1] ?? null;
};

/** Parts of a dialog that the types of drachtio-srf leave out. */
const dialogIn = (dialog: Srf.Dialog): MediaChannel['dialog'] => {
  const id: unknown = Reflect.get(dialog, 'id');
  const contact: unknown = Reflect.get(dialog.local, 'contact');
  return typeof id === 'string' && typeof contact === 'string' ? { id, contact } : undefined;
};

type Ending = (reason: string | null) => void;

/** Whether the channel stands. One that is lost may stand and must be ended all the same. */
const createFate = () => {
  const listeners: Ending[] = [];
  let state: 'standing' | 'lost' | 'over' | 'destroyed' = 'standing';
  let lostBecause: string | null = null;
  /** It is destroyed; nobody may be waiting for that. */
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
    /** FreeSWITCH has ended it. */
    end(reason: string | null): void {
      lose(reason);
      if (state === 'lost') state = 'over';
    },
    onLost(listener: Ending): void {
      if (state === 'lost' || state === 'over') queueMicrotask(() => listener(lostBecause));
      else listeners.push(listener);
    },
    /** Returns whether there is something to be ended. */
    destroy(): boolean {
      const stood = state === 'standing' || state === 'lost';
      state = 'destroyed';
      destroyed.reject(new Error('The sound of the call is not wanted any more'));
      return stood;
    },
  };
};

/**
 * FreeSWITCH looks at the time-out when it takes a description. It knows one for calls on hold, too, and forgets it at
 * once. That of audio, because an endpoint that makes the offer begins with it set to never.
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

export const createMediaEndpoint = (channel: Channel, options: FreeSwitchOptions): MediaEndpoint => {
  const { uuid, dialog, localSdp } = channel;
  const { server, commands, answerMs, clock } = options;
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
  let codec = voiceIn(localSdp) ?? 'PCMU';
  let hasOtherCodec = false;
  /** Its last answer names telephone events where the far end does. */
  let described = localSdp;
  const goOnWith = (next: TrunkCodec): void => {
    const isOther = next !== codec;
    codec = next;
    hasOtherCodec ||= isOther;
    if (isOther && typeof sound === 'object') sound.renew().catch(() => fate.lose('CODEC_CHANGE'));
  };
  const describe = async (remoteSdp: string): Promise<string> => {
    const answer = answering(remoteSdp, await dialog.modify(remoteSdp));
    goOnWith(voiceIn(answer) ?? codec);
    described = answer;
    return answer;
  };
  const modify = async (remoteSdp: string): Promise<string> => {
    await expectSound(remoteSdp);
    return describe(remoteSdp);
  };
  return {
    channel: () => ({ server, uuid, dialog: dialogIn(dialog) }),
    localSdp,
    sampleRate: () => soundRateOf(codec),
    modify,
    answerEarly: describe,
    async takeAnswer(remoteSdp) {
      await modify(remoteSdp);
    },
    async connect(events, callRate) {
      if (sound !== 'not connected') throw new Error('The sound of a call is connected once');
      sound = 'connecting';
      const codecRate = (): SampleRate => soundRateOf(codec);
      sound = await openChannelSound(uuid, events, {
        ...options,
        callRate,
        codecRate,
        hasOtherCodec,
        ended: fate.destroyed,
      });
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
        // drachtio-server is gone, or FreeSWITCH: one of them knows of it.
        await commands.api(`uuid_kill ${uuid}`);
        throw error;
      }
    },
  };
};
