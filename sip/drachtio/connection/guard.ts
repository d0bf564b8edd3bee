/**
 * Adds safeguards that drachtio-srf lacks on its connection to drachtio-server, for the limits described in
 * message-limits.ts.
 */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import DrachtioAgent from 'drachtio-srf/lib/drachtio-agent.js';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Fence } from '#src/domain/fence.ts';
import { NotConnected } from '../resume/end-leg.ts';
import { longestInCompany, longestMessage } from './message-limits.ts';

type Written = { id: string; bytes: number; text: string };

/** Send queue of one socket, in order. */
const createSending = (write: (text: string) => void, fence: Pick<Fence, 'isOpen'>) => {
  const waiting: Written[] = [];
  /** Id of a message whose response must arrive before the next one is sent. */
  let alone: string | null = null;

  const sendNext = (): void => {
    while (alone === null && waiting.length > 0 && fence.isOpen()) {
      const next = waiting.shift();
      if (next === undefined) return;
      if (next.bytes > longestInCompany) alone = next.id;
      write(next.text);
    }
  };

  return {
    send(message: Written): void {
      waiting.push(message);
      sendNext();
    },
    resume: sendNext,
    /** Called for each incoming message. */
    received(text: string): void {
      if (alone === null || !text.startsWith(`|response|${alone}|`, text.indexOf('|'))) return;
      alone = null;
      sendNext();
    },
  };
};

/** Makes a parse error end the connection, because the error would otherwise end the process. */
const guardReading = (socket: Socket, logger: Logger): void => {
  const listeners = socket.listeners('data');
  socket.removeAllListeners('data');
  socket.on('data', (data) => {
    try {
      for (const listener of listeners) listener.call(socket, data);
    } catch (error) {
      // The connection ends, because the boundary between messages is lost after a parse error.
      logger.error({ err: error }, 'invalid data from drachtio-server');
      socket.destroy();
    }
  });
};

/** Catches errors of an observer, so that the message is still handled. */
const overhearSafely = (overhear: (said: string) => void, said: string, logger: Logger): void => {
  try {
    overhear(said);
  } catch (error) {
    logger.error({ err: error }, 'a SIP message could not be captured');
  }
};

/** Handlers of the relay's own messages. */
export type RelayEvents = {
  /** Called with the name of a gateway whose connection with the relay has ended. */
  onNodeLost: (node: string) => void;
  /** Called when another gateway has taken over the call of a dialog of this process. */
  onDialogLost: (dialogId: string) => void;
  /** Called when the audio of a dialog that this process has left has moved, or the dialog has ended. */
  onDialogMoved: (dialogId: string) => void;
};

/** Passes on a message of the relay itself. Returns false for messages of drachtio-server. */
const takeFromRelay = (said: string, { onNodeLost, onDialogLost, onDialogMoved }: RelayEvents): boolean => {
  const [, type, subject = ''] =
    /^[^|\r\n]*\|(node_lost|dialog_lost|dialog_moved)\|([^|\r\n]*)$/.exec(said) ?? [];
  if (type === undefined) return false;
  if (type === 'dialog_moved') onDialogMoved(subject);
  else if (type === 'dialog_lost') onDialogLost(subject);
  else if (/^[\w.-]{1,64}$/.test(subject)) onNodeLost(subject);
  return true;
};

/** Returns the reason of a rejected authentication; `null` for other messages. */
const refusalIn = (said: string): string | null =>
  /^[^|\r\n]*\|response\|[^|\r\n]*\|NO\|([^|\r\n]*)/.exec(said)?.[1] ?? null;

/**
 * Makes a message safe for drachtio-srf. If drachtio-srf finds `multipart/` in lower case, it parses the body by a
 * regular expression whose time grows with the cube of the header: 4 kB from an unknown sender take 11 s. The media
 * type is therefore written in upper case, which is equivalent; message-body.ts reads the body.
 */
const readable = (said: string): string => {
  const end = said.indexOf('\r\n\r\n');
  const head = end === -1 ? said : said.slice(0, end);
  return head.includes('multipart/')
    ? head.replaceAll('multipart/', 'Multipart/') + said.slice(head.length)
    : said;
};

export type ControlConnection = ReturnType<typeof guardControlConnection>;

