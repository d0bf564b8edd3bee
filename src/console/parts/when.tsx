/** Formats times and durations in the workspace's time zone, which each timestamp contains. */
import { language } from '../language/language.ts';

const format = (at: string, options: Intl.DateTimeFormatOptions): string =>
  // The digits are local wall-clock time; formatting them as UTC keeps them unchanged.
  new Intl.DateTimeFormat(language.value, { ...options, timeZone: 'UTC' }).format(
    new Date(`${at.slice(0, 23)}Z`),
  );

export const dayAndTime = (at: string): string =>
  format(at, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

export const timeOfDay = (at: string): string =>
  format(at, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

export const When = ({ at, precise = false }: { at: string; precise?: boolean }) => (
  <time dateTime={at} title={at}>
    {precise ? timeOfDay(at) : dayAndTime(at)}
  </time>
);

/** `1:05`, like a telephone's display. */
export const clockTime = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
};

/** A place in a call, in seconds since the answer: `0:12`, or `-0:03` while it rings. */
export const placeTime = (place: number): string =>
  place <= -1 ? `-${clockTime(-place)}` : clockTime(place);
