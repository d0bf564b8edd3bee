/**
 * Timestamps as the API writes them: ISO 8601 with the numeric UTC offset of a time zone (guides/design/wire.md,
 * "Timestamps").
 */

const formatters = new Map<string, Intl.DateTimeFormat>();

const offsetFormatter = (timeZone: string): Intl.DateTimeFormat => {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
};

/** `+09:00`; UTC is `+00:00`. */
const offsetOf = (instant: Date, timeZone: string): string => {
  const name = offsetFormatter(timeZone)
    .formatToParts(instant)
    .find((part) => part.type === 'timeZoneName')?.value;
  const offset = name?.replace('GMT', '') ?? '';
  return offset === '' ? '+00:00' : offset.slice(0, 6);
};

/** `2026-11-21T12:00:00.000+09:00`. Throws a RangeError for an unknown time zone or an invalid date. */
export const timestampIn = (timeZone: string, instant: Date): string => {
  const offset = offsetOf(instant, timeZone);
  const minutes =
    (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6))) * (offset.startsWith('-') ? -1 : 1);
  const shifted = new Date(instant.getTime() + minutes * 60_000);
  return `${shifted.toISOString().slice(0, -1)}${offset}`;
};
