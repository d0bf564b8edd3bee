/** Button for listening to a call in progress: a websocket receives the call's audio and a speaker plays it. */
import { isConnectionLost } from '../connection.ts';
import { texts } from '../language/language.ts';
import { GatewayButton } from '../parts/action.tsx';
import { useEffect, useState } from 'preact/hooks';
import type { ListenInState, ToWhoListens } from '#src/domain/listen-in.ts';
import { openSpeaker } from '../phone/speaker.ts';

/** State of listening. `lost`: the connection was lost or refused. `unheard`: this browser cannot play audio. */
type Listening = 'off' | 'opening' | 'lost' | 'unheard' | ListenInState;

/** Mixes the audio of both parties, which arrives as two interleaved channels. */
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

/** Listens until the returned function is called. */
const listen = (callId: string, onChange: (now: Listening) => void): (() => void) => {
  const over = new AbortController();
  const { signal } = over;
  const run = async (): Promise<void> => {
    onChange('opening');
    // The speaker is opened directly after the click, because browsers otherwise do not let a page play audio.
    const speaker = await openSpeaker().catch(() => undefined);
    if (speaker === undefined) return onChange('unheard');
    if (signal.aborted) return speaker.close();
    const url = new URL(`/api/v1/admin/listen?${new URLSearchParams({ call: callId })}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url, 'trunkline.listen');
    socket.binaryType = 'arraybuffer';
    // The cast is safe: the gateway's tests check its messages against the type.
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

/** Returns the state of listening, and functions that begin and end it. Listening ends when the page closes. */
const useListenIn = (callId: string): { state: Listening; begin: () => void; end: () => void } => {
  const [state, setState] = useState<Listening>('off');
  const [stop, setStop] = useState<() => void>();
  useEffect(() => stop, [stop]);
  return {
    state,
    begin: () => setStop(() => listen(callId, setState)),
    end: () => setStop(undefined),
  };
};

const isOn = (state: Listening): boolean => state !== 'off' && state !== 'lost' && state !== 'unheard';

/** Button for a call whose number allows admins to listen in. */
export const ListenInButton = ({ callId }: { callId: string }) => {
  const t = texts.value.calls.one.listenIn;
  const { state, begin, end } = useListenIn(callId);
  return (
    <span class="action">
      <GatewayButton aria-pressed={isOn(state)} onClick={isOn(state) ? end : begin}>
        {t.listen}
      </GatewayButton>
      <span role="status" class={state === 'lost' || state === 'unheard' ? 'error' : 'fine'}>
        {state !== 'off' && !(state === 'lost' && isConnectionLost.value) && t.state[state]}
      </span>
    </span>
  );
};
