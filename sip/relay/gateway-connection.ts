/** Connection of one gateway: authenticates the gateway, reads its commands, and sends it messages. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { BrokenFrame, createFrameReader, framed } from './message-frames.ts';
import { readGatewayCommand, type GatewayCommand } from './message-head.ts';

export type GatewayLimits = {
  /** Time limit for authentication. */
  admissionMs: number;
  /** Maximum size of a message in bytes. */
  longestMessage: number;
  /** Backlog in bytes beyond which the gateway is disconnected. The gateway may reconnect. */
  mostUnread: number;
};

export type GatewayConnection = {
  /** Number of the connection, for the log. */
  readonly name: string;
  /** Methods outside of calls that the gateway handles, in lower case. */
  readonly verbs: ReadonlySet<string>;
  /** Name of the gateway among those of its database; null until the gateway has sent its name. */
  readonly node: string | null;
  tell(message: Buffer): void;
  /** Sends the response to one of the gateway's commands. */
  answer(id: string, said: string): void;
  /** Reads, or pauses reading if `isRead` is false. */
  read(isRead: boolean): void;
  close(): void;
};

export type GatewayEvents = {
  onAdmitted: (gateway: GatewayConnection) => void;
  onCommand: (gateway: GatewayConnection, command: GatewayCommand, message: Buffer) => void;
  /** Called when an authenticated gateway has disconnected. */
  onGone: (gateway: GatewayConnection) => void;
};

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const isSame = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other));

type State = 'unknown' | 'admitted' | 'gone';

export type GatewayOptions = {
  name: string;
  secret: string;
  /** Returns drachtio-server's response to authentication; `null` while drachtio-server is unreachable. */
  greeting: () => string | null;
  limits: GatewayLimits;
  clock: Clock;
  logger: Logger;
};

/** Returns the reason for a refusal in drachtio-server's words; `null` for success. */
const whyNot = (command: GatewayCommand, secret: string, greeting: string | null): string | null => {
  if (command.type !== 'authenticate' || !isSame(command.secret, secret)) return 'incorrect secret';
  return greeting === null ? 'drachtio-server is away' : null;
};

const createGateway = (
  socket: Socket,
  { name, limits, logger }: GatewayOptions,
): GatewayConnection & { verbs: Set<string>; node: string | null } => {
  const close = (): void => void socket.destroy();
  const tell = (message: Buffer): void => {
    if (socket.destroyed) return;
    if (socket.writableLength > limits.mostUnread) {
      logger.error(
        { gateway: name },
        'a gateway no longer reads from its connection; the relay closes the connection',
      );
      return close();
    }
    socket.write(framed(message));
    return undefined;
  };
  return {
    name,
    verbs: new Set<string>(),
    node: null,
    tell,
    answer: (id, said) => tell(Buffer.from(`${randomUUID()}|response|${id}|${said}`, 'latin1')),
    read: (isRead) => void (isRead ? socket.resume() : socket.pause()),
    close,
  };
};

export const acceptGateway = (socket: Socket, events: GatewayEvents, options: GatewayOptions): void => {
  const { name, secret, limits, clock, logger } = options;
  let state: State = 'unknown';
  const gateway = createGateway(socket, options);

  const refuse = ({ id }: GatewayCommand, answer: string): void => {
    state = 'gone';
    gateway.answer(id, answer);
    socket.end();
  };

  /** Refuses and disconnects a client whose first command is not the secret, like drachtio-server. */
  const admit = (command: GatewayCommand): void => {
    const greeting = options.greeting();
    const refusal = whyNot(command, secret, greeting);
    // A refused client that does not close its side is still disconnected in time.
    if (refusal !== null) return refuse(command, `NO|${refusal}`);
    clock.clearTimeout(admission);
    state = 'admitted';
    gateway.answer(command.id, `OK|${greeting}`);
    return events.onAdmitted(gateway);
  };

  const take = (message: Buffer): void => {
    if (state === 'gone') return undefined;
    const command = readGatewayCommand(message);
    if (state === 'unknown') return admit(command);
    if (command.type === 'route') gateway.verbs.add(command.verb);
    if (command.type === 'remove_route') gateway.verbs.delete(command.verb);
    if (command.type === 'node') gateway.node = command.node;
    return events.onCommand(gateway, command, message);
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
      logger.warn({ gateway: name }, 'a gateway sent an invalid message; the relay closes its connection');
      gateway.close();
    }
  });
  socket.on('error', (error) =>
    logger.debug({ gateway: name, err: error }, 'the connection of a gateway failed'),
  );
  socket.on('close', () => {
    clock.clearTimeout(admission);
    const wasAdmitted = state === 'admitted';
    state = 'gone';
    if (wasAdmitted) events.onGone(gateway);
  });
};
