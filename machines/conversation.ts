/**
 * The conversation of one call: the floor, the heard words, the spoken words.
 *
 * Rules of the chart:
 * - Only *heard* words count as said: `line.played` adds to the history, a queued sentence does not.
 * - Leaving `replying` aborts the pending reply; an abandoned reply is never said. A complete reply has also left
 *   `replying`: utterances in `saying` are played to the end, regardless of their author.
 * - At the onset of a voice the agent pauses. Recognized words make it an interruption; without words the agent
 *   resumes, and its reply stays complete. Every exit from `paused` resumes or stops the line.
 * - A party that put the call on hold is absent: speech in both directions stops, and silence timers do not run.
 * - A reply that a hold or a noise aborts is requested again, unless a word of it was audible; only the line's report
 *   of its utterances decides that.
 * - A control in a reply acts after the words before it were heard, in any state of the chart; never if they were
 *   interrupted.
 * - A turn of the agent is over when all its utterances have left the line, in any state of the chart; the line reports
 *   the interrupted part of a reply a moment after the interruption.
 * - Every failure is audible, even a line that breaks off within a word: the received part of the reply is said, then
 *   an apology that fits the situation. After a first failure the conversation continues. A second one in a row, and a
 *   kickoff that failed before its first heard word, end in a goodbye, and the goodbye ends the call.
 *
 * The conversation sends messages to its call (`say`, `stopTalking`, `agent.*`) and publishes each turn as a fact.
 */
import {
  closesTurn,
  hears,
  hearsKeys,
  notesPlayed,
  publishes,
  resumesAs,
  says,
  saysInstead,
  tells,
} from './conversation-actions.ts';
import { contextOf, unsaidOf } from './conversation-context.ts';
import { conversationSetup } from './conversation-setup.ts';
import { consenting, opening } from './conversation-opening.ts';
import { onHold, standingBy, standsBy } from './conversation-waiting.ts';

