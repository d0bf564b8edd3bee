import test from 'ava';
import * as z from 'zod';
import { decode, encode } from '#src/api/codec.ts';
import { moment, timestamp } from '#src/api/fields.ts';

const step = z.object({ at_ms: z.number(), server_says: z.string().nullable() });

const answer = z.object({
  call_id: z.string(),
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  duration_sec: z.number().optional(),
  steps: z.array(step),
  last_step: step.nullable(),
  data: z.record(z.string(), z.unknown()),
});

const startedAt = new Date('2026-11-21T03:00:00.000Z');

test('an answer has the names and the time zone of the API, and nothing that is not declared', (t) => {
  const record = {
    callId: 'c',
    startedAt,
    endedAt: null,
    steps: [{ atMs: 1, serverSays: 'no' }],
    lastStep: null,
    data: { someName: 1, other_name: 2 },
    secretSealed: 'hush',
  };
  t.deepEqual(encode(answer, record, 'Asia/Seoul'), {
    call_id: 'c',
    started_at: '2026-11-21T12:00:00.000+09:00',
    ended_at: null,
    steps: [{ at_ms: 1, server_says: 'no' }],
    last_step: null,
    data: { someName: 1, other_name: 2 },
  });
});

test('a request has the names of the code, and no field that was not sent', (t) => {
  const body = z
    .strictObject({
      max_duration_sec: z.int().nullish(),
      expires_at: moment.optional(),
      steps: z.array(step).default([]),
      number_id: z.string().optional(),
    })
    .optional();
  t.deepEqual(decode(body, body.parse({ max_duration_sec: null, expires_at: '2026-11-21T12:00:00+09:00' })), {
    maxDurationSec: null,
    expiresAt: startedAt,
    steps: [],
  });
  t.deepEqual(decode(body, body.parse({ steps: [{ at_ms: 2, server_says: null }] })), {
    steps: [{ atMs: 2, serverSays: null }],
  });
  t.is(decode(body, undefined), undefined);
  t.is(decode(undefined, undefined), undefined);
});
