/** Timestamps of the API: ISO 8601 with the numeric UTC offset of a time zone (guides/design/wire.md, "Timestamps"). */

type Zone = {
  formatter: Intl.DateTimeFormat;
  /** Quarter of an hour for which the offset is cached. Offsets change only between quarters. */
  quarter: number;
  offset: string;
};

const zones = new Map<string, Zone>();

const quarterMs = 900_000;

const zoneOf = (timeZone: string): Zone => {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    zone = { formatter, quarter: NaN, offset: '' };
    zones.set(timeZone, zone);
  }
  return zone;
};

/** Returns an offset such as `+09:00`; for UTC, `+00:00`. */
const offsetAt = (instant: Date, { formatter }: Zone): string => {
  const name = formatter.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value;
  const offset = name?.replace('GMT', '') ?? '';
  return offset === '' ? '+00:00' : offset.slice(0, 6);
};

/**
 * Returns the offset at an instant, from the cache if possible. Timestamps of one response are close together, and
 * computing each offset would dominate the time of long responses.
 */
const offsetOf = (instant: Date, timeZone: string): string => {
  const zone = zoneOf(timeZone);
  const quarter = Math.floor(instant.getTime() / quarterMs);
  if (quarter !== zone.quarter) {
    zone.offset = offsetAt(instant, zone);
    zone.quarter = quarter;
  }
  return zone.offset;
};

/**
 * Formats an instant like `2026-11-21T12:00:00.000+09:00`. Throws a RangeError for an unknown time zone or an invalid
 * date.
 */
export const timestampIn = (timeZone: string, instant: Date): string => {
  const offset = offsetOf(instant, timeZone);
  const minutes =
    (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6))) * (offset.startsWith('-') ? -1 : 1);
  const shifted = new Date(instant.getTime() + minutes * 60_000);
  return `${shifted.toISOString().slice(0, -1)}${offset}`;
};
