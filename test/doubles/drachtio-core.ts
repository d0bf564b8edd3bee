/**
 * The common part of drachtio-server's two sides: the control connections on one, the parties of the SIP network on the
 * other.
 */
import type { SipParty } from './far-end.ts';
import type { SipDialogs } from './sip-dialogs.ts';
import { formatSip, type SipMessage } from './sip-parser.ts';

/** A gateway, as it is connected. */
export type Client = {
  say(text: string): void;
  /** What it wants of requests that belong to no call yet, in lower case. */
  readonly routes: Set<string>;
};

export type Core = {
  /** Of its SIP, `host:port`. */
  readonly address: string;
  readonly dialogs: SipDialogs<Client>;
  /** By address. */
  readonly parties: ReadonlyMap<string, SipParty>;
  /** Who is asked about such a request outside of calls. */
  clientFor(method: string): Client | undefined;
  /** Whether it is still connected. */
  isThere(client: Client): boolean;
};

/** The hour in UTC, to the microsecond. */
const timeOfDay = (): string => `${new Date().toISOString().slice(11, 23)}000`;

/** What is told of a message beside it: its source, length, transport, address and time. */
const metaOf = (source: string, text: string, address: string, transport: 'udp' | '' = 'udp'): string => {
  const [host = '', port = ''] = address.split(':');
  return [source, Buffer.byteLength(text), transport, host, port, timeOfDay()].join('|');
};

/** That a request has gone out. */
export const tellRequestSent = (
  client: Client,
  commandId: string,
  { message, id, address }: { message: SipMessage; id: string; address: string },
): void => {
  const text = formatSip(message);
  client.say(`response|${commandId}|OK|${metaOf('application', text, address)}|${id}|Msg sent:|\r\n${text}`);
};

/** A message about which a client is told. */
type Told = { message: SipMessage; id: string; dialogId: string; party: SipParty };

/** That a response has gone out. */
export const tellResponseSent = (
  client: Client,
  commandId: string,
  { message, id, dialogId, party, transport }: Told & { transport: 'udp' | '' },
): void => {
  const text = formatSip(message);
  const meta = metaOf('application', text, party.address, transport);
  client.say(`response|${commandId}|OK|${meta}|${id}|${dialogId}||Msg sent:|\r\n${text}`);
};

/** A request that belongs to no call yet has come in. */
export const tellNewRequest = (
  client: Client,
  { message, id, party, address }: { message: SipMessage; id: string; party: SipParty; address: string },
): void => {
  const text = formatSip(message);
  const own = address.replace(':', '|');
  client.say(`sip|${metaOf('network', text, party.address)}|${id}||${own}|\r\n${text}`);
};

/** A response, or a request of a dialog, has come in. */
export const tellReceived = (
  client: Client,
  { message, id, dialogId, party, transport = 'udp' }: Told & { transport?: 'udp' | '' },
): void => {
  const text = formatSip(message);
  client.say(`sip|${metaOf('network', text, party.address, transport)}|${id}|${dialogId}|\r\n${text}`);
};

/** Tells of a message that drachtio-server has sent by itself, with nobody asking for it. */
export const tellUnsolicited = (
  client: Client,
  { message, dialogId, address }: { message: SipMessage; dialogId: string; address: string },
): void => {
  const text = formatSip(message);
  client.say(`sip|${metaOf('application', text, address)}|unsolicited|${dialogId}|\r\n${text}`);
};

export const refuseCommand = (client: Client, commandId: string, why: string): void =>
  client.say(`response|${commandId}|NOK|${why}`);
