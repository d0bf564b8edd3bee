/** Thrown when another gateway did not answer a request in time. */
export class NodeUnreachable extends Error {
  override readonly name = 'NodeUnreachable';
  /** Whether the request was withdrawn before the other gateway took it, and is therefore certainly not performed. */
  readonly isWithdrawn: boolean;

  constructor(message: string, options: { isWithdrawn: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isWithdrawn = options.isWithdrawn;
  }
}
