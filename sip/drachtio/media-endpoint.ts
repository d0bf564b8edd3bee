import type Mrf from 'drachtio-fsmrf';

/** A call's place on the media server. */
export type MediaEndpoint = {
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
  /** The channel has ended, or is given up, although nobody here ended it. */
  onLost(listener: () => void): void;
  /** Its media server does not answer any more: as if the channel had ended. */
  lose(): void;
  destroy(): Promise<void>;
};

export const createMediaEndpoint = (endpoint: Mrf.Endpoint): MediaEndpoint => {
  // Each command waits 40 ms otherwise: Nagle's algorithm here against delayed acknowledgements there.
  endpoint.conn?.socket?.setNoDelay(true);
  const listeners: (() => void)[] = [];
  let state: 'standing' | 'lost' | 'destroyed' = 'standing';
  const lose = (): void => {
    if (state !== 'standing') return;
    state = 'lost';
    for (const listener of listeners) listener();
  };
  endpoint.once('destroy', lose);
  return {
    localSdp: endpoint.local.sdp,
    modify: (remoteSdp) => endpoint.modify(remoteSdp),
    async takeAnswer(remoteSdp) {
      await endpoint.modify(remoteSdp);
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
      if (state === 'lost') queueMicrotask(listener);
      else listeners.push(listener);
    },
    lose,
    async destroy() {
      state = 'destroyed';
      await endpoint.destroy();
    },
  };
};

/** The same endpoint; when it is destroyed, which every call does in the end, `leave` is called too. */
export const leavingWith = (endpoint: MediaEndpoint, leave: () => void): MediaEndpoint => ({
  ...endpoint,
  destroy() {
    leave();
    return endpoint.destroy();
  },
});
