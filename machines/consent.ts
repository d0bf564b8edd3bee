/** The notice to the other party before anything else, and its agreement (guides/privacy.md). */

/** `none`: being told is enough; `speech`: it has to say yes; `key`: it has to press `1`. */
export type ConsentRequirement = 'none' | 'speech' | 'key';

/** Before it, nothing is recorded and the agent is asked for nothing. */
export type ConsentWanted = {
  announcement: string;
  requirement: ConsentRequirement;
  /** BCP 47; that in which it answers. */
  language: string;
};

/** The means by which it was found out: it was told and no answer was wanted; its words; its key; or its silence. */
export type ConsentMeans = 'announcement' | 'speech' | 'key' | 'silence';

/** From the conversation to its call; a refusal is told when the goodbye was heard. */
export type ConsentMessage = { type: 'consent.given' } | { type: 'consent.refused' };

/** The key that agrees. Any other one does not. */
export const agreeingKey = '1';
