/**
 * A telephone or trunk controlled by a test. The calls read like a SIP ladder:
 *
 *     const call = await callee.receives('INVITE');
 *     call.answers(180);
 *     call.answers(200, { sdp: describeSound() });
 *     await call.receives('ACK');
 */
import { createMailbox, type Mailbox } from './mailbox.ts';
import {
  bodyOf,
  headerOf,
  kindOf,
  methodOf,
  mustHave,
  requestUriOf,
  responseTo,
  sequenceOf,
  statusOf,
  tagOf,
  uriIn,
  type MessageParts,
  type SipMessage,
} from './sip-parser.ts';

/** A party at an address of the in-process SIP network. */
export type SipParty = {
  /** `host:port`. */
  readonly address: string;
  hear(message: SipMessage): void;
};

/** Receives the messages that a party sends. */
export type SipServer = {
  /** `host:port`. */
  readonly address: string;
  attach(party: SipParty): void;
  take(message: SipMessage, from: SipParty): void;
};

/** Messages with the same Call-ID: a call, or a request outside of calls. */
export type FarCall = {
  readonly callId: string;
  /** The From header of requests sent from here. */
  own(): string;
  /** Resolves to the next message, which must have this method or status. Skips `100 Trying`. */
  receives(kind: string | number): Promise<SipMessage>;
  /** Answers the last received request, or the last one with the method `to`. */
  answers(status: number, parts?: MessageParts & { to?: string; tag?: string; hasContact?: boolean }): void;
  /** The last received request with this method. */
  last(method: string): SipMessage;
  /** Sends a request of this call. ACK and CANCEL belong to its last INVITE. */
  sends(method: string, parts?: MessageParts): void;
  /** All messages so far, as `→ INVITE` (sent from here) and `← 180`. */
  ladder(): readonly string[];
  /** Received messages that the test has not read. */
  unread(): readonly string[];
};

type Side = { own: string; other: string; target: string };

const branch = (): string => `z9hG4bK${crypto.randomUUID().slice(0, 13)}`;

type Conversation = {
  callId: string;
  /** From and To headers of requests sent from here. */
  side: Side;
  /** The last INVITE sent from here. */
  invite: SipMessage | null;
  sequence: number;
};

/** Methods that do not update the remote target (RFC 3261), so they carry no Contact. */
const withoutContact: ReadonlySet<string> = new Set(['ACK', 'BYE', 'CANCEL']);

/** Builds a request of this conversation. */
const requestOf = (
  conversation: Conversation,
  method: string,
  address: string,
  parts: MessageParts,
): SipMessage => {
  const { callId, side, invite } = conversation;
  const belongsToInvite = (method === 'ACK' || method === 'CANCEL') && invite !== null;
  if (!belongsToInvite) conversation.sequence += 1;
  const sequence = belongsToInvite ? sequenceOf(invite) : conversation.sequence;
  const { Contact = `<sip:far@${address}>`, 'Max-Forwards': hops = '70', ...others } = parts.headers ?? {};
  const { headers, body } = bodyOf({ ...parts, headers: others });
  const via = `SIP/2.0/UDP ${address};rport;branch=${branch()}`;
  return {
    startLine: `${method} ${side.target} SIP/2.0`,
    headers: [
      ['Via', method === 'CANCEL' && invite !== null ? mustHave(invite, 'Via') : via],
      ['From', side.own],
      ['To', method === 'CANCEL' && invite !== null ? mustHave(invite, 'To') : side.other],
      ['Call-ID', callId],
      ['CSeq', `${sequence} ${method}`],
      ...(withoutContact.has(method) ? [] : [['Contact', Contact] as const]),
      ['Max-Forwards', hops],
      ...headers,
    ],
    body,
  };
};

