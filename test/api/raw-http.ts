/** HTTP written by hand, for requests that no client would send. */
import { connect } from 'node:net';
import assert from 'node:assert/strict';

export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

/** Sends the bytes and reads until the server closes the connection, or until one complete response has arrived. */
export const rawRequest = (port: number, ...parts: (string | Buffer)[]): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    let received = '';
    const finish = (): void => {
      socket.destroy();
      try {
        resolve(parse(received));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    socket.setTimeout(60_000, finish);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (isWhole(received)) finish();
    });
    socket.once('end', finish);
    socket.once('error', (error) => (received === '' ? reject(error) : finish()));
  });

const isWhole = (received: string): boolean => {
  const [head = '', body] = received.split('\r\n\r\n', 2);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return body !== undefined && length !== undefined && body.length >= Number(length);
};

const parse = (received: string): RawAnswer => {
  const [head = '', body = ''] = received.split('\r\n\r\n', 2);
  const [line = '', ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(line)?.[1];
  assert.ok(status !== undefined, `there was no answer: ${JSON.stringify(received.slice(0, 200))}`);
  const headers = new Map(
    lines.map((text) => {
      const colon = text.indexOf(':');
      return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()] as const;
    }),
  );
  return { status: Number(status), headers, body };
};
