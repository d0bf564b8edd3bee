/** The events of a call as clients see them. */
import * as z from 'zod';
import { snakeCase } from '#src/domain/field-names.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import type { FactType, JournalEntry } from '#src/calls/stored-calls.ts';
import type { Decoded } from '../http/codec.ts';
import { timestamp } from '../fields.ts';

/** Types of all journal facts, in the usual order of a call. */
const types: Readonly<Record<FactType, true>> = {
  'call.answered': true,
  'call.answered_by': true,
  'call.taken_over': true,
  'call.consent': true,
  'turn.spoken': true,
  'turn.digit': true,
  'agent.paused': true,
  'agent.resumed': true,
  'keys.pressed': true,
  'keys.failed': true,
  'say.requested': true,
  'collect.requested': true,
  'language.changed': true,
  'call.transfer_requested': true,
  'call.transfer_ringing': true,
  'call.transfer_answered': true,
  'call.transfer_connected': true,
  'call.transfer_failed': true,
  'call.transfer_returned': true,
  'call.held': true,
  'call.resumed': true,
  'sound.one_way': true,
  'reply.failed': true,
  'call.hangup_requested': true,
  'call.hangup_cancelled': true,
  'call.ended': true,
  'recording.paused': true,
  'recording.resumed': true,
  'recording.completed': true,
  'recording.failed': true,
  'call.summarized': true,
};

export const callEvent = z
  .object({
    sequence: z.int().min(1).meta({ description: 'Numbers the events of the call.' }),
    type: z.string().meta({
      description: `Such as ${Object.keys(types)
        .map((type) => `\`${type}\``)
        .join(', ')}. There may be more in time.`,
      example: 'turn.spoken',
    }),
    at: timestamp,
    t_offset_sec: z.number().nullable().meta({
      description: 'Seconds from the answer; null before it, and for unanswered calls.',
      example: 1.04,
    }),
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The data of the event. For `turn.spoken`: `turn` (its `sequence` in the transcript), `role`, `text`, `whole` (false if it was cut short), `ended_at`, and for a reply of the agent `latency` with `agent` (its kind) and the known values of `endpointing_ms` (from the last sound of the other party to the end of its turn), `queued_ms` (from then to the request for the reply), and from the request `first_token_ms`, `first_sentence_ms` and `first_audio_ms`; the wait is the sum of the first, the second and the last. For `call.answered_by`: `by`, and `latency` with `answered_by_ms`, the time from the answer to this verdict (missing after a take-over).',
      example: {
        turn: 1,
        role: 'assistant',
        text: 'Good morning.',
        whole: true,
        ended_at: '2026-11-21T12:00:02.000+09:00',
        latency: {
          agent: 'webhook',
          endpointing_ms: 60,
          queued_ms: 0,
          first_token_ms: 210,
          first_sentence_ms: 310,
          first_audio_ms: 360,
        },
      },
    }),
  })
  .meta({ id: 'CallEvent' });

export type PresentedEvent = Decoded<z.output<typeof callEvent>>;

/** Journal fields that have another name in the API. */
const otherNames: Readonly<Record<string, string>> = { reason: 'end_reason' };

/** Fields that are not published, such as the location of a file. */
const hidden = new Set(['file']);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields whose name ends in "At" are timestamps, which the journal stores as milliseconds. */
const presentField = (name: string, value: unknown, timeZone: string): unknown => {
  if (isRecord(value)) return presentFields(value, timeZone);
  return typeof value === 'number' && name.endsWith('At') ? timestampIn(timeZone, new Date(value)) : value;
};

const presentFields = (data: Record<string, unknown>, timeZone: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([name]) => !hidden.has(name))
      .map(([name, value]) => [snakeCase(name), presentField(name, value, timeZone)]),
  );

export const presentEvent = (event: JournalEntry, timeZone: string): PresentedEvent => {
  const { data, role, text, whole, summary } = event;
  const shown = event.type === 'call.ended' ? renamed(data) : data;
  return {
    ...event,
    data: {
      ...presentFields(shown, timeZone),
      ...(role === null ? {} : { role, text, whole }),
      ...(summary === null ? {} : { summary }),
    },
  };
};

/** `reason` inside `sip` is SIP's own term and is not renamed. */
const renamed = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [otherNames[name] ?? name, value]));
