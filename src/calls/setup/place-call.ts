/**
 * Places an outbound call (guides/design/calls.md, "Outbound"). Dialling starts after the row of the call is committed.
 */
import { randomUUID } from 'node:crypto';
import { canTakeCalls, type AgentBinding } from '#src/domain/agent-binding.ts';
import { agentContext } from '#src/domain/agent-context.ts';
import type { CallPolicy } from '#src/domain/call-policy.ts';
import { destinationProblem, type DestinationProblem } from '#src/domain/destinations.ts';
import type { Language } from '#src/domain/language.ts';
import type { Metadata } from '#src/domain/metadata.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { unlistedHeaders, type SipHeaders } from '#src/domain/sip-headers.ts';
import { invalidField, Refusal } from '#src/domain/refusal.ts';
import { trunkHeadersOf, type TrunkHeaders } from '#src/persistence/trunks/trunks.ts';
import type { KeyedAnswer, KeyedRequest } from '#src/persistence/workspaces/idempotency-records.ts';
import type { CallableNumber } from '#src/persistence/numbers/callable-numbers.ts';
import type { CallParts } from '../call-parts.ts';
import { openNumber, policyOf, withAgent, type OpenNumber } from './open-number.ts';
import type { StartCall } from './start-call.ts';

export type PlaceCallRequest = {
  /** Called number: digits in domestic format, or `+…` for another country. */
  to: string;
  instruction: string | null;
  /** Language of the call; absent for the language of the number. */
  language?: Language | undefined;
  /** Maximum duration in seconds; `null` for the maximum of the stored policy. */
  maxDurationSec: number | null;
  /** Metadata of the call; absent if the client sent none. */
  metadata?: Metadata;
  /** Custom headers of the INVITE; absent if there are none. */
  sipHeaders?: SipHeaders;
  /** Agent of this call in a rehearsal; if absent, the agent of the number. */
  agent?: AgentBinding | undefined;
  /** Key of the request, and the response that is stored with the call; absent for a request without a key. */
  keyed: (KeyedRequest & { answer: (placed: PlacedCall) => Omit<KeyedAnswer, keyof KeyedRequest> }) | null;
};

export type PlacedCall = { callId: string; from: string };

export type PlaceCall = (number: CallableNumber, request: PlaceCallRequest) => Promise<PlacedCall>;

const ofKind = 'Numbers of this kind may not be called. An admin allows them in "destinations".';

const notAllowed: Readonly<Partial<Record<DestinationProblem, string>>> = {
  denied_prefix: 'Numbers that begin so may not be called. An admin allows them in "destinations".',
  emergency: 'Emergency numbers are never called.',
  no_country:
    'Numbers of satellites and international networks may be called by an allowed prefix in "destinations" alone.',
  unknown: 'This is no number of a subscriber.',
};

const checkDestination = (policy: CallPolicy, to: string, country: Country): void => {
  const reason = destinationProblem(policy, to, country);
  if (reason === undefined) return;
  // A number without international permission keeps the error `invalid_to` for international numbers.
  if (reason === 'international') {
    throw new Refusal(
      'invalid_to',
      'This number may not call abroad. Give a number of the country, as it is dialled within it, for example 010-0000-0001.',
    );
  }
  throw new Refusal('destination_not_allowed', notAllowed[reason] ?? ofKind, { extras: { reason } });
};

/** Rejects headers unless at least one trunk sends all of them. */
const checkHeaders = (headers: SipHeaders, trunks: readonly TrunkHeaders[]): void => {
  const names = Object.keys(headers);
  const missing = trunks.map(({ headersOut }) => unlistedHeaders(names, headersOut));
  const fewest = missing.toSorted((one, other) => one.length - other.length)[0] ?? names;
  if (fewest.length === 0) return;
  throw invalidField(
    ...fewest.map((name) => ({
      path: `sip_headers.${name}`,
      message:
        'No trunk of this number has all headers of the call in its "headers_out": this one is missing.',
    })),
  );
};

/**
 * Returns the number with the language of this call. The voice is set for the language of the number, so a call in
 * another one has the synthesizer's default voice.
 */
const speaking = (number: OpenNumber, language: Language | undefined): OpenNumber =>
  language === undefined || language === number.language
    ? number
    : { ...number, language, speech: { ...number.speech, voice: null } };

/**
 * Places a call. Rejects with `invalid_to` (an international number without permission), `destination_not_allowed`
 * (with `reason`), `invalid_request` (a header that no trunk of the number sends), `max_duration_exceeds_policy` (with
 * `maximum`), `no_agent_endpoint`, `concurrency_limit`, `draining`, `over_capacity` or `idempotency_in_progress`. A
 * refused request places no call, and its key stays unused.
 */
export const createPlaceCall =
  ({ storage, telephony, limits, now }: CallParts, startCall: StartCall): PlaceCall =>
  async (callable, { to, instruction, language, maxDurationSec, metadata, sipHeaders, agent, keyed }) => {
    const number = withAgent(speaking(openNumber(callable, storage.sealing), language), agent);
    const policy = policyOf(number, limits.platformPolicy);
    checkDestination(policy, to, telephony.country);
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
    if (sipHeaders !== undefined)
      checkHeaders(
        sipHeaders,
        await trunkHeadersOf(storage.database, number.number, telephony.configuredHeaders),
      );
    const callId = randomUUID();
    const placed: PlacedCall = { callId, from: number.number };
    await startCall({
      number,
      policy,
      maxDurationSec: maxDurationSec ?? policy.defaultDurationSec,
      startedAt: now(),
      metadata,
      sipHeaders,
      agentCall: {
        context: agentContext({
          id: callId,
          direction: 'outbound',
          from: number.number,
          to,
          language: number.language,
        }),
        binding,
        bearerToken: number.outboundToken,
        headers: number.headers.outbound,
        instruction,
        transferTo: number.transferTo,
      },
      keyedAnswer: keyed && { key: keyed.key, fingerprint: keyed.fingerprint, ...keyed.answer(placed) },
    });
    return placed;
  };
