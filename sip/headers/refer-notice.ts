/**
 * Parses a NOTIFY about a REFER (RFC 3515 section 2.4, RFC 6665): the status of the call to the referred party, in a
 * `message/sipfrag` body (RFC 3420), and whether the subscription has ended.
 */
import { headerOf, parametrized, type Headers } from './header-values.ts';
import { plainText } from './reasons.ts';

export type ReferNotice = {
  /** The sequence number of the REFER; null where the notice names none. */
  id: number | null;
  status: number | null;
  reason: string | null;
  /** No other notice follows. */
  isLast: boolean;
};

/** The first line of the body alone counts, however long it is. */
const statusLine = /^SIP\/2\.0[ \t]{1,8}([1-6]\d\d)(?!\S)(?:[ \t]([^\r\n]{0,200}))?/i;

/** Whether the request is about a REFER; `id` is read by `referNoticeIn`. */
export const isReferNotice = (request: Headers): boolean =>
  parametrized(headerOf(request, 'Event')).value.toLowerCase() === 'refer';

/** `sipfrag`: null where there is no body. Undefined where it begins with no status line. */
export const referNoticeIn = (request: Headers, sipfrag: string | null): ReferNotice | undefined => {
  const id = parametrized(headerOf(request, 'Event')).parameters.get('id') ?? '';
  const state = parametrized(headerOf(request, 'Subscription-State')).value.toLowerCase();
  const [, status, reason = ''] = statusLine.exec((sipfrag ?? '').slice(0, 1_000).trimStart()) ?? [];
  if (sipfrag !== null && status === undefined) return undefined;
  return {
    id: /^\d{1,10}$/.test(id) ? Number(id) : null,
    status: status === undefined ? null : Number(status),
    reason: plainText(reason) || null,
    isLast: state === 'terminated',
  };
};
