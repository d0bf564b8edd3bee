/** A number in the admin API (guides/design/administration.md, "Numbers"). */
import * as z from 'zod';
import { agentTypes, controlModes } from '#src/domain/agent-binding.ts';
import { bargeInBounds, bargeInModes, usualBargeIn } from '#src/domain/barge-in.ts';
import { listenInPolicies } from '#src/domain/listen-in.ts';
import { menuPolicies, screeningPolicies, voicemailPolicies } from '#src/domain/voicemail.ts';
import { mostTransferTargets, transferDurationBounds, transferTarget } from '#src/domain/transfer-targets.ts';
import { language, text, timestamp } from '../fields.ts';
import { idInPath } from '../ids.ts';
import { consent } from './consent-schema.ts';
import { destinations } from './destinations-schema.ts';
import { retention } from './retention-schema.ts';
import { turnEnd } from './turn-end-schema.ts';

export const numberInPath = z.object({ id: idInPath('The number.') });

const seconds = (lowest: number, highest: number, example: number, description: string) =>
  z
    .int()
    .min(lowest)
    .max(highest)
    .nullable()
    .meta({ description: `${description} Seconds.`, example });

const bargeInNumber = (name: keyof typeof bargeInBounds, description: string) => {
  const [lowest, highest] = bargeInBounds[name];
  const usual = usualBargeIn[name];
  return z.int().min(lowest).max(highest).default(usual).meta({ description, example: usual });
};

export const bargeIn = z
  .strictObject({
    mode: z.enum(bargeInModes).meta({
      description:
        '`pause`: the agent falls silent at the onset of a voice, and goes on where it stopped when that was noise, a cough or a backchannel. `stop`: it speaks until real speech is heard. `off`: it finishes, and answers then.',
      example: 'pause',
    }),
    onset_ms: bargeInNumber('onsetMs', 'Of `pause`: so long a voice is an onset. Milliseconds.'),
    speech_ms: bargeInNumber(
      'speechMs',
      'Of `pause`: so long a voice that sounds like speech is an interruption, where its words are not known yet. Milliseconds.',
    ),
    resume_ms: bargeInNumber(
      'resumeMs',
      'Of `pause`: after so much silence behind an onset without words the agent goes on. Milliseconds.',
    ),
  })
  .meta({ id: 'BargeIn' });

/** Policy fields of a number; null falls back to the workspace's, then the platform's. */
export const policyFields = {
  max_duration_sec: seconds(60, 1800, 900, 'The longest duration that a call may be given.'),
  default_duration_sec: seconds(60, 1800, 600, 'The duration of a call that is given none.'),
  silence_timeout_sec: seconds(5, 600, 30, 'How long nobody may speak.'),
  ring_timeout_sec: seconds(5, 180, 45, 'How long it may ring.'),
  max_concurrent_calls: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .meta({ description: 'Calls in progress at once.', example: 3 }),
  recording_enabled: z.boolean().nullable().meta({ description: 'Whether calls are recorded.' }),
  barge_in: bargeIn.nullable(),
  turn_end: turnEnd.nullable(),
  retention_days: retention.nullable(),
  consent: consent.nullable(),
  destinations: destinations.nullable().meta({
    description:
      'Where calls may go. What a number says narrows what its workspace allows, and widens nothing.',
    example: null,
  }),
};

const greeting = text(1000).nullable().meta({
  description: 'What is said first to a caller; null for the default of the agent.',
  example: 'Good morning, this is the front desk.',
});

const voicemail = z.enum(voicemailPolicies).meta({
  description:
    'What becomes of an outbound call that a machine answers: the agent talks to it, it is hung up on, or a message is left after its beep and the call is hung up.',
});

const voicemailMessage = text(1000)
  .refine((value) => /[\p{L}\p{N}]/u.test(value), { error: 'There are no words in this message.' })
  .nullable()
  .meta({
    description:
      'What `leave_message` says; null for a sentence in the language of the number, which does not tell what the call is about.',
    example: 'Please call us back.',
  });

const screening = z.enum(screeningPolicies).meta({
  description:
    'What becomes of an outbound call that call screening answers, an assistant of the telephone that asks who calls and why: it is told once, with `caller_name` and the first sentence of the instruction, and a person is waited for up to a minute (`answer`), or it is hung up on.',
  example: 'answer',
});

const menu = z.enum(menuPolicies).meta({
  description:
    'What becomes of an outbound call that a menu answers, which lists keys: the agent hears it and may press keys (`talk`), or it is hung up on.',
  example: 'talk',
});

