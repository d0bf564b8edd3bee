/**
 * Session timers (RFC 4028): a call whose other side has vanished without BYE ends by itself.
 *
 * The clock is drachtio-server's. It reads Session-Expires of what it carries, sends the refreshing re-INVITE when that
 * is our part, and BYE when the other side was to refresh and did not. What it leaves to us: to ask for a timer, to
 * answer with one, and to say the same in answers to refreshes, as a peer that gets no Session-Expires back stops
 * refreshing.
 */
import type { StandingDialog } from '#src/domain/sip-leg.ts';
import {
  headerOf,
  parametrized,
  tokensIn,
  type Headers as ReadHeaders,
} from '../../headers/header-values.ts';

/** In seconds; the shortest must not be below 90 (RFC 4028 section 5). */
export type SessionTimes = { expiresSec: number; shortestSec: number };

export type SessionExpires = {
  seconds: number;
  /** Who refreshes: the one who sent the request that is answered, or who answers it; null where it is left open. */
  refresher: 'uac' | 'uas' | null;
};

type Headers = Record<string, string>;
type Message = ReadHeaders;

export const sessionExpiresOf = (message: Message): SessionExpires | undefined => {
  // `x` is its short form (section 4), which drachtio-srf does not know.
  const header = headerOf(message, 'Session-Expires') || headerOf(message, 'x');
  const { value: seconds, parameters } = parametrized(header);
  if (!/^\d{1,9}$/.test(seconds)) return undefined;
  const refresher = parameters.get('refresher')?.toLowerCase();
  return {
    seconds: Number(seconds),
    refresher: refresher === 'uac' || refresher === 'uas' ? refresher : null,
  };
};

const minSeOf = (message: Message): number => {
  const [, seconds] = /^\s*(\d{1,9})\s*(?:;|$)/.exec(headerOf(message, 'Min-SE')) ?? [];
  return seconds === undefined ? 0 : Number(seconds);
};

const headersFor = ({ seconds, refresher }: SessionExpires): Headers => ({
  'Session-Expires': `${seconds}${refresher === null ? '' : `;refresher=${refresher}`}`,
  // Whoever must refresh must know that there is a timer (section 9).
  ...(refresher === 'uac' ? { Require: 'timer' } : {}),
});

/**
 * For an INVITE that goes out. The far end is to refresh: drachtio-server would do it for ever, also for a gateway that is
 * gone, but answers 481 to a refresh that no gateway takes, and ends the call of a far end that refreshes no more.
 */
export const timerOffer = ({ expiresSec, shortestSec }: SessionTimes): Headers => ({
  ...headersFor({ seconds: expiresSec, refresher: 'uas' }),
  'Min-SE': String(shortestSec),
});

/** The session timer to ask for next when a trunk has answered 422; undefined when it does not say what it wants. */
export const afterTooSmall = (response: Message, times: SessionTimes): SessionTimes | undefined => {
  const wanted = minSeOf(response);
  return wanted <= times.shortestSec
    ? undefined
    : { expiresSec: Math.max(wanted, times.expiresSec), shortestSec: wanted };
};

/** Whether an INVITE asks for a shorter timer than is taken: it is to be answered 422. */
export const isTooSmall = (request: Message, { shortestSec }: SessionTimes): boolean =>
  (sessionExpiresOf(request)?.seconds ?? shortestSec) < shortestSec;

/** The agreement on who keeps the session of a dialog alive, and how often. */
export type AgreedTimer = Pick<StandingDialog, 'weRefresh' | 'expiresSec'>;

const noTimer: AgreedTimer = { weRefresh: false, expiresSec: null };

export type AnsweredTimer = AgreedTimer & { headers: Headers };

/** For the answer to an INVITE that came in; no timer for a caller that knows nothing of timers. */
export const answerTimer = (request: Message, times: SessionTimes): AnsweredTimer => {
  const asked = sessionExpiresOf(request);
  if (asked === undefined && !tokensIn(headerOf(request, 'Supported').toLowerCase()).includes('timer'))
    return { ...noTimer, headers: {} };
  const seconds = asked?.seconds ?? Math.max(times.expiresSec, minSeOf(request));
  const refresher = asked?.refresher ?? 'uac';
  return {
    headers: headersFor({ seconds, refresher }),
    weRefresh: refresher === 'uas',
    expiresSec: seconds,
  };
};

/** For the answer to a re-INVITE or UPDATE, as drachtio-server has read it. */
export const refreshedTimer = (request: Message, weRefresh: boolean): AnsweredTimer => {
  const asked = sessionExpiresOf(request);
  if (asked === undefined) return { ...noTimer, headers: {} };
  const refresher = asked.refresher ?? (weRefresh ? 'uac' : 'uas');
  return {
    headers: headersFor({ seconds: asked.seconds, refresher }),
    weRefresh: refresher === 'uas',
    expiresSec: asked.seconds,
  };
};

/** The agreement in the answer to our INVITE: it leaves the refreshing to us, unless it names the far end. */
export const agreedTimer = (answer: Message): AgreedTimer => {
  const agreed = sessionExpiresOf(answer);
  if (agreed === undefined) return noTimer;
  return { weRefresh: agreed.refresher !== 'uas', expiresSec: agreed.seconds };
};

/**
 * For an INVITE of ours within a call: everything stays as it was agreed. One that says nothing would end the timer for
 * the far end alone (RFC 4028 section 7.4), and drachtio-server would hang up on whoever refreshes no more.
 */
export const sameTimer = ({ weRefresh, expiresSec }: AgreedTimer): Headers => ({
  Supported: 'timer',
  ...(expiresSec === null
    ? {}
    : { 'Session-Expires': `${expiresSec};refresher=${weRefresh ? 'uac' : 'uas'}` }),
});
