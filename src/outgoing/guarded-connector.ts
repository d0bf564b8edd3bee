import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { skipContinue } from './skip-continue.ts';
import { guardLookup, mayConnect, targetRefused, type TargetRules } from './target-guard.ts';

export type ConnectorOptions = {
  rules: TargetRules;
  /** From the lookup of the name to the end of the TLS handshake. */
  connectMs: number;
  /** PEM of private certificate authorities, trusted beside the usual ones. */
  ca?: string;
  lookup?: LookupFunction;
};

/** Opens connections to the addresses that the rules allow, and to no others. */
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

/** Tells whether an error is that of a connection which was open before. */
export type ConnectionAges = {
  /** How many connections were opened so far. */
  opened(): number;
  /** Which of them broke with this error, counted from 1. */
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
