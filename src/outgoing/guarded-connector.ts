import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { skipContinue } from './skip-continue.ts';
import { guardLookup, mayConnect, targetRefused, type TargetRules } from './target-guard.ts';

export type ConnectorOptions = {
  rules: TargetRules;
  /** From the name look-up to the end of the TLS handshake. */
  connectMs: number;
  /** PEM of private certificate authorities that are trusted in addition. */
  ca?: string;
  lookup?: LookupFunction;
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
      // A literal address is never looked up.
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

/** Whether an error belongs to a connection that was open before. */
export type ConnectionAges = {
  /** Number of connections opened so far. */
  opened(): number;
  /** Number of the connection that broke with this error, counted from 1. */
  brokenBy(error: unknown): number | undefined;
};

export const trackConnections = (
  connect: buildConnector.connector,
): ConnectionAges & { connect: buildConnector.connector } => {
  let opened = 0;
  const broken = new WeakMap<Error, number>();
  return {
    opened: () => opened,
    brokenBy: (error) => (error instanceof Error ? broken.get(error) : undefined),
    connect: (target, callback) =>
      connect(target, (...result) => {
        const [failure, socket] = result;
        if (failure === null) {
          skipContinue(socket);
          const connection = ++opened;
          socket.once('error', (error) => broken.set(error, connection));
        }
        callback(...result);
      }),
  };
};
