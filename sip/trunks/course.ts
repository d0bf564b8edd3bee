/**
 * The places that are tried for one call over one trunk, one after the other: first the trunk's own, then where it sends
 * the call on to. No place twice, and so many redirects and no more: a call cannot go round in circles.
 */
import type { Place } from './addressing.ts';

/** Followed in one call over one trunk. */
const mostRedirections = 5;

export const createCourse = (own: readonly Place[]) => {
  const left: Place[] = [...own];
  const known = new Set(own.map(({ uri }) => uri));
  let redirections = 0;

  return {
    next: (): Place | undefined => left.shift(),
    /** They come before whatever else is left. Whether there is a new place among them. */
    redirect(places: readonly Place[]): boolean {
      const followed = places.filter(({ uri }) => !known.has(uri)).slice(0, mostRedirections - redirections);
      redirections += followed.length;
      for (const { uri } of followed) known.add(uri);
      left.unshift(...followed);
      return followed.length > 0;
    },
  };
};
