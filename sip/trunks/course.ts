/**
 * Targets of one call over one trunk, tried in order: first the trunk's own, then its redirect targets. Each target is
 * tried once and the number of redirects is limited, so a call cannot loop.
 */
import type { Place } from './addressing.ts';

/** Maximum of followed redirects in one call over one trunk. */
const mostRedirections = 5;

export const createCourse = (own: readonly Place[]) => {
  const left: Place[] = [...own];
  const known = new Set(own.map(({ uri }) => uri));
  let redirections = 0;

  return {
    next: (): Place | undefined => left.shift(),
    /** Inserts redirect targets before the remaining ones. Returns whether any of them is new. */
    redirect(places: readonly Place[]): boolean {
      const followed = places.filter(({ uri }) => !known.has(uri)).slice(0, mostRedirections - redirections);
      redirections += followed.length;
      for (const { uri } of followed) known.add(uri);
      left.unshift(...followed);
      return followed.length > 0;
    },
  };
};
