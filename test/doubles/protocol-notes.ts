/**
 * Notes of the messages between a gateway and its servers, for comparing doubles with real servers. Contain only
 * reproducible data: the kinds of messages in order, and the field names of each kind.
 */
import { z } from 'zod';
import type { ControlMessage } from './control-messages.ts';
import type { SocketCommand, SocketMessage } from './event-socket-messages.ts';
import { kindOf, methodOf, mustHave, parseSip, statusOf } from './sip-parser.ts';

const texts = z.array(z.string());

/** Messages of each side in order; the order between the two sides is random. */
const conversationSchema = z.object({ gateway: texts, server: texts });

export const notesSchema = z.object({
  /** Conversations with drachtio-server: messages outside calls, then those of each call. */
  control: z.array(conversationSchema),
  /** Conversations on event sockets; identical ones are listed once. */
  eventSockets: z.array(conversationSchema),
  /** Field names by kind of message. */
  fields: z.record(z.string(), texts),
});

export type Conversation = z.infer<typeof conversationSchema>;
export type ProtocolNotes = z.infer<typeof notesSchema>;

type Noted = { kind: string; fields: readonly string[] };

/** Replaces ids and addresses, which differ in each run. */
const withoutIds = (text: string): string =>
  text
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replace(/\d+\.\d+\.\d+\.\d+:\d+/g, '<address>');

/** `null` for messages that occur at random times (ping and pong). */
const readControl = ({ type, fields, payload }: ControlMessage): (Noted & { callId: string }) | null => {
  const [first = '', second = ''] = fields;
  if (type === 'ping' || second === 'OK|pong' || fields[2] === 'pong') return null;
  if (payload === '') {
    const what =
      type === 'route'
        ? first
        : type === 'response'
          ? `${second} ${second === 'OK' ? '' : (fields[2] ?? '')}`
          : '';
    const kind = `${type} ${what}`.trim();
    return {
      kind: type === 'response' && second === 'OK' ? `${kind}, ${fields.length} fields` : withoutIds(kind),
      fields: [],
      callId: '',
    };
  }
  const message = parseSip(payload);
  const status = statusOf(message);
  const what = status === undefined ? kindOf(message) : `${status} to ${methodOf(message)}`;
  // Marks the fields of the first line that are not empty.
  const shape = fields.map((field) => (field === '' ? '-' : 'x')).join('');
  return {
    kind: `${type} ${what} ${shape}`,
    fields: message.headers.map(([name]) => name.toLowerCase()),
    callId: mustHave(message, 'Call-ID'),
  };
};

const emptyConversation = (): Conversation => ({ gateway: [], server: [] });

export const createNotebook = () => {
  const calls = new Map<string, Conversation>([['', emptyConversation()]]);
  const sockets: Conversation[] = [];
  const fields = new Map<string, Set<string>>();

  const noteFields = ({ kind: said, fields: names }: Noted): void => {
    const kind = withoutIds(said);
    if (names.length > 0) fields.set(kind, new Set([...(fields.get(kind) ?? []), ...names]));
  };

  return {
    noteControl(side: keyof Conversation, message: ControlMessage): void {
      const noted = readControl(message);
      if (noted === null) return;
      const conversation = calls.get(noted.callId) ?? emptyConversation();
      calls.set(noted.callId, conversation);
      conversation[side].push(noted.kind);
      noteFields(noted);
    },
    /** Returns the function that notes messages of one socket. */
    openEventSocket() {
      const conversation = emptyConversation();
      sockets.push(conversation);
      return (side: keyof Conversation, noted: Noted): void => {
        // Events arrive at random times, so their kinds are compared but not their order.
        if (side === 'gateway' || !noted.kind.startsWith('event '))
          conversation[side].push(withoutIds(noted.kind));
        noteFields(noted);
      };
    },
    notes: (): ProtocolNotes => ({
      control: [...calls.values()],
      eventSockets: [...new Set(sockets.map((one) => JSON.stringify(one)))].map((one) =>
        conversationSchema.parse(JSON.parse(one)),
      ),
      fields: Object.fromEntries([...fields].map(([kind, names]) => [kind, [...names].toSorted()])),
    }),
  };
};

const has = (kinds: readonly string[], begin: string): boolean =>
  kinds.some((kind) => kind.startsWith(begin));

/** Whether this call has ended on both sides, if it was established. */
const isOver = ({ server }: Conversation): boolean => {
  if (!has(server, 'sip 200 to INVITE') && !has(server, 'response 200 to INVITE')) return true;
  if (has(server, 'sip BYE')) return has(server, 'response 200 to BYE');
  return has(server, 'response BYE') && has(server, 'sip 200 to BYE');
};

/** Whether all expected messages of the calls have arrived. */
export const isComplete = ({ control, eventSockets }: ProtocolNotes): boolean =>
  control.flatMap(({ gateway }) => gateway).length ===
    control.flatMap(({ server }) => server).filter((kind) => kind.startsWith('response ')).length &&
  control.every(isOver) &&
  eventSockets.every(({ gateway, server }) => gateway.length < server.length);

export type Notebook = ReturnType<typeof createNotebook>;

/** Parses a gateway's command on an event socket. */
export const readCommand = ({ line, headers }: SocketCommand): Noted => {
  const [verb = '', ...words] = line.split(' ');
  const asked = headers.get('call-command');
  if (asked !== undefined) return { kind: `${verb} ${asked}`, fields: [...headers.keys()] };
  return {
    kind: verb === 'api' || verb === 'event' ? `${verb} ${words[0] ?? ''}` : verb,
    fields: [],
  };
};

/** Parses an event of FreeSWITCH on an event socket. */
export const readEvent = ({ headers, body }: SocketMessage): Noted => {
  const type = headers.get('Content-Type') ?? '';
  if (type === 'text/event-json') {
    const fields = z.record(z.string(), z.unknown()).parse(JSON.parse(body));
    return { kind: `event ${String(fields['Event-Name'])}`, fields: Object.keys(fields) };
  }
  const names = [...headers.keys()];
  const [first = ''] = body.trim().split('\n');
  // The response to a combined query contains values that differ in each run.
  if (first.includes('|')) return { kind: `${type} with figures`, fields: names };
  if (first.startsWith('+OK ')) return { kind: `${type} ${first.split(':')[0]}`, fields: names };
  return { kind: `${type} ${headers.get('Reply-Text') ?? first}`.trim(), fields: names };
};
