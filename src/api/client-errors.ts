/** Requests that never become one: what node's parser gives up on is answered in the same shape as everything else. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '#src/domain/refusal.ts';
import { problemMediaType, problemOf } from './problem.ts';

/** Answers malformed HTTP, headers beyond all bounds and requests that never end. Node's default says it without a body. */
export const answerClientErrors = (server: Server): void => {
  const current = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => {
    current.set(socket, response);
    response.once('close', () => {
      if (current.get(socket) === response) current.delete(socket);
    });
  });
  // An expectation that nobody knows is no reason to refuse (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // In the midst of an answer a second one would be garbage.
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
      return new Refusal('invalid_request', 'This is not valid HTTP.');
  }
};

const answerTo = (refusal: Refusal): string => {
  const requestId = randomUUID();
  const body = problemOf(refusal, requestId);
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
};
