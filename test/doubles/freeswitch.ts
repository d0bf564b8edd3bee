/**
 * Double of FreeSWITCH: its event socket over TCP, its SIP in the network of the drachtio double, and the audio of its
 * channels by `unicast`. test/sip/drachtio/doubles.test.ts compares its messages with the real server.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { ServerLoad } from '#sip/freeswitch/connection.ts';
import type { ServerAddress } from '#sip/reconnect.ts';
import { listenOn } from '#test/helpers/listen-on.ts';
import { ownPort } from '#test/helpers/own-port.ts';
import {
  apiResponse,
  commandReply,
  createCommandReader,
  disconnectNotice,
  jsonEvent,
  type SocketCommand,
} from './event-socket-messages.ts';
import { createFarEnd, type FarCall, type SipServer } from './far-end.ts';
import { patienceMs } from './mailbox.ts';
import { MediaChannel } from './media-channel.ts';
import { methodOf, statusOf, type SipMessage } from './sip-parser.ts';

const firstSecret = 'test-freeswitch';
const coreId = '00000000-0000-4000-8000-000000000000';

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
  sendToChannel: (uuid: string, command: SocketCommand) => boolean;
}) => {
  /** Names of the events to which each client has subscribed. */
  const connections = new Map<Socket, Set<string>>();

  /** Executes a command of an authenticated client. */
  const answerTo = (verb: string, rest: string, command: SocketCommand): string => {
    switch (verb) {
      case 'event':
        return commandReply('+OK event listener enabled json');
      case 'api':
        return apiResponse(options.runApi(rest));
      case 'sendmsg':
        return commandReply(
          options.sendToChannel(rest, command) ? '+OK' : `-ERR invalid session id [${rest}]`,
        );
      default:
        return commandReply('-ERR command not found');
    }
  };

  const server = createServer((socket) => {
    let isAdmitted = false;
    const handle = (command: SocketCommand): void => {
      if (options.reception() === 'silent') return;
      const [verb = '', ...words] = command.line.split(' ');
      if (verb === 'auth') isAdmitted = words.join(' ') === options.secret();
      if (!isAdmitted) socket.end(`${commandReply('-ERR invalid')}${disconnectNotice}`);
      else if (verb === 'auth') socket.write(commandReply('+OK accepted'));
      else if (verb === 'exit') socket.end(`${commandReply('+OK bye')}${disconnectNotice}`);
      else socket.write(answerTo(verb, words.join(' '), command));
      if (verb === 'event') for (const name of words.slice(1)) subscriptions.add(name);
    };
    const subscriptions = new Set<string>();
    connections.set(socket, subscriptions);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {});
    socket.on('data', createCommandReader(handle));
    if (options.reception() === 'closing') socket.end();
    else if (options.reception() === 'open') socket.write('Content-Type: auth/request\n\n');
  });

  return {
    /** Sends an event to the clients that have subscribed to its name. */
    emit(name: string, fields: Readonly<Record<string, string>>): void {
      const event = jsonEvent({ 'Event-Name': name, 'Core-UUID': coreId, ...fields });
      for (const [socket, names] of connections) if (names.has(name)) socket.write(event);
    },
    listen: (port: number) => listenOn(server, port),
    /** Disconnects all clients; later ones are still accepted. */
    disconnect(): void {
      for (const socket of connections.keys()) socket.destroySoon();
    },
    async close(): Promise<void> {
      this.disconnect();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
};

/** How requests for an endpoint are handled. */
type EndpointBehaviour = 'answers' | 'refuses once' | 'refuses' | 'holds' | 'dead';

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
const createEndpoints = (emitEvent: (name: string, fields: Readonly<Record<string, string>>) => void) => {
  const channels = new Map<string, MediaChannel>();
  let behaviour: EndpointBehaviour = 'answers';
  let nextPort = 40_000;
  const held: MediaChannel[] = [];
  const events = new EventEmitter();

  const take = (message: SipMessage, call: FarCall): void => {
    if (behaviour === 'dead') return undefined;
    const known = channels.get(call.callId);
    if (known !== undefined) return known.take(message);
    if (statusOf(message) !== undefined || methodOf(message) !== 'INVITE') return undefined;
    if (behaviour === 'refuses' || behaviour === 'refuses once') {
      if (behaviour === 'refuses once') behaviour = 'answers';
      return call.answers(503);
    }
    nextPort += 2;
    const onOver = (): void => {
      channels.delete(call.callId);
      events.emit('channels');
    };
    const onDigit = (digit: string): void =>
      emitEvent('DTMF', {
        'Unique-ID': call.callId,
        'DTMF-Digit': digit,
        'DTMF-Duration': '1600',
        'DTMF-Source': 'RTP',
      });
    const channel = new MediaChannel({ call, invite: message, port: nextPort, onDigit, onOver });
    channels.set(call.callId, channel);
    if (behaviour === 'holds') held.push(channel);
    else channel.answer();
    events.emit('channels');
    return undefined;
  };

  return {
    channels,
    take,
    /** Answers requests again. */
    revive(): void {
      behaviour = 'answers';
    },
    vanish(): void {
      behaviour = 'dead';
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
        behaviour = 'refuses';
      },
      /** Refuses the next new endpoint only. */
      refuseNextEndpoint(): void {
        behaviour = 'refuses once';
      },
      /** From now on, does not answer new endpoints until `releaseEndpoints`. */
      holdEndpoints(): void {
        behaviour = 'holds';
      },
      releaseEndpoints(): void {
        behaviour = 'answers';
        for (const channel of held.splice(0)) channel.answer();
      },
    },
  };
};

