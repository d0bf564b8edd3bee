/** One connection with drachtio-server, by its own control protocol. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { ServerAddress } from '../drachtio/reconnect.ts';
import { createFrameReader, framed } from './message-frames.ts';

/** It says no. */
export class DrachtioRefusal extends Error {}

/** It sends SIP as long as a message over TCP may be. */
const longestMessage = 1_000_000;
/** Behind so much that it has not taken in yet, nothing more is written. */
const mostUnwritten = 65_536;
/** Of which the answer is still to come. */
const mostQuestions = 10_000;

export type DrachtioConnection = {
  /** What it said to the secret: its addresses and its version, as fields of its answer. */
  greeting: string;
  write(message: Buffer): void;
  /** It does not take in what it was sent. */
  isFull(): boolean;
  /** Asks this for the relay itself. Rejects when it says no, or when the connection is lost. */
  ask(text: string): Promise<string>;
  close(): void;
};

export type DrachtioConnectionEvents = {
  /** Whatever it says, but what answers a command. */
  onMessage: (message: Buffer) => void;
  /** Has what the relay itself asks written in its turn. */
  enqueue: (id: string, message: Buffer) => void;
  /** The answer to this was the relay's own. */
  onAnswered: (id: string) => void;
  /** It takes in more. */
  onLess: () => void;
  onLost: () => void;
};

type Pending = { resolve: (said: string) => void; reject: (error: Error) => void };

/** Questions of the relay itself. */
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
    /** The id of the question that this answers; `null` where it is no answer, or somebody else's. */
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
 * Resolves when it has let us in and sends us requests of these methods; rejects with a plain sentence.
 */
export const connectToDrachtio = async (
  { host, port, secret }: ServerAddress,
  verbs: readonly string[],
  events: DrachtioConnectionEvents,
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
    greeting = await ask(`authenticate|${secret}|`);
    await Promise.all(verbs.map((verb) => ask(`route|${verb}`)));
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
