import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { getCACertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { guardLookup, mayConnect, targetRefused, type TargetRules } from './target-guard.ts';
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

type Exchange = {
  /** The first bytes of a request are written. */
  requestBegins(): void;
  /** Bytes have arrived since then, also of an interim response. */
  bytesArrive(): void;
};

/**
 * Skips `100 Continue` responses that the gateway did not ask for, as a client must (RFC 9110, section 15.2); undici
 * breaks the connection instead (guides/design/decisions.md, "Own code beside undici"). This function reads the
 * connection up to the head of the real response before undici does, and reports requests and responses.
 */
const skipContinue = (socket: Socket, exchange: Exchange): void => {
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
      if (held === undefined) {
        held = Buffer.alloc(0);
        exchange.requestBegins();
      }
      return Boolean(Reflect.apply(write, socket, parameters));
    },
  });
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (held === undefined || !Buffer.isBuffer(chunk)) return chunk;
      exchange.bytesArrive();
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

export type ConnectorOptions = {
  rules: TargetRules;
  /** Time limit from the name look-up to the end of the TLS handshake. */
  connectMs: number;
  /** PEM of private certificate authorities that are trusted in addition. */
  ca?: string;
  lookup?: LookupFunction;
  /** Milliseconds of a monotonic clock; by default the system's. */
  now?: () => number;
};

/** Opens connections only to allowed addresses. */
export const guardedConnector = (options: ConnectorOptions): buildConnector.connector => {
  const { rules, connectMs, ca, lookup = dnsLookup } = options;
  const connectorFor = (secure: boolean): buildConnector.connector => {
    const connect = buildConnector({
      timeout: connectMs,
      allowH2: false,
      lookup: guardLookup(lookup, rules, secure),
      ...(ca === undefined ? {} : { ca: [...getCACertificates(), ca] }),
    });
    return (target, callback) => {
      const host = target.hostname;
      // An address literal causes no look-up, so it is checked here.
      if (isIP(host) !== 0 && !mayConnect({ host, address: host, secure }, rules)) {
        return callback(targetRefused(), null);
      }
      return connect(target, callback);
    };
  };
  const plain = connectorFor(false);
  const secure = connectorFor(true);
  return (target, callback) => (target.protocol === 'https:' ? secure : plain)(target, callback);
};

/** Recognizes requests that a server did not read, because it had closed their idle connection. */
export type StaleConnections = {
  /** Whether this error broke a stale connection. */
  wasStale(error: unknown): boolean;
};

/** Bounds of the round trip in milliseconds: the delay of a busy process, and the slowest path around the world. */
const roundTripBounds = [250, 1_000] as const;

/**
 * A reused connection was stale if it broke within a round trip of the request, without a byte of a response: the close
 * or reset of a server that had closed it before arrives no later. A server whose connection breaks later may have read
 * the request and acted on it. Opening the connection took at least one round trip, so that time is the limit.
 */
export const trackConnections = (
  connect: buildConnector.connector,
  now: () => number,
): StaleConnections & { connect: buildConnector.connector } => {
  const stale = new WeakSet<Error>();

  const track = (socket: Socket, openingMs: number): void => {
    const [leastMs, mostMs] = roundTripBounds;
    const roundTripMs = Math.min(Math.max(openingMs, leastMs), mostMs);
    let last: { isReused: boolean; at: number; hasResponse: boolean } | undefined;
    skipContinue(socket, {
      requestBegins() {
        last = { isReused: last !== undefined, at: now(), hasResponse: false };
      },
      bytesArrive() {
        if (last !== undefined) last.hasResponse = true;
      },
    });
    socket.once('error', (error) => {
      if (last?.isReused === true && !last.hasResponse && now() - last.at <= roundTripMs) stale.add(error);
    });
  };

  return {
    wasStale: (error) => error instanceof Error && stale.has(error),
    connect(target, callback) {
      const begun = now();
      return connect(target, (...result) => {
        const [failure, socket] = result;
        if (failure === null) track(socket, now() - begun);
        callback(...result);
      });
    },
  };
};
