/**
 * Messages of the PostgreSQL protocol as far as the simulated server reads them
 * (https://www.postgresql.org/docs/18/protocol-message-formats.html): one byte for the kind, four for the length, then
 * the body.
 */

export type Message = { kind: string; bytes: Buffer };

const headBytes = 5;

/** Complete messages at the beginning of `bytes`, and the rest. */
export const messagesIn = (bytes: Buffer): { messages: Message[]; rest: Buffer } => {
  const messages: Message[] = [];
  let at = 0;
  while (at + headBytes <= bytes.length) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) break;
    messages.push({ kind: String.fromCharCode(bytes[at] ?? 0), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
};

export const messageOf = (kind: string, ...parts: (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  const head = Buffer.alloc(headBytes);
  head.write(kind, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Zero-terminated texts from the beginning of a message's body. */
export const textsOf = ({ bytes }: Message, count: number): { texts: string[]; rest: Buffer } => {
  const texts: string[] = [];
  let at = headBytes;
  while (texts.length < count) {
    const end = bytes.indexOf(0, at);
    texts.push(bytes.toString('utf8', at, end));
    at = end + 1;
  }
  return { texts, rest: bytes.subarray(at) };
};

export const queryOf = (text: string): Buffer => messageOf('Q', text);

/** Fields of an error by letter: `C` is the SQLSTATE, `M` the message. */
export const errorOf = (code: string, message: string): Buffer =>
  messageOf('E', 'SERROR', 'VERROR', `C${code}`, `M${message}`, Buffer.alloc(1));

export const sqlStateIn = (messages: readonly Message[]): string | undefined => {
  const error = messages.find(({ kind }) => kind === 'E');
  return error && /\0C(.{5})\0/s.exec(error.bytes.toString('latin1'))?.[1];
};

/** `I`: idle; `T`: in a transaction; `E`: in a failed one. */
export const readyFor = (state: string): Buffer => messageOf('Z', Buffer.from(state));
export const parsed = messageOf('1', Buffer.alloc(0));
export const commandDone = (tag: string): Buffer => messageOf('C', tag);

/** Greeting of the server to a new connection. */
export const welcome = (pid: number): Buffer => {
  const key = Buffer.alloc(8);
  key.writeInt32BE(pid, 0);
  return Buffer.concat([
    messageOf('R', Buffer.alloc(4)),
    messageOf('S', 'server_version', '18.0'),
    messageOf('S', 'client_encoding', 'UTF8'),
    messageOf('K', key),
    readyFor('I'),
  ]);
};
