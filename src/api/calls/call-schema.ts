/** The call as clients see it (guides/design/wire.md, "The record of a call"). */
import * as z from 'zod';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import { answerers } from '#src/domain/voicemail.ts';
import { timestamp } from '../fields.ts';
import { latencySummary } from './latency-schema.ts';
import { callSound } from './sound-schema.ts';
import { transferReasons, transferStatuses } from '#src/domain/call-transfer.ts';
import { consentMeans } from '#src/domain/consent.ts';

/** Consent of the other party of a call, as clients see it (guides/privacy.md). */
export const callConsent = z
  .object({
    given: z.boolean().meta({ description: 'Whether the call could continue.' }),
    how: z.enum(consentMeans).meta({
      description:
        '`announcement`: the announcement was enough; `speech`: by its words; `key`: by a key; `silence`: it did not answer.',
      example: 'speech',
    }),
    at: timestamp,
  })
  .meta({ id: 'CallConsent' });

/** The SIP reason of a call's end (RFC 3326, RFC 8688). */
const sipReasons = z
  .array(
    z.object({
      protocol: z.string().meta({ description: 'Usually `SIP` or `Q.850`.', example: 'Q.850' }),
      cause: z.int().nullable().meta({
        description: 'A SIP status, or a cause of the telephone network (ITU-T Q.850).',
        example: 41,
      }),
      text: z.string().nullable().meta({ example: 'Temporary failure' }),
    }),
  )
  .optional()
  .meta({
    description:
      'Why the call ended, from the header `Reason` of the refusal, the CANCEL or the BYE of the other side; at most four, each with a text of up to 200 characters. Absent if there is none.',
    example: [{ protocol: 'Q.850', cause: 41, text: 'Temporary failure' }],
  });

const sipCallInfo = z
  .array(z.string())
  .optional()
  .meta({
    description:
      'Web addresses from the header `Call-Info` of a refusal, at which a blocked call can be disputed. Absent if there are none.',
    example: ['https://block.example.com/complaints'],
  });

/** The last transfer of a call as clients see it (guides/transfer.md). */
const callTransfer = z
  .object({
    id: z.uuid(),
    to: z.string().meta({ description: 'Domestic format.', example: '0212345678' }),
    mode: z.enum(['cold', 'warm']),
    status: z.enum(transferStatuses).meta({
      description:
        '`requested`: the other party hears the words said before the transfer; `ringing`: the person is being called; `briefing`: the person hears the briefing; `connected`: the other party and the person are connected, or were; `failed`: not connected, for `reason`; `returned`: cancelled.',
      example: 'ringing',
    }),
    reason: z.enum(transferReasons).nullable().meta({
      description: 'Why it failed; `call_ended`: the call ended before. Otherwise null.',
      example: null,
    }),
    started_at: timestamp,
    connected_at: timestamp.nullable(),
    sip: z
      .object({
        status: z.int().nullable(),
        reason: z.string().nullable(),
        call_id: z.string().nullable(),
        reasons: sipReasons,
        call_info: sipCallInfo,
      })
      .optional()
      .meta({
        description: "The SIP result of the person's leg, if it failed; absent without SIP.",
      }),
  })
  .meta({ id: 'CallTransfer' });

export const callStatus = z.enum(callStatuses).meta({
  id: 'CallStatus',
  example: 'completed',
  description:
    '`ringing`: still ringing; `active`: answered and in conversation; `completed`: ended normally; `no_answer`: not answered; `failed`: connection failure or error.',
});

export const direction = z.enum(['inbound', 'outbound']).meta({ example: 'outbound' });

export const endReason = z
  .enum(endReasons)
  .meta({ id: 'EndReason', description: 'The first cause of the end.' });

const phoneNumber = z.string().meta({
  description:
    'Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`.',
  example: '01000000001',
});

const listFields = {
  id: z.uuid(),
  number_id: z.uuid().meta({ description: 'The number that the call belongs to.' }),
  direction,
  counterparty: phoneNumber,
  status: callStatus,
  end_reason: endReason.nullable().meta({ description: 'Null while the call is in progress.' }),
  instruction: z.string().nullable().meta({
    description: 'The task given when the call was created.',
    example: 'Confirm the reservation of tomorrow at three.',
  }),
  summary: z
    .string()
    .nullable()
    .meta({ description: 'Null until the call was summarized.', example: 'The reservation was confirmed.' }),
  metadata: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description: 'The metadata given when the call was placed; absent if there was none.',
      example: { order: 'A-1042' },
    }),
  transfer: callTransfer
    .nullable()
    .meta({ description: 'The last transfer; null if there was none.', example: null }),
  consent: callConsent.optional().meta({
    description: 'Whether the other party consented; absent without an announcement, and until it is known.',
  }),
  words_erased_at: timestamp.optional().meta({
    description:
      'Time at which the transcript, instruction and summary of the call were erased; absent while they are kept.',
    example: '2026-12-21T12:00:00.000+09:00',
  }),
  erased_at: timestamp.optional().meta({
    description:
      'Time at which personal data of the call was erased, except the last two digits of the number. Absent otherwise.',
    example: '2026-12-21T12:00:00.000+09:00',
  }),
  started_at: timestamp.meta({ description: 'Time at which dialing started, or the caller rang.' }),
  ended_at: timestamp.nullable().meta({ example: '2026-11-21T12:00:55.000+09:00' }),
};

