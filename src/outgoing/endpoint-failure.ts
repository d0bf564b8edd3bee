/** Reasons why a request to a customer's endpoint failed before it had a response. */
export type EndpointFailureKind =
  | 'connect_timeout'
  /** The circuit breaker is open; the request was not sent. */
  | 'circuit_open'
  /** The workspace has its maximum of requests or look-ups in progress. */
  | 'over_capacity'
  /** Connection refused, host unreachable or unknown, or connection broken. */
  | 'connection_failed'
  | 'tls_failed'
  /** The address is forbidden (`target-guard.ts`). */
  | 'target_refused'
  | 'redirect_refused'
  /** The response is not HTTP. */
  | 'invalid_reply'
  | 'reply_too_large';

/**
 * Failure of a request. The message contains no URL, header or body, so it may be logged and shown to the endpoint's
 * owner.
 */
export class EndpointFailure extends Error {
  override readonly name = 'EndpointFailure';
  readonly failure: EndpointFailureKind;
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Target of a redirect as the server wrote it. The target is shown to the endpoint's owner, but never logged. */
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

/** undici's two errors for responses that are not valid HTTP. */
const isMalformed = (error: unknown): boolean =>
  error instanceof Error && ['HTTPParserError', 'HeadersOverflowError'].includes(error.name);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Translates errors of the HTTP client and the network. */
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
  // The message of zlib's error quotes the body, so it is dropped here.
  if (isMalformed(error)) return new EndpointFailure('invalid_reply', 'the response is not HTTP');
  return new EndpointFailure('connection_failed', code === '' ? 'the connection broke' : code, {
    cause: error,
  });
};
