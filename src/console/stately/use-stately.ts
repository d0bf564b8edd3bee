/** Connects the gateway's websocket of actor messages with the Stately inspector. */
import { useEffect, useRef, useState } from 'preact/hooks';

const origin = 'https://stately.ai';

export const statelyAddress = `${origin}/inspect`;

/** Time in milliseconds without a response after which the page reports that stately.ai cannot be reached. */
const patienceMs = 3_000;

/**
 * Whether the browser can reach stately.ai. Any response shows it; the content is hidden, because it comes from another
 * origin. A response that arrives late still counts.
 */
export const useReachable = (): 'looking' | 'yes' | 'no' => {
  const [found, setFound] = useState<'looking' | 'yes' | 'no'>(navigator.onLine ? 'looking' : 'no');
  useEffect(() => {
    const over = new AbortController();
    const patience = setTimeout(() => setFound('no'), patienceMs);
    const look = async (): Promise<void> => {
      try {
        await fetch(statelyAddress, { mode: 'no-cors', credentials: 'omit', signal: over.signal });
        setFound('yes');
      } catch {
        if (!over.signal.aborted) setFound('no');
      }
      clearTimeout(patience);
    };
    void look();
    return () => {
      over.abort();
      clearTimeout(patience);
    };
  }, []);
  return found;
};

export type Wanted = { token: string; call: string };

/** `refused`: the token is invalid, or the call is not in progress. */
export type Link = { is: 'none' | 'joining' | 'open' | 'refused' } | { is: 'over'; reason: string };

const addressOf = ({ token, call }: Wanted): URL => {
  const address = new URL('/inspect', location.href.replace(/^http/, 'ws'));
  address.hash = '';
  // Each chart has about 30 kB, and every call has several.
  address.searchParams.set('definitions', 'once');
  if (token !== '') address.searchParams.set('token', token);
  if (call !== '') address.searchParams.set('call', call);
  return address;
};

/** Close code of a connection that the gateway has not accepted. */
const notAccepted = 1_006;

const isAnnouncement = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === '@statelyai.connected';

const isOfStately = (message: unknown): message is object =>
  typeof message === 'object' &&
  message !== null &&
  'type' in message &&
  typeof message.type === 'string' &&
  message.type.startsWith('@xstate.');

/** Returns messages as the Stately inspector reads them: each actor has the definition of its chart. */
const createDefinitions = (): ((message: object) => object) => {
  const known = new Map<unknown, unknown>();
  return (message) => {
    if (!('definitionNumber' in message)) return message;
    const { definitionNumber, ...rest } = message;
    if ('definition' in rest) known.set(definitionNumber, rest.definition);
    return { ...rest, definition: known.get(definitionNumber) };
  };
};

export type Stately = {
  link: Link;
  /** Whether the inspector has received a message of a call. */
  hasMessages: boolean;
  /** Whether the inspector is in a window instead of the frame. */
  isInWindow: boolean;
  frame: { current: HTMLIFrameElement | null };
  /** Opens the inspector in a window. Returns false if the browser blocks it. */
  openWindow(): boolean;
};

/**
 * State of the inspector. The websocket is open only while an inspector listens, so that no messages wait for one; the
 * gateway first sends the current actors.
 */
export const useStately = (wanted: Wanted | null): Stately => {
  const frame = useRef<HTMLIFrameElement>(null);
  const popup = useRef<Window | null>(null);
  const [isInWindow, setInWindow] = useState(false);
  const [listener, setListener] = useState<Window | null>(null);
  const [link, setLink] = useState<Link>({ is: 'none' });
  const [hasMessages, setHasMessages] = useState(false);

  useEffect(() => {
    const hear = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
      if (from !== origin || !isAnnouncement(data)) return;
      const known = [popup.current, frame.current?.contentWindow ?? null];
      const announced = known.find((one) => one !== null && one === source);
      if (announced !== undefined) setListener(announced);
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);

  useEffect(() => {
    setHasMessages(false);
    setLink({ is: 'none' });
    if (listener === null || wanted === null) return undefined;
    const socket = new WebSocket(addressOf(wanted));
    const withDefinition = createDefinitions();
    let isGone = false;
    setLink({ is: 'joining' });
    socket.addEventListener('open', () => setLink({ is: 'open' }));
    socket.addEventListener('message', ({ data }) => {
      const message: unknown = JSON.parse(String(data));
      // The Stately inspector does not know the gateway's own mark of skipped messages.
      if (!isOfStately(message)) return;
      listener.postMessage(withDefinition(message), origin);
      setHasMessages(true);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (!isGone) setLink(code === notAccepted ? { is: 'refused' } : { is: 'over', reason });
    });
    return () => {
      isGone = true;
      socket.close();
    };
  }, [listener, wanted]);

  return {
    link,
    hasMessages,
    isInWindow,
    frame,
    openWindow() {
      const opened = open(statelyAddress, 'trunkline-inspector');
      if (opened === null) return false;
      popup.current = opened;
      // The new inspector announces itself, and then receives the current actors.
      setListener(null);
      setInWindow(true);
      return true;
    },
  };
};
