/**
 * Double of FreeSWITCH: its event socket over TCP, its SIP in the network of the drachtio double, and the audio of its
 * channels by `unicast`. test/sip/drachtio/doubles.test.ts compares its messages with the real server.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { ServerAddress } from '#sip/drachtio/reconnect.ts';
import {
  apiResponse,
  commandReply,
  createCommandReader,
  disconnectNotice,
  plainEvent,
  type SocketCommand,
} from './event-socket-messages.ts';
import { createFarEnd, type FarCall, type SipServer } from './far-end.ts';
import { patienceMs } from './mailbox.ts';
import { MediaChannel } from './media-channel.ts';
import { methodOf, statusOf, type SipMessage } from './sip-parser.ts';

const firstSecret = 'test-freeswitch';

/** `null`: the gateway's SIP profile is not loaded. */
const sofiaStatus = (address: string | null): string => {
  const rule = `${'='.repeat(97)}\n`;
  return [
    '                     Name\t   Type\t                                      Data\tState\n',
    rule,
    ...(address === null
      ? []
      : [`                trunkline\tprofile\t             sip:mod_sofia@${address}\tRUNNING (0)\n`]),
    rule,
    `${address === null ? '0 profiles' : '1 profile'} 0 aliases\n`,
  ].join('');
};

/** How the event socket treats its clients. */
type Reception = 'open' | 'silent' | 'closing';

