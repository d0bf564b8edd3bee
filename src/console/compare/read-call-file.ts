/** Reads a call that was exported as a file, perhaps by another gateway. The content of the file is not trusted. */
import * as z from 'zod/mini';
import { callFileFormat, callFileVersion } from '#src/domain/call-file.ts';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import type { LoadedCall } from './loaded-call.ts';

// The compiler of zod needs `eval`, which the page's content security policy forbids.
z.config({ jitless: true });

const time = z.iso.datetime({ offset: true });

const head = z.object({ format: z.literal(callFileFormat), version: z.int() });

const file = z.object({
  call: z.object({
    id: z.string(),
    direction: z.enum(['inbound', 'outbound']),
    counterparty: z.string(),
    status: z.enum(callStatuses),
    end_reason: z.nullable(z.enum(endReasons)),
    language: z.string(),
    started_at: time,
    answered_at: z.nullable(time),
  }),
  masked: z.boolean(),
  steps: z.array(
    z.object({
      at: time,
      event: z.string(),
      fact: z.nullable(z.int()),
      call: z.string(),
      conversation: z.nullable(z.string()),
      voicemail: z.nullable(z.string()),
    }),
  ),
  turns: z.array(
    z.object({
      sequence: z.int(),
      role: z.enum(['assistant', 'user']),
      text: z.string(),
      t_offset_sec: z.number(),
    }),
  ),
  sip: z.object({
    messages: z.array(
      z.object({
        at: time,
        elapsed_ms: z.number(),
        direction: z.enum(['in', 'out']),
        transport: z.enum(['udp', 'tcp', 'tls', 'ws', 'wss']),
        local: z.string(),
        remote: z.string(),
        sip_call_id: z.string(),
        start_line: z.string(),
        text: z.string(),
        left_out: z.int(),
      }),
    ),
  }),
  audio: z.optional(
    z.object({
      content_type: z.enum(['audio/ogg', 'audio/mpeg']),
      base64: z.string().check(z.regex(/^[A-Za-z0-9+/]*={0,2}$/)),
    }),
  ),
});

/** The longest file, above the longest that a gateway makes with a recording. */
export const mostFileBytes = 96 * 1024 * 1024;

/** Why a file cannot be opened. `field` names the first wrong field. */
export type FileProblem =
  | { is: 'too_large' | 'not_json' | 'other_format' | 'newer' }
  | { is: 'wrong_field'; field: string };

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the call, or why the text is none. `name` is shown beside the call. */
export const readCallFile = (text: string, name: string): LoadedCall | FileProblem => {
  const json = parsed(text);
  if (json === undefined) return { is: 'not_json' };
  const begun = head.safeParse(json);
  if (!begun.success) return { is: 'other_format' };
  if (begun.data.version > callFileVersion) return { is: 'newer' };
  const read = file.safeParse(json);
  if (!read.success)
    return { is: 'wrong_field', field: read.error.issues[0]?.path.map(String).join('.') ?? '' };
  const { call, masked, steps, turns, sip, audio } = read.data;
  return {
    source: { is: 'file', name, masked },
    call,
    steps,
    turns,
    sip: sip.messages,
    audio: audio === undefined ? null : new Blob([bytesOf(audio.base64)], { type: audio.content_type }),
  };
};

export const isProblem = (read: LoadedCall | FileProblem): read is FileProblem => 'is' in read;