export const startFreeSwitch = async (network: SipServer, sipAddress: string) => {
  let reception: Reception = 'open';
  let secret = firstSecret;
  let hasProfile = true;
  const { channels, take, revive, vanish, asked } = createEndpoints((name, fields) =>
    eventSocket.emit(name, fields),
  );
  const { clear, runApi, ...serverConsole } = createConsole(channels, () =>
    sofiaStatus(hasProfile ? sipAddress : null),
  );
  const sendToChannel = (uuid: string, command: SocketCommand): boolean => {
    channels.get(uuid)?.handle(command);
    return channels.has(uuid);
  };
  const open = () =>
    createEventSocket({ secret: () => secret, reception: () => reception, runApi, sendToChannel });
  let eventSocket = open();
  const port = await ownPort();
  await eventSocket.listen(port);
  createFarEnd(network, sipAddress).onMessage(take);

  const die = (): Promise<void> => {
    clear();
    vanish();
    return eventSocket.close();
  };

  return {
    eventSocket: { host: '127.0.0.1', port, secret: firstSecret } satisfies ServerAddress,
    ...asked,
    ...serverConsole,
    /** Stops or resumes all responses. */
    hang(isHanging: boolean): void {
      reception = isHanging ? 'silent' : 'open';
    },
    /** Sends an event to the clients that have subscribed to its name. */
    emitEvent: (name: string, fields: Readonly<Record<string, string>>): void =>
      eventSocket.emit(name, fields),
    /** Reports its load; the idle time is in percent. */
    heartbeat: ({ sessions, maxSessions, idleCpu }: ServerLoad): void =>
      eventSocket.emit('HEARTBEAT', {
        'Session-Count': String(sessions),
        'Max-Sessions': String(maxSessions),
        'Session-Per-Sec': '100',
        'Idle-CPU': idleCpu.toFixed(6),
      }),
    /** Changes the secret for later authentications. */
    changeSecret(): void {
      secret = 'another';
    },
    /** Unloads the gateway's SIP profile. */
    dropProfile(): void {
      hasProfile = false;
    },
    /** Disconnects current and future clients of the event socket; channels continue. */
    closeEventSocket(): void {
      reception = 'closing';
      eventSocket.disconnect();
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
