/**
 * Drachtio-server's own part of SIP: transactions and dialogs, and what it fills in by itself in what its clients send
 * (RFC 3261 sections 8, 12 and 17). Nothing is lost on the way here, so nothing is sent again.
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

/** A request that a client has sent, until its last answer. */
export type Outgoing<Client> = {
  id: string;
  request: SipMessage;
  party: SipParty;
  client: Client;
  dialogId: string;
};

/** A request that came in, until a client has answered it. */
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
  /** With tags, as the headers From and To of what is sent from here have them. */
  own: string;
  other: string;
  target: string;
  party: SipParty;
  client: Client;
  /** Of the next request from here. */
  sequence: number;
  /** By which a client knows the ACK of its answer. */
  transactionId: string;
  /** An INVITE of ours was accepted, and not confirmed. */
  awaitsAck: boolean;
};

export const newTag = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 13);

export const newBranch = (): string => `z9hG4bK${newTag()}`;

/** drachtio-server's own name of the dialog that an INVITE begins. */
export const dialogIdOf = (invite: SipMessage): string =>
  `${mustHave(invite, 'Call-ID')};from-tag=${tagOf(mustHave(invite, 'From')) ?? ''}`;

/** What drachtio-server does not let its clients write. */
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

/** The rest of what a client has written; it need not say that a session description is one. */
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

/** A request outside of any dialog, as it goes out. `localhost` is this server. */
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

/** A request of a dialog, as it goes out. */
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

/** The CANCEL of a request (RFC 3261 section 9.1). */
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

/** A client's answer, as it goes out. */
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

    /** The request of ours that this answers. */
    answeredBy: (response: SipMessage): Outgoing<Client> | undefined =>
      [...outgoing.values()].find(
        ({ request }) =>
          branchOf(request) === branchOf(response) &&
          mustHave(request, 'CSeq') === mustHave(response, 'CSeq'),
      ),

    /** The open INVITE that a CANCEL from outside is about. */
    cancelledBy: (cancel: SipMessage): Incoming<Client> | undefined =>
      [...incoming.values()].find(
        ({ request, state }) =>
          state === 'open' && methodOf(request) === 'INVITE' && branchOf(request) === branchOf(cancel),
      ),

    /** The dialog of a request that came in. */
    dialogOf: (request: SipMessage): Dialog<Client> | undefined =>
      [...dialogs.values()].find(
        ({ callId, own, other }) =>
          callId === mustHave(request, 'Call-ID') &&
          tagOf(own) === tagOf(mustHave(request, 'To')) &&
          tagOf(other) === tagOf(mustHave(request, 'From')),
      ),

    /** An INVITE of ours was accepted, or answered on the way in a way that is to be confirmed (RFC 3262). */
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

    /** We have accepted an INVITE. */
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
