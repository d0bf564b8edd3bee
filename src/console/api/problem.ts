/** What a request can come to, other than an answer. */

/** The gateway refused: its problem document (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  /** By the dotted path of the field. */
  readonly fields: ReadonlyMap<string, string>;
  readonly maximum: number | undefined;
  readonly reason: string | undefined;

  constructor(status: number, document: ProblemDocument) {
    super(document.detail ?? document.title ?? `HTTP ${status}`);
    this.status = status;
    this.code = document.code ?? '';
    this.fields = new Map(document.errors?.map(({ path, message }) => [path, message]));
    this.maximum = document.maximum;
    this.reason = document.reason;
  }
}

export type ProblemDocument = {
  title?: string;
  detail?: string;
  code?: string;
  maximum?: number;
  reason?: string;
  errors?: { path: string; message: string }[];
};

/** No answer came from the gateway. It may come back. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}
