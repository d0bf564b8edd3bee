import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { TrunklineProblem } from '#src/client/problem.ts';
import { TrunklineUnreachable } from '#src/client/unreachable.ts';
import { Refusal } from '#src/domain/refusal.ts';

const failed = (told: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(told) }],
  isError: true,
});

/** Thrown when the gateway of this tool is unreachable. The message is for the user of the tool. */
export class NoGateway extends Error {
  override readonly name = 'NoGateway';
}

/**
 * Returns the result of a failed tool for the model: the members of the API's problem document. The model may act on
 * `code` and show `detail`. Internal errors are thrown again.
 */
export const failedTool = (error: unknown, signal: AbortSignal): CallToolResult => {
  if (error instanceof TrunklineProblem) {
    const { status, code, title, detail, errors, requestId, maximum, reason, retryAfterSec } = error;
    return failed({
      status,
      code,
      title,
      detail,
      ...(errors.length === 0 ? {} : { errors }),
      request_id: requestId,
      maximum,
      reason,
      retry_after_sec: retryAfterSec,
    });
  }
  if (error instanceof Refusal) {
    const { status, code, message: detail, extras } = error;
    return failed({ status, code, detail, ...extras });
  }
  if ((error instanceof NoGateway || error instanceof TrunklineUnreachable) && !signal.aborted)
    return failed({ code: 'service_unavailable', detail: error.message });
  throw error;
};
