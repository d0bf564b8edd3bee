/** Consent announcement at the beginning of a call, and the other party's answer (guides/privacy.md). */

/** Requirement for consent. `none`: the announcement is enough. `speech`: a spoken yes. `key`: the digit `1`. */
export type ConsentRequirement = 'none' | 'speech' | 'key';

/** The consent announcement, which is played before recording and before the first request to the agent. */
export type ConsentWanted = {
  announcement: string;
  requirement: ConsentRequirement;
  /** Language of the announcement and of the answer (BCP 47). */
  language: string;
};

/** How the other party decided: by hearing the announcement, by words, by a DTMF digit, or by silence. */
export type ConsentMeans = 'announcement' | 'speech' | 'key' | 'silence';

/** Messages from the conversation to its call. A refusal is sent after the goodbye was heard. */
export type ConsentMessage = { type: 'consent.given' } | { type: 'consent.refused' };

/** The only digit that means consent. */
export const agreeingKey = '1';
