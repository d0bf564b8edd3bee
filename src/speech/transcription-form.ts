/** The request and the reply that OpenAI's transcription and whisper.cpp's server have in common. */
import { FormData } from 'undici';
import { z } from 'zod';
import { EngineFailure } from './engine-failure.ts';
import type { EngineClient } from './engine-client.ts';

const maxReplyBytes = 256 * 1024;

const reply = z.object({ text: z.string() });

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Rejects with an EngineFailure, or with the signal's reason. */
export const postForTranscription = async (
  client: EngineClient,
  engine: string,
  request: {
    url: string;
    headers: Readonly<Record<string, string>>;
    wav: Buffer;
    fields: Readonly<Record<string, string>>;
    signal: AbortSignal;
  },
): Promise<string> => {
  const { url, headers, wav, fields, signal } = request;
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'sentence.wav');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const response = await client.post(engine, { url, headers, body: form, signal });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of response.body) {
    size += bytes.length;
    if (size > maxReplyBytes)
      throw new EngineFailure(`${engine} answered with more than a transcript can have`);
    chunks.push(bytes);
  }
  const transcript = reply.safeParse(parsed(Buffer.concat(chunks)));
  if (!transcript.success)
    throw new EngineFailure(`${engine} answered with something else than a transcript`);
  return transcript.data.text;
};
