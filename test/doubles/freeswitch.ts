/**
 * A FreeSWITCH for tests: its event socket over TCP, its SIP in the network of the drachtio double, and the sound of its
 * channels by `unicast`. What it says is compared with the real one: test/sip/drachtio/doubles.test.ts.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { ServerAddress } from '#sip/drachtio/reconnect.ts';
import {
  apiResponse,
  commandReply,
  createCommandReader,
  disconnectNotice,
  type SocketCommand,
} from './event-socket-messages.ts';
import { createFarEnd, type FarCall, type SipServer } from './far-end.ts';
import { patienceMs } from './mailbox.ts';
import { MediaChannel } from './media-channel.ts';
import { methodOf, statusOf, type SipMessage } from './sip-message.ts';

const firstSecret = 'test-freeswitch';

/** `null`: the profile of the gateway is not there. */
const sofiaStatus = (address: string | null): string => {
  const rule = `${'='.repeat(97)}\n`;
  return [
    '                     Name\t   Type\t                                      Data\tState\n',
    rule,
    ...(address === null
      ? []
      : [`             drachtio_mrf\tprofile\t             sip:mod_sofia@${address}\tRUNNING (0)\n`]),
    rule,
    `${address === null ? '0 profiles' : '1 profile'} 0 aliases\n`,
  ].join('');
};

/** How the event socket meets its clients. */
type Reception = 'open' | 'silent' | 'closing';

/** Where clients ask what belongs to no channel, or to one that is not theirs. */
const createEventSocket = (options: {
  secret: () => string;
  reception: () => Reception;
  runApi: (command: string) => string;
}) => {
  const connections = new Set<Socket>();

  /** What is said to a command of who has said the secret. */
  const answerTo = (verb: string, rest: string): string => {
    switch (verb) {
      case 'event':
        return commandReply('+OK event listener enabled json');
      case 'api':
        return apiResponse(options.runApi(rest));
      case 'exit':
        return `${commandReply('+OK bye')}${disconnectNotice(null)}`;
      default:
        return commandReply('-ERR command not found');
    }
  };

  const server = createServer((socket) => {
    let isAdmitted = false;
    const obey = ({ line }: SocketCommand): void => {
      if (options.reception() === 'silent') return;
      const [verb = '', ...words] = line.split(' ');
      if (verb === 'auth') isAdmitted = words.join(' ') === options.secret();
      if (!isAdmitted) socket.end(`${commandReply('-ERR invalid')}${disconnectNotice(null)}`);
      else if (verb === 'auth') socket.write(commandReply('+OK accepted'));
      else socket.write(answerTo(verb, words.join(' ')));
      if (verb === 'exit') socket.end();
    };
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {});
    socket.on('data', createCommandReader(obey));
    if (options.reception() === 'closing') socket.end();
    else if (options.reception() === 'open') socket.write('Content-Type: auth/request\n\n');
  });

  return {
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

/** What becomes of an endpoint that is asked for. */
type Manner = 'answers' | 'refuses once' | 'refuses' | 'holds' | 'dead';

export const startFreeSwitch = async (network: SipServer, sipAddress: string) => {
  const channels = new Map<string, MediaChannel>();
  let manner: Manner = 'answers';
  let reception: Reception = 'open';
  let secret = firstSecret;
  let hasProfile = true;
  let nextPort = 40_000;
  const held: MediaChannel[] = [];
  const events = new EventEmitter();

  const runApi = (command: string): string => {
    if (command === 'sofia status') return sofiaStatus(hasProfile ? sipAddress : null);
    const [, uuid] = command.split(' ');
    const channel = [...channels.values()].find((one) => one.uuid === uuid);
    return channel?.runApi(command) ?? '-ERR No such channel!\n';
  };
  const open = () => createEventSocket({ secret: () => secret, reception: () => reception, runApi });
  let eventSocket = open();
  const port = await eventSocket.listen(0);

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
    const channel = new MediaChannel({ call, invite: message, port: nextPort, onOver });
    channels.set(call.callId, channel);
    if (manner === 'holds') held.push(channel);
    else channel.answer();
    events.emit('channels');
    return undefined;
  };
  createFarEnd(network, sipAddress).onMessage(take);

  const vanish = (): void => {
    manner = 'dead';
    for (const channel of channels.values()) channel.vanish();
  };

  return {
    eventSocket: { host: '127.0.0.1', port, secret: firstSecret } satisfies ServerAddress,
    /** Those that stand, oldest first. */
    channels: (): readonly MediaChannel[] => [...channels.values()],
    /** Resolves as soon as so many stand. */
    async untilChannels(count: number): Promise<void> {
      while (channels.size !== count)
        await once(events, 'channels', { signal: AbortSignal.timeout(patienceMs) });
    },
    /** Endpoints that are asked for from now on are refused. */
    refuseEndpoints(): void {
      manner = 'refuses';
    },
    /** The next endpoint that is asked for is refused. */
    refuseNextEndpoint(): void {
      manner = 'refuses once';
    },
    /** Endpoints that are asked for from now on are not answered until `letEndpointsGo`. */
    holdEndpoints(): void {
      manner = 'holds';
    },
    letEndpointsGo(): void {
      manner = 'answers';
      for (const channel of held.splice(0)) channel.answer();
    },
    /** Whether who connects with its event socket is sent away at once; connections that stand go on. */
    closeNewConnections(isClosing: boolean): void {
      reception = isClosing ? 'closing' : 'open';
    },
    /** From now on another secret lets in. */
    changeSecret(): void {
      secret = 'another';
    },
    /** The SIP profile for the gateway is not loaded. */
    dropProfile(): void {
      hasProfile = false;
    },
    /** Its event socket is closed; channels, which have their own, go on. */
    closeEventSocket: () => eventSocket.close(),
    async openEventSocket(): Promise<void> {
      eventSocket = open();
      await eventSocket.listen(port);
    },
    /** Its process dies; what follows needs its restart. */
    async kill(): Promise<void> {
      vanish();
      await eventSocket.close();
    },
    async restart(): Promise<void> {
      manner = 'answers';
      eventSocket = open();
      await eventSocket.listen(port);
    },
    async close(): Promise<void> {
      vanish();
      await eventSocket.close();
    },
  };
};

export type FreeSwitch = Awaited<ReturnType<typeof startFreeSwitch>>;
