import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import type { CallRecord, RecordingRecord } from '#src/calls/stored-calls.ts';
import { byteRangeOf } from '../http/byte-range.ts';
import { callIdInPath } from '../ids.ts';
import type { ApiServices } from '../api-services.ts';
import { defineRoute } from '../http/route.ts';

const audio = ['audio/ogg', 'audio/mpeg'] as const;

const fileHeaders = {
  'Accept-Ranges': z.literal('bytes'),
  ETag: z.string().meta({
    description:
      'For `If-None-Match` and `If-Range`: a finished recording changes only when a missing part is added.',
  }),
};

/** Common part of the recording routes of the client and admin APIs. */
export const recordingDeclaration = {
  params: callIdInPath,
  headers: z.object({
    range: z.string().optional().meta({ description: 'One range of bytes.', example: 'bytes=0-1023' }),
    'if-none-match': z
      .string()
      .optional()
      .meta({ description: 'ETags: the file is not sent if it matches one of them.' }),
    'if-range': z.string().optional().meta({ description: 'An ETag: `Range` applies only to this file.' }),
  }),
  responses: {
    200: { description: 'The whole recording.', media: audio, headers: z.object(fileHeaders) },
    206: {
      description: 'The requested part.',
      media: audio,
      headers: z.object({ ...fileHeaders, 'Content-Range': z.string() }),
    },
    304: { description: 'The file is the one named by `If-None-Match`.', headers: z.object(fileHeaders) },
  },
  refusals: ['call_not_found', 'recording_not_available', 'range_not_satisfiable'],
} as const;

export const getRecording = defineRoute({
  ...recordingDeclaration,
  method: 'get',
  path: '/api/v1/calls/{call_id}/recording',
  operationId: 'getRecording',
  tag: 'Calls',
  summary: 'Download the recording',
  description:
    'The audio file, available shortly after the call. Wait for the event `recording.completed`, or repeat the request while `reason` is `pending`.',
  auth: 'number',
}).handledBy(async ({ caller, params, headers, isHead }, services) => {
  const call = await services.calls.storedCalls.find({ callId: params.callId, numberId: caller.id });
  return answerRecording(call, { headers, isHead }, services);
});

/** Returns the file or the requested range. Throws a Refusal if there is no recording. */
export const answerRecording = async (
  call: CallRecord,
  { headers, isHead }: { headers: z.output<typeof recordingDeclaration.headers>; isHead: boolean },
  services: ApiServices,
) => {
  const { media, file: name, node, truncated, finishedAt } = completed(call.recording);
  const file = await services.calls.recordings.open({ callId: call.id, file: name, node: node ?? call.node });
  if (file === undefined) {
    services.operation.logger.error({ call_id: call.id }, 'the file of a completed recording is missing');
    throw notAvailable('failed');
  }
  // A file that is made again with a missing part may have the same size.
  const version = truncated ? `-truncated-${finishedAt?.getTime() ?? 0}` : '';
  const etag = `"${call.id}-${file.bytes}${version}"`;
  const known = { 'Accept-Ranges': 'bytes', ETag: etag, 'Cache-Control': 'private, no-cache' };
  // `If-None-Match` takes precedence over `Range` (RFC 9110, 13.2.2).
  if (names(headers['if-none-match'], etag)) {
    await file.close();
    return { status: 304, headers: known } as const;
  }
  // The header `Range` is defined only for GET (RFC 9110, 14.2).
  const applies = !isHead && (headers['if-range'] ?? etag) === etag;
  const range = byteRangeOf(applies ? headers.range : undefined, file.bytes);
  if (range === 'invalid') {
    await file.close();
    throw new Refusal(
      'range_not_satisfiable',
      `The recording has ${file.bytes} bytes; ask for a part of them.`,
      {
        headers: { 'Content-Range': `bytes */${file.bytes}` },
      },
    );
  }
  if (range === 'whole') {
    if (isHead) await file.close();
    const body = isHead ? null : await file.read();
    const length = { 'Content-Length': String(file.bytes) };
    return { status: 200, media, headers: { ...known, ...length }, body } as const;
  }
  const { start, end } = range;
  return {
    status: 206,
    media,
    headers: {
      ...known,
      'Content-Length': String(end - start + 1),
      'Content-Range': `bytes ${start}-${end}/${file.bytes}`,
    },
    body: await file.read(range),
  } as const;
};

/** Whether a list of ETags, weak or strong, contains this one (RFC 9110, 13.1.2). */
const names = (list: string | undefined, etag: string): boolean =>
  list?.trim() === '*' || list?.match(/"[^"]*"/g)?.includes(etag) === true;

const completed = (
  recording: RecordingRecord | null,
): Pick<RecordingRecord, 'node' | 'truncated' | 'finishedAt'> & {
  media: (typeof audio)[number];
  file: string;
} => {
  if (recording === null) throw notAvailable('none');
  const { status, file, node, contentType, erasedAt, truncated, finishedAt } = recording;
  if (erasedAt !== null) throw notAvailable('erased');
  if (status !== 'completed') throw notAvailable(status);
  const media = audio.find((type) => type === contentType);
  if (file === null || media === undefined) throw notAvailable('failed');
  return { media, file, node, truncated, finishedAt };
};

const explanations = {
  pending: 'The recording is being prepared. Try again in a moment.',
  none: 'This call has no recording.',
  failed: 'Recording this call failed.',
  erased: 'The recording of this call was erased.',
};

const notAvailable = (reason: keyof typeof explanations): Refusal =>
  new Refusal('recording_not_available', explanations[reason], { extras: { reason } });
