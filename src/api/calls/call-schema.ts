/** The call as clients see it (guides/design/wire.md, "The record of a call"). */
import * as z from 'zod';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import { answerers } from '#src/domain/voicemail.ts';
import { timestamp } from '../fields.ts';
import { sipCallInfo, sipReasons } from './sip-explanation-schema.ts';
import { callConsent } from './consent-schema.ts';
import { callTransfer } from './transfer-schema.ts';
import { callSound } from './sound-schema.ts';

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
    'Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`.',
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
      description: 'What who placed the call said of it; absent where nothing was said.',
      example: { order: 'A-1042' },
    }),
  transfer: callTransfer
    .nullable()
    .meta({ description: 'The last one that was asked for; null where none was.', example: null }),
  consent: callConsent.optional().meta({
    description:
      'Whether the other party agreed to what it was told first; absent where it was told nothing, and until that is known.',
  }),
  words_erased_at: timestamp.optional().meta({
    description:
      'When its transcript, its instruction and its summary were erased; absent while they are kept.',
    example: '2026-12-21T12:00:00.000+09:00',
  }),
  erased_at: timestamp.optional().meta({
    description:
      'When all that tells of the other party was erased: of its number the last two digits are left. Absent while it is kept.',
    example: '2026-12-21T12:00:00.000+09:00',
  }),
  started_at: timestamp.meta({ description: 'When dialing started, or the caller rang.' }),
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
      description:
        'What the network of a caller, or the caller, calls itself. Null where it says nothing, or withholds who it is.',
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
          'For whom the call of a caller was meant before it was sent on, who sent it on last first: by `Diversion`, else `History-Info`.',
        example: [],
      }),
    to: phoneNumber,
    language: z.string().meta({ description: 'BCP 47.', example: 'en' }),
    options: callOptions.meta({ description: 'The options in force; empty before the answer.' }),
    options_pending: callOptions.meta({
      description: 'The options accepted and not yet in force; empty from the answer on.',
      example: {},
    }),
    duration_sec: z.number().nullable().meta({
      description:
        'Connected time, from the answer to the end. Null while the call is in progress or when it is not known; 0 when the call was never answered.',
      example: 48.2,
    }),
    answered_at: timestamp.nullable().meta({ example: '2026-11-21T12:00:06.800+09:00' }),
    answered_by: z.enum(answerers).nullable().meta({
      description:
        'Who has picked up an outbound call: a person, an answering machine or announcement, a menu that lists keys, or call screening, as long as nobody else has come behind it. Found out while the call goes on; null as long as, and where, it is not clear.',
    }),
    recording: z.object({
      status: z.enum(['none', 'pending', 'completed', 'failed', 'erased']).meta({ example: 'completed' }),
      paused: z.boolean().meta({
        description: 'Nothing that is said now is recorded. False once the call has ended.',
        example: false,
      }),
      truncated: z.boolean().meta({
        description:
          'Its end is missing: the gateway ended while it was written. What there is can be played.',
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
              'Headers `X-…` of the INVITE: of a caller those that the trunk names in `headers_in`, of an outbound call those that were asked for. Absent where there are none.',
            example: { 'X-Ticket': '1042' },
          }),
      })
      .meta({
        description: 'What the telephone line said; nulls where there is no SIP.',
        example: { status: 200, reason: 'OK', call_id: '4f1d2c7b@203.0.113.5' },
      }),
    post_dial_delay_ms: z.int().nullable().meta({
      description:
        'Of an outbound call: from the INVITE until the callee rang or answered. Null where neither happened, and where there is no SIP.',
      example: 1830,
    }),
    sound: callSound,
  })
  .meta({ id: 'Call' });

export const transcriptTurn = z
  .object({
    role: z.enum(['assistant', 'user']),
    sequence: z.int().min(1),
    t_offset_sec: z.number().meta({ description: 'Seconds from the answer.', example: 1.04 }),
    text: z.string().meta({ example: 'Good morning. I am calling about your reservation.' }),
    timestamp,
  })
  .meta({ id: 'TranscriptTurn' });
