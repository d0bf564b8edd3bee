/** Announcement at the beginning of a call, and the other party's consent (guides/privacy.md). */
import type { ConsentMeans, ConsentRequirement } from '#machines/consent.ts';

export const consentRequirements = ['none', 'speech', 'key'] as const satisfies readonly ConsentRequirement[];

export const consentMeans = [
  'announcement',
  'speech',
  'key',
  'silence',
] as const satisfies readonly ConsentMeans[];

/** Consent setting of a number. */
export type ConsentPolicy = {
  /** Text of the announcement, spoken first; null for no announcement. */
  announce: string | null;
  require: ConsentRequirement;
};

/** Result of the announcement in a call. */
export type CallConsent = {
  given: boolean;
  how: ConsentMeans;
  /** Time of the result in ISO 8601. */
  at: string;
};
