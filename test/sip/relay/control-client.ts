/** A gateway as the relay sees it: it sends what a test wants, and records what it receives. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { ServerAddress } from '#sip/reconnect.ts';
import { createControlReader, type ControlMessage } from '#test/doubles/control-messages.ts';
import { createMailbox } from '#test/doubles/mailbox.ts';

export const connectClient = async (
  t: Pick<ExecutionContext, 'teardown'>,
  { host, port, secret }: ServerAddress,
  verbs: readonly string[] = ['invite', 'options'],
) => {
  const socket = connect({ host, port, noDelay: true });
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  const told = createMailbox<ControlMessage>();
  const answers = new Map<string, (message: ControlMessage) => void>();
  const closed = once(socket, 'close');
  socket.on('error', () => {});
  socket.on(
    'data',
    createControlReader((message) => {
      const waiting = message.type === 'response' ? answers.get(message.fields[0] ?? '') : undefined;
      if (waiting === undefined) told.put(message);
      else waiting(message);
    }),
  );

  const say = (text: string): string => {
    const id = crypto.randomUUID();
    const body = `${id}|${text}`;
    socket.write(`${Buffer.byteLength(body)}#${body}`);
    return id;
  };
  /** Resolves to the response: its verdict and its body. */
  const ask = (text: string): Promise<readonly string[]> => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const id = say(text);
    answers.set(id, ({ fields }) => {
      answers.delete(id);
      resolve(fields.slice(1));
    });
    return promise;
  };

  const notified = async (of: string): Promise<string | undefined> => {
    const { type, fields } = await told.next(of);
    if (type !== of) throw new Error(`${type} came`);
    return fields[0];
  };

  const verdict = await ask(`authenticate|${secret}|`);
  if (verdict[0] === 'OK') for (const verb of verbs) await ask(`route|${verb}`);
  return {
    socket,
    closed,
    verdict,
    say,
    ask,
    /** Received SIP messages, in order. */
    async told(what: string): Promise<{ transactionId: string; dialogId: string; payload: string }> {
      const { type, fields, payload } = await told.next(what);
      if (type !== 'sip' || !payload.startsWith(what))
        throw new Error(`${type} ${payload.slice(0, 20)} came`);
      const [, , , , , , transactionId = '', dialogId = ''] = fields;
      return { transactionId, dialogId, payload };
    },
    /** The name in the next report of a lost gateway. */
    lostNode: () => notified('node_lost'),
    /** The id in the next report of a dialog that another gateway has claimed. */
    lostDialog: () => notified('dialog_lost'),
    /** The dialog in the next report of moved audio. */
    movedDialog: () => notified('dialog_moved'),
    unread: () => told.left().map(({ payload }) => payload.split(' ', 1)[0]),
    answer: (transactionId: string, status: string, body = '') =>
      ask(
        `sip|${transactionId}|\r\nSIP/2.0 ${status}\r\n` +
          (body === '' ? '\r\n' : `Content-Type: application/sdp\r\n\r\n${body}`),
      ),
    inDialog: (dialogId: string, method: string) =>
      ask(`sip||${dialogId}\r\n${method} sip:placeholder SIP/2.0\r\n\r\n`),
    /** Sends a command that drachtio-server rejects within a known dialog. */
    asksForDialog: (dialogId: string) =>
      ask(`sip||${dialogId}\r\nOPTIONS sip:placeholder SIP/2.0\r\nContent-Length: 1\r\n\r\n-`),
    /** Takes the call of this dialog over. */
    claims: (dialogId: string) => ask(`dialog_taken|${dialogId}`),
    kill: () => socket.resetAndDestroy(),
  };
};

export type Client = Awaited<ReturnType<typeof connectClient>>;
