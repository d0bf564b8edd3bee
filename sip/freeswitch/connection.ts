/**
 * One connection to one FreeSWITCH, by drachtio-fsmrf: authentication, commands, messages to channels, events.
 *
 * drachtio-fsmrf creates the connection (`Mrf.connect`) and implements the protocol of the event socket
 * (`MediaServer`). The library's endpoints are not used, because each would open a socket of its own and subscribe to
 * ten kinds of events. Comments that begin with "fsmrf" describe faults of drachtio-fsmrf 5.0.1 and drachtio-modesl
 * 1.3.1, and how this file works around them.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import Mrf from 'drachtio-fsmrf';
import type { Clock } from '#src/domain/clock.ts';
import type { Fence } from '#src/domain/fence.ts';
import { within } from '../background-tasks.ts';
import { ServerRefusal } from '../heartbeat.ts';
import type { ServerAddress } from '../reconnect.ts';

/** Name of the SIP profile in config/freeswitch. */
const profile = 'trunkline';

/** Timeout of connecting; later commands have their own timeouts. */
const connectMs = 3_000;
/** Number of unanswered commands beyond which FreeSWITCH counts as hanging. */
const mostWaiting = 2_000;

/** Rejection of commands when FreeSWITCH is not connected. */
export class NoConnection extends Error {}

/** FreeSWITCH's load, as reported by its HEARTBEAT event. */
export type ServerLoad = {
  /** Current sessions (channels) of all clients. */
  sessions: number;
  maxSessions: number;
  /** Idle time of all processors of FreeSWITCH's machine, in percent. */
  idleCpu: number;
};

export type Connection = {
  /** IP address of FreeSWITCH. */
  readonly address: string;
  /** Address (`host:port`) for the INVITEs that create channels. */
  readonly sipAddress: string;
  /**
   * Runs an API command and resolves with the complete response. Rejects when the connection is lost, and immediately
   * when too many commands are waiting. The caller must set a timeout.
   */
  api(command: string): Promise<string>;
  /** Sends a message to a channel (`sendmsg`) and resolves with the reply. Rejects like `api`. */
  sendMessage(uuid: string, headers: Readonly<Record<string, string>>): Promise<string>;
  /** Closes the connection without calling `onLost`. */
  close(): void;
};

export type ConnectionEvents = {
  /** Called when a channel has received a DTMF digit. Must not throw. */
  onDigit: (uuid: string, digit: string) => void;
  onHeartbeat: (load: ServerLoad) => void;
  /** Called once, with the reason, when an established connection is lost. */
  onLost: (reason: Error) => void;
};

/**
 * fsmrf: `Mrf.connect` gives access to its connection only when FreeSWITCH is ready, and then without the socket's
 * earlier errors. Therefore the socket is found by Node's report of each opened socket.
 */
const socketOpenedBy = (connect: () => void): Socket => {
  let socket: Socket | null = null;
  const take = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    if (message.socket instanceof Socket) socket ??= message.socket;
  };
  subscribe('net.client.socket', take);
  try {
    connect();
  } finally {
    unsubscribe('net.client.socket', take);
  }
  if (socket === null) throw new Error('drachtio-fsmrf has opened no socket');
  return socket;
};

/**
 * fsmrf: throws while it reads, if the SIP profile is missing, and on a header with a stray `%`. An uncaught error in
 * the socket's event would end the process.
 */
const guardReading = (
  socket: Socket,
  accepts: (data: Buffer) => boolean,
  onError: (error: Error) => void,
) => {
  const readers = socket.listeners('data');
  socket.removeAllListeners('data').on('data', (data: Buffer) => {
    try {
      if (accepts(data)) for (const read of readers) Reflect.apply(read, socket, [data]);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  });
};

/** Converts a failure to connect into a plain sentence. */
const explained = (error: Error): Error => {
  if (error.message === 'acl-error') return new ServerRefusal('its access list does not admit this host.');
  if (error.message.startsWith(`No ${profile} sip profile found`))
    return new ServerRefusal(`its SIP profile ${profile} is not there.`);
  // fsmrf: fails if FreeSWITCH needs more than a second after authentication. The caller connects again.
  if (error.message.startsWith('MediaServer not ready')) return new Error('it does not answer.');
  return error;
};

const isCount = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value);

