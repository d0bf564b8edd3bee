/** One connection to the event socket of a FreeSWITCH: commands with their answers in order, and subscribed events. */
import { connect, type Socket } from 'node:net';
import { ServerRefusal } from '../../heartbeat.ts';
import type { ServerAddress } from '../../reconnect.ts';
import { createFrameReader, type SocketFrame } from './event-socket-frames.ts';

/** Timeout of opening; later commands have their own timeouts. */
const openMs = 3_000;
/** A FreeSWITCH that leaves this many commands unanswered is hanging. */
const mostWaiting = 2_000;

/** Thrown when the event socket is not connected. */
export class NoEventSocket extends Error {}

export type EventSocket = {
  /** Address of FreeSWITCH. */
  readonly remoteAddress: string;
  /**
   * Sends a command, which may have several lines, and resolves with its reply. Rejects when the connection is lost,
   * and immediately when too many commands are waiting; the caller sets a timeout.
   */
  command(text: string): Promise<string>;
  /** Closes the connection without calling `onClosed`. */
  close(): void;
};

type Answer = { resolve: (text: string) => void; reject: (error: Error) => void };

/** Commands sent and not yet answered: answers have no ids and arrive in the order of the commands. */
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
  /** Receives events in plain format; must not throw. */
  onEvent: (event: string) => void;
  /** Receives the reason when an established connection has ended. */
  onClosed: (why: Error) => void;
  /** The connection ends after this time without input; 0 for never. */
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
