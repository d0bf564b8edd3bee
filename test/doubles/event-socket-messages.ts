/** Messages of FreeSWITCH on an event socket, and commands to it. */

/** A command: its first line and the headers after it. */
export type SocketCommand = { line: string; headers: ReadonlyMap<string, string> };

const readCommand = (text: string): SocketCommand => {
  const [line = '', ...rest] = text.split('\n');
  const headers = rest.map((header) => {
    const colon = header.indexOf(': ');
    return [header.slice(0, colon), header.slice(colon + 2)] as const;
  });
  return { line: line.trim(), headers: new Map(headers) };
};

/** Parses a stream and emits each command at its blank line. */
export const createCommandReader = (onCommand: (command: SocketCommand) => void) => {
  let buffer = '';
  return (data: Buffer): void => {
    buffer += data.toString();
    for (let end = buffer.indexOf('\n\n'); end !== -1; end = buffer.indexOf('\n\n')) {
      const text = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      if (text !== '') onCommand(readCommand(text));
    }
  };
};

/** A message of FreeSWITCH: headers, and a body if they contain its length. */
export type SocketMessage = { headers: ReadonlyMap<string, string>; body: string };

/** Parses a byte stream and emits each complete message. */
export const createMessageReader = (onMessage: (message: SocketMessage) => void) => {
  let buffer: Buffer = Buffer.alloc(0);
  return (data: Buffer): void => {
    buffer = Buffer.concat([buffer, data]);
    for (let end = buffer.indexOf('\n\n'); end !== -1; end = buffer.indexOf('\n\n')) {
      const { headers } = readCommand(`\n${buffer.subarray(0, end).toString()}`);
      const until = end + 2 + Number(headers.get('Content-Length') ?? 0);
      if (buffer.length < until) return;
      const body = buffer.subarray(end + 2, until).toString();
      buffer = buffer.subarray(until);
      onMessage({ headers, body });
    }
  };
};

export const commandReply = (text: string): string => `Content-Type: command/reply\nReply-Text: ${text}\n\n`;

export const apiResponse = (body: string): string =>
  `Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`;

const goodbye = 'Disconnected, goodbye.\nSee you at ClueCon! http://www.cluecon.com/\n';

/** Message that FreeSWITCH sends before it closes a connection. */
export const disconnectNotice = [
  'Content-Type: text/disconnect-notice',
  `Content-Length: ${goodbye.length}`,
  '',
  goodbye,
].join('\n');

export const jsonEvent = (fields: Readonly<Record<string, string>>): string => {
  const body = JSON.stringify(fields);
  return `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-json\n\n${body}`;
};
