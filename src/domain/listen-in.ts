/** Listening to calls in progress: the policy of a number, and the messages to listeners (guides/console.md). */
import type { Language } from './language.ts';

/**
 * Policy of a number. `off`: listening is disabled. `announced`: an announcement to the other party comes first.
 * `silent`: there is no announcement; the operator is responsible.
 */
export const listenInPolicies = ['off', 'announced', 'silent'] as const;
export type ListenInPolicy = (typeof listenInPolicies)[number];

/**
 * Sample rate in Hz. The audio is 16-bit linear, little-endian, with two channels: the other party's and the agent's.
 */
export const listenInSampleRate = 16_000;

/**
 * State of the audio. `no_sound`: the call has no audio yet, or never has any, like most simulated calls.
 * `awaiting_consent`: the other party has not consented yet. `announcing`: the announcement is playing. `paused`: the
 * recording is paused, so silence is sent. `on`: audio is sent.
 */
export const listenInStates = ['no_sound', 'awaiting_consent', 'announcing', 'paused', 'on'] as const;
export type ListenInState = (typeof listenInStates)[number];

/** A text message to a listener; audio is sent in binary messages. */
export type ToWhoListens = { type: 'state'; state: ListenInState };

/** Announcement before listening begins. */
export const listenInAnnouncement: Readonly<Record<Language, string>> = {
  ko: '안내 말씀드립니다. 지금부터 담당자가 이 통화를 함께 듣습니다.',
  en: 'Please note that a member of our team is now listening to this call.',
  ja: 'お知らせいたします。ただいまより担当者がこの通話を聞いております。',
};
