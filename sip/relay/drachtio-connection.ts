/** One connection to drachtio-server by its control protocol. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Clock } from '#src/domain/clock.ts';
import { within } from '../background-tasks.ts';
import type { ServerAddress } from '../reconnect.ts';
import { createFrameReader, framed } from './message-frames.ts';

/** Thrown when drachtio-server refused a command. */
export class DrachtioRefusal extends Error {}

/** Time limit for connecting and authenticating; an unreachable server would be waited for much longer. */
const connectMs = 5_000;
/** Maximum size of a message in bytes, because drachtio-server sends SIP messages up to the size of a TCP message. */
const longestMessage = 1_000_000;
/** Backlog in bytes beyond which writing pauses. */
const mostUnwritten = 65_536;
/** Maximum number of commands without a response. */
const mostQuestions = 10_000;

export type DrachtioConnection = {
  /** drachtio-server's response to the secret: addresses and version, as response fields. */
  greeting: string;
  write(message: Buffer): void;
  /** Whether writing must pause, because drachtio-server does not read. */
  isFull(): boolean;
  /** Sends a command of the relay itself. Rejects when the command is refused or the connection is lost. */
  ask(text: string): Promise<string>;
  close(): void;
};

export type DrachtioConnectionEvents = {
  /** Called with any message except a response to a command of the relay. */
  onMessage: (message: Buffer) => void;
  /** Queues a command of the relay itself. */
  enqueue: (id: string, message: Buffer) => void;
  /** Whether the response belongs to a command of the relay itself. */
  onAnswered: (id: string) => void;
  /** Called when drachtio-server reads again. */
  onLess: () => void;
  onLost: () => void;
};

type Pending = { resolve: (said: string) => void; reject: (error: Error) => void };

/** Commands of the relay itself. */
const createQuestions = () => {
  const pending = new Map<string, Pending>();
  return {
    async ask(text: string, send: (id: string, message: Buffer) => void): Promise<string> {
      const id = randomUUID();
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      if (pending.size >= mostQuestions) throw new DrachtioRefusal('it has too much to answer');
      pending.set(id, { resolve, reject });
      send(id, Buffer.from(`${id}|${text}`));
      return promise;
    },
    /**
     * Returns the id of the command that this message answers; `null` if the message is no response, or a response to
     * another sender.
     */
    answered(message: Buffer): string | null {
      const [head = ''] = message.toString('latin1', 0, 2_000).split('\r\n', 1);
      const [, type, id = '', verdict, ...said] = head.split('|');
      const known = type === 'response' ? pending.get(id) : undefined;
      if (known === undefined) return null;
      pending.delete(id);
      if (verdict === 'OK') known.resolve(said.join('|'));
      else known.reject(new DrachtioRefusal(said[0] ?? 'no reason'));
      return id;
    },
    fail(error: Error): void {
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    },
  };
};

/**
 * Connects. Resolves when drachtio-server has authenticated the relay and sends it requests with these methods. Rejects
 * with a sentence, also if drachtio-server does not answer in time.
 */
export const connectToDrachtio = async (
  { host, port, secret }: ServerAddress,
  verbs: readonly string[],
  events: DrachtioConnectionEvents,
  clock: Clock,
): Promise<DrachtioConnection> => {
  const socket = connect({ host, port, noDelay: true, keepAlive: true });
  const write = (message: Buffer): void => void socket.write(framed(message));
  const questions = createQuestions();
  let problem = new Error('it closed the connection.');
  const read = createFrameReader(longestMessage, (message) => {
    const id = questions.answered(message);
    if (id === null) events.onMessage(message);
    else events.onAnswered(id);
  });
  socket.on('data', (data) => {
    try {
      read(data);
    } catch (cause) {
      problem = new Error('what it sends cannot be read.', { cause });
      socket.destroy();
    }
  });
  socket.on('drain', events.onLess);
  socket.on('error', (error) => {
    problem = error;
  });
  socket.on('close', () => {
    questions.fail(problem);
    events.onLost();
  });
  let greeting: string;
  try {
    const ask = (text: string): Promise<string> => questions.ask(text, (_id, message) => write(message));
    const authenticate = async (): Promise<string> => {
      const greeted = await ask(`authenticate|${secret}|`);
      await Promise.all(verbs.map((verb) => ask(`route|${verb}`)));
      return greeted;
    };
    greeting = await within(clock, connectMs, 'The connection', authenticate());
  } catch (cause) {
    socket.destroy();
    if (cause instanceof DrachtioRefusal)
      throw new Error('it refused the secret (GW_DRACHTIO_SECRET).', { cause });
    throw cause;
  }
  return {
    greeting,
    write,
    isFull: () => socket.writableLength > mostUnwritten,
    ask: (text) => questions.ask(text, events.enqueue),
    close: () => void socket.destroy(),
  };
};