export const callListItem = z.object(listFields).meta({ id: 'CallListItem' });

const callOptions = z
  .object({ max_duration_sec: z.int().meta({ example: 600 }), recording: z.boolean() })
  .partial();

export const callRecord = z
  .object({
    call_id: z.uuid().meta({ description: 'The same as `id`.' }),
    ...listFields,
    from: phoneNumber.meta({ example: '07012345678' }),
    from_name: z.string().nullable().meta({
      description: "The caller's display name. Null if absent or withheld.",
      example: null,
    }),
    diversions: z
      .array(
        z.object({
          number: phoneNumber,
          reason: z.string().nullable().meta({ example: 'no-answer' }),
        }),
      )
      .meta({
        description:
          'The numbers that an inbound call was meant for before it was forwarded, the last one first: from `Diversion`, else `History-Info`.',
        example: [],
      }),
    to: phoneNumber,
    language: z.string().meta({ description: 'BCP 47.', example: 'en' }),
    options: callOptions.meta({ description: 'The options in force; empty before the answer.' }),
    options_pending: callOptions.meta({
      description: 'Options that are accepted and not yet in force; empty from the answer on.',
      example: {},
    }),
    duration_sec: z.number().nullable().meta({
      description:
        'Connected time, from the answer to the end. Null while the call is in progress or if unknown; 0 if the call was never answered.',
      example: 48.2,
    }),
    answered_at: timestamp.nullable().meta({ example: '2026-11-21T12:00:06.800+09:00' }),
    answered_by: z.enum(answerers).nullable().meta({
      description:
        'Kind of answer to an outbound call: a person, an answering machine or announcement, a menu that lists digits, or call screening (until a person or a machine follows). Detected during the call; null while it is unclear.',
    }),
    recording: z.object({
      status: z.enum(['none', 'pending', 'completed', 'failed', 'erased']).meta({ example: 'completed' }),
      paused: z.boolean().meta({
        description: 'Whether the recording is paused. False once the call has ended.',
        example: false,
      }),
      truncated: z.boolean().meta({
        description:
          'A part is missing, because its gateway ended while it recorded, or is unavailable: the file is then made again when that gateway is back. The rest can be played.',
        example: false,
      }),
      content_type: z
        .string()
        .optional()
        .meta({ description: '`audio/mpeg` or `audio/ogg`.', example: 'audio/ogg' }),
      duration_sec: z.number().optional().meta({ example: 48.2 }),
    }),
    sip: z
      .object({
        status: z.int().nullable(),
        reason: z.string().nullable(),
        call_id: z.string().nullable(),
        reasons: sipReasons,
        call_info: sipCallInfo,
        headers: z
          .record(z.string(), z.string())
          .optional()
          .meta({
            description:
              'Headers `X-…` of the INVITE: of an inbound call those that the trunk lists in `headers_in`, of an outbound call the requested ones. Absent if there are none.',
            example: { 'X-Ticket': '1042' },
          }),
      })
      .meta({
        description: 'SIP data of the call; nulls without SIP.',
        example: { status: 200, reason: 'OK', call_id: '4f1d2c7b@203.0.113.5' },
      }),
    post_dial_delay_ms: z.int().nullable().meta({
      description:
        'For outbound calls: from the INVITE until the callee rang or answered. Null if neither happened, and without SIP.',
      example: 1830,
    }),
    sound: callSound,
    latency: latencySummary.optional().meta({
      description:
        'How long the other party waited for replies, so far. Absent without a measured turn, and in exports.',
    }),
  })
  .meta({ id: 'Call' });

export const turnRole = z.enum(['assistant', 'user']);

export const transcriptTurn = z
  .object({
    role: turnRole,
    sequence: z.int().min(1),
    t_offset_sec: z.number().meta({ description: 'Seconds from the answer.', example: 1.04 }),
    text: z.string().meta({ example: 'Good morning. I am calling about your reservation.' }),
    timestamp,
  })
  .meta({ id: 'TranscriptTurn' });
