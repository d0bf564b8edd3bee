/** `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of a date that may be sent today (RFC 9110, 5.6.7). */
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * How long an endpoint asks to be left alone by the header `Retry-After` (RFC 9110, 10.2.3), in milliseconds from `now`;
 * `null` where it asks for nothing that can be understood.
 */
export const retryAfterMs = (value: string | string[] | undefined, now: number): number | null => {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = httpDate.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
};