const createFarCall = (
  conversation: Conversation,
  { address, send }: { address: string; send: (message: SipMessage) => void },
): FarCall & { note(message: SipMessage): void; mailbox: Mailbox<SipMessage> } => {
  const { side } = conversation;
  const mailbox: Mailbox<SipMessage> = createMailbox();
  const ladder: string[] = [];
  const requests: SipMessage[] = [];
  const tag = `far${crypto.randomUUID().slice(0, 8)}`;

  const dispatch = (message: SipMessage): void => {
    ladder.push(`→ ${kindOf(message)}`);
    send(message);
  };

  const lastRequest = (method?: string): SipMessage => {
    const request = requests.findLast((one) => method === undefined || methodOf(one) === method);
    if (request === undefined) throw new Error(`No ${method ?? 'request'} has come: ${ladder.join(', ')}`);
    return request;
  };

  return {
    callId: conversation.callId,
    own: () => side.own,
    mailbox,
    note(message) {
      ladder.push(`← ${kindOf(message)}`);
      const contact = headerOf(message, 'Contact');
      if (contact !== undefined) side.target = uriIn(contact);
      if (statusOf(message) === undefined) {
        requests.push(message);
        if (methodOf(message) === 'INVITE') {
          side.other = mustHave(message, 'From');
          const to = mustHave(message, 'To');
          side.own = tagOf(to) === undefined ? `${to};tag=${tag}` : to;
        }
      } else side.other = mustHave(message, 'To');
    },
    async receives(kind) {
      const awaited = `${kind} after ${ladder.join(', ')}`;
      for (;;) {
        const message = await mailbox.next(awaited);
        if (kindOf(message) === String(kind)) return message;
        if (statusOf(message) !== 100)
          throw new Error(`${kindOf(message)} came instead of ${kind}: ${ladder.join(', ')}`);
      }
    },
    last: lastRequest,
    answers(status, { to, hasContact = true, ...parts } = {}) {
      const request = lastRequest(to);
      const contact: Record<string, string> =
        !hasContact || withoutContact.has(methodOf(request) ?? '') ? {} : { Contact: `<sip:far@${address}>` };
      dispatch(responseTo(request, status, { tag, ...parts, headers: { ...contact, ...parts.headers } }));
    },
    sends(method, parts = {}) {
      const request = requestOf(conversation, method, address, parts);
      if (method === 'INVITE') conversation.invite = request;
      dispatch(request);
    },
    ladder: () => ladder,
    unread: () => mailbox.left().map(kindOf),
  };
};

export const createFarEnd = (server: SipServer, address: string) => {
  const calls = new Map<string, ReturnType<typeof createFarCall>>();
  const arriving: Mailbox<FarCall> = createMailbox();
  let onMessage: ((message: SipMessage, call: FarCall) => void) | null = null;
  let onCall: (call: FarCall) => void = arriving.put;

  const party: SipParty = {
    address,
    hear(message) {
      const callId = mustHave(message, 'Call-ID');
      const known = calls.get(callId);
      const call =
        known ??
        open(callId, {
          own: mustHave(message, 'To'),
          other: mustHave(message, 'From'),
          target: requestUriOf(message),
        });
      call.note(message);
      if (onMessage !== null) return onMessage(message, call);
      call.mailbox.put(message);
      if (known === undefined) onCall(call);
      return undefined;
    },
  };
  server.attach(party);

  const open = (callId: string, side: Side) => {
    const conversation: Conversation = { callId, side, invite: null, sequence: 0 };
    const send = (message: SipMessage): void => server.take(message, party);
    const call = createFarCall(conversation, { address, send });
    calls.set(callId, call);
    return call;
  };

  /** Sends the first request of a new conversation. */
  const begin = (method: string, to: string, { headers = {}, ...parts }: MessageParts): FarCall => {
    const {
      From: own = `<sip:01012345678@${address}>;tag=${crypto.randomUUID().slice(0, 8)}`,
      To: other = `<sip:${to}@${server.address}>`,
      'Call-ID': callId = `${crypto.randomUUID()}@far`,
      ...others
    } = headers;
    const call = open(callId, { own, other, target: `sip:${to}@${server.address}` });
    call.sends(method, { ...parts, headers: others });
    return call;
  };

  return {
    address,
    /** Sends an INVITE to a number of the gateway. */
    calls: (to: string, parts: MessageParts = {}): FarCall => begin('INVITE', to, parts),
    /** Sends another request outside of any call. */
    asks: (method: string, to = 'gateway', parts: MessageParts = {}): FarCall => begin(method, to, parts),
    /** Resolves to the next new conversation, which must begin with this method. */
    async receives(kind: string): Promise<FarCall> {
      const call = await arriving.next(`${kind} at ${address}`);
      await call.receives(kind);
      return call;
    },
    /** Runs this for every new call from now on. */
    onCall(act: (call: FarCall) => Promise<void>): void {
      onCall = (call) => void act(call);
    },
    /** Passes every message to this function from now on, instead of to waiting tests. */
    onMessage(take: (message: SipMessage, call: FarCall) => void): void {
      onMessage = take;
    },
    /** Messages of new conversations that the test has not read. */
    unread: (): readonly string[] => arriving.left().flatMap((call) => call.unread()),
  };
};

export type FarEnd = ReturnType<typeof createFarEnd>;
