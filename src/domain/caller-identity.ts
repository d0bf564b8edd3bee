/** Identity of a caller besides its number, as reported by the network: display name and diversions. */

/** Number of a withheld caller, because `from` is never empty. */
export const anonymous = 'anonymous';

/** A party that diverted the call. */
export type Diversion = {
  /** Number in domestic format, `+…` for a number abroad, or `anonymous` for a restricted one. */
  number: string;
  /** Reason as the network states it, such as `no-answer` or `user-busy`; null if the network states none. */
  reason: string | null;
};

export type CallerIdentity = {
  /** Display name; null if there is none or the identity is withheld. */
  name: string | null;
  /** Diversions of the call, the last one first. */
  diversions: Diversion[];
};
