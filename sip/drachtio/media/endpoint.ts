import type Mrf from 'drachtio-fsmrf';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import { isHold } from '../../trunks/media-offer.ts';

/** A call's place on the media server. */
export type MediaEndpoint = {
  readonly channel: MediaChannel;
  /** Its offer, or its answer to the caller's offer. */
  readonly localSdp: string;
  /** Takes the other party's offer in; resolves with its own answer. */
  modify(remoteSdp: string): Promise<string>;
  /** Takes the other party's answer to an offer of this endpoint in. */
  takeAnswer(remoteSdp: string): Promise<void>;
  /** Connects the sound of the call with the websocket behind this URL, both ways at 8000 Hz. */
  fork(url: string, name: string): Promise<void>;
  /** Sends keys as RFC 4733 events, or as the call's media has it; `w` pauses for half a second. */
  press(keys: string): Promise<void>;
  onDigit(listener: (digit: string) => void): void;
  /** The channel has ended, or is given up, although nobody here ended it; with FreeSWITCH's reason, where it gives one. */
  onLost(listener: (reason: string | null) => void): void;
  /** Its media server does not answer any more: as if the channel had ended. */
  lose(): void;
  destroy(): Promise<void>;
};

/** Who holds a call may be silent for as long as a call may last. */
const heldSilenceMs = 86_400_000;

/** The header by which a channel that begins with the caller's offer is told its time-out; see config/freeswitch. */
export const rtpTimeoutHeader = (rtpTimeoutMs: number): Record<string, string> =>
  rtpTimeoutMs === 0 ? {} : { 'X-Rtp-Timeout': String(rtpTimeoutMs) };

/**
 * `server` is its name. `rtpTimeoutMs`: FreeSWITCH ends the channel when no RTP has come for so long, from the moment at which the other side's
 * description is known; 0 for never.
 */
export const createMediaEndpoint = (
  endpoint: Mrf.Endpoint,
  { server, rtpTimeoutMs }: { server: string; rtpTimeoutMs: number },
): MediaEndpoint => {
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
    return endpoint.modify(remoteSdp);
  };
  return {
    channel: { server, uuid: endpoint.uuid },
    localSdp: endpoint.local.sdp,
    modify,
    async takeAnswer(remoteSdp) {
      await modify(remoteSdp);
    },
    fork: (url, name) =>
      endpoint.forkAudioStart({
        wsUrl: url,
        bugname: name,
        mixType: 'mono',
        sampling: '8000',
        metadata: { call: name },
        bidirectionalAudio: { enabled: 'true', streaming: 'true', sampleRate: '8000' },
      }),
    async press(keys) {
      const { body } = await endpoint.api('uuid_send_dtmf', [endpoint.uuid, keys]);
      if (!body.startsWith('+OK')) throw new Error('FreeSWITCH did not take the keys');
    },
    onDigit(listener) {
      endpoint.on('dtmf', ({ dtmf }: { dtmf?: string }) => {
        if (dtmf !== undefined && /^[0-9*#A-D]$/.test(dtmf)) listener(dtmf);
      });
    },
    onLost(listener) {
      if (state === 'lost') queueMicrotask(() => listener(lostBecause));
      else listeners.push(listener);
    },
    lose: () => lose(null),
    async destroy() {
      state = 'destroyed';
      await endpoint.destroy();
    },
  };
};

/** The same endpoint; when it is destroyed, which every call does in the end, `release` is called too. */
export const releasingWith = (endpoint: MediaEndpoint, release: () => void): MediaEndpoint => ({
  ...endpoint,
  destroy() {
    release();
    return endpoint.destroy();
  },
});
