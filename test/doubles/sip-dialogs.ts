/**
 * Drachtio-server's part of SIP: transactions, dialogs, and headers that it adds to its clients' messages (RFC 3261
 * sections 8, 12 and 17). The network is lossless, so there are no retransmissions.
 */
import type { SipParty } from './far-end.ts';
import {
  branchOf,
  headerOf,
  methodOf,
  mustHave,
  responseTo,
  sequenceOf,
  statusOf,
  tagOf,
  uriIn,
  type SipMessage,
} from './sip-parser.ts';

/** A request sent by a client, until its final response. */
export type Outgoing<Client> = {
  id: string;
  request: SipMessage;
  party: SipParty;
  client: Client;
  dialogId: string;
};

/** A received request, until a client has answered it. */
export type Incoming<Client> = {
  id: string;
  request: SipMessage;
  party: SipParty;
  client: Client;
  dialogId: string;
  tag: string;
  state: 'open' | 'accepted';
};

export type Dialog<Client> = {
  id: string;
  callId: string;
  /** From and To headers, with tags, of requests sent from here. */
  own: string;
  other: string;
  target: string;
  party: SipParty;
  client: Client;
  /** CSeq number of the next request from here. */
  sequence: number;
  /** Transaction by which a client recognizes the ACK of its response. */
  transactionId: string;
  /** True while a sent INVITE is accepted but not yet acknowledged. */
  awaitsAck: boolean;
};

export const newTag = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 13);

export const newBranch = (): string => `z9hG4bK${newTag()}`;

/** drachtio-server's id of the dialog that an INVITE creates. */
export const dialogIdOf = (invite: SipMessage): string =>
  `${mustHave(invite, 'Call-ID')};from-tag=${tagOf(mustHave(invite, 'From')) ?? ''}`;

/** Headers that clients cannot set. */
const ownHeaders: ReadonlySet<string> = new Set([
  'via',
  'route',
  'from',
  'to',
  'call-id',
  'cseq',
  'max-forwards',
  'content-length',
]);

/** The client's other headers; the content type of a session description is added if missing. */
const clientHeaders = (written: SipMessage, address: string): [string, string][] => [
  ...written.headers
    .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
    .map(([name, value]): [string, string] => [name, value.replace(/@localhost\b/, `@${address}`)]),
  ...(written.body.startsWith('v=0') && headerOf(written, 'Content-Type') === undefined
    ? [['Content-Type', 'application/sdp'] satisfies [string, string]]
    : []),
];

const headOf = (address: string): [string, string][] => [
  ['Via', `SIP/2.0/UDP ${address};rport;branch=${newBranch()}`],
  ['Max-Forwards', '70'],
];

const contactOf = (method: string, written: SipMessage, address: string): [string, string][] =>
  ['INVITE', 'UPDATE', 'OPTIONS', 'REGISTER'].includes(method) && headerOf(written, 'Contact') === undefined
    ? [['Contact', `<sip:${address}>`]]
    : [];

/** Builds a request outside of a dialog. `localhost` is replaced by this server's address. */
export const outsideRequest = (written: SipMessage, uri: string, address: string): SipMessage => {
  const method = methodOf(written);
  const from = (headerOf(written, 'From') ?? `<sip:${address}>`).replace(/@localhost\b/, `@${address}`);
  return {
    startLine: `${method} ${uri} SIP/2.0`,
    headers: [
      ...headOf(address),
      ['From', tagOf(from) === undefined ? `${from};tag=${newTag()}` : from],
      ['To', headerOf(written, 'To') ?? `<${uri}>`],
      ['Call-ID', headerOf(written, 'Call-ID') ?? crypto.randomUUID()],
      ['CSeq', headerOf(written, 'CSeq') ?? `100 ${method}`],
      ...contactOf(method, written, address),
      ...clientHeaders(written, address),
    ],
    body: written.body,
  };
};

