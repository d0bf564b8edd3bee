/**
 * Serves recordings from the folder of this gateway to the others of the database: `GET` and `HEAD` of
 * `/internal/recordings/<file>`, and of raw parts of `/internal/recordings/parts/<name>`; `GET` of
 * `/internal/recordings/parts/<call id>` lists the raw parts of a call. All are authenticated by a proof
 * (`node-proof.ts`). Requests without one are rejected without details.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import type { JudgeProof } from './node-proof.ts';

export const recordingsPath = '/internal/recordings/';

/** Matches the file names of recordings and no other path. */
const fileName = /^\d{4}-\d{2}\/[\da-f-]{36}(\.truncated)?\.(ogg|mp3)$/;

const partName = /^parts\/([\da-f-]{36}\+\d{1,8}\+[\w.-]{1,64}\+(?:end|open)\.ulaw)$/;

const partsOfCall = /^parts\/([\da-f-]{36})$/;

const wantedRange = /^bytes=(\d{1,15})-(\d{1,15})$/;

const sendNames = (response: ServerResponse, names: readonly string[]): void => {
  const body = Buffer.from(JSON.stringify(names));
  response
    .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) })
    .end(body);
};

export type RecordingHandler = {
  isFor(request: IncomingMessage): boolean;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

const end = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'Content-Length': '0' }).end();
};

/** Files of this gateway. */
export type OwnRecordings = {
  /** `undefined` if this gateway itself does not have the file. */
  open(file: string): Promise<OpenRecording<Readable> | undefined>;
  /** Names of the raw parts of a call. */
  parts(callId: string): Promise<string[]>;
  openPart(name: string): Promise<OpenRecording<Readable> | undefined>;
};

export const createRecordingHandler = (options: {
  own: OwnRecordings;
  judge: JudgeProof;
  logger: Logger;
}): RecordingHandler => {
  const { own } = options;

  const send = async (
    request: IncomingMessage,
    response: ServerResponse,
    kept: OpenRecording<Readable>,
  ): Promise<void> => {
    const [, first, last] = wantedRange.exec(request.headers.range ?? '') ?? [];
    const range =
      first === undefined || last === undefined ? undefined : { start: Number(first), end: Number(last) };
    if (
      request.method === 'HEAD' ||
      (range !== undefined && (range.end < range.start || range.end >= kept.bytes))
    ) {
      await kept.close();
      if (request.method === 'HEAD') response.writeHead(200, { 'Content-Length': String(kept.bytes) }).end();
      else end(response, 416);
      return;
    }
    const bytes = range === undefined ? kept.bytes : range.end - range.start + 1;
    const sound = await kept.read(range);
    response.writeHead(range === undefined ? 200 : 206, { 'Content-Length': String(bytes) });
    await pipeline(sound, response);
  };

  return {
    isFor: ({ url = '' }) => url.startsWith(recordingsPath),
    async answer(request, response) {
      const { method = '', url = '', headers } = request;
      const asked = { method, path: url, range: headers.range };
      const verdict = options.judge(asked, headers.authorization);
      // A clock difference has a status of its own, so that the recording does not count as lost.
      if (verdict === 'expired') return end(response, 403);
      if (verdict === 'invalid') return end(response, 404);
      const file = url.slice(recordingsPath.length);
      if (method !== 'GET' && method !== 'HEAD') return end(response, 404);
      try {
        const [, callId] = partsOfCall.exec(file) ?? [];
        if (callId !== undefined) return sendNames(response, await own.parts(callId));
        const [, part] = partName.exec(file) ?? [];
        if (part === undefined && !fileName.test(file)) return end(response, 404);
        const kept = await (part === undefined ? own.open(file) : own.openPart(part));
        if (kept === undefined) return end(response, 404);
        await send(request, response, kept);
      } catch (error) {
        options.logger.warn({ err: error }, 'a recording could not be sent to another gateway');
        if (response.headersSent) response.destroy();
        else end(response, 500);
      }
    },
  };
};
