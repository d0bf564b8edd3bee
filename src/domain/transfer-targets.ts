/**
 * Where the calls of a number may be transferred (guides/transfer.md): to nobody unless the number says so, as an agent
 * can be talked into much. Each target is a whole number, or a prefix that ends in `*`.
 */
import { destinationProblem, type Destinations } from './destinations.ts';
import type { Country } from './phone-number.ts';

/** A whole number in domestic format, or the beginning of some and `*`. */
export const transferTarget = /^[0-9]{3,20}\*?$/;

export const mostTransferTargets = 50;

/** The time for which the other party and the person of a transfer may talk with each other. */
export const usualTransferDurationSec = 3_600;
export const transferDurationBounds = [60, 14_400] as const;

/** A prefix reaches none that costs extra, or that is abroad: those are named in full. */
const byPrefix: Destinations = {
  kinds: ['mobile', 'fixed_line', 'toll_free', 'voip', 'personal', 'uan'],
  allowedPrefixes: [],
  deniedPrefixes: [],
};

/** No emergency number is ever called, however it is named. */
const byName = (number: string): Destinations => ({ ...byPrefix, allowedPrefixes: [number] });

/** `number` is in domestic format. */
export const mayBeTransferredTo = (number: string, targets: readonly string[], country: Country): boolean => {
  if (targets.includes(number)) {
    const problem = destinationProblem({ destinations: [byName(number)] }, number, country);
    return problem !== 'emergency';
  }
  const isBegun = targets.some((target) => target.endsWith('*') && number.startsWith(target.slice(0, -1)));
  return isBegun && destinationProblem({ destinations: [byPrefix] }, number, country) === undefined;
};
