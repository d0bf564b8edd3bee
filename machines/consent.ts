/** Consent announcement at the beginning of a call, and the other party's answer (guides/privacy.md). */

/** `none`: the announcement is enough; `speech`: a spoken yes is required; `key`: the digit `1` is required. */
export type ConsentRequirement = 'none' | 'speech' | 'key';

/** Played before recording and before the first request to the agent. */
export type ConsentWanted = {
  announcement: string;
  requirement: ConsentRequirement;
  /** BCP 47; the language of the answer. */
  language: string;
};

/** Means by which the other party decided: announcement without an answer, words, DTMF digit, or silence. */
export type ConsentMeans = 'announcement' | 'speech' | 'key' | 'silence';

/** Messages from the conversation to its call. A refusal is sent after the goodbye was heard. */
export type ConsentMessage = { type: 'consent.given' } | { type: 'consent.refused' };

/** The only digit that means consent. */
export const agreeingKey = '1';
