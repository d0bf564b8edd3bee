/** A number in the admin API (guides/design/administration.md, "Numbers"). */
import * as z from 'zod';
import { agentTypes, controlModes } from '#src/domain/agent-binding.ts';
import { bargeInBounds, bargeInModes, usualBargeIn } from '#src/domain/barge-in.ts';
import { listenInPolicies } from '#src/domain/listen-in.ts';
import { menuPolicies, screeningPolicies, voicemailPolicies } from '#src/domain/voicemail.ts';
import { mostTransferTargets, transferDurationBounds, transferTarget } from '#src/domain/transfer-targets.ts';
import { language, text, timestamp } from '../fields.ts';
import { idInPath } from '../ids.ts';
import { builtInFields } from './built-in-fields.ts';
import { consent, destinations, retention, turnEnd } from './policy-schema.ts';

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
        '`pause`: the agent pauses at the onset of a voice, and resumes if it was noise, a cough or a backchannel. `stop`: the agent continues until speech is recognized. `off`: the agent finishes, then answers.',
      example: 'pause',
    }),
    onset_ms: bargeInNumber('onsetMs', 'For `pause`: a voice of this length is an onset. Milliseconds.'),
    speech_ms: bargeInNumber(
      'speechMs',
      'For `pause`: speech of this length is an interruption even if its words are not known yet. Milliseconds.',
    ),
    resume_ms: bargeInNumber(
      'resumeMs',
      'For `pause`: after this silence following an onset without words the agent resumes. Milliseconds.',
    ),
  })
  .meta({ id: 'BargeIn' });

/** Policy fields of a number. A null field inherits the workspace's value, or else the platform's. */
export const policyFields = {
  max_duration_sec: seconds(60, 1800, 900, 'The maximum duration of a call.'),
  default_duration_sec: seconds(60, 1800, 600, 'The default duration of a call.'),
  silence_timeout_sec: seconds(
    5,
    600,
    30,
    'The silence of both parties after which the agent asks, and later the call ends.',
  ),
  ring_timeout_sec: seconds(5, 180, 45, 'Maximum ringing time.'),
  max_concurrent_calls: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .meta({ description: 'Concurrent calls.', example: 3 }),
  recording_enabled: z.boolean().nullable().meta({ description: 'Whether calls are recorded.' }),
  barge_in: bargeIn.nullable(),
  turn_end: turnEnd.nullable(),
  retention_days: retention.nullable(),
  consent: consent.nullable(),
  destinations: destinations.nullable().meta({
    description:
      'Permitted destinations of calls. A number can restrict the destinations of its workspace, but not extend them.',
    example: null,
  }),
};

const greeting = text(1000).nullable().meta({
  description: 'First words that a caller hears; null for the default of the agent.',
  example: 'Good morning, this is the front desk.',
});

const voicemail = z.enum(voicemailPolicies).meta({
  description:
    'Behaviour when a machine answers an outbound call: the agent talks to it, the call is hung up, or a message is left after its beep and the call is hung up.',
});

const voicemailMessage = text(1000)
  .refine((value) => /[\p{L}\p{N}]/u.test(value), { error: 'There are no words in this message.' })
  .nullable()
  .meta({
    description:
      'The message of `leave_message`; null for a default in the language of the number, which does not mention the purpose of the call.',
    example: 'Please call us back.',
  });

const screening = z.enum(screeningPolicies).meta({
  description:
    "Behaviour when call screening answers an outbound call, an assistant of the telephone that asks for the caller's name and reason: it hears `caller_name` and the first sentence of the instruction, and the call waits for a person up to a minute (`answer`), or the call is hung up.",
  example: 'answer',
});

const menu = z.enum(menuPolicies).meta({
  description:
    'Behaviour when a menu answers an outbound call: the agent hears it and may press keys (`talk`), or the call is hung up.',
  example: 'talk',
});

const callerName = text(100)
  .refine((value) => /[\p{L}\p{N}]/u.test(value), { error: 'There are no words in this name.' })
  .nullable()
  .meta({
    description: "The caller's name for call screening; null for an automated call without a name.",
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
      'Allowed transfer targets: whole numbers in domestic format, or prefixes that end in `*`; null for none. A prefix allows mobile, fixed-line, toll-free, VoIP, personal and UAN numbers; others, such as premium-rate ones, must be listed in full.',
    example: ['0212345678', '0313456*'],
  });

const transferFields = {
  transfer_to: transferTo,
  record_transfers: z.boolean().meta({
    description: 'Whether the recording continues after a transfer. False: it contains silence from then on.',
    example: true,
  }),
  transfer_max_duration_sec: z.int().min(transferDurationBounds[0]).max(transferDurationBounds[1]).meta({
    description:
      'The maximum duration of a transferred call, between the other party and the person. Seconds.',
    example: 3600,
  }),
};

const listenIn = z.enum(listenInPolicies).meta({
  description:
    'Whether admins may listen to live calls: never (`off`), after an announcement to the other party (`announced`), or without one (`silent`), where your law allows that.',
  example: 'off',
});

const trunkId = z.uuid().nullable().meta({
  description: 'The only trunk for its outbound calls; null for those of the workspace.',
  example: null,
});

const speechFields = {
  recognizer: text(100).nullable().meta({
    description: 'The first recognizer, one of `GW_RECOGNIZERS`; null for their order.',
    example: 'vosk',
  }),
  synthesizer: text(100).nullable().meta({
    description: 'The first synthesizer, one of `GW_SYNTHESIZERS`; null for their order.',
    example: 'espeak-ng',
  }),
  voice: text(100).nullable().meta({
    description:
      'The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its default. It is reset when the synthesizer changes.',
    example: 'en-us+f3',
  }),
};

/** Limit of minutes per day, which a workspace has for all its numbers together, and a number for itself. */
export const dailyMinutes = z.int().min(1).max(1_000_000).nullable().meta({
  description:
    "Total minutes of the outbound calls of one day; then `daily_limit_reached`. The day is that of the workspace's time zone.",
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
    '`inline`: marks in replies such as `<hangup/>` are executed and not spoken. `off`: they are ordinary text.',
});

export const agentBinding = z
  .object({
    agent: z.enum(['builtin', 'endpoint']).meta({ example: 'endpoint' }),
    agent_type: z.enum(agentTypes).nullable().meta({ example: 'langgraph' }),
    chat_url: z.string().nullable().meta({ example: 'https://agents.example.com' }),
    assistant_id: z
      .string()
      .nullable()
      .meta({ description: 'Stored for `langgraph` only.', example: 'front-desk' }),
    agent_id: z.string().nullable().meta({ description: 'Stored for outbound `mastra` only.' }),
    controls: agentControls,
    ...builtInFields,
    token_configured: z.boolean().meta({ description: 'Whether a token is stored; tokens are never shown.' }),
    headers: z.record(z.string(), z.object({ configured: z.literal(true) })).meta({
      description: 'Your own headers, by their names in lower case; their values are never shown.',
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
      .object({
        issued_at: timestamp,
        recoverable: z.boolean(),
        tail: z.string().nullable().meta({
          description:
            'Its last four characters, to recognize it; null for a key that an earlier version issued.',
          example: 'x7Qd',
        }),
      })
      .nullable()
      .meta({ description: 'Null if no key was issued.' }),
    last_call: z
      .object({ id: z.uuid(), direction: z.enum(['inbound', 'outbound']), started_at: timestamp })
      .nullable()
      .meta({ description: 'The call that began last; null before the first one.' }),
    created_at: timestamp,
  })
  .meta({ id: 'PhoneNumber' });