/** Connects. Rejects with a plain sentence. */
export const connectToFreeSwitch = async (
  { host, port, secret }: ServerAddress,
  { onDigit, onHeartbeat, onLost }: ConnectionEvents,
): Promise<Connection> => {
  let state: 'connecting' | Mrf.MediaServer | 'closed' = 'connecting';
  const ready = Promise.withResolvers<Mrf.MediaServer>();
  /** Functions that reject the commands that FreeSWITCH has not answered. */
  const waiting = new Set<(error: Error) => void>();

  const end = (error: Error): void => {
    if (typeof state !== 'string') state.disconnect();
    state = 'closed';
    socket.destroy();
    ready.reject(explained(error));
    // fsmrf: keeps pending commands after a loss, and would give them the replies of the next connection. Pending
    // commands are therefore rejected here.
    for (const reject of waiting)
      reject(new NoConnection('The connection to FreeSWITCH was lost', { cause: error }));
    waiting.clear();
  };

  const fail = (error: Error): void => {
    if (state === 'closed') return;
    const isLost = state !== 'connecting';
    end(error);
    if (isLost) onLost(error);
  };

  const socket = socketOpenedBy(() =>
    new Mrf().connect(
      // fsmrf: always listens for FreeSWITCH's own connections, which are not used. The listener is closed below.
      { address: host, port, secret, listenAddress: '127.0.0.1', listenPort: 0, profile },
      (error, mediaServer) => {
        if (mediaServer === undefined) fail(error ?? new Error('it gave no reason.'));
        else ready.resolve(mediaServer);
      },
    ),
  );
  // fsmrf: writes a command line by line. With Nagle's algorithm each line would wait 40 ms for an acknowledgement.
  socket.setNoDelay(true);
  // fsmrf: its own listeners would reconnect for ever, and report each loss on the console. These listeners are
  // therefore removed.
  socket.removeAllListeners('close').removeAllListeners('error');
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('it closed the connection.')));
  socket.setTimeout(connectMs, () => fail(new Error('it does not answer.')));
  // fsmrf: does not call back when FreeSWITCH refuses the secret.
  const accepts = (data: Buffer): boolean => {
    if (state !== 'connecting' || !data.includes('-ERR invalid\n')) return state !== 'closed';
    fail(new ServerRefusal('it refused the secret (GW_FREESWITCH_SECRET).'));
    return false;
  };
  socket.once('connect', () => guardReading(socket, accepts, fail));

  const mediaServer = await ready.promise;
  const { conn } = mediaServer;
  mediaServer._server.close();
  state = mediaServer;
  // fsmrf: reports an event that is no JSON as an error, and would then reconnect.
  conn.on('error', fail);
  conn.on('esl::event::DTMF::*', (event) => {
    const [uuid, digit] = [event.getHeader('Unique-ID'), event.getHeader('DTMF-Digit')];
    if (typeof uuid === 'string' && typeof digit === 'string' && /^[0-9*#A-D]$/.test(digit))
      onDigit(uuid, digit);
  });
  conn.on('esl::event::HEARTBEAT::*', () => {
    const { currentSessions: sessions, maxSessions, cpuIdle: idleCpu } = mediaServer;
    if (isCount(sessions) && isCount(maxSessions) && isCount(idleCpu))
      onHeartbeat({ sessions, maxSessions, idleCpu });
  });

  // fsmrf: never answers a command whose connection is lost.
  const request = (send: (onReply: (reply: string) => void) => void): Promise<string> =>
    new Promise((resolve, reject) => {
      if (!socket.writable) throw new NoConnection('The connection to FreeSWITCH is lost');
      if (waiting.size >= mostWaiting) throw new Error('FreeSWITCH has too many commands to answer');
      waiting.add(reject);
      socket.cork();
      send((reply) => {
        waiting.delete(reject);
        resolve(reply);
      });
      socket.uncork();
    });
  const textOf = (reply: Mrf.Reply): string => reply.getHeader('Reply-Text') ?? '';

  // fsmrf: reads JSON events without decoding their headers. With events in plain format fsmrf would decode the
  // headers, and may throw.
  await request((onReply) => conn.subscribe(['DTMF'], (reply) => onReply(textOf(reply))));
  socket.setTimeout(0);

  return {
    address: mediaServer.address,
    sipAddress: mediaServer.sip.ipv4.udp.address,
    api: (command) => request((onReply) => mediaServer.api(command, onReply)),
    sendMessage: (uuid, headers) =>
      request((onReply) => conn.sendRecv(`sendmsg ${uuid}`, headers, (reply) => onReply(textOf(reply)))),
    close() {
      if (state !== 'closed') end(new Error('it was closed.'));
    },
  };
};

/** Resolves if FreeSWITCH is ready for calls; rejects with a plain sentence otherwise. */
export const probeFreeSwitch = async (server: ServerAddress): Promise<void> => {
  const connection = await connectToFreeSwitch(server, { onDigit() {}, onHeartbeat() {}, onLost() {} });
  connection.close();
};

export type Commands = {
  /** Runs a command. Resolves with the complete response. Rejects without a connection, and on a timeout. */
  api(command: string): Promise<string>;
  /** Runs a command like `api`, but rejects if the response is not `+OK`. */
  run(command: string): Promise<string>;
  /** Sends a message to a channel (`sendmsg`). Rejects if the channel does not exist. */
  sendMessage(uuid: string, headers: Readonly<Record<string, string>>): Promise<void>;
};

/** Rejects CR and LF: a newline would inject a second command. */
const oneLine = (text: string): string => {
  if (/[\r\n]/.test(text)) throw new Error('A command for FreeSWITCH must be one line');
  return text;
};

/**
 * Returns the verb of a command for the log. Arguments are not logged, because they may contain private data such as
 * DTMF digits.
 */
const verbOf = (command: string): string => command.split(' ', 1)[0] ?? '';

export type CommandOptions = {
  /** Timeout of a reply. */
  answerMs: number;
  /** Fence for frozen processes. While the fence is closed, commands wait. */
  fence: Fence;
  clock: Clock;
};

export const commandsOn = (
  /** Returns the connection. Throws without one. */
  connection: () => Pick<Connection, 'api' | 'sendMessage'>,
  { answerMs, fence, clock }: CommandOptions,
): Commands => {
  /** Commands wait for the fence in the order of their arrival. */
  const withTimeout = async (what: string, send: () => Promise<string>): Promise<string> => {
    if (!fence.isOpen()) await fence.pass();
    return within(clock, answerMs, `FreeSWITCH's reply to ${what}`, send());
  };

  const api = async (command: string): Promise<string> =>
    withTimeout(verbOf(command), () => connection().api(oneLine(command)));

  return {
    api,
    async run(command) {
      const response = await api(command);
      if (!response.startsWith('+OK')) throw new Error(`FreeSWITCH rejected ${verbOf(command)}`);
      return response;
    },
    async sendMessage(uuid, headers) {
      for (const value of [uuid, ...Object.values(headers)]) oneLine(value);
      const reply = await withTimeout('a message', () => connection().sendMessage(uuid, headers));
      if (!reply.startsWith('+OK')) throw new Error('The channel does not exist');
    },
  };
};