/** Builds an in-dialog request. */
export const insideRequest = <Client>(
  written: SipMessage,
  dialog: Dialog<Client>,
  address: string,
): SipMessage => {
  const method = methodOf(written);
  if (method !== 'ACK') dialog.sequence += 1;
  return {
    startLine: `${method} ${dialog.target} SIP/2.0`,
    headers: [
      ...headOf(address),
      ['From', dialog.own],
      ['To', dialog.other],
      ['Call-ID', dialog.callId],
      ['CSeq', `${dialog.sequence} ${method}`],
      ...contactOf(method, written, address),
      ...clientHeaders(written, address),
    ],
    body: written.body,
  };
};

/** Builds the CANCEL of a request (RFC 3261 section 9.1). */
export const cancelOf = (request: SipMessage): SipMessage => ({
  startLine: `CANCEL ${request.startLine.split(' ')[1] ?? ''} SIP/2.0`,
  headers: [
    ...['Via', 'Max-Forwards', 'From', 'To', 'Call-ID'].map(
      (name) => [name, mustHave(request, name)] as const,
    ),
    ['CSeq', `${sequenceOf(request)} CANCEL`],
  ],
  body: '',
});

/** Builds a client's response. */
export const responseOf = <Client>(
  written: SipMessage,
  { request, tag }: Incoming<Client>,
  address: string,
): SipMessage => {
  const { headers } = responseTo(request, 200, { tag });
  const establishes = methodOf(request) === 'INVITE' && (statusOf(written) ?? 0) < 300;
  return {
    startLine: written.startLine,
    headers: [
      ...headers,
      ...(establishes ? contactOf('INVITE', written, address) : []),
      ...clientHeaders(written, address),
    ],
    body: written.body,
  };
};

export const createSipDialogs = <Client>() => {
  const outgoing = new Map<string, Outgoing<Client>>();
  const incoming = new Map<string, Incoming<Client>>();
  const dialogs = new Map<string, Dialog<Client>>();

  return {
    outgoing,
    incoming,
    dialogs,

    /** The sent request that this response belongs to. */
    answeredBy: (response: SipMessage): Outgoing<Client> | undefined =>
      [...outgoing.values()].find(
        ({ request }) =>
          branchOf(request) === branchOf(response) &&
          mustHave(request, 'CSeq') === mustHave(response, 'CSeq'),
      ),

    /** The pending INVITE that a received CANCEL refers to. */
    cancelledBy: (cancel: SipMessage): Incoming<Client> | undefined =>
      [...incoming.values()].find(
        ({ request, state }) =>
          state === 'open' && methodOf(request) === 'INVITE' && branchOf(request) === branchOf(cancel),
      ),

    /** The dialog of a received request. */
    dialogOf: (request: SipMessage): Dialog<Client> | undefined =>
      [...dialogs.values()].find(
        ({ callId, own, other }) =>
          callId === mustHave(request, 'Call-ID') &&
          tagOf(own) === tagOf(mustHave(request, 'To')) &&
          tagOf(other) === tagOf(mustHave(request, 'From')),
      ),

    /** Called when a sent INVITE was accepted, or got a reliable provisional response (RFC 3262). */
    established({ id, request, party, client, dialogId }: Outgoing<Client>, answer: SipMessage): void {
      const known = dialogs.get(dialogId);
      if (known !== undefined) known.awaitsAck = true;
      else
        dialogs.set(dialogId, {
          id: dialogId,
          callId: mustHave(request, 'Call-ID'),
          own: mustHave(request, 'From'),
          other: mustHave(answer, 'To'),
          target: uriIn(headerOf(answer, 'Contact') ?? ''),
          party,
          client,
          sequence: sequenceOf(request),
          transactionId: id,
          awaitsAck: true,
        });
    },

    /** Called when a received INVITE was accepted. */
    accepted({ id, request, party, client, dialogId, tag }: Incoming<Client>): void {
      const known = dialogs.get(dialogId);
      if (known !== undefined) known.transactionId = id;
      else
        dialogs.set(dialogId, {
          id: dialogId,
          callId: mustHave(request, 'Call-ID'),
          own: `${mustHave(request, 'To')};tag=${tag}`,
          other: mustHave(request, 'From'),
          target: uriIn(headerOf(request, 'Contact') ?? ''),
          party,
          client,
          sequence: 0,
          transactionId: id,
          awaitsAck: false,
        });
    },
  };
};

export type SipDialogs<Client> = ReturnType<typeof createSipDialogs<Client>>;
