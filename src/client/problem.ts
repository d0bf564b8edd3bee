import type { FieldError, ProblemCode } from './schema.ts';
import { wholeBody } from './unreachable.ts';

/** The gateway refused: its problem document (RFC 9457). Act on `code`, show `message` to people. */
export class TrunklineProblem extends Error {
  override readonly name = 'TrunklineProblem';
  readonly status: number;
  /** A newer gateway may have more. `undefined` when something else answered in its place, such as a proxy. */
  readonly code: ProblemCode | (string & Record<never, never>) | undefined;
  /** What kind of problem it is. */
  readonly title: string | undefined;
  /** What is wrong this time; the same as `message`. */
  readonly detail: string;
  /** Each field that does not validate; empty where it is not about fields. */
  readonly errors: readonly FieldError[];
  /** Under which the gateway logged the request. */
  readonly requestId: string | undefined;
  /** What would be allowed, of `max_duration_exceeds_policy`, `concurrency_limit` and `stream_limit`. */
  readonly maximum: number | undefined;
  /** Why there is no recording, of `recording_not_available`; the limit that is reached, of `over_capacity`. */
  readonly reason: string | undefined;
  /** How long to wait before another try, where the gateway says so. */
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

/** The problem in an answer that is no success. */
export const problemOf = async (response: Response): Promise<TrunklineProblem> => {
  const text = await wholeBody(response.text());
  return new TrunklineProblem(response, isProblem(response) ? parse(text) : {});
};

const isProblem = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/problem+json') === true;

/** A document that broke off on its way says no more than its status. */
const parse = (text: string): ProblemDocument => {
  try {
    return JSON.parse(text) as ProblemDocument;
  } catch {
    return {};
  }
};
