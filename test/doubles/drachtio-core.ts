/** State shared by drachtio-server's two sides: the control connections and the parties of the SIP network. */
import type { SipParty } from './far-end.ts';
import type { SipDialogs } from './sip-dialogs.ts';
import { formatSip, type SipMessage } from './sip-parser.ts';

/** A connected gateway. */
export type Client = {
  say(text: string): void;
  /** Methods of requests outside calls that the client subscribes to, in lower case. */
  readonly routes: Set<string>;
};

export type Core = {
  /** SIP address, `host:port`. */
  readonly address: string;
  readonly dialogs: SipDialogs<Client>;
  /** By address. */
  readonly parties: ReadonlyMap<string, SipParty>;
  /** The client that handles such a request outside of calls. */
  clientFor(method: string): Client | undefined;
  /** Whether the client is still connected. */
  isThere(client: Client): boolean;
  /** Whether the server rejects a client's response with this status. */
  rejectsResponse(status: number): boolean;
};

/** Time of day in UTC with microseconds. */
const timeOfDay = (): string => `${new Date().toISOString().slice(11, 23)}000`;

/** Metadata of a message: source, length, transport, address and time. */
const metaOf = (source: string, text: string, address: string, transport: 'udp' | '' = 'udp'): string => {
  const [host = '', port = ''] = address.split(':');
  return [source, Buffer.byteLength(text), transport, host, port, timeOfDay()].join('|');
};

/** Notifies the client that its request was sent. */
export const tellRequestSent = (
  client: Client,
  commandId: string,
  { message, id, address }: { message: SipMessage; id: string; address: string },
): void => {
  const text = formatSip(message);
  client.say(`response|${commandId}|OK|${metaOf('application', text, address)}|${id}|Msg sent:|\r\n${text}`);
};

/** A message reported to a client. */
type Told = { message: SipMessage; id: string; dialogId: string; party: SipParty };

/** Notifies the client that its response was sent. */
export const tellResponseSent = (
  client: Client,
  commandId: string,
  { message, id, dialogId, party, transport }: Told & { transport: 'udp' | '' },
): void => {
  const text = formatSip(message);
  const meta = metaOf('application', text, party.address, transport);
  client.say(`response|${commandId}|OK|${meta}|${id}|${dialogId}||Msg sent:|\r\n${text}`);
};

/** Notifies the client of a received request outside a dialog. */
export const tellNewRequest = (
  client: Client,
  { message, id, party, address }: { message: SipMessage; id: string; party: SipParty; address: string },
): void => {
  const text = formatSip(message);
  const own = address.replace(':', '|');
  client.say(`sip|${metaOf('network', text, party.address)}|${id}||${own}|\r\n${text}`);
};

/** Notifies the client of a received response or in-dialog request. */
export const tellReceived = (
  client: Client,
  { message, id, dialogId, party, transport = 'udp' }: Told & { transport?: 'udp' | '' },
): void => {
  const text = formatSip(message);
  client.say(`sip|${metaOf('network', text, party.address, transport)}|${id}|${dialogId}|\r\n${text}`);
};

/** Notifies the client of a message that drachtio-server has sent without a command. */
export const tellUnsolicited = (
  client: Client,
  { message, dialogId, address }: { message: SipMessage; dialogId: string; address: string },
): void => {
  const text = formatSip(message);
  client.say(`sip|${metaOf('application', text, address)}|unsolicited|${dialogId}|\r\n${text}`);
};

export const refuseCommand = (client: Client, commandId: string, why: string): void =>
  client.say(`response|${commandId}|NOK|${why}`);
