/**
 * Parses a NOTIFY about a REFER (RFC 3515 section 2.4, RFC 6665): the status of the call to the referred party, in a
 * `message/sipfrag` body (RFC 3420), and whether the subscription has ended.
 */
import { headerOf, parametrized, type Headers } from './header-values.ts';
import { plainText } from './reasons.ts';

export type ReferNotice = {
  /** Sequence number of the REFER; null if the notice contains none. */
  id: number | null;
  status: number | null;
  reason: string | null;
  /** Whether this is the last notice of the subscription. */
  isLast: boolean;
};

/** Status line of the sipfrag body. Only the first line of the body is parsed. */
const statusLine = /^SIP\/2\.0[ \t]{1,8}([1-6]\d\d)(?!\S)(?:[ \t]([^\r\n]{0,200}))?/i;

/** Whether the request is about a REFER; `id` is read by `referNoticeIn`. */
export const isReferNotice = (request: Headers): boolean =>
  parametrized(headerOf(request, 'Event')).value.toLowerCase() === 'refer';

/**
 * Parses a notice. `sipfrag` is null without a body. Returns undefined for a body that does not begin with a status
 * line.
 */
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
