/** A call taken over from another process, in which the agent has greeted and listened. */
import type { CallResumeState, ConversationResumeState } from '#machines/resume-state.ts';

export const heard = [
  { role: 'user', content: '[outbound call connected]' },
  { role: 'assistant', content: 'Good morning.' },
] as const;

export const takenOver = (
  conversation: Partial<ConversationResumeState> = {},
  changes: Partial<CallResumeState> = {},
): CallResumeState => ({
  node: 'second',
  from: 'first',
  answeredBy: null,
  recordingIsPaused: false,
  pausedForSecret: false,
  keysAreHidden: false,
  consentIsAwaited: false,
  hangupIsPending: false,
  endReason: null,
  transfer: null,
  conversation: {
    resumesAs: 'listening',
    messages: heard,
    turn: 3,
    utterance: 7,
    spoken: null,
    unanswered: 0,
    isReplyOwed: false,
    asked: [],
    controls: [],
    language: null,
    collected: null,
    failuresInARow: 0,
    wasReprompted: false,
    unsaid: [],
    ...conversation,
  },
  ...changes,
});
