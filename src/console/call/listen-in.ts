/** Listening to a call in progress: the websocket that brings its sound, and the speaker that plays it. */
import { useEffect, useState } from 'preact/hooks';
import type { ListenInState, ToWhoListens } from '#src/domain/listen-in.ts';
import { openSpeaker } from '../phone/speaker.ts';

/** `lost`: the connection is gone, or was refused; `unheard`: this browser plays no sound. */
export type Listening = 'off' | 'opening' | 'lost' | 'unheard' | ListenInState;

/** Both parties at once: what comes are two channels by turns. */
const mixed = (bytes: ArrayBuffer): Int16Array<ArrayBuffer> => {
  const both = new Int16Array(bytes);
  const result = new Int16Array(both.length / 2);
  for (let index = 0; index < result.length; index += 1) {
    const sum = (both[2 * index] ?? 0) + (both[2 * index + 1] ?? 0);
    result[index] = Math.max(-32_768, Math.min(32_767, sum));
  }
  return result;
};

const normalEnd = 1_000;

/** Until the returned function is called. */
const listen = (callId: string, onChange: (now: Listening) => void): (() => void) => {
  const over = new AbortController();
  const { signal } = over;
  const run = async (): Promise<void> => {
    onChange('opening');
    // The browser lets a page sound when a person has just asked it to.
    const speaker = await openSpeaker().catch(() => undefined);
    if (speaker === undefined) return onChange('unheard');
    if (signal.aborted) return speaker.close();
    const url = new URL(`/api/v1/admin/listen?${new URLSearchParams({ call: callId })}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url, 'trunkline.listen');
    socket.binaryType = 'arraybuffer';
    // The gateway's own tests hold what it says against the type.
    const take = ({ data }: MessageEvent<unknown>): void => {
      if (data instanceof ArrayBuffer) speaker.play(mixed(data));
      else onChange((JSON.parse(String(data)) as ToWhoListens).state);
    };
    socket.addEventListener('message', take, { signal });
    socket.addEventListener('close', ({ code }) => {
      speaker.close();
      if (!signal.aborted) onChange(code === normalEnd ? 'off' : 'lost');
    });
    signal.addEventListener('abort', () => socket.close());
    return undefined;
  };
  void run();
  return () => {
    over.abort();
    onChange('off');
  };
};

/** Whether somebody listens, and what begins and ends it; it ends with the page. */
export const useListenIn = (callId: string): { state: Listening; begin: () => void; end: () => void } => {
  const [state, setState] = useState<Listening>('off');
  const [stop, setStop] = useState<() => void>();
  useEffect(() => stop, [stop]);
  return {
    state,
    begin: () => setStop(() => listen(callId, setState)),
    end: () => setStop(undefined),
  };
};
