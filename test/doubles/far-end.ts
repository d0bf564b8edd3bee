/**
 * A telephone, or the trunk before it, as a test plays it: what it receives and sends is written as a ladder is read.
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

/** Somebody at an address of the SIP network, which lies within this process. */
export type SipParty = {
  /** `host:port`. */
  readonly address: string;
  hear(message: SipMessage): void;
};

/** Where a party's messages go. */
export type SipServer = {
  /** `host:port`. */
  readonly address: string;
  attach(party: SipParty): void;
  take(message: SipMessage, from: SipParty): void;
};

/** Messages that belong together by their Call-ID: a call, or a request outside of calls. */
export type FarCall = {
  readonly callId: string;
  /** As the header From of what is sent from here has it. */
  own(): string;
  /** The next message is this, a method or a status, or the test fails. `100 Trying` is passed over. */
  receives(kind: string | number): Promise<SipMessage>;
  /** Answers the request that came last, or the last of this method. */
  answers(status: number, parts?: MessageParts & { to?: string; tag?: string }): void;
  /** The last request of this method that came. */
  last(method: string): SipMessage;
  /** A request of this call. ACK and CANCEL belong to its last INVITE. */
  sends(method: string, parts?: MessageParts): void;
  /** All messages so far, as `→ INVITE` (sent from here) and `← 180`. */
  ladder(): readonly string[];
  /** What has come and nobody has asked for. */
  unread(): readonly string[];
};

type Side = { own: string; other: string; target: string };

const branch = (): string => `z9hG4bK${crypto.randomUUID().slice(0, 13)}`;

type Conversation = {
  callId: string;
  /** As the headers From and To of what is sent from here have it. */
  side: Side;
  /** The last that was sent from here. */
  invite: SipMessage | null;
  sequence: number;
};

/** They move nothing elsewhere. */
const withoutContact: ReadonlySet<string> = new Set(['ACK', 'BYE', 'CANCEL']);

/** A request of this conversation, as it goes out. */
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
    answers(status, { to, ...parts } = {}) {
      const request = lastRequest(to);
      const contact: Record<string, string> = withoutContact.has(methodOf(request) ?? '')
        ? {}
        : { Contact: `<sip:far@${address}>` };
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

  /** A request that begins something new. */
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
    /** Sends INVITE to a number of the gateway. */
    calls: (to: string, parts: MessageParts = {}): FarCall => begin('INVITE', to, parts),
    /** Sends another request outside of any call. */
    asks: (method: string, to = 'gateway', parts: MessageParts = {}): FarCall => begin(method, to, parts),
    /** The next that begins, which is this. */
    async receives(kind: string): Promise<FarCall> {
      const call = await arriving.next(`${kind} at ${address}`);
      await call.receives(kind);
      return call;
    },
    /** From now on this is done with each call that begins. */
    onCall(act: (call: FarCall) => Promise<void>): void {
      onCall = (call) => void act(call);
    },
    /** From now on every message is given to this as it comes, instead of to who waits for it. */
    onMessage(take: (message: SipMessage, call: FarCall) => void): void {
      onMessage = take;
    },
    /** What has begun here, of which nobody has asked. */
    unread: (): readonly string[] => arriving.left().flatMap((call) => call.unread()),
  };
};

export type FarEnd = ReturnType<typeof createFarEnd>;
