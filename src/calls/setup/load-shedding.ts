/**
 * Sheds load before calls in progress are delayed: new calls are refused while a resource of this gateway is under
 * pressure. Shedding continues until the pressure is well below its threshold, so that a gateway at its limit does not
 * alternate with every call (hysteresis).
 */
import { pressures, type Pressure } from '#src/domain/capacity.ts';
import type { Clock } from '#src/domain/clock.ts';

/** Thresholds: shedding begins at `from` and ends at `until`. A `from` of 0 disables the check. */
export type LoadLimit = { from: number; until: number };

export type LoadLimits = Readonly<Record<Pressure, LoadLimit>>;

/** Returns the current measure of each pressure, in the unit of its limit. */
export type LoadMeasures = Readonly<Record<Pressure, () => number>>;

export type LoadShedding = {
  /** Returns the first resource under pressure; `null` if new calls may begin. */
  pressure(): Pressure | null;
  /** Share of the calls in setup that the current delay of the event loop allows, from 0 to 1. */
  share(): number;
  close(): void;
};

/**
 * Checks the resources every `everyMs`. `onChange` is called when shedding begins for a resource (`sheds`) and when it
 * ends. The journal may grow fast between two checks, so it is also checked with every query.
 */
export const createLoadShedding = (options: {
  limits: LoadLimits;
  measures: LoadMeasures;
  /** The event loop's current delay in milliseconds, and the delay that halves the calls in setup; 0 disables it. */
  beginning: { delayMs: () => number; halvingMs: number };
  everyMs: number;
  /** Monotonic clock. */
  clock: Clock;
  onChange: (change: { pressure: Pressure; measured: number; sheds: boolean }) => void;
}): LoadShedding => {
  const { limits, measures, beginning, everyMs, clock, onChange } = options;
  const under = new Set<Pressure>();

  const look = (pressure: Pressure): void => {
    const { from, until } = limits[pressure];
    const measured = measures[pressure]();
    const sheds = from > 0 && measured >= (under.has(pressure) ? until : from);
    if (sheds === under.has(pressure)) return;
    if (sheds) under.add(pressure);
    else under.delete(pressure);
    onChange({ pressure, measured, sheds });
  };

  let timer: unknown;
  const lookAgain = (): void => {
    timer = clock.setTimeout(() => {
      pressures.forEach(look);
      lookAgain();
    }, everyMs);
  };
  lookAgain();

  return {
    pressure() {
      look('journal');
      return pressures.find((each) => under.has(each)) ?? null;
    },
    share: () => (beginning.halvingMs === 0 ? 1 : 2 ** -(beginning.delayMs() / beginning.halvingMs)),
    close: () => clock.clearTimeout(timer),
  };
};
