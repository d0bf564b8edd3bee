import type { Socket } from 'node:net';
import { EndpointFailure } from './endpoint-failure.ts';

const lineEnds = Buffer.from('\r\n\r\n');
const beginning = 'HTTP/1.1 100';
/** Size limit of the interim responses before one response. */
const longestBytes = 16 * 1024;

/** Whether these bytes are, or may become, the head of `100 Continue`. */
const mayBeContinue = (bytes: Buffer): boolean => {
  const start = bytes.toString('latin1', 0, beginning.length).replace('HTTP/1.0', 'HTTP/1.1');
  return beginning.startsWith(start);
};

/**
 * Skips `100 Continue` responses that were not asked for, as a client must (RFC 9110, section 15.2); undici breaks the
 * connection instead (guides/design/decisions.md, "Own code beside undici"). Reads the connection up to the head of the real response before undici does.
 */
export const skipContinue = (socket: Socket): void => {
  const read = socket.read.bind(socket);
  /** Bytes since the request that may be an interim response; undefined after that. */
  let held: Buffer | undefined;

  const withoutContinue = (bytes: Buffer): Buffer | null => {
    let rest = bytes;
    while (rest.length >= beginning.length && mayBeContinue(rest)) {
      const end = rest.indexOf(lineEnds);
      if (end === -1) break;
      rest = rest.subarray(end + lineEnds.length);
    }
    return mayBeContinue(rest) ? null : rest;
  };

  socket.write = new Proxy(socket.write, {
    apply(write, _, parameters): boolean {
      held ??= Buffer.alloc(0);
      return Boolean(Reflect.apply(write, socket, parameters));
    },
  });
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (held === undefined || !Buffer.isBuffer(chunk)) return chunk;
      held = Buffer.concat([held, chunk]);
      const rest = withoutContinue(held);
      if (rest === null) {
        if (held.length <= longestBytes) continue;
        socket.destroy(new EndpointFailure('invalid_reply', 'the response does not begin'));
        return null;
      }
      held = undefined;
      return rest;
    }
  };
};
