/** Identity of a caller besides its number, as reported by the network: display name and diversions. */

/** Value for a withheld caller number, because `from` is never empty. */
export const anonymous = 'anonymous';

/** A party that diverted the call. */
export type Diversion = {
  /** Number in domestic format, `+…` from abroad, `anonymous` if restricted. */
  number: string;
  /** Reason as the network states it, such as `no-answer` or `user-busy`; null if not reported. */
  reason: string | null;
};

export type CallerIdentity = {
  /** Display name; null if there is none or the identity is withheld. */
  name: string | null;
  /** The last diversion comes first. */
  diversions: Diversion[];
};
