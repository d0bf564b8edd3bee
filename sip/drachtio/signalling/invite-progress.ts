/** The progress of an INVITE: its last answer, and how far the call came. */
import type Srf from 'drachtio-srf';
import type { SipDetails } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { FailedTry } from '../../trunks/failover.ts';
import { explanationIn, plainText } from '../../headers/reasons.ts';
import { sentFrom, sourceOf, type Way } from './call-route.ts';

/** In milliseconds; 0 where it is not said. Of whom it speaks, the status says (RFC 3261 section 20.33). */
const retryAfterOf = (response: Srf.SrfResponse): number => {
  if (!response.has('Retry-After')) return 0;
  const [, seconds = '0'] = /^\s*(\d{1,9})/.exec(response.get('Retry-After')) ?? [];
  return Number(seconds) * 1_000;
};

/** Where there was no answer, or another one than was wanted; as in `Invited`. */
type Refusal = { failed: FailedTry; contacts: string | null; retryAfterMs: number };

/** From the INVITE to the first that is known of the callee, in milliseconds; `null` while nothing is. */
const createPostDialDelay = ({ now }: Pick<Clock, 'now'>) => {
  let sentAt: number | null = null;
  let delayMs: number | null = null;
  return {
    sent: () => void (sentAt ??= now()),
    /** Any answer; those below 180 say nothing of the callee, and a refusal ends the call. */
    answered(status: number): void {
      if (sentAt !== null && status >= 180 && status < 300) delayMs ??= Math.max(0, now() - sentAt);
    },
    ms: () => delayMs,
  };
};

export const createInviteProgress = (clock: Pick<Clock, 'now'>) => {
  const postDialDelay = createPostDialDelay(clock);
  let request: Srf.SrfRequest | null = null;
  let last: Srf.SrfResponse | null = null;
  let came: FailedTry['came'] = 'nowhere';

  return {
    /** The INVITE that was sent last. */
    request: () => request,
    sent(next: Srf.SrfRequest): void {
      request = next;
      postDialDelay.sent();
    },

    /** The last answer, provisional ones too. */
    last: () => last,
    answered(response: Srf.SrfResponse): void {
      last = response;
      postDialDelay.answered(response.status);
    },

    /** A provisional answer; true when it is the first that says that the call is on its way. */
    provisional(response: Srf.SrfResponse): boolean {
      if (response.status < 180) return false;
      const isFirst = came === 'nowhere';
      if (came !== 'ringing') came = response.status === 180 ? 'ringing' : 'progress';
      return isFirst;
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

    /** There is no final answer, whatever the reason. */
    withoutAnswer: (): Refusal => ({
      failed: { status: null, came },
      contacts: null,
      retryAfterMs: 0,
    }),

    /** How the trunk refused it; `null` where there is no final answer. */
    refusal(): Refusal | null {
      if (last === null || last.status < 300) return null;
      const reason = last.has('Reason') ? last.get('Reason') : undefined;
      const contacts = last.status < 400 && last.has('Contact') ? last.get('Contact') : null;
      return { failed: { status: last.status, reason, came }, contacts, retryAfterMs: retryAfterOf(last) };
    },
  };
};

export type InviteProgress = ReturnType<typeof createInviteProgress>;
