import type Mrf from 'drachtio-fsmrf';
import type { MediaEndpoint } from '../../media/endpoint.ts';
import { telephoneRate, type SampleRate } from '../../samples.ts';
import { isHold, soundRateIn } from '../../trunks/media-offer.ts';
import { askChannelFigures } from './channel-figures.ts';
import { openUnicast, type UnicastMeans } from './unicast.ts';

/** Who holds a call may be silent for as long as a call may last. */
const heldSilenceMs = 86_400_000;

/** The header by which a channel that begins with the caller's offer is told its time-out; see config/freeswitch. */
export const rtpTimeoutHeader = (rtpTimeoutMs: number): Record<string, string> =>
  rtpTimeoutMs === 0 ? {} : { 'X-Rtp-Timeout': String(rtpTimeoutMs) };

export type FreeSwitchOptions = UnicastMeans & { server: string; rtpTimeoutMs: number };

/**
 * `server` is its name. `rtpTimeoutMs`: FreeSWITCH ends the channel when no RTP has come for so long, from the moment at which the other side's
 * description is known; 0 for never.
 */
export const createMediaEndpoint = (endpoint: Mrf.Endpoint, options: FreeSwitchOptions): MediaEndpoint => {
  const { server, rtpTimeoutMs } = options;
  // Each command waits 40 ms otherwise: Nagle's algorithm here against delayed acknowledgements there.
  endpoint.conn?.socket?.setNoDelay(true);
  const listeners: ((reason: string | null) => void)[] = [];
  let state: 'standing' | 'lost' | 'destroyed' = 'standing';
  let lostBecause: string | null = null;
  const lose = (reason: string | null): void => {
    if (state !== 'standing') return;
    state = 'lost';
    lostBecause = reason;
    for (const listener of listeners) listener(reason);
  };
  endpoint.once('destroy', (end?: { reason?: string }) => lose(end?.reason ?? null));

  /** It is destroyed; nobody may be waiting for that. */
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  let isConnected = false;
  let sampleRate: SampleRate = soundRateIn(endpoint.local.sdp) ?? telephoneRate;
  let timeoutMs = 0;
  /**
   * FreeSWITCH looks at the time-out when it takes a description. It knows one for calls on hold, too, and forgets it at
   * once. That of audio, because an endpoint that makes the offer begins with it set to never.
   */
  const expectSound = async (remoteSdp: string): Promise<void> => {
    const next = rtpTimeoutMs === 0 ? 0 : isHold(remoteSdp) ? heldSilenceMs : rtpTimeoutMs;
    if (next === timeoutMs) return;
    timeoutMs = next;
    await endpoint.api('uuid_setvar', [endpoint.uuid, 'media_timeout_audio', String(next)]);
  };
  const modify = async (remoteSdp: string): Promise<string> => {
    await expectSound(remoteSdp);
    // drachtio-fsmrf would ask for all variables of the channel afterwards, which nobody needs.
    const answer = await endpoint.dialog.modify(remoteSdp);
    sampleRate = soundRateIn(answer) ?? sampleRate;
    return answer;
  };
  return {
    channel: { server, uuid: endpoint.uuid },
    localSdp: endpoint.local.sdp,
    sampleRate: () => sampleRate,
    modify,
    async takeAnswer(remoteSdp) {
      await modify(remoteSdp);
    },
    async connect(events, callRate) {
      if (isConnected) throw new Error('The sound of a call is connected once');
      isConnected = true;
      return openUnicast(endpoint.conn, events, {
        ...options,
        callRate,
        codecRate: () => sampleRate,
        ended: ended.promise,
      });
    },
    async press(keys) {
      const { body } = await endpoint.api('uuid_send_dtmf', [endpoint.uuid, keys]);
      if (!body.startsWith('+OK')) throw new Error('FreeSWITCH did not take the keys');
    },
    onDigit(listener) {
      endpoint.on('dtmf', ({ dtmf }: { dtmf?: string }) => {
        if (dtmf !== undefined && /^[0-9*#A-D]$/.test(dtmf)) listener(dtmf);
      });
    },
    figures: async () => (state === 'standing' ? askChannelFigures(endpoint) : null),
    onLost(listener) {
      if (state === 'lost') queueMicrotask(() => listener(lostBecause));
      else listeners.push(listener);
    },
    lose: () => lose(null),
    async destroy() {
      state = 'destroyed';
      ended.reject(new Error('The sound of the call is not wanted any more'));
      await endpoint.destroy();
    },
  };
};
