/** A connection to an engine that is a websocket server. It stands once, and fails or is closed once and for good. */
import { WebSocket } from 'ws';
import { brokenOff, EngineFailure, EngineRefusal, unreachable } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';

const maxMessageBytes = 1024 * 1024;
/** The time that a server may take to confirm the end. */
const goodbyeMs = 1_000;

export type EngineAddress = {
  /** What the engine is called in errors. */
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
};

/** None comes after the failure, nor after the connection was closed from here. */
export type EngineSocketEvents = {
  opened(): void;
  /** What the engine said; `undefined` where that is no JSON. */
  received(message: unknown): void;
  failed(error: Error): void;
};

export type EngineSocket = {
  /** Until the connection stands, and when it stands no more, nothing is sent. */
  send(message: string | Buffer): void;
  isOver(): boolean;
  /** The other side takes its leave: nothing is taken any more, and the failure follows. */
  isLeaving(): boolean;
  /** Bytes of what was sent that have not left yet. */
  waitingBytes(): number;
  fail(error: Error): void;
  /** Takes leave with this message, and waits for the server's for a moment only. Idempotent. */
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

  // That it cannot be sent is reported by the socket itself.
  const send = (message: string | Buffer): void => {
    if (isOpen()) socket.send(message, () => {});
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
    // ws gives one Buffer a message, unless it is told otherwise.
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
