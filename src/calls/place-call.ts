/** Placing an outbound call (architecture 6, "Outbound"). The row is committed, then dialing starts. */
import { randomUUID } from 'node:crypto';
import { canTakeCalls } from '#src/domain/agent-binding.ts';
import { callContext } from '#src/domain/call-context.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { CalledNumber, PolicyOf } from './called-number.ts';
import type { StartCall } from './start-call.ts';

export type PlaceCallRequest = {
  /** Domestic format, digits alone. */
  to: string;
  instruction: string | null;
  /** Seconds; `null` for the stored policy. */
  maxDurationSec: number | null;
};

export type PlaceCall = (
  number: CalledNumber,
  request: PlaceCallRequest,
) => Promise<{ callId: string; from: string }>;

/**
 * Refuses with `max_duration_exceeds_policy` (with `maximum`), `no_agent_endpoint`, `concurrency_limit`, `draining` or
 * `over_capacity`; no call is placed then.
 */
export const createPlaceCall =
  (options: { startCall: StartCall; policyOf: PolicyOf; now: () => number }): PlaceCall =>
  async (number, { to, instruction, maxDurationSec }) => {
    const policy = options.policyOf(number);
    if (maxDurationSec !== null && maxDurationSec > policy.maxDurationSec) {
      throw new Refusal(
        'max_duration_exceeds_policy',
        `A call of this number may last at most ${policy.maxDurationSec} seconds.`,
        { extras: { maximum: policy.maxDurationSec } },
      );
    }
    const binding = number.bindings.outbound;
    if (!canTakeCalls(binding)) {
      throw new Refusal(
        'no_agent_endpoint',
        'The outbound agent of this number has no agent type or no chat URL, so nobody could speak. No call was placed.',
      );
    }
    const callId = randomUUID();
    await options.startCall({
      number,
      policy,
      maxDurationSec: maxDurationSec ?? policy.defaultDurationSec,
      startedAt: options.now(),
      brief: {
        context: callContext({
          id: callId,
          direction: 'outbound',
          ownNumber: number.number,
          counterparty: to,
          language: number.language,
        }),
        binding,
        bearerToken: number.outboundToken,
        instruction,
      },
    });
    return { callId, from: number.number };
  };
