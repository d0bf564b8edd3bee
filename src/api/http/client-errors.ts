/**
 * Handles requests that Node does not pass to the API: requests that its parser rejects, and CONNECT, which Node would
 * close without a response. Such requests receive a problem document like every other request.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '#src/domain/refusal.ts';
import { problemMediaType, problemOf } from './problem.ts';

/** Methods of the API, for the header `Allow`. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Responds to malformed HTTP, oversized headers, incomplete requests, and CONNECT. */
export const answerClientErrors = (server: Server): void => {
  const current = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => {
    current.set(socket, response);
    response.once('close', () => {
      if (current.get(socket) === response) current.delete(socket);
    });
  });
  // A request with an unknown `Expect` is handled as if it had none (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Duplex) => {
    // The socket is destroyed on an error, because the client may be gone, or may continue to send.
    socket.on('error', () => socket.destroy());
    socket.resume();
    socket.end(answerTo(noTunnel()), () => socket.destroy());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // No problem document is sent if a response has begun, because a second response would corrupt it.
    if (!socket.writable || error.code === 'ECONNRESET' || current.get(socket)?.headersSent === true) {
      socket.destroy();
      return;
    }
    socket.end(answerTo(refusalFor(error.code)), () => socket.destroy());
  });
};

const refusalFor = (code: string | undefined): Refusal => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('headers_too_large', 'Send fewer or shorter headers.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal('payload_too_large', 'The chunk extensions of the body are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout', 'The request took too long to arrive.');
    default:
      return new Refusal('invalid_request', 'The request is not valid HTTP.');
  }
};

/** CONNECT asks a proxy for a tunnel (RFC 9110, 9.3.6). This server is no proxy. */
const noTunnel = (): Refusal =>
  new Refusal('method_not_allowed', `This server is no proxy. Use one of: ${methods}.`, {
    headers: { Allow: methods },
  });

const answerTo = (refusal: Refusal): string => {
  const requestId = randomUUID();
  const body = problemOf(refusal, requestId);
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
};
