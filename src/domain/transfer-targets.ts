/**
 * Allowed transfer targets of a number (guides/transfer.md). The default is an empty list, because callers may talk an
 * agent into a transfer. A target is a number, or a prefix followed by `*`.
 */
import { destinationProblem, type Destinations } from './destinations.ts';
import type { Country } from './phone-number.ts';

/** Matches a target: a number in domestic format, or a prefix and `*`. */
export const transferTarget = /^[0-9]{3,20}\*?$/;

export const mostTransferTargets = 50;

/** Default of the maximum duration of a connected transfer, in seconds. */
export const usualTransferDurationSec = 3_600;
export const transferDurationBounds = [60, 14_400] as const;

/** Kinds of numbers that a prefix covers. Expensive and foreign numbers must be listed in full. */
const byPrefix: Destinations = {
  kinds: ['mobile', 'fixed_line', 'toll_free', 'voip', 'personal', 'uan'],
  allowedPrefixes: [],
  deniedPrefixes: [],
};

/** Rule for a number that is listed in full; emergency numbers are always refused. */
const byName = (number: string): Destinations => ({ ...byPrefix, allowedPrefixes: [number] });

/** Whether a call may be transferred to this number. `number` is in domestic format. */
export const mayBeTransferredTo = (number: string, targets: readonly string[], country: Country): boolean => {
  if (targets.includes(number)) {
    const problem = destinationProblem({ destinations: [byName(number)] }, number, country);
    return problem !== 'emergency';
  }
  const isBegun = targets.some((target) => target.endsWith('*') && number.startsWith(target.slice(0, -1)));
  return isBegun && destinationProblem({ destinations: [byPrefix] }, number, country) === undefined;
};
