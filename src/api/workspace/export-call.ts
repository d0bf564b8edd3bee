import { Readable } from 'node:stream';
import * as z from 'zod';
import { callFileType, mostAudioBytes } from '#src/domain/call-file.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import type { CallRecord } from '#src/calls/stored-calls.ts';
import type { ApiServices } from '../api-services.ts';
import { audit } from '../http/audit.ts';
import { encode } from '../http/codec.ts';
import { defineRoute } from '../http/route.ts';
import { callIdInPath } from '../ids.ts';
import { callFile, callFileOf, type CallFile } from './call-file.ts';
import { maskCallFile } from './mask-call-file.ts';

type Audio = { contentType: string; file: OpenRecording<Readable> };

type WantedAudio = { is: 'open'; audio: Audio } | { is: NonNullable<CallFile['audio_left_out']> };

const openAudio = async (
  { id: callId, recording, node }: CallRecord,
  { calls: { recordings } }: ApiServices,
): Promise<WantedAudio> => {
  if (recording === null || recording.erasedAt !== null) return { is: 'none' };
  const { status, file: name, contentType } = recording;
  if (status !== 'completed' || name === null || contentType === null)
    return { is: status === 'pending' ? 'not_available' : 'none' };
  const file = await recordings.open({ callId, file: name, node: recording.node ?? node });
  if (file === undefined) return { is: 'not_available' };
  if (file.bytes <= mostAudioBytes) return { is: 'open', audio: { contentType, file } };
  await file.close();
  return { is: 'too_large' };
};

/** Bytes that base64 encodes together: pieces of whole groups need no padding between them. */
const bytesOfGroup = 3;

/** Encodes a recording piece by piece, because one text of its size would block the event loop. */
async function* base64Of(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const bytes of stream) {
    const all = Buffer.concat([rest, bytes]);
    const whole = all.length - (all.length % bytesOfGroup);
    rest = all.subarray(whole);
    yield all.subarray(0, whole).toString('base64');
  }
  yield rest.toString('base64');
}

type ReadAudio = { contentType: string; read: () => Promise<Readable>; close: () => Promise<void> };

/** The recording is read once, or closed if nobody reads the file. */
const readOnce = ({ contentType, file }: Audio): ReadAudio => {
  let isRead = false;
  return {
    contentType,
    read() {
      isRead = true;
      return file.read();
    },
    async close() {
      if (!isRead) await file.close();
      isRead = true;
    },
  };
};

/** Yields the file; its audio is the last field. */
async function* textOf(file: CallFile, audio: ReadAudio | null): AsyncGenerator<string> {
  const text = JSON.stringify(file);
  if (audio === null) {
    yield text;
    return;
  }
  yield `${text.slice(0, -1)},"audio":{"content_type":${JSON.stringify(audio.contentType)},"base64":"`;
  yield* base64Of(await audio.read());
  yield '"}}';
}

const yesNo = z.enum(['0', '1']).default('0');

export const exportCall = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/export',
  operationId: 'exportCall',
  tag: 'Workspace',
  summary: 'Export a call as a file',
  description:
    'Everything that is stored of the call, in one JSON document: the record, the events, the transitions of its charts with their definitions, the replay, the turns with latency, and the SIP messages. The console opens such a file without the gateway of the call, and replays it beside another call. Audited. For a call in progress: what is known so far.',
  auth: 'admin',
  params: callIdInPath,
  query: z.object({
    audio: yesNo.meta({ description: '`1`: with the recording, if it is not larger than 32 MiB.' }),
    masked: yesNo.meta({
      description:
        '`1`: words, names, digits and addresses are replaced by their length, telephone numbers are shortened, and there is no audio.',
    }),
  }),
  responses: {
    200: {
      description: 'The file.',
      media: [callFileType],
      mediaSchema: callFile,
      headers: z.object({ 'Content-Disposition': z.string().meta({ description: 'A name for the file.' }) }),
    },
  },
  refusals: ['call_not_found', 'service_unavailable'],
}).handledBy(async ({ caller, params, query, isHead }, services) => {
  const { id: workspaceId, timeZone } = caller.workspace;
  const call = await services.calls.storedCalls.find({ callId: params.callId, workspaceId });
  const isMasked = query.masked === '1';
  const wantsAudio = query.audio === '1' && !isHead;
  const name = `attachment; filename="${call.id}${isMasked ? '.masked' : ''}.call.json"`;
  const headers = { 'Content-Disposition': name, 'Cache-Control': 'private, no-store' };
  if (isHead) return { status: 200, media: callFileType, headers, body: null };
  await audit(services, caller, {
    action: 'call.exported',
    subject: `call:${call.id}`,
    detail: { audio: wantsAudio && !isMasked, masked: isMasked },
  });
  const unwanted = isMasked ? 'masked' : 'not_requested';
  const wanted: WantedAudio =
    wantsAudio && !isMasked
      ? await openAudio(call, services)
      : { is: wantsAudio ? unwanted : 'not_requested' };
  const audio = wanted.is === 'open' ? readOnce(wanted.audio) : null;
  try {
    const audioLeftOut = wanted.is === 'open' ? null : wanted.is;
    const read = await callFileOf(call, { masked: isMasked, timeZone, audioLeftOut }, services);
    const file = encode(callFile, read, timeZone);
    const body = Readable.from(textOf(isMasked ? maskCallFile(file) : file, audio), { objectMode: false });
    // A reader that leaves early leaves the recording open.
    body.once('close', () => void audio?.close());
    return { status: 200, media: callFileType, headers, body };
  } catch (error) {
    await audio?.close();
    throw error;
  }
});
