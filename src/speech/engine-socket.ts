/** A websocket connection to an engine. A connection opens once, and fails or is closed once. */
import { WebSocket } from 'ws';
import { brokenOff, EngineFailure, EngineRefusal, unreachable } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';

const maxMessageBytes = 1024 * 1024;
/** Time limit of the closing handshake. */
const goodbyeMs = 1_000;

export type EngineAddress = {
  /** Name of the engine in errors. */
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
};

/** Callbacks, which are not called after a failure or a local close. */
export type EngineSocketEvents = {
  opened(): void;
  /** Called with a message of the engine; `undefined` for a message that is not JSON. */
  received(message: unknown): void;
  /** Called when a message has left the process, so that `waitingBytes` has decreased. */
  left?(): void;
  failed(error: Error): void;
};

export type EngineSocket = {
  /** Sends a message. Messages before the connection is open, and after it is closed, are dropped. */
  send(message: string | Buffer): void;
  isOver(): boolean;
  /** Whether the server is closing the connection. Messages are then dropped, and the failure follows. */
  isLeaving(): boolean;
  /** Returns the number of bytes that were sent but have not left this machine yet. */
  waitingBytes(): number;
  fail(error: Error): void;
  /** Sends this message and waits briefly for the server to close. Idempotent. */
  close(goodbye: string): void;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const open = ({ url, headers }: EngineAddress): WebSocket =>
  new WebSocket(url, { headers: { ...headers }, perMessageDeflate: false, maxPayload: maxMessageBytes });

export const openEngineSocket = (
  { clock, limits }: Pick<EngineWorld, 'clock' | 'limits'>,
  address: EngineAddress,
  events: EngineSocketEvents,
): EngineSocket => {
  const { name } = address;
  const socket = open(address);
  let state: 'connecting' | 'open' | 'over' = 'connecting';
  const connecting = clock.setTimeout(
    () => fail(new EngineFailure(`${name} could not be reached in time`)),
    limits.connectMs,
  );

  const end = (): void => {
    state = 'over';
    clock.clearTimeout(connecting);
  };

  const fail = (error: Error): void => {
    if (state === 'over') return;
    end();
    socket.terminate();
    events.failed(error);
  };

  const isOpen = (): boolean => state === 'open' && socket.readyState === WebSocket.OPEN;

  // Errors are ignored here, because the socket itself reports a failed send.
  const left = (): void => {
    if (isOpen()) events.left?.();
  };

  const send = (message: string | Buffer): void => {
    if (isOpen()) socket.send(message, left);
  };

  socket.on('open', () => {
    if (state === 'over') return;
    state = 'open';
    clock.clearTimeout(connecting);
    events.opened();
  });
  socket.on('unexpected-response', (request, response) => {
    request.destroy();
    fail(new EngineRefusal(name, response.statusCode ?? 0));
  });
  socket.on('error', (error) => fail(state === 'open' ? brokenOff(name, error) : unreachable(name, error)));
  socket.on('close', (code) => fail(new EngineFailure(`${name} ended the connection (${code})`)));
  socket.on('message', (data, isBinary) => {
    if (state === 'over') return;
    // By default, ws delivers one Buffer per message.
    const isText = !isBinary && Buffer.isBuffer(data);
    events.received(isText ? parsed(data.toString('utf8')) : undefined);
  });

  return {
    send,
    isOver: () => state === 'over',
    isLeaving: () => state === 'open' && !isOpen(),
    waitingBytes: () => socket.bufferedAmount,
    fail,
    close(goodbye) {
      if (state === 'over') return;
      const canSay = isOpen();
      if (canSay) send(goodbye);
      end();
      if (!canSay) return socket.terminate();
      socket.close();
      const giveUp = clock.setTimeout(() => socket.terminate(), goodbyeMs);
      socket.once('close', () => clock.clearTimeout(giveUp));
    },
  };
};
