/** A speech engine over HTTP on loopback: it records every request and responds as the test decides. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { ExecutionContext } from 'ava';

export type EngineRequest = { path: string; headers: IncomingHttpHeaders; body: Buffer };

export type EngineAnswer = (response: ServerResponse, request: EngineRequest) => unknown;

/** A synthesizer's response: chunks as they are written, then the end. */
export const sendSound =
  (pieces: readonly Uint8Array[], mediaType = 'audio/pcm'): EngineAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': mediaType });
    for (const piece of pieces) response.write(piece);
    response.end();
  };

export const sendJson =
  (body: unknown, status = 200): EngineAnswer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export const sendText =
  (body: string, mediaType = 'text/html', status = 200): EngineAnswer =>
  (response) =>
    response.writeHead(status, { 'content-type': mediaType }).end(body);

export const staySilent: EngineAnswer = () => undefined;

/** The formats in which the engines report errors. */
export const engineErrors = {
  deepgram: { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.', request_id: 'b0dfd1f5' },
  openai: {
    error: {
      message: 'Incorrect API key provided: hush-hush',
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_api_key',
    },
  },
  elevenlabs: { detail: { status: 'quota_exceeded', message: 'This request exceeds your quota.' } },
  whisper: { error: 'FFmpeg conversion failed.' },
};

/** Gives one response after another; the last one repeats. */
export const startHttpEngine = async (t: ExecutionContext, ...answers: readonly EngineAnswer[]) => {
  const requests: EngineRequest[] = [];
  const counts = { brokenOff: 0 };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = { path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(chunks) };
      requests.push(request);
      response.on('close', () => {
        if (!response.writableFinished) counts.brokenOff += 1;
      });
      answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  t.teardown(close);
  return { url: `http://127.0.0.1:${address.port}`, requests, counts, close };
};

/** The form data of a request. */
export const formOf = ({ headers, body }: EngineRequest): Promise<FormData> =>
  new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData();
