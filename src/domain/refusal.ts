/**
 * A refusal: an expected error response with code, HTTP status and details, which one middleware renders as a problem
 * document (RFC 9457). In the code a refusal is thrown like any error.
 */

/** Error codes of the API with HTTP status and title (guides/design/wire.md, "Errors"). */
export const refusalCatalogue = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_to: { status: 400, title: 'The number to call is not a domestic telephone number' },
  invalid_max_duration_sec: { status: 400, title: 'max_duration_sec must be a whole number from 60 to 1800' },
  max_duration_exceeds_policy: { status: 400, title: 'max_duration_sec is longer than the policy allows' },
  unauthorized: { status: 401, title: 'The key is missing or not valid' },
  number_key_given: { status: 401, title: 'This is the key of a number, not an admin token' },
  forbidden: { status: 403, title: 'This token may not do that' },
  destination_not_allowed: { status: 403, title: 'This number may not be called' },
  transfer_not_allowed: { status: 403, title: 'This call may not be transferred there' },
  not_from_console: { status: 403, title: 'A session is for the console alone' },
  not_on_this_machine: { status: 403, title: 'A sign-in link opens on the machine of the gateway alone' },
  number_mismatch: { status: 403, title: 'The key belongs to another number' },
  not_found: { status: 404, title: 'There is nothing here' },
  call_not_found: { status: 404, title: 'There is no such call' },
  number_not_found: { status: 404, title: 'There is no such number' },
  method_not_allowed: { status: 405, title: 'This method is not allowed here' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  keys_not_available: { status: 409, title: 'Keys cannot be sent to the other party' },
  recording_not_available: { status: 409, title: 'The recording is not available' },
  call_active: { status: 409, title: 'The call is in progress' },
  call_not_active: { status: 409, title: 'The call is not in progress' },
  transfer_in_progress: { status: 409, title: 'A transfer is under way' },
  transfer_not_cancellable: { status: 409, title: 'This transfer cannot be taken back' },
  room_unknown: { status: 409, title: 'The call could not be found where it should be' },
  idempotency_in_progress: { status: 409, title: 'A request with this Idempotency-Key is still running' },
  number_taken: { status: 409, title: 'This number exists already' },
  number_in_use: { status: 409, title: 'This number has calls in progress' },
  last_admin_token: { status: 409, title: 'This is the last admin token of the workspace' },
  key_not_recoverable: { status: 409, title: 'This key cannot be shown again' },
  sign_in_link_used: { status: 410, title: 'This sign-in link was opened before' },
  sign_in_link_expired: { status: 410, title: 'This sign-in link is past its end' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, title: 'The request body must be application/json' },
  range_not_satisfiable: { status: 416, title: 'The requested range does not exist' },
  no_agent_endpoint: { status: 422, title: 'No agent endpoint is configured' },
  search_too_broad: { status: 422, title: 'Too many calls fit this search' },
  idempotency_key_reused: { status: 422, title: 'This Idempotency-Key was used with another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  concurrency_limit: { status: 429, title: 'Too many calls in progress' },
  daily_limit_reached: { status: 429, title: 'The minutes of the day are used up' },
  stream_limit: { status: 429, title: 'Too many streams at once' },
  queue_full: { status: 429, title: 'Too much is waiting in this call' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  hangup_failed: { status: 502, title: 'The hangup could not be signalled' },
  hangup_unavailable: { status: 503, title: 'Hanging up is not available' },
  draining: { status: 503, title: 'This gateway is shutting down' },
  over_capacity: { status: 503, title: 'This gateway has no capacity left' },
  service_unavailable: { status: 503, title: 'The service is not available right now' },
  outcome_unknown: { status: 504, title: 'The request may have been performed' },
} as const satisfies Record<string, { status: number; title: string }>;

export type RefusalCode = keyof typeof refusalCatalogue;

const isRefusalCode = (text: string): text is RefusalCode => Object.hasOwn(refusalCatalogue, text);

export const refusalCodes: readonly RefusalCode[] = Object.keys(refusalCatalogue).filter(isRefusalCode);

/** Seconds after which a retry makes sense, for codes that determine this time. */
const retryAfterSec: Readonly<Partial<Record<RefusalCode, number>>> = {
  draining: 5,
  over_capacity: 5,
};

/** One error in a body, query or path. `path` is dotted (`agents.inbound.chat_url`); an empty path means the whole. */
export type FieldError = { path: string; message: string };

/** Additional members of a problem document, at its top level. */
export type RefusalExtras = {
  maximum?: number;
  reason?: string;
  resets_at?: string;
  errors?: readonly FieldError[];
};

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly status: number;
  readonly extras: RefusalExtras;
  /** Headers of the error response, such as `Retry-After` or `Content-Range`. */
  readonly headers: Readonly<Record<string, string>>;

  /** Creates a refusal. `detail` is a sentence for the client about the problem and its remedy. */
  constructor(
    code: RefusalCode,
    detail: string,
    options: { extras?: RefusalExtras; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = refusalCatalogue[code].status;
    this.extras = options.extras ?? {};
    const seconds = retryAfterSec[code];
    this.headers = {
      ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
      ...options.headers,
    };
  }
}

/** Maximum number of reported fields, because a hostile request could have thousands. */
const mostErrors = 20;

/** Refuses invalid fields, which are named as in the API. */
export const invalidField = (...errors: FieldError[]): Refusal =>
  new Refusal('invalid_request', 'The request does not validate; "errors" names each field.', {
    extras: { errors: errors.slice(0, mostErrors) },
  });
