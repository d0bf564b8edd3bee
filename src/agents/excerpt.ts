import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import type { EndpointResponse } from '#src/outgoing/endpoint-client.ts';

const longestBytes = 2_048;
/** Timeout, so that a slow or endless error body does not delay the call. */
const longestWaitMs = 300;

/**
 * Returns the beginning of an error response for the endpoint's owner; empty if it cannot be read. Never spoken and
 * never logged. Consumes the response. Never throws.
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
  // The body only explains an error, so a failure to read it is ignored.
  const reading = read().catch(() => undefined);
  if (!(await doneWithin(clock, longestWaitMs, reading))) discard();
  return Buffer.concat(chunks).subarray(0, longestBytes).toString('utf8').trim();
};