/** The event socket, on which clients send commands and receive events. */
const createEventSocket = (options: {
  secret: () => string;
  reception: () => Reception;
  runApi: (command: string) => string;
  /** Sends a command to a channel; returns false if it does not exist afterwards. */
  tellChannel: (uuid: string, command: SocketCommand) => boolean;
}) => {
  const connections = new Set<Socket>();
  const listening = new Set<Socket>();

  /** Executes a command of an authenticated client. */
  const answerTo = (verb: string, rest: string, command: SocketCommand): string => {
    switch (verb) {
      case 'event':
        return commandReply('+OK event listener enabled plain');
      case 'api':
        return apiResponse(options.runApi(rest));
      case 'sendmsg':
        return commandReply(options.tellChannel(rest, command) ? '+OK' : `-ERR invalid session id [${rest}]`);
      default:
        return commandReply('-ERR command not found');
    }
  };

  const server = createServer((socket) => {
    let isAdmitted = false;
    const obey = (command: SocketCommand): void => {
      if (options.reception() === 'silent') return;
      const [verb = '', ...words] = command.line.split(' ');
      if (verb === 'auth') isAdmitted = words.join(' ') === options.secret();
      if (!isAdmitted) socket.end(`${commandReply('-ERR invalid')}${disconnectNotice}`);
      else if (verb === 'auth') socket.write(commandReply('+OK accepted'));
      else socket.write(answerTo(verb, words.join(' '), command));
      if (verb === 'event') listening.add(socket);
    };
    connections.add(socket);
    socket.on('close', () => {
      connections.delete(socket);
      listening.delete(socket);
    });
    socket.on('error', () => {});
    socket.on('data', createCommandReader(obey));
    if (options.reception() === 'closing') socket.end();
    else if (options.reception() === 'open') socket.write('Content-Type: auth/request\n\n');
  });

  return {
    /** Sends an event to all subscribers. */
    tellAll(fields: Readonly<Record<string, string>>): void {
      for (const socket of listening) socket.write(plainEvent(fields));
    },
    async listen(port: number): Promise<number> {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('No port');
      return address.port;
    },
    async close(): Promise<void> {
      for (const socket of connections) socket.destroySoon();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
};

/** How requests for an endpoint are handled. */
type Manner = 'answers' | 'refuses once' | 'refuses' | 'holds' | 'dead';

/** Console commands, and scheduled commands. */
const createConsole = (channels: ReadonlyMap<string, MediaChannel>, sofia: () => string) => {
  /** Scheduled commands by the name with which they can be cancelled. */
  const tasks = new Map<string, string>();
  let bridging: 'at once' | 'never' | 'refused' = 'at once';

  const hangUpAll = (cause: string, [name = '', value = '']: readonly string[]): string => {
    for (const channel of channels.values()) if (channel.variable(name) === value) channel.hangUp(cause);
    return `+OK hangup all channels matching [${name}]=[${value}] with cause: ${cause}\n`;
  };

  const bridge = (first: string, second = ''): string => {
    const [one, other] = [channels.get(first), channels.get(second)];
    if (one === undefined || other === undefined) return '-ERR Invalid uuid\n';
    if (bridging === 'refused') return '-ERR Invalid uuid\n';
    if (bridging === 'at once') {
      one.bridgeTo(other);
      other.bridgeTo(one);
    }
    return `+OK ${second}\n`;
  };

  const runApi = (command: string): string => {
    if (command === 'sofia status') return sofia();
    const [name = '', first = '', ...rest] = command.split(' ');
    if (name === 'global_getvar') return first === 'gw_park_sec' ? '30' : '';
    if (name === 'sched_api') {
      const [task = '', ...scheduled] = rest;
      tasks.set(task, scheduled.join(' '));
      return `+OK Added: ${tasks.size}\n`;
    }
    if (name === 'sched_del') return `+OK Deleted: ${tasks.delete(first) ? 1 : 0}\n`;
    if (name === 'uuid_bridge') return bridge(first, ...rest);
    if (name === 'hupall') return hangUpAll(first, rest);
    if (name === 'uuid_exists' && !channels.has(first)) return 'false';
    return channels.get(first.replace(/^uuid:/, ''))?.runApi(command) ?? '-ERR No such channel!\n';
  };

  return {
    runApi,
    /** From now on, silently ignores requests to bridge channels. */
    ignoreBridges(): void {
      bridging = 'never';
    },
    refuseBridges(): void {
      bridging = 'refused';
    },
    clear: (): void => tasks.clear(),
    /** Names of the scheduled commands. */
    tasks: (): readonly string[] => [...tasks.keys()],
    /** Runs a scheduled command as if its time had come. */
    runTask(task: string): void {
      const command = tasks.get(task);
      if (command === undefined) throw new Error('There is no such task');
      tasks.delete(task);
      runApi(command);
    },
  };
};

/** The channels, and how requests for new ones are handled. */
const createEndpoints = (tellAll: (fields: Readonly<Record<string, string>>) => void) => {
  const channels = new Map<string, MediaChannel>();
  let manner: Manner = 'answers';
  let nextPort = 40_000;
  const held: MediaChannel[] = [];
  const events = new EventEmitter();

  const take = (message: SipMessage, call: FarCall): void => {
    if (manner === 'dead') return undefined;
    const known = channels.get(call.callId);
    if (known !== undefined) return known.take(message);
    if (statusOf(message) !== undefined || methodOf(message) !== 'INVITE') return undefined;
    if (manner === 'refuses' || manner === 'refuses once') {
      if (manner === 'refuses once') manner = 'answers';
      return call.answers(503);
    }
    nextPort += 2;
    const onOver = (): void => {
      channels.delete(call.callId);
      events.emit('channels');
    };
    const onKey = (digit: string): void =>
      tellAll({
        'Event-Name': 'DTMF',
        'Unique-ID': call.callId,
        'DTMF-Digit': digit,
        'DTMF-Duration': '1600',
        'DTMF-Source': 'RTP',
      });
    const channel = new MediaChannel({ call, invite: message, port: nextPort, onKey, onOver });
    channels.set(call.callId, channel);
    if (manner === 'holds') held.push(channel);
    else channel.answer();
    events.emit('channels');
    return undefined;
  };

  return {
    channels,
    take,
    /** Answers requests again. */
    revive(): void {
      manner = 'answers';
    },
    vanish(): void {
      manner = 'dead';
      for (const channel of channels.values()) channel.vanish();
    },
    asked: {
      /** Existing channels, oldest first. */
      channels: (): readonly MediaChannel[] => [...channels.values()],
      /** Resolves when exactly this many channels exist. */
      async untilChannels(count: number): Promise<void> {
        while (channels.size !== count)
          await once(events, 'channels', { signal: AbortSignal.timeout(patienceMs) });
      },
      /** From now on, refuses new endpoints. */
      refuseEndpoints(): void {
        manner = 'refuses';
      },
      /** Refuses the next new endpoint only. */
      refuseNextEndpoint(): void {
        manner = 'refuses once';
      },
      /** From now on, does not answer new endpoints until `letEndpointsGo`. */
      holdEndpoints(): void {
        manner = 'holds';
      },
      letEndpointsGo(): void {
        manner = 'answers';
        for (const channel of held.splice(0)) channel.answer();
      },
    },
  };
};

export const startFreeSwitch = async (network: SipServer, sipAddress: string) => {
  let reception: Reception = 'open';
  let secret = firstSecret;
  let hasProfile = true;
  const { channels, take, revive, vanish, asked } = createEndpoints((fields) => eventSocket.tellAll(fields));
  const { clear, runApi, ...later } = createConsole(channels, () =>
    sofiaStatus(hasProfile ? sipAddress : null),
  );
  const tellChannel = (uuid: string, command: SocketCommand): boolean => {
    channels.get(uuid)?.obey(command);
    return channels.has(uuid);
  };
  const open = () =>
    createEventSocket({ secret: () => secret, reception: () => reception, runApi, tellChannel });
  let eventSocket = open();
  const port = await eventSocket.listen(0);
  createFarEnd(network, sipAddress).onMessage(take);

  const die = (): Promise<void> => {
    clear();
    vanish();
    return eventSocket.close();
  };

  return {
    eventSocket: { host: '127.0.0.1', port, secret: firstSecret } satisfies ServerAddress,
    ...asked,
    ...later,
    /** Stops or resumes all responses. */
    hang(isHanging: boolean): void {
      reception = isHanging ? 'silent' : 'open';
    },
    /** Changes the secret for later authentications. */
    changeSecret(): void {
      secret = 'another';
    },
    /** Unloads the gateway's SIP profile. */
    dropProfile(): void {
      hasProfile = false;
    },
    /** Disconnects current and future clients of the event socket; channels continue. */
    async closeEventSocket(): Promise<void> {
      reception = 'closing';
      await eventSocket.close();
      eventSocket = open();
      await eventSocket.listen(port);
    },
    openEventSocket(): void {
      reception = 'open';
    },
    /** Simulates the death of the process; call `restart` to continue. */
    kill: die,
    async restart(): Promise<void> {
      revive();
      eventSocket = open();
      await eventSocket.listen(port);
    },
    close: die,
  };
};

export type FreeSwitch = Awaited<ReturnType<typeof startFreeSwitch>>;
