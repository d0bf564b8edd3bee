import test from 'ava';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { callInput } from '#src/calls/setup/call-input.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import { agentContext } from '#src/domain/agent-context.ts';
import { phrases } from '#src/domain/phrases.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';

const policy = {
  maxDurationSec: 1_800,
  defaultDurationSec: 600,
  silenceTimeoutSec: 31,
  ringTimeoutSec: 46,
  maxConcurrentCalls: 1,
  recordingEnabled: true,
  bargeIn: stopping,
  turnEnd: byPauses,
  consent: { announce: 'We record.', require: 'key' as const },
  destinations: [],
};

const speech = { recognizer: 'vosk', synthesizer: 'elevenlabs', voice: 'v' };

const voicemail = { policy: 'leave_message', message: null } as const;

const inputOf = (
  direction: 'inbound' | 'outbound',
  agent: AgentBinding['agent'],
  { instruction = null, greeting = null }: { instruction?: string | null; greeting?: string | null } = {},
) => {
  const agentCall: AgentCall = {
    context: agentContext({
      id: 'a-call',
      direction,
      ownNumber: '07011112222',
      counterparty: '01000000001',
      language: 'en',
    }),
    binding: {
      direction,
      agent,
      agentType: null,
      chatUrl: null,
      assistantId: null,
      agentId: null,
      controls: 'off',
    },
    bearerToken: 'hush-hush',
    instruction,
  };
  const times = { farewellWaitMs: 30_000, adoptTimeoutMs: 5_000, hangUpTimeoutMs: 5_000 };
  return callInput({
    agentCall,
    language: 'en',
    policy,
    maxDurationSec: 90,
    greeting,
    speech,
    voicemail,
    times,
  });
};

test('an outbound call starts from its policy and its kickoff, and greets nobody', (t) => {
  const input = inputOf('outbound', 'builtin', { instruction: 'Book\na table', greeting: 'Welcome.' });
  t.deepEqual(input, {
    callId: 'a-call',
    direction: 'outbound',
    from: '07011112222',
    to: '01000000001',
    language: 'en',
    speech,
    recording: true,
    ringTimeoutSec: 46,
    maxDurationSec: 90,
    silenceTimeoutSec: 31,
    bargeIn: stopping,
    turnEnd: byPauses,
    farewellWaitMs: 30_000,
    adoptTimeoutMs: 5_000,
    hangUpTimeoutMs: 5_000,
    takenOver: null,
    consent: { announcement: 'We record.', requirement: 'key', language: 'en' },
    consentRefused: 'I understand. Without your consent I cannot go on with this call. Goodbye.',
    kickoff:
      '[outbound call connected] You speak first. The other party has not said anything yet.\n[task] Book a table',
    greeting: null,
    apology: 'I am sorry, something went wrong. Could you say that again, please?',
    brokenOff: 'I am sorry, I was cut off in the middle of that. Please go ahead.',
    failedOpening:
      'Hello, this is an automated call. I am sorry, because of a technical problem I cannot talk with you now. Please excuse the disturbance. Goodbye.',
    failedGoodbye:
      'I am sorry, because of a technical problem I cannot go on with this call. Please excuse the trouble. Goodbye.',
    reprompt: 'Hello? Are you still there?',
    // An agent may change the language of what is said.
    phrasesIn: phrases,
    voicemail: 'leave_message',
    voicemailMessage: 'Hello. We tried to reach you and will call again. Thank you, and goodbye.',
  });
});

test('an inbound call has no kickoff, and its numbers are turned round', (t) => {
  t.like(inputOf('inbound', 'builtin'), { from: '01000000001', to: '07011112222', kickoff: null });
});

test('the built-in agent greets a caller, an endpoint waits, and a greeting of the number goes before both', (t) => {
  t.is(inputOf('inbound', 'builtin').greeting, 'Hello, thank you for calling. How can I help you?');
  t.is(inputOf('inbound', 'endpoint').greeting, null);
  for (const agent of ['builtin', 'endpoint'] as const) {
    t.is(inputOf('inbound', agent, { greeting: 'Welcome.' }).greeting, 'Welcome.');
  }
});
