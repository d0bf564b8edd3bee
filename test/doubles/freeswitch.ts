/**
 * A FreeSWITCH for tests: its event socket over TCP, its SIP in the network of the drachtio double, and the sound of its
 * channels by websocket, as mod_audio_fork has it.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { ServerAddress } from '#sip/drachtio/reconnect.ts';
import { apiResponse, commandReply, createCommandReader, disconnectNotice } from './event-socket-messages.ts';
import { createFarEnd, type FarCall, type SipServer } from './far-end.ts';
import { patienceMs } from './mailbox.ts';
import { MediaChannel } from './media-channel.ts';
import { methodOf, statusOf, type SipMessage } from './sip-message.ts';

const secret = 'test-freeswitch';

const sofiaStatus = (address: string): string => {
  const rule = `${'='.repeat(97)}\n`;
  return [
    '                     Name\t   Type\t                                      Data\tState\n',
    rule,
    `             drachtio_mrf\tprofile\t             sip:mod_sofia@${address}\tRUNNING (0)\n`,
    rule,
    '1 profile 0 aliases\n',
  ].join('');
};

/** Where clients ask what belongs to no channel, or to one that is not theirs. */
const createEventSocket = (runApi: (command: string) => string) => {
  let isFrozen = false;
  const connections = new Set<Socket>();

  const server = createServer((socket) => {
    let isAdmitted = false;
    const answer = (verb: string, rest: string): void => {
      if (verb === 'auth') {
        isAdmitted = rest === secret;
        socket.write(commandReply(isAdmitted ? '+OK accepted' : '-ERR invalid'));
        if (!isAdmitted) socket.end(disconnectNotice(null));
      } else if (!isAdmitted) socket.write(commandReply('-ERR command not found'));
      else if (verb === 'event') socket.write(commandReply('+OK event listener enabled json'));
      else if (verb === 'api') socket.write(apiResponse(runApi(rest)));
      else if (verb === 'exit') socket.end(`${commandReply('+OK bye')}${disconnectNotice(null)}`);
      else socket.write(commandReply('-ERR command not found'));
    };
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {});
    socket.on(
      'data',
      createCommandReader(({ line }) => {
        const space = line.indexOf(' ');
        if (!isFrozen) answer(...([line.slice(0, space >>> 0), line.slice(space + 1)] as const));
      }),
    );
    if (!isFrozen) socket.write('Content-Type: auth/request\n\n');
  });

  return {
    async listen(port: number): Promise<number> {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('No port');
      return address.port;
    },
    setFrozen(frozen: boolean): void {
      isFrozen = frozen;
    },
    async close(): Promise<void> {
      for (const socket of connections) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
};

/** What becomes of an endpoint that is asked for. */
type Manner = 'answers' | 'refuses' | 'holds' | 'dead';

export const startFreeSwitch = async (network: SipServer, sipAddress: string) => {
  const channels = new Map<string, MediaChannel>();
  let manner: Manner = 'answers';
  let nextPort = 40_000;
  const held: MediaChannel[] = [];
  const events = new EventEmitter();

  const runApi = (command: string): string => {
    if (command === 'sofia status') return sofiaStatus(sipAddress);
    const [, uuid] = command.split(' ');
    const channel = [...channels.values()].find((one) => one.uuid === uuid);
    return channel?.runApi(command) ?? '-ERR No such channel!\n';
  };
  let eventSocket = createEventSocket(runApi);
  const port = await eventSocket.listen(0);

  const take = (message: SipMessage, call: FarCall): void => {
    if (manner === 'dead') return undefined;
    const known = channels.get(call.callId);
    if (known !== undefined) return known.take(message);
    if (statusOf(message) !== undefined || methodOf(message) !== 'INVITE') return undefined;
    if (manner === 'refuses') return call.answers(503);
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
    eventSocket: { host: '127.0.0.1', port, secret } satisfies ServerAddress,
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
    /** Endpoints that are asked for from now on are not answered until `letEndpointsGo`. */
    holdEndpoints(): void {
      manner = 'holds';
    },
    letEndpointsGo(): void {
      manner = 'answers';
      for (const channel of held.splice(0)) channel.answer();
    },
    /** It takes in and says nothing until `goOn`. */
    freeze(): void {
      manner = 'dead';
      eventSocket.setFrozen(true);
    },
    goOn(): void {
      manner = 'answers';
      eventSocket.setFrozen(false);
    },
    /** Its process dies; what follows needs its restart. */
    async kill(): Promise<void> {
      vanish();
      await eventSocket.close();
    },
    async restart(): Promise<void> {
      manner = 'answers';
      eventSocket = createEventSocket(runApi);
      await eventSocket.listen(port);
    },
    async close(): Promise<void> {
      vanish();
      await eventSocket.close();
    },
  };
};

export type FreeSwitch = Awaited<ReturnType<typeof startFreeSwitch>>;
