/** The notice that the other party of a call hears first, and its agreement (guides/privacy.md). */
import type { ConsentMeans, ConsentRequirement } from '#machines/consent.ts';

export const consentRequirements = ['none', 'speech', 'key'] as const satisfies readonly ConsentRequirement[];

export const consentMeans = [
  'announcement',
  'speech',
  'key',
  'silence',
] as const satisfies readonly ConsentMeans[];

/** Of a number. */
export type ConsentPolicy = {
  /** Said first of all; null for nothing. */
  announce: string | null;
  require: ConsentRequirement;
};

/** Of a call. */
export type CallConsent = {
  given: boolean;
  how: ConsentMeans;
  /** ISO 8601. */
  at: string;
};
