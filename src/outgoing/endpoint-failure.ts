/** Why a request to a customer's endpoint failed before there was a response to judge. */
export type EndpointFailureKind =
  | 'connect_timeout'
  /** It has not answered lately, so nothing was sent. */
  | 'circuit_open'
  /** The workspace has as many requests, or look-ups of names, under way as it may. */
  | 'over_capacity'
  /** Refused, unreachable, unknown host, or broken on the way. */
  | 'connection_failed'
  | 'tls_failed'
  /** The address is one that the gateway does not call (`target-guard.ts`). */
  | 'target_refused'
  | 'redirect_refused'
  /** What came back is not HTTP. */
  | 'invalid_reply'
  | 'reply_too_large';

/** The message is safe to log and to show to the endpoint's owner: no URL, no header, nothing of a body. */
export class EndpointFailure extends Error {
  override readonly name = 'EndpointFailure';
  readonly failure: EndpointFailureKind;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;
  /** Where a redirect leads to, as the server wrote it. For the endpoint's owner, not for the log. */
  readonly location: string | undefined;

  constructor(
    failure: EndpointFailureKind,
    detail: string,
    options: { status?: number; location?: string; cause?: unknown } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.failure = failure;
    this.status = options.status;
    this.location = options.location;
  }
}

/** Certificate errors of OpenSSL as Node names them (Node documentation, tls, "X509 certificate error codes"). */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$)|SELF_SIGNED|UNABLE_TO_/;

/** Errors of zlib, Brotli and Zstandard as Node names them. */
const brokenCoding = /^(Z_[A-Z]+_ERROR$|Z_NEED_DICT$|ERR__ERROR_|ERR_ZLIB|ERR_BROTLI|ZSTD_error_)/;

/** undici's two errors for a response that is not HTTP as it understands it. */
const isMalformed = (error: unknown): boolean =>
  error instanceof Error && ['HTTPParserError', 'HeadersOverflowError'].includes(error.name);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The meaning of an error of the HTTP client or of the network. */
export const endpointFailure = (error: unknown): EndpointFailure => {
  if (error instanceof EndpointFailure) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new EndpointFailure('connect_timeout', 'no connection in time', { cause: error });
  }
  if (brokenCoding.test(code)) {
    return new EndpointFailure('invalid_reply', 'the response is not compressed as it says', {
      cause: error,
    });
  }
  if (tlsCode.test(code)) return new EndpointFailure('tls_failed', code, { cause: error });
  // Its error quotes what came, so it goes no further than here.
  if (isMalformed(error)) return new EndpointFailure('invalid_reply', 'the response is not HTTP');
  return new EndpointFailure('connection_failed', code === '' ? 'the connection broke' : code, {
    cause: error,
  });
};