const callerName = text(100)
  .refine((value) => /[\p{L}\p{N}]/u.test(value), { error: 'There are no words in this name.' })
  .nullable()
  .meta({
    description: 'Who calls, as call screening is told; null for an automated call without a name.',
    example: 'Riverside Dental',
  });

const transferTo = z
  .array(
    z.string().regex(transferTarget, {
      error:
        'This is neither a number in domestic format nor the first three digits or more of some and *, such as 0212345678 or 0212345*.',
    }),
  )
  .max(mostTransferTargets)
  .nullable()
  .meta({
    description:
      'Where its calls may be transferred: whole numbers in domestic format, or prefixes that end in `*`; null for nowhere. Numbers that cost extra are to be named in full.',
    example: ['0212345678', '0313456*'],
  });

const transferFields = {
  transfer_to: transferTo,
  record_transfers: z.boolean().meta({
    description:
      'Whether a recorded call is recorded when it was transferred, too. False: the recording holds silence from then on.',
    example: true,
  }),
  transfer_max_duration_sec: z.int().min(transferDurationBounds[0]).max(transferDurationBounds[1]).meta({
    description: 'How long the other party and the person of a transfer may talk with each other. Seconds.',
    example: 3600,
  }),
};

const listenIn = z.enum(listenInPolicies).meta({
  description:
    'Whether admins may listen to its calls in progress: nobody (`off`), only when the other party was told so first (`announced`), or without a word (`silent`), where your law allows that.',
  example: 'off',
});

const trunkId = z.uuid().nullable().meta({
  description: 'The trunk that alone carries its outbound calls; null for those of the workspace.',
  example: null,
});

const speechFields = {
  recognizer: text(100).nullable().meta({
    description: 'The engine that hears first, one of `GW_RECOGNIZERS`; null for their order.',
    example: 'vosk',
  }),
  synthesizer: text(100).nullable().meta({
    description: 'The engine that speaks first, one of `GW_SYNTHESIZERS`; null for their order.',
    example: 'espeak-ng',
  }),
  voice: text(100).nullable().meta({
    description:
      'The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its usual one. Another synthesizer forgets it.',
    example: 'en-us+f3',
  }),
};

/** Limits of a workspace over all its numbers, and of a number. */
export const dailyMinutes = z.int().min(1).max(1_000_000).nullable().meta({
  description:
    'Minutes that outbound calls of one day may last together; then `daily_limit_reached`. The day is that of the time zone of the workspace.',
  example: 600,
});

/** Mutable settings of a number. */
export const settingsFields = {
  language,
  ...policyFields,
  daily_minutes: dailyMinutes,
  greeting,
  voicemail,
  voicemail_message: voicemailMessage,
  screening,
  caller_name: callerName,
  menu,
  ...transferFields,
  listen_in: listenIn,
  trunk_id: trunkId,
  ...speechFields,
};

export const agentControls = z.enum(controlModes).meta({
  description:
    '`inline`: marks in its replies such as `<hangup/>` are acts and are not spoken. `off`: they are text like any other.',
});

export const agentBinding = z
  .object({
    agent: z.enum(['builtin', 'endpoint']).meta({ example: 'endpoint' }),
    agent_type: z.enum(agentTypes).nullable().meta({ example: 'langgraph' }),
    chat_url: z.string().nullable().meta({ example: 'https://agents.example.com' }),
    assistant_id: z
      .string()
      .nullable()
      .meta({ description: 'Kept for `langgraph` only.', example: 'front-desk' }),
    agent_id: z.string().nullable().meta({ description: 'Kept for outbound `mastra` only.' }),
    controls: agentControls,
    token_configured: z.boolean().meta({ description: 'Whether there is a token; it is never shown.' }),
    headers: z.record(z.string(), z.object({ configured: z.literal(true) })).meta({
      description: 'The headers of your own, by their names in lower case; their values are never shown.',
      example: { 'x-api-key': { configured: true } },
    }),
  })
  .meta({ id: 'AgentBinding' });

export const inboundAuth = z.object({
  method: z.enum(['none', 'handshake']).meta({ example: 'handshake' }),
  url: z.string().nullable().meta({ example: 'https://example.com/let-in' }),
});

export const number = z
  .object({
    id: z.uuid(),
    number: z.string().meta({ description: 'Domestic format.', example: '07012345678' }),
    ...settingsFields,
    agents: z.object({ inbound: agentBinding, outbound: agentBinding }),
    inbound_auth: inboundAuth,
    key: z
      .object({ issued_at: timestamp, recoverable: z.boolean() })
      .nullable()
      .meta({ description: 'Null when no key was issued.' }),
    created_at: timestamp,
  })
  .meta({ id: 'PhoneNumber' });
