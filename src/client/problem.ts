import type { FieldError, ProblemCode } from './schema.ts';
import { wholeBody } from './unreachable.ts';

/**
 * An error response of the gateway with its problem document (RFC 9457). Programs should act on `code` and show
 * `message` to people.
 */
export class TrunklineProblem extends Error {
  override readonly name = 'TrunklineProblem';
  readonly status: number;
  /**
   * Code of the problem; newer gateways may have more codes. `undefined` if something else responded, such as a proxy.
   */
  readonly code: ProblemCode | (string & Record<never, never>) | undefined;
  /** Title of the problem type. */
  readonly title: string | undefined;
  /** Description of this occurrence; the same as `message`. */
  readonly detail: string;
  /** Fields that failed validation; empty for other problems. */
  readonly errors: readonly FieldError[];
  /** Id under which the gateway logged the request. */
  readonly requestId: string | undefined;
  /** The allowed value for `max_duration_exceeds_policy`, `concurrency_limit` and `stream_limit`. */
  readonly maximum: number | undefined;
  /** Reason of a `recording_not_available`, or the exceeded limit of an `over_capacity`. */
  readonly reason: string | undefined;
  /** Delay before a retry, if the gateway states it. */
  readonly retryAfterSec: number | undefined;

  constructor(response: Response, document: ProblemDocument) {
    const detail = document.detail ?? `The answer was HTTP ${response.status}.`;
    super(detail);
    this.status = response.status;
    this.code = document.code;
    this.title = document.title;
    this.detail = detail;
    this.errors = document.errors ?? [];
    this.requestId = document.request_id ?? response.headers.get('x-request-id') ?? undefined;
    this.maximum = document.maximum;
    this.reason = document.reason;
    const wait = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
    this.retryAfterSec = Number.isNaN(wait) ? undefined : wait;
  }
}

export type ProblemDocument = {
  code?: string;
  title?: string;
  detail?: string;
  errors?: FieldError[];
  request_id?: string;
  maximum?: number;
  reason?: string;
};

/** Reads the problem of an error response. */
export const problemOf = async (response: Response): Promise<TrunklineProblem> => {
  const text = await wholeBody(response.text());
  return new TrunklineProblem(response, isProblem(response) ? parse(text) : {});
};

const isProblem = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/problem+json') === true;

/** Parses the problem document; a truncated one leaves only the HTTP status. */
const parse = (text: string): ProblemDocument => {
  try {
    return JSON.parse(text) as ProblemDocument;
  } catch {
    return {};
  }
};
