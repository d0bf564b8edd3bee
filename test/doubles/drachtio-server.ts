/**
 * A drachtio-server for tests: its control protocol over TCP as version 0.9.10 speaks it, and behind it a SIP network
 * within this process. What it says is compared with the real one: test/sip/drachtio/doubles.test.ts.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { ServerAddress } from '#sip/drachtio/reconnect.ts';
import { createControlReader, writeControlMessage, type ControlMessage } from './control-messages.ts';
import { takeSipCommand } from './drachtio-commands.ts';
import { tellUnsolicited, type Client, type Core } from './drachtio-core.ts';
import { takeFromNetwork } from './drachtio-network.ts';
import type { SipParty, SipServer } from './far-end.ts';
import { createSipDialogs, insideRequest } from './sip-dialogs.ts';
import { parseSip, type SipMessage } from './sip-parser.ts';

const firstSecret = 'test-drachtio';
/** Of its SIP; nothing listens there. */
const sipAddress = '127.0.0.1:5060';

/** What a client sends beside SIP. `admitted`: it has said the secret. */
const createConversation = (core: Core, client: Client, secret: () => string, onAdmitted: () => void) => {
  const answer = (message: ControlMessage, verdict: string): void =>
    client.say(`response|${message.id}|${verdict}`);
  let isAdmitted = false;

  /** False ends the connection. */
  return (message: ControlMessage): boolean => {
    const { type, fields } = message;
    if (type === 'authenticate') {
      isAdmitted = fields[0] === secret();
      const ports = `tcp/${core.address},udp/${core.address}`;
      answer(message, isAdmitted ? `OK|${ports}|v0.9.10|${ports}` : 'NO|incorrect secret');
      if (isAdmitted) onAdmitted();
      return isAdmitted;
    }
    if (type === 'route') client.routes.add(fields[0] ?? '');
    if (type === 'route') answer(message, 'OK');
    else if (type === 'ping') answer(message, 'OK|pong');
    else if (type === 'sip') takeSipCommand(core, client, message);
    else answer(message, 'NO|Unknown message type');
    return ['route', 'ping', 'sip'].includes(type);
  };
};

/** The connections of its clients, and a server that can be frozen or away. */
const createControl = (core: Core, clients: Map<Socket, Client>, secret: () => string) => {
  let isFrozen = false;
  let isAway = false;
  const held: (() => void)[] = [];

  /** What a frozen server would do, it does when it goes on. */
  const act = (action: () => void): void => {
    if (isFrozen) held.push(action);
    else action();
  };

  const server = createServer((socket) => {
    if (isAway) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    const client: Client = {
      say: (text) => void socket.write(writeControlMessage(text)),
      routes: new Set(),
    };
    const converse = createConversation(core, client, secret, () => clients.set(socket, client));
    const read = createControlReader((message) =>
      act(() => {
        if (!converse(message)) socket.end();
      }),
    );
    socket.on('data', read);
    socket.on('error', () => {});
    socket.on('close', () => clients.delete(socket));
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  const connections = new Set<Socket>();
  const cut = (): void => {
    for (const socket of connections) socket.destroy();
    clients.clear();
  };

  return {
    act,
    async listen(port: number): Promise<number> {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('No port');
      return address.port;
    },
    cut,
    /** Whoever connects is cut off at once, or not any more. */
    beAway(away: boolean): void {
      isAway = away;
      if (away) cut();
    },
    async close(): Promise<void> {
      cut();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
    freeze(): void {
      isFrozen = true;
    },
    goOn(): void {
      isFrozen = false;
      for (const action of held.splice(0)) action();
    },
  };
};

export const startDrachtioServer = async () => {
  const clients = new Map<Socket, Client>();
  const parties = new Map<string, SipParty>();
  let secret = firstSecret;
  let core: Core = { address: sipAddress, dialogs: createSipDialogs(), parties, clientFor, isThere };
  let control = createControl(core, clients, () => secret);
  const port = await control.listen(0);

  function clientFor(method: string): Client | undefined {
    return [...clients.values()].find(({ routes }) => routes.has(method.toLowerCase()));
  }

  function isThere(client: Client): boolean {
    return [...clients.values()].includes(client);
  }

  const network: SipServer = {
    address: sipAddress,
    attach: (party) => void parties.set(party.address, party),
    take: (message, from) => control.act(() => takeFromNetwork(core, message, from)),
  };

  return {
    ...network,
    control: { host: '127.0.0.1', port, secret: firstSecret } satisfies ServerAddress,
    /** Takes in and says nothing until `goOn`. */
    freeze: () => control.freeze(),
    goOn: () => control.goOn(),
    /** Ends the connections of its clients, and keeps their calls; they may come again. */
    cutConnections: () => control.cut(),
    /** The same, and nobody may come again before `comeBack`. */
    goAway: () => control.beAway(true),
    comeBack: () => control.beAway(false),
    /** From now on another secret lets in. */
    changeSecret(): void {
      secret = 'another';
    },
    /** Its process dies; what follows needs its restart. */
    kill: () => control.close(),
    /** After `kill`: it knows nothing of what was before. */
    async restart(): Promise<void> {
      core = { ...core, dialogs: createSipDialogs() };
      control = createControl(core, clients, () => secret);
      await control.listen(port);
    },
    /** Ends a call by itself, as when its ACK, or the refresh of its session, has not come in time. */
    giveUp(callId: string, why: 'ACK timeout' | 'Session timer expired'): void {
      for (const dialog of core.dialogs.dialogs.values()) {
        if (dialog.callId !== callId) continue;
        const bye = parseSip(`BYE ${dialog.target} SIP/2.0\r\nReason: SIP;cause=200;text="${why}"\r\n\r\n`);
        const message: SipMessage = insideRequest(bye, dialog, sipAddress);
        core.dialogs.dialogs.delete(dialog.id);
        dialog.party.hear(message);
        tellUnsolicited(dialog.client, { message, dialogId: dialog.id, address: sipAddress });
      }
    },
    /** The dialogs that stand. */
    dialogs: () => [...core.dialogs.dialogs.values()].map(({ callId }) => callId),
    close: () => control.close(),
  };
};

export type DrachtioServer = Awaited<ReturnType<typeof startDrachtioServer>>;
