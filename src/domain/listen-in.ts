/** Listening in on calls in progress: whether a number allows it, and what is told and sent of it (guides/console.md). */
import type { Language } from './language.ts';

/**
 * Of a number. `off`: nobody listens to its calls. `announced`: the other party is told first. `silent`: nobody is told,
 * which the operator answers for.
 */
export const listenInPolicies = ['off', 'announced', 'silent'] as const;
export type ListenInPolicy = (typeof listenInPolicies)[number];

/** Sound goes out in two channels, the other party's and the agent's: 16-bit linear, little-endian, at this rate in Hz. */
export const listenInSampleRate = 16_000;

/**
 * Whether sound comes just now. `no_sound`: this call has none, or none yet, as most simulated calls; `awaiting_consent`:
 * the other party has not agreed to the call yet; `announcing`: it is being told that somebody listens; `paused`: what is
 * said now is kept from recordings, so silence comes; `on`: it comes.
 */
export const listenInStates = ['no_sound', 'awaiting_consent', 'announcing', 'paused', 'on'] as const;
export type ListenInState = (typeof listenInStates)[number];

/** A text message to who listens; sound comes in binary ones. */
export type ToWhoListens = { type: 'state'; state: ListenInState };

/** What the other party is told before anybody listens. */
export const listenInAnnouncement: Readonly<Record<Language, string>> = {
  ko: '안내 말씀드립니다. 지금부터 담당자가 이 통화를 함께 듣습니다.',
  en: 'Please note that a member of our team is now listening to this call.',
  ja: 'お知らせいたします。ただいまより担当者がこの通話を聞いております。',
};
