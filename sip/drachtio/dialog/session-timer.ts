/**
 * Session timers (RFC 4028), which end a call whose other party vanished without BYE.
 *
 * drachtio-server runs the timer. The server reads Session-Expires of the messages that it forwards, sends the
 * refreshing re-INVITE if this side refreshes, and sends BYE if the other party missed its refresh. The gateway has to
 * request a timer, answer with one, and repeat it in answers to refreshes, because a peer that gets no Session-Expires
 * back stops refreshing.
 */
import type { StandingDialog } from '#src/domain/sip-leg.ts';
import {
  headerOf,
  parametrized,
  tokensIn,
  type Headers as ReadHeaders,
} from '../../headers/header-values.ts';

/** Times in seconds. The shortest must not be below 90 (RFC 4028 section 5). */
export type SessionTimes = { expiresSec: number; shortestSec: number };

export type SessionExpires = {
  seconds: number;
  /**
   * The side that refreshes: `uac` is the sender of the answered request, `uas` the answering side; null if it is
   * unspecified.
   */
  refresher: 'uac' | 'uas' | null;
};

type Headers = Record<string, string>;
type Message = ReadHeaders;

export const sessionExpiresOf = (message: Message): SessionExpires | undefined => {
  // The header may have its short form (section 4), which drachtio-srf does not support.
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
  // The side that refreshes must support timers (section 9).
  ...(refresher === 'uac' ? { Require: 'timer' } : {}),
});

/**
 * Returns the timer of an outgoing INVITE, with the far end as refresher. As refresher, drachtio-server would refresh
 * forever, even for a dead gateway. With the far end as refresher, drachtio-server answers 481 to a refresh that no
 * gateway handles, and ends the call when the far end stops refreshing.
 */
export const timerOffer = ({ expiresSec, shortestSec }: SessionTimes): Headers => ({
  ...headersFor({ seconds: expiresSec, refresher: 'uas' }),
  'Min-SE': String(shortestSec),
});

/** Returns the session timer for a retry after 422; undefined if the trunk does not specify one. */
export const afterTooSmall = (response: Message, times: SessionTimes): SessionTimes | undefined => {
  const wanted = minSeOf(response);
  return wanted <= times.shortestSec
    ? undefined
    : { expiresSec: Math.max(wanted, times.expiresSec), shortestSec: wanted };
};

/**
 * Whether the sender of a request supports session timers. A proxy may have added Session-Expires for a sender without
 * support, but it names no refresher then (RFC 4028 section 8.1).
 */
const supportsTimers = (request: Message): boolean =>
  ['Supported', 'Require'].some((name) =>
    tokensIn(headerOf(request, name).toLowerCase()).includes('timer'),
  ) || (sessionExpiresOf(request)?.refresher ?? null) !== null;

/**
 * Whether an INVITE asks for a timer shorter than the minimum, which the gateway answers with 422. A caller without
 * support for timers does not understand 422 (RFC 4028 section 9).
 */
export const isTooSmall = (request: Message, { shortestSec }: SessionTimes): boolean =>
  (sessionExpiresOf(request)?.seconds ?? shortestSec) < shortestSec && supportsTimers(request);

/** Agreement of a dialog: the side that refreshes, and the interval. */
export type AgreedTimer = Pick<StandingDialog, 'weRefresh' | 'expiresSec'>;

const noTimer: AgreedTimer = { weRefresh: false, expiresSec: null };

export type AnsweredTimer = AgreedTimer & { headers: Headers };

/**
 * Returns the timer of the answer to an incoming INVITE. A caller without support for timers gets none, unless a proxy
 * has asked for one, which the gateway then refreshes (RFC 4028 section 9, table 2).
 */
export const answerTimer = (request: Message, times: SessionTimes): AnsweredTimer => {
  const asked = sessionExpiresOf(request);
  const callerCanRefresh = supportsTimers(request);
  if (asked === undefined && !callerCanRefresh) return { ...noTimer, headers: {} };
  const seconds = asked?.seconds ?? Math.max(times.expiresSec, minSeOf(request));
  const refresher = asked?.refresher ?? (callerCanRefresh ? 'uac' : 'uas');
  return {
    headers: headersFor({ seconds, refresher }),
    weRefresh: refresher === 'uas',
    expiresSec: seconds,
  };
};

/**
 * Returns the timer of the answer to a re-INVITE or UPDATE. drachtio-server sets its own timer when the request arrives,
 * and the answer must name the same refresher.
 */
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

/** Reads the agreement from the response to our INVITE: this side refreshes unless the response names the far end. */
export const agreedTimer = (answer: Message): AgreedTimer => {
  const agreed = sessionExpiresOf(answer);
  if (agreed === undefined) return noTimer;
  return { weRefresh: agreed.refresher !== 'uas', expiresSec: agreed.seconds };
};

/**
 * Returns headers that repeat the timer in our INVITE within a call. Without them, the far end would consider the timer
 * ended (RFC 4028 section 7.4), and drachtio-server would hang up on a far end that no longer refreshes.
 */
export const sameTimer = ({ weRefresh, expiresSec }: AgreedTimer): Headers => ({
  Supported: 'timer',
  ...(expiresSec === null
    ? {}
    : { 'Session-Expires': `${expiresSec};refresher=${weRefresh ? 'uac' : 'uas'}` }),
});
