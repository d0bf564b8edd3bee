/** Progress of an INVITE: its last response, and how far the call came. */
import type Srf from 'drachtio-srf';
import type { SipDetails } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { FailedTry } from '../trunks/failover.ts';
import { explanationIn, plainText } from '../headers/reasons.ts';
import { sentFrom, sourceOf, type Way } from './call-route.ts';

/**
 * Milliseconds; 0 if missing. The status determines whether it concerns the trunk or the callee (RFC 3261 section
 * 20.33).
 */
const retryAfterOf = (response: Srf.SrfResponse): number => {
  if (!response.has('Retry-After')) return 0;
  const [, seconds = '0'] = /^\s*(\d{1,9})/.exec(response.get('Retry-After')) ?? [];
  return Number(seconds) * 1_000;
};

/** Result without an answer or with a refusal; as in `Invited`. */
type Refusal = { failed: FailedTry; contacts: string | null; retryAfterMs: number };

/** Post-dial delay: milliseconds from the INVITE to the first sign of the callee; `null` before that. */
const createPostDialDelay = ({ now }: Pick<Clock, 'now'>) => {
  let sentAt: number | null = null;
  let delayMs: number | null = null;
  return {
    sent: () => void (sentAt ??= now()),
    /** Handles any response; those below 180 do not concern the callee, and a refusal ends the call. */
    answered(status: number): void {
      if (sentAt !== null && status >= 180 && status < 300) delayMs ??= Math.max(0, now() - sentAt);
    },
    ms: () => delayMs,
  };
};

export type Progress = Exclude<FailedTry['came'], 'nowhere'>;

export const createInviteProgress = (clock: Pick<Clock, 'now'>) => {
  const postDialDelay = createPostDialDelay(clock);
  let request: Srf.SrfRequest | null = null;
  let last: Srf.SrfResponse | null = null;
  let came: FailedTry['came'] = 'nowhere';

  return {
    /** The last INVITE sent. */
    request: () => request,
    sent(next: Srf.SrfRequest): void {
      request = next;
      postDialDelay.sent();
    },

    /** The last response, including provisional ones. */
    last: () => last,
    answered(response: Srf.SrfResponse): void {
      last = response;
      postDialDelay.answered(response.status);
    },

    /** Handles a provisional response; returns the progress of the call if the response changes it. */
    provisional(response: Srf.SrfResponse): Progress | null {
      const next: Progress = response.status === 180 ? 'ringing' : 'progress';
      if (response.status < 180 || came === 'ringing' || came === next) return null;
      came = next;
      return next;
    },

    sip: (): SipDetails => ({
      status: last?.status ?? null,
      reason: last && plainText(last.reason),
      callId: request?.get('Call-ID') ?? null,
      ...(last !== null && last.status >= 300 ? explanationIn(last) : {}),
    }),

    way: (): Way => ({
      localAddress: request && sentFrom(request),
      remoteAddress: last && sourceOf(last),
      postDialDelayMs: postDialDelay.ms(),
    }),

    /** Result without a final response, for any reason. */
    withoutAnswer: (): Refusal => ({
      failed: { status: null, came },
      contacts: null,
      retryAfterMs: 0,
    }),

    /** The trunk's refusal; `null` without a final response. */
    refusal(): Refusal | null {
      if (last === null || last.status < 300) return null;
      const reason = last.has('Reason') ? last.get('Reason') : undefined;
      const contacts = last.status < 400 && last.has('Contact') ? last.get('Contact') : null;
      return { failed: { status: last.status, reason, came }, contacts, retryAfterMs: retryAfterOf(last) };
    },
  };
};

export type InviteProgress = ReturnType<typeof createInviteProgress>;
