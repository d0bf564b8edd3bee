/**
 * States before the conversation begins. If the number requires it, the other party hears the consent announcement and
 * is asked to agree. The announcement cannot be interrupted, and speech during it is not an answer, because consent
 * requires the full text. After an unclear answer the question is repeated once. The agent does not see this exchange.
 */
import { closesTurn, hears, notesPlayed, publishes, says, tells } from './conversation-actions.ts';
import { conversationSetup } from './conversation-setup.ts';

/** Decides which party speaks first. */
const begins = [
  { guard: 'agentSpeaksFirst', target: '#conversation.replying', actions: hears.kickoff },
  { guard: 'callerIsGreeted', target: '#conversation.saying', actions: says.greeting },
  { target: '#conversation.listening' },
] as const;

export const opening = conversationSetup.createStateConfig({
  description: 'The call was just answered; decides who speaks first.',
  always: [
    { guard: 'isTakenOver', target: 'resuming' },
    { guard: 'mustConsent', target: 'consenting' },
    ...begins,
  ],
});

const refusedBySilence = [
  { guard: 'wasReprompted', target: 'refused', actions: publishes.consentNotGiven('silence') },
  { target: 'announcing', actions: 'noteReprompt' },
] as const;

export const consenting = conversationSetup.createStateConfig({
  description: 'The other party is told what is recorded, and asked whether it agrees.',
  entry: tells.busy,
  initial: 'announcing',
  on: {
    'line.heard': { actions: publishes.heard, description: 'It is no answer to what it has not heard.' },
    'line.digit': { actions: publishes.digit },
    'line.held': { target: '.held', actions: tells.stopTalking },
  },
  states: {
    announcing: {
      description: 'It is told.',
      entry: says.consentAnnouncement,
      after: { longestGoodbye: { target: 'refused', actions: publishes.consentNotGiven('silence') } },
      on: {
        'line.played': [
          { guard: 'announcementWasHeard', target: 'announced', actions: notesPlayed },
          {
            guard: 'wasUnheardTwice',
            target: 'refused',
            actions: [notesPlayed, publishes.consentNotGiven('silence')],
            description: 'It cannot be told, so it cannot agree.',
          },
          {
            guard: 'lastHasLeft',
            target: 'announcing',
            reenter: true,
            actions: [notesPlayed, 'noteReprompt'],
            description: 'Its speech broke off; it is told once more.',
          },
        ],
      },
    },
    announced: {
      description: 'It was told; decides whether that is enough.',
      always: [
        closesTurn,
        {
          guard: 'beingToldIsEnough',
          target: 'agreed',
          actions: publishes.consentGiven('announcement'),
        },
        { guard: 'answersByKey', target: 'awaiting-key' },
        { target: 'awaiting-words' },
      ],
    },
    'awaiting-words': {
      description: 'Its words are awaited.',
      after: { consentWait: refusedBySilence },
      on: {
        'line.speech': { target: 'awaiting-words', reenter: true },
        'line.heard': [
          {
            guard: 'saysYes',
            target: 'agreed',
            actions: [publishes.heard, publishes.consentGiven('speech')],
          },
          {
            guard: 'saysNo',
            target: 'refused',
            actions: [publishes.heard, publishes.consentNotGiven('speech')],
          },
          {
            guard: 'wasReprompted',
            target: 'refused',
            actions: [publishes.heard, publishes.consentNotGiven('speech')],
          },
          { target: 'announcing', actions: [publishes.heard, 'noteReprompt'] },
        ],
      },
    },
    'awaiting-key': {
      description: 'Its key is awaited.',
      after: { consentWait: refusedBySilence },
      on: {
        'line.digit': [
          {
            guard: 'pressesYes',
            target: 'agreed',
            actions: [publishes.digit, publishes.consentGiven('key')],
          },
          { target: 'refused', actions: [publishes.digit, publishes.consentNotGiven('key')] },
        ],
      },
    },
    held: {
      description: 'It has put the call on hold meanwhile, and is told once more when it is back.',
      entry: 'noteHold',
      always: closesTurn,
      on: { 'line.resumed': 'announcing', 'line.heard': { guard: 'beganOnHold' } },
    },
    agreed: {
      description: 'The conversation begins; what was said until here is not the agent’s.',
      entry: ['forgetConsent', tells.consentGiven],
      always: begins,
    },
    refused: {
      description: 'It is said goodbye, and the call ends.',
      entry: says.consentRefused,
      after: { longestGoodbye: { target: '#conversation.closing', actions: tells.consentRefused } },
      on: {
        'line.held': {},
        'line.played': {
          guard: 'lastHasLeft',
          target: '#conversation.closing',
          actions: [notesPlayed, tells.consentRefused],
        },
      },
    },
  },
});
