/**
 * Sheds load before it makes calls in progress wait: while something of this gateway is under pressure, no call begins.
 * What has begun to shed goes on until the pressure is well below where it began, so that a gateway at its limit does not
 * change its mind with every call.
 */
import { pressures, type Pressure } from '#src/domain/capacity.ts';
import type { Clock } from '#src/domain/clock.ts';

/** Load is shed from `from` on until no more than `until` is left; `from` 0: never. */
export type LoadLimit = { from: number; until: number };

export type LoadLimits = Readonly<Record<Pressure, LoadLimit>>;

/** The measure of each pressure now, in the unit of its limit. */
export type LoadMeasures = Readonly<Record<Pressure, () => number>>;

export type LoadShedding = {
  /** The first of what is under pressure; `null`: calls may begin. */
  pressure(): Pressure | null;
  close(): void;
};

/**
 * Looks every `everyMs`, and tells `onChange` when load begins to be shed for something (`sheds`), and when that is over.
 * The journal may grow fast between two looks: it is looked at with every question as well.
 */
export const createLoadShedding = (options: {
  limits: LoadLimits;
  measures: LoadMeasures;
  everyMs: number;
  /** One that nobody sets. */
  clock: Clock;
  onChange: (change: { pressure: Pressure; measured: number; sheds: boolean }) => void;
}): LoadShedding => {
  const { limits, measures, everyMs, clock, onChange } = options;
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
    close: () => clock.clearTimeout(timer),
  };
};