/** Returns the control agent through which `srf` communicates with drachtio-server. */
export const controlAgentOf = (srf: Srf): DrachtioAgent => {
  const app: unknown = Reflect.get(srf, 'app');
  const agent: unknown = typeof app === 'function' ? Reflect.get(app, 'client') : undefined;
  if (!(agent instanceof DrachtioAgent)) throw new Error('drachtio-srf is not as it is known here');
  return agent;
};

export type GuardOptions = {
  /** Called with every message of drachtio-server before drachtio-srf receives it. */
  overhear: (said: string) => void;
  /** Handlers of messages that only the relay sends. */
  relayed: RelayEvents;
  /** Fence for frozen processes. While the fence is closed, messages wait. */
  fence: Pick<Fence, 'isOpen'>;
  logger: Logger;
};

/** Installs the safeguards; must be called as soon as `srf` has begun to connect. */
export const guardControlConnection = (srf: Srf, { overhear, relayed, fence, logger }: GuardOptions) => {
  const { wp, mapServer } = controlAgentOf(srf);
  let refusal: string | null = null;
  const sendings = new WeakMap<Socket, ReturnType<typeof createSending>>();

  const sendingTo = (socket: Socket) => {
    const known = sendings.get(socket);
    if (known !== undefined) return known;
    const sending = createSending((text) => void socket.write(text), fence);
    sendings.set(socket, sending);
    return sending;
  };

  const hear = wp.emit.bind(wp);
  /** Catches errors of a message handler, which must not end the process or prevent reading the next message. */
  const hearSafely = (event: string | symbol, ...given: unknown[]): boolean => {
    if (event !== 'msg') return hear(event, ...given);
    const [socket, text] = given;
    // These messages are handled here, because drachtio-srf does not support them.
    if (takeFromRelay(String(text), relayed)) return true;
    overhearSafely(overhear, String(text), logger);
    refusal ??= refusalIn(String(text));
    try {
      return hear(event, socket, readable(String(text)));
    } catch (error) {
      logger.error({ err: error }, 'a message of drachtio-server could not be processed');
      return true;
    } finally {
      for (const one of mapServer.keys()) if (one === socket) sendingTo(one).received(String(text));
    }
  };

  const send = (socket: Socket, message: string): string => {
    const id = randomUUID();
    const body = `${id}|${message}`;
    const bytes = Buffer.byteLength(body);
    if (bytes > longestMessage) {
      logger.warn({ bytes }, 'a message was not sent because it is too long for drachtio-server');
      const refusal = `${randomUUID()}|response|${id}|NOK|the message is too long for drachtio-server`;
      setImmediate(() => wp.emit('msg', socket, refusal));
    } else sendingTo(socket).send({ id, bytes, text: `${bytes}#${body}` });
    return id;
  };

  Object.assign(wp, { emit: hearSafely, send });
  wp.once('connect', (socket: Socket) => guardReading(socket, logger));

  return {
    /** Returns the reason of a rejected authentication; `null` if there was no rejection. */
    refusal: (): string | null => refusal,

    /**
     * Sends a message. Rejects without a connection or on an error response. Never settles after a loss of the
     * connection.
     */
    command: (message: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const [standing] = mapServer;
        if (standing === undefined) return reject(new NotConnected('it is not connected.'));
        const [socket, { pendingRequests }] = standing;
        pendingRequests.set(wp.send(socket, message), ([verdict, reason = 'no reason']) => {
          if (verdict === 'OK') resolve();
          else reject(new Error(`drachtio-server says no: ${reason}`));
        });
        return undefined;
      }),

    /** Sends the messages that waited for the fence. */
    resume(): void {
      for (const socket of mapServer.keys()) sendingTo(socket).resume();
    },

    /**
     * Closes the connection immediately. The loss is then reported. Messages that were written but not received are
     * dropped, because they would arrive when another gateway has taken over the calls.
     */
    cut(): void {
      for (const socket of mapServer.keys())
        // A socket that is shutting down, because the server has closed the connection, cannot be reset: the attempt
        // would fail without the event `close`, and the loss would never be reported.
        if (socket.writableEnded) socket.destroy();
        else socket.resetAndDestroy();
    },

    /**
     * Drops a request without a response. drachtio-server forgets the request after 64 s, while drachtio-srf would keep
     * it forever.
     */
    ignore(request: Srf.SrfRequest): void {
      const callId = request.get('Call-ID');
      for (const { pendingNetworkInvites } of mapServer.values())
        if (pendingNetworkInvites.get(callId)?.req === request) pendingNetworkInvites.delete(callId);
    },
  };
};
