/** One gateway, as it is connected: it says the secret, asks, and is told. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { BrokenFrame, createFrameReader, framed } from './message-frames.ts';
import { readAsked, type Asked } from './message-head.ts';

export type GatewayLimits = {
  /** In which it must have said the secret. */
  admissionMs: number;
  /** Bytes of one message. */
  longestMessage: number;
  /** Bytes that it has not taken in; behind so much it is given up, and may come again. */
  mostUnread: number;
};

export type GatewayConnection = {
  /** For the log: it tells no more than that it is another one. */
  readonly name: string;
  /** Methods that it wants outside of calls, in lower case. */
  readonly verbs: ReadonlySet<string>;
  tell(message: Buffer): void;
  /** To a message of its own. */
  answer(id: string, said: string): void;
  /** Nothing more is read of it, until it is. */
  read(isRead: boolean): void;
  close(): void;
};

export type GatewayEvents = {
  onAdmitted: (gateway: GatewayConnection) => void;
  onAsked: (gateway: GatewayConnection, asked: Asked, message: Buffer) => void;
  /** One that had been admitted. */
  onGone: (gateway: GatewayConnection) => void;
};

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const isSame = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other));

type State = 'unknown' | 'admitted' | 'gone';

export type GatewayOptions = {
  name: string;
  secret: string;
  /** What drachtio-server says to who is let in; `null` while it is away. */
  greeting: () => string | null;
  limits: GatewayLimits;
  clock: Clock;
  logger: Logger;
};

/** Why it is not let in, as drachtio-server says it; `null` when it is. */
const whyNot = (asked: Asked, secret: string, greeting: string | null): string | null => {
  if (asked.type !== 'authenticate' || !isSame(asked.secret, secret)) return 'incorrect secret';
  return greeting === null ? 'drachtio-server is away' : null;
};

const createGateway = (
  socket: Socket,
  { name, limits, logger }: GatewayOptions,
): GatewayConnection & { verbs: Set<string> } => {
  const close = (): void => void socket.destroy();
  const tell = (message: Buffer): void => {
    if (socket.destroyed) return;
    if (socket.writableLength > limits.mostUnread) {
      logger.error({ gateway: name }, 'a gateway takes in nothing any more, and is given up');
      return close();
    }
    socket.write(framed(message));
    return undefined;
  };
  return {
    name,
    verbs: new Set<string>(),
    tell,
    answer: (id, said) => tell(Buffer.from(`${randomUUID()}|response|${id}|${said}`, 'latin1')),
    read: (isRead) => void (isRead ? socket.resume() : socket.pause()),
    close,
  };
};

export const acceptGateway = (socket: Socket, events: GatewayEvents, options: GatewayOptions): void => {
  const { name, secret, limits, clock, logger } = options;
  const gateway = createGateway(socket, options);
  let state: State = 'unknown';

  /** Whoever does not begin with the secret is told so and sent away, as drachtio-server does. */
  const admit = (asked: Asked): void => {
    const greeting = options.greeting();
    const refusal = whyNot(asked, secret, greeting);
    clock.clearTimeout(admission);
    state = refusal === null ? 'admitted' : 'gone';
    gateway.answer(asked.id, refusal === null ? `OK|${greeting}` : `NO|${refusal}`);
    if (refusal === null) return events.onAdmitted(gateway);
    socket.end();
    return undefined;
  };

  const take = (message: Buffer): void => {
    if (state === 'gone') return undefined;
    const asked = readAsked(message);
    if (state === 'unknown') return admit(asked);
    if (asked.type === 'route') gateway.verbs.add(asked.verb);
    if (asked.type === 'remove_route') gateway.verbs.delete(asked.verb);
    return events.onAsked(gateway, asked, message);
  };

  const admission = clock.setTimeout(gateway.close, limits.admissionMs);
  const read = createFrameReader(limits.longestMessage, take);
  socket.setNoDelay(true);
  socket.setKeepAlive(true);
  socket.on('data', (data) => {
    try {
      read(data);
    } catch (error) {
      if (!(error instanceof BrokenFrame)) throw error;
      logger.warn({ gateway: name }, 'what a gateway sends is no message of this protocol: it is sent away');
      gateway.close();
    }
  });
  socket.on('error', (error) => logger.debug({ gateway: name, err: error }, 'a gateway is lost'));
  socket.on('close', () => {
    clock.clearTimeout(admission);
    const wasAdmitted = state === 'admitted';
    state = 'gone';
    if (wasAdmitted) events.onGone(gateway);
  });
};
