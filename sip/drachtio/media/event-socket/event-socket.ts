/** One connection to the event socket of a FreeSWITCH: commands and their answers in order, and the events asked for. */
import { connect, type Socket } from 'node:net';
import { ServerRefusal } from '../../heartbeat.ts';
import type { ServerAddress } from '../../reconnect.ts';
import { createFrameReader, type SocketFrame } from './event-socket-frames.ts';

/** While it opens; after that whoever asks something sets a limit of his own. */
const openMs = 3_000;
/** A FreeSWITCH that leaves so many commands unanswered hangs. */
const mostWaiting = 2_000;

/** There is nobody to be told anything. */
export class NoEventSocket extends Error {}

export type EventSocket = {
  /** The address of FreeSWITCH. */
  readonly remoteAddress: string;
  /**
   * Sends a command, of several lines perhaps, and resolves with what is said to it. Rejects when the connection is lost,
   * and at once when too many wait; a limit in time is the caller's.
   */
  command(text: string): Promise<string>;
  /** Ends it; `onClosed` is not told of that. */
  close(): void;
};

type Answer = { resolve: (text: string) => void; reject: (error: Error) => void };

/** Commands that were sent and not answered yet: answers have no names, they come in the order of the commands. */
const createWaiting = () => {
  const answers: Answer[] = [];
  return {
    count: (): number => answers.length,
    add: (): Promise<string> => new Promise((resolve, reject) => void answers.push({ resolve, reject })),
    answer: (text: string): void => answers.shift()?.resolve(text),
    rejectAll(error: Error): void {
      for (const { reject } of answers.splice(0)) reject(error);
    },
  };
};

/** A blank line ends a command. */
const requireOne = (command: string): void => {
  if (/\r|\n\n|\n$/.test(command)) throw new Error('This is more than one command of FreeSWITCH');
};

const createConversation = (socket: Socket, onEvent: (event: string) => void) => {
  const waiting = createWaiting();
  return {
    waiting,
    async command(text: string): Promise<string> {
      requireOne(text);
      if (!socket.writable) throw new NoEventSocket('The connection to FreeSWITCH is lost');
      if (waiting.count() >= mostWaiting) throw new Error('FreeSWITCH has too much to answer');
      const answer = waiting.add();
      socket.write(`${text}\n\n`);
      return answer;
    },
    take({ type, reply, body }: SocketFrame): void {
      if (type === 'command/reply') waiting.answer(reply);
      else if (type === 'api/response') waiting.answer(body);
      else if (type === 'text/event-plain') onEvent(body);
    },
  };
};

export type EventSocketOptions = {
  /** Gets events in plain format; must not throw. */
  onEvent: (event: string) => void;
  /** Is told why the connection that came about has ended. */
  onClosed: (why: Error) => void;
  /** It ends when nothing is said for so long; 0 for never. */
  silenceMs?: number;
};

/** Rejects with a plain sentence. */
export const openEventSocket = async (
  { host, port, secret }: ServerAddress,
  { onEvent, onClosed, silenceMs = 0 }: EventSocketOptions,
): Promise<EventSocket> => {
  const socket = connect({ host, port });
  socket.setNoDelay(true);
  const { waiting, command, take } = createConversation(socket, onEvent);
  const verdict = Promise.withResolvers<string>();
  let isOpen = false;
  let failure: Error = new Error('it closed the connection.');

  const read = createFrameReader((frame) => {
    if (frame.type === 'auth/request') command(`auth ${secret}`).then(verdict.resolve, verdict.reject);
    else if (frame.type === 'text/rude-rejection')
      failure = new ServerRefusal('its access list does not admit this host.');
    else take(frame);
  });

  socket.on('data', (data) => {
    try {
      read(data);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on('error', (error) => (failure = error));
  socket.on('close', () => {
    verdict.reject(failure);
    waiting.rejectAll(new NoEventSocket('The connection to FreeSWITCH was lost', { cause: failure }));
    if (isOpen) onClosed(failure);
    isOpen = false;
  });
  socket.setTimeout(openMs, () => {
    failure = new Error('it does not answer.');
    socket.destroy();
  });

  if (!(await verdict.promise).startsWith('+OK')) {
    socket.destroy();
    throw new ServerRefusal('it refused the secret (GW_FREESWITCH_SECRET).');
  }
  socket.setTimeout(silenceMs);
  isOpen = true;
  return {
    remoteAddress: socket.remoteAddress ?? host,
    command,
    close() {
      isOpen = false;
      socket.destroy();
    },
  };
};