export const conversationMachine = conversationSetup.createMachine({
  id: 'conversation',
  description: 'Who has the floor, what was heard and what was said.',
  context: ({ input }) => contextOf(input),
  initial: 'opening',
  on: {
    'call.ending': { target: '.closing', description: 'The call is being hung up; nothing new begins.' },
    'voicemail.reached': { target: '.voicemail', description: 'Whatever was being said is cut short.' },
    'screening.reached': { target: '.screened', description: 'Whatever was being said is cut short.' },
    'call.over': { target: '.closing', actions: 'forgetUnplayed', description: 'The rest was not heard.' },
    'transfer.begun': { target: '.standing-by', actions: says.announcement },
    'transfer.over': { target: '.listening', actions: hears.failedTransfer },
    'transfer.refused': {
      actions: hears.failedTransfer,
      description: 'The agent answers it when it has said what it was saying.',
    },
    'line.played': { actions: notesPlayed },
    'line.digit': { actions: [publishes.digit, 'keepKey'] },
    'collect.requested': { actions: 'wantKeys', description: 'They are waited for when the floor is free.' },
    'say.requested': { actions: 'keepAsked', description: 'It is said as soon as the floor is free.' },
  },
  states: {
    opening,
    consenting,
    resuming: {
      description: 'Another process held the call; it goes on when its line is connected.',
      entry: tells.busy,
      on: {
        'line.adopted': [
          { guard: resumesAs('consenting'), target: 'consenting' },
          { guard: resumesAs('on-hold'), target: 'on-hold' },
          { guard: resumesAs('parting'), target: 'parting', actions: says.unsaid },
          { guard: resumesAs('voicemail'), description: 'The call says next that a machine was reached.' },
          {
            guard: resumesAs('broken-off'),
            actions: [says.unsaid, 'loseReply'],
            description: 'The rest of the reply was to come to the other process.',
          },
          { guard: resumesAs('saying'), target: 'saying', actions: says.unsaid },
          { guard: resumesAs('words-lost'), target: 'listening.catching-up' },
          { target: 'listening' },
        ],
        'reply.failed': 'failing',
      },
    },
    listening: {
      description: 'The floor is free; the other party may speak.',
      always: [closesTurn, { guard: 'isAddressed', target: 'replying' }],
      initial: 'settling',
      on: { 'line.held': 'on-hold', 'line.heard': { actions: [publishes.heard, hears.words] } },
      states: {
        settling: {
          description: 'What a program asked to have said waits for the turn before it to be over.',
          always: [
            {
              guard: 'replyIsOwed',
              target: '#conversation.replying',
              description: 'A hold or a noise has aborted it before a word was heard.',
            },
            { guard: 'keysMayBeHeard', ...hearsKeys },
            { guard: 'waitsForKeys', target: 'collecting' },
            { guard: 'nothingIsOwed', target: 'silent' },
            { guard: 'askedMayBeSaid', target: '#conversation.saying', actions: [says.asked, 'forgetAsked'] },
          ],
          on: { 'line.speech': 'hearing' },
        },
        silent: {
          description: 'Nobody speaks.',
          entry: tells.quiet,
          after: {
            silenceTimeout: [
              { guard: 'wasReprompted', target: '#conversation.closing', actions: tells.silenceLasted },
              { target: '#conversation.saying', actions: ['noteReprompt', says.reprompt] },
            ],
          },
          on: {
            'line.speech': 'hearing',
            'say.requested': { target: 'settling', actions: 'keepAsked' },
            'collect.requested': { target: 'settling', actions: 'wantKeys' },
          },
        },
        collecting: {
          description: 'The agent waits for keys of the telephone.',
          entry: tells.busy,
          after: {
            keysTimeout: [
              { guard: 'someKeyWasPressed', ...hearsKeys, description: 'These are all.' },
              { target: '#conversation.replying', actions: ['hearKeys', tells.keysCollected] },
            ],
          },
          on: {
            'line.digit': { target: 'settling', actions: [publishes.digit, 'keepKey'] },
            'line.speech': 'hearing',
            'say.requested': { target: 'settling', actions: 'keepAsked' },
            'collect.requested': { target: 'settling', actions: 'wantKeys' },
          },
        },
        'catching-up': {
          description:
            'Words were lost with the process before; the other party is asked for them, unless it speaks.',
          entry: tells.busy,
          initial: 'waiting',
          on: {
            'say.requested': { target: 'settling', actions: 'keepAsked' },
            'collect.requested': { target: 'settling', actions: 'wantKeys' },
          },
          states: {
            waiting: {
              description: 'Nobody speaks.',
              after: { lostWordsWait: { target: '#conversation.saying', actions: says.apology } },
              on: { 'line.speech': 'still-speaking' },
            },
            'still-speaking': {
              description: 'The other party speaks; the rest of a sentence may hold no word.',
              after: { lostSpeechWait: { target: '#conversation.saying', actions: says.apology } },
              on: { 'line.speech': { target: 'still-speaking', reenter: true } },
            },
          },
        },
        hearing: {
          description: 'The other party speaks, however long; its words are awaited.',
          entry: tells.busy,
          after: {
            longestSpeech: { target: 'settling', description: 'No words came of it.' },
          },
          on: {
            'line.speech': { target: 'hearing', reenter: true },
            'line.no_words': { target: 'settling', description: 'It was noise.' },
          },
        },
      },
    },
    replying: {
      description: 'The agent has the floor: its reply is produced, and said as it comes.',
      entry: ['countTurn', tells.busy],
      invoke: {
        src: 'reply',
        id: 'reply',
        input: ({ context: { callId, turn, messages } }) => ({ callId, turn, messages }),
        onError: { actions: 'failReply' },
      },
      initial: 'thinking',
      on: {
        'line.held': 'on-hold',
        'say.requested': saysInstead,
        'line.speech': [
          { guard: 'finishesFirst', description: 'What it says is heard, and answered behind the reply.' },
          { target: 'listening.hearing', actions: tells.stopTalking },
        ],
        'line.heard': [
          { guard: 'isBackchannel', actions: publishes.heard, description: 'It does not take the floor.' },
          { guard: 'finishesFirst', actions: [publishes.heard, hears.words] },
          { target: 'listening.hearing', actions: [tells.stopTalking, publishes.heard, hears.words] },
        ],
        'reply.sentence': { target: '.speaking', actions: says.sentence },
        'reply.control': { actions: 'takeControl' },
        'reply.failed': 'failing',
      },
      states: {
        thinking: {
          description: 'The reply was asked for; nothing of it has come yet.',
          on: {
            'reply.finished': {
              target: '#conversation.listening',
              actions: 'noteSuccess',
              description: 'The agent chose silence.',
            },
          },
        },
        speaking: {
          description: 'Sentences are said while more of the reply may come.',
          on: {
            'line.onset': { target: 'paused', actions: publishes.paused },
            'reply.finished': [
              { guard: 'everythingWasPlayed', target: '#conversation.listening', actions: 'noteSuccess' },
              { target: '#conversation.saying', actions: 'noteSuccess' },
            ],
          },
        },
        paused: {
          description: 'A voice has begun; the agent is silent until it is clear whether it says something.',
          entry: tells.pauseTalking,
          after: { longestPause: { target: 'speaking', actions: [tells.resumeTalking, publishes.resumed] } },
          on: {
            'line.no_speech': { target: 'speaking', actions: [tells.resumeTalking, publishes.resumed] },
            'transfer.begun': standsBy,
            'reply.sentence': { actions: says.sentence },
            'reply.finished': [
              {
                guard: 'everythingWasPlayed',
                target: '#conversation.listening',
                actions: [tells.resumeTalking, 'noteSuccess'],
                description: 'Its last sound was out when the voice began.',
              },
              { target: '#conversation.saying.paused', actions: 'noteSuccess' },
            ],
            'reply.failed': { target: '#conversation.failing', actions: tells.resumeTalking },
          },
        },
      },
    },
    saying: {
      description: 'No more is to come: the rest of a reply is played, or a sentence of the gateway itself.',
      entry: tells.busy,
      initial: 'sounding',
      on: {
        'line.held': 'on-hold',
        'say.requested': saysInstead,
        'line.speech': [
          { guard: 'finishesFirst', description: 'What it says is heard, and answered afterwards.' },
          { target: 'listening.hearing', actions: tells.stopTalking },
        ],
        'line.heard': [
          { guard: 'isBackchannel', actions: [publishes.heard, 'noteBrokenSilence'] },
          { guard: 'finishesFirst', actions: [publishes.heard, hears.words] },
          { target: 'listening.hearing', actions: [tells.stopTalking, publishes.heard, hears.words] },
        ],
        'line.played': { guard: 'lastHasRunItsCourse', target: 'listening', actions: notesPlayed },
      },
      states: {
        sounding: {
          description: 'It is heard.',
          on: { 'line.onset': { target: 'paused', actions: publishes.paused } },
        },
        paused: {
          description: 'A voice has begun, as above; nothing is said until it is clear what it is.',
          entry: tells.pauseTalking,
          after: { longestPause: { target: 'sounding', actions: [tells.resumeTalking, publishes.resumed] } },
          on: {
            'line.no_speech': { target: 'sounding', actions: [tells.resumeTalking, publishes.resumed] },
            'transfer.begun': standsBy,
            'line.played': {
              guard: 'lastHasRunItsCourse',
              target: '#conversation.listening',
              actions: [tells.resumeTalking, notesPlayed],
            },
          },
        },
      },
    },
    failing: {
      description: 'A reply has failed; what was heard of it decides what the gateway says.',
      entry: [publishes.failed, 'noteFailure'],
      always: [
        { guard: 'failedTwice', target: 'parting', actions: says.failedGoodbye },
        { guard: 'isUnintroduced', target: 'parting', actions: says.failedOpening },
        {
          guard: 'hasBegun',
          target: 'saying',
          actions: says.brokenOff,
          description: 'Its first words are said to their end before the apology.',
        },
        { target: 'saying', actions: says.apology, description: 'The other party may say it again.' },
      ],
    },
    'on-hold': onHold,
    'standing-by': standingBy,
    parting: {
      description: 'Replies have failed; what is queued and a goodbye are heard before the call ends.',
      entry: tells.busy,
      after: { longestGoodbye: { target: 'closing', actions: tells.failed } },
      on: {
        'line.heard': { actions: publishes.heard, description: 'Nobody is left to answer it.' },
        'line.played': {
          guard: 'lastHasRunItsCourse',
          target: 'closing',
          actions: [notesPlayed, tells.failed],
        },
      },
    },
    voicemail: {
      description: 'A machine listens: nobody takes turns with it, and one message is said to it whole.',
      entry: [tells.busy, tells.stopTalking],
      invoke: {
        src: 'voicemail',
        id: 'voicemail',
        input: ({ context }) => ({ takesMessage: unsaidOf(context).length > 0 }),
        onDone: { target: 'closing', actions: tells.messageLeft },
      },
      always: closesTurn,
      on: {
        'line.heard': { actions: publishes.heard },
        'line.takes_message': { actions: { type: 'tellVoicemail', params: { type: 'line.takes_message' } } },
        'message.due': { actions: [tells.stopTalking, says.voicemailMessage] },
        'line.played': {
          guard: 'lastHasRunItsCourse',
          actions: [notesPlayed, { type: 'tellVoicemail', params: { type: 'message.played' } }],
        },
      },
    },
    screened: {
      description:
        'Call screening listens: it is told once who calls and why; what it says is no turn for the agent, which waits for a person.',
      entry: [tells.busy, tells.stopTalking],
      always: closesTurn,
      initial: 'questioned',
      on: {
        'line.heard': { actions: publishes.heard },
        'screening.over': [
          {
            guard: 'mustStillConsent',
            target: 'consenting',
            actions: [tells.stopTalking, 'forgetScreening'],
          },
          {
            target: 'listening.hearing',
            actions: [tells.stopTalking, 'forgetScreening'],
            description: 'Somebody has spoken; the words follow.',
          },
        ],
      },
      states: {
        questioned: {
          description: 'Its question is heard to the end.',
          after: { longestQuestion: 'introducing' },
          on: { 'line.heard': { target: 'introducing', actions: publishes.heard } },
        },
        introducing: {
          description: 'It is told who calls and why.',
          entry: says.introduction,
          after: { longestGoodbye: 'waiting' },
          on: { 'line.played': { guard: 'lastHasLeft', target: 'waiting', actions: notesPlayed } },
        },
        waiting: {
          description: 'The callee is asked; nothing is said until somebody comes.',
          after: { screeningWait: { actions: tells.silenceLasted } },
        },
      },
    },
    closing: {
      description: 'The call is ending; what was still heard of the agent is written down.',
      entry: tells.quiet,
      always: closesTurn,
    },
  },
});
