/** A caller's identity beside its number, as its network tells it: a name, and whom the call was meant for before. */

/** Somebody for whom the call was meant, and who sent it on. */
export type Diversion = {
  /** Domestic format, `+…` from abroad, `anonymous` where it is not to be shown. */
  number: string;
  /** As the network says it, such as `no-answer` or `user-busy`; null where it does not. */
  reason: string | null;
};

export type CallerIdentity = {
  /** As the caller's network displays it; null where there is none, or the caller withholds who it is. */
  name: string | null;
  /** Who sent the call on last comes first. */
  diversions: Diversion[];
};
