import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import type { EndpointResponse } from '#src/outgoing/endpoint-client.ts';

const longestBytes = 2_048;
/** A server that sends its error slowly, or never, holds nobody up. */
const longestWaitMs = 300;

/**
 * The beginning of a response that is an error, for its owner to read; empty when nothing of it can be had. Never
 * spoken and never logged. The response is used up by it. Never throws.
 */
export const excerptOf = async (
  { body, discard }: EndpointResponse,
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const read = async (): Promise<void> => {
    for await (const bytes of body) {
      chunks.push(bytes);
      size += bytes.byteLength;
      if (size >= longestBytes) return;
    }
  };
  // The body only explains an error, so it does not matter why reading it broke off.
  const reading = read().catch(() => undefined);
  if (!(await doneWithin(clock, longestWaitMs, reading))) discard();
  return Buffer.concat(chunks).subarray(0, longestBytes).toString('utf8').trim();
};
