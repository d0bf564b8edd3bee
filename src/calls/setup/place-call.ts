/** Placing an outbound call (guides/design/calls.md, "Outbound"). The row is committed, then dialing starts. */
import { randomUUID } from 'node:crypto';
import { canTakeCalls } from '#src/domain/agent-binding.ts';
import { agentContext } from '#src/domain/agent-context.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { KeyedAnswer, KeyedRequest } from '#src/persistence/idempotency.ts';
import type { OpenNumber, PolicyOf } from './open-number.ts';
import type { StartCall } from './start-call.ts';

export type PlaceCallRequest = {
  /** Domestic format, digits alone. */
  to: string;
  instruction: string | null;
  /** Seconds; `null` for the stored policy. */
  maxDurationSec: number | null;
  /** Where the request may be repeated: its key, and the answer to be kept with the call. */
  keyed: (KeyedRequest & { answer: (placed: PlacedCall) => Omit<KeyedAnswer, keyof KeyedRequest> }) | null;
};

export type PlacedCall = { callId: string; from: string };

export type PlaceCall = (number: OpenNumber, request: PlaceCallRequest) => Promise<PlacedCall>;

/**
 * Refuses with `max_duration_exceeds_policy` (with `maximum`), `no_agent_endpoint`, `concurrency_limit`, `draining`,
 * `over_capacity` or `idempotency_in_progress`; no call is placed then, and the key stays free.
 */
export const createPlaceCall =
  (options: { startCall: StartCall; policyOf: PolicyOf; now: () => number }): PlaceCall =>
  async (number, { to, instruction, maxDurationSec, keyed }) => {
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
    const placed: PlacedCall = { callId, from: number.number };
    await options.startCall({
      number,
      policy,
      maxDurationSec: maxDurationSec ?? policy.defaultDurationSec,
      startedAt: options.now(),
      agentCall: {
        context: agentContext({
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
      keyedAnswer: keyed && { key: keyed.key, fingerprint: keyed.fingerprint, ...keyed.answer(placed) },
    });
    return placed;
  };
