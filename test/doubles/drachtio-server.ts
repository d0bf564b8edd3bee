/**
 * Double of drachtio-server: its control protocol over TCP as in version 0.9.10, and an in-process SIP network behind
 * it. test/sip/drachtio/doubles.test.ts compares its messages with the real server.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { ServerAddress } from '#sip/reconnect.ts';
import { listenOn } from '#test/helpers/listen-on.ts';
import { ownPort } from '#test/helpers/own-port.ts';
import { createControlReader, writeControlMessage, type ControlMessage } from './control-messages.ts';
import { takeSipCommand } from './drachtio-commands.ts';
import { tellUnsolicited, type Client, type Core } from './drachtio-core.ts';
import { takeFromNetwork } from './drachtio-network.ts';
import type { SipParty, SipServer } from './far-end.ts';
import { createSipDialogs, insideRequest } from './sip-dialogs.ts';
import { parseSip, type SipMessage } from './sip-parser.ts';

const firstSecret = 'test-drachtio';
/** SIP address; no socket listens there. */
const sipAddress = '127.0.0.1:5060';

/** Handles a client's messages other than SIP. Calls `onAdmitted` after authentication with the secret. */
const createConversation = (core: Core, client: Client, secret: () => string, onAdmitted: () => void) => {
  const answer = (message: ControlMessage, verdict: string): void =>
    client.say(`response|${message.id}|${verdict}`);
  let isAdmitted = false;

  /** Returns false to close the connection. */
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

/** The control connections, on a server that can be frozen or away. */
const createControl = (core: Core, clients: Map<Socket, Client>, secret: () => string) => {
  let isFrozen = false;
  let isAway = false;
  const held: (() => void)[] = [];

  /** A frozen server postpones its actions until `goOn`. */
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
    listen: (port: number) => listenOn(server, port),
    cut,
    /** While away, new connections are closed at once. */
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
  let rejectedStatus: number | null = null;
  let core: Core = {
    address: sipAddress,
    dialogs: createSipDialogs(),
    parties,
    clientFor,
    isThere,
    rejectsResponse: (status) => status === rejectedStatus,
  };
  let control = createControl(core, clients, () => secret);
  const port = await ownPort();
  await control.listen(port);

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
    /** Reads input but does not act until `goOn`. */
    freeze: () => control.freeze(),
    goOn: () => control.goOn(),
    /** Closes all client connections but keeps their calls; clients may reconnect. */
    cutConnections: () => control.cut(),
    /** Like `cutConnections`, but clients cannot reconnect before `comeBack`. */
    goAway: () => control.beAway(true),
    comeBack: () => control.beAway(false),
    /** Changes the secret for later authentications. */
    changeSecret(): void {
      secret = 'another';
    },
    /** Simulates the death of the process; call `restart` to continue. */
    kill: () => control.close(),
    /** Starts again after `kill`, without any previous state. */
    async restart(): Promise<void> {
      core = { ...core, dialogs: createSipDialogs() };
      control = createControl(core, clients, () => secret);
      await control.listen(port);
    },
    /** Rejects all responses with this status from now on, like those with an invalid header. */
    rejectResponses(status: number): void {
      rejectedStatus = status;
    },
    /** Ends a call like drachtio-server does if the ACK or the session refresh is missing. */
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
    /** Number of admitted clients. */
    clients: () => clients.size,
    /** Call-IDs of the existing dialogs. */
    dialogs: () => [...core.dialogs.dialogs.values()].map(({ callId }) => callId),
    close: () => control.close(),
  };
};

export type DrachtioServer = Awaited<ReturnType<typeof startDrachtioServer>>;
