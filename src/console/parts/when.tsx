/** Formats times and durations in the workspace's time zone, which each timestamp contains. */
import { language } from '../language/language.ts';

const format = (at: string, options: Intl.DateTimeFormatOptions): string =>
  // The digits are local time; formatting them as UTC keeps them unchanged.
  new Intl.DateTimeFormat(language.value, { ...options, timeZone: 'UTC' }).format(
    new Date(`${at.slice(0, 23)}Z`),
  );

export const dayAndTime = (at: string): string =>
  format(at, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

export const timeOfDay = (at: string): string =>
  format(at, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** Formats a time of this device, in milliseconds since the epoch, in the time zone of a timestamp. */
export const deviceTime = (now: number, zoned: string): string => {
  const offset = Date.parse(`${zoned.slice(0, 23)}Z`) - Date.parse(zoned);
  return timeOfDay(new Date(now + offset).toISOString());
};

export const When = ({ at, precise = false }: { at: string; precise?: boolean }) => (
  <time dateTime={at} title={at}>
    {precise ? timeOfDay(at) : dayAndTime(at)}
  </time>
);

/** Formats a duration like a telephone's display: `1:05`. */
export const clockTime = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
};

/** Formats a position in a call, in seconds since the answer: `0:12`, or `-0:03` before the answer. */
export const placeTime = (place: number): string =>
  place <= -1 ? `-${clockTime(-place)}` : clockTime(place);
