/**
 * Request and reply that OpenAI's transcription and whisper.cpp's server share. The request asks for confidence values
 * (`verbose_json`). A server that rejects this format gets requests for plain text from then on.
 */
import { FormData } from 'undici';
import { z } from 'zod';
import { EngineFailure, EngineRefusal } from './engine-failure.ts';
import type { EngineClient } from './engine-client.ts';
import type { Transcript } from './spoken-words.ts';

const maxReplyBytes = 256 * 1024;

const figure = z.number().nullable().default(null).catch(null);

const segment = z.object({
  text: z.string(),
  no_speech_prob: figure,
  avg_logprob: figure,
  compression_ratio: figure,
});

const reply = z.object({
  text: z.string(),
  // Segments of the text. Without segments, the whole text is used.
  segments: z.array(segment).nullable().default(null).catch(null),
});

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
};

type TranscriptionRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  wav: Buffer;
  fields: Readonly<Record<string, string>>;
  signal: AbortSignal;
};

const post = async (
  client: EngineClient,
  engine: string,
  { url, headers, wav, fields, signal }: TranscriptionRequest,
  format: 'verbose_json' | 'json',
): Promise<Transcript> => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'sentence.wav');
  for (const [name, value] of Object.entries({ ...fields, response_format: format })) form.set(name, value);
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
  const { text, segments } = transcript.data;
  return {
    text,
    segments: (segments ?? []).map((one) => ({
      text: one.text,
      noSpeech: one.no_speech_prob,
      logProbability: one.avg_logprob,
      compression: one.compression_ratio,
    })),
  };
};

/** Statuses by which a server rejects an unsupported format. */
const formatRefusals: ReadonlySet<number> = new Set([400, 422, 501]);

/** Creates the transcription of one engine. The result rejects with an EngineFailure, or with the signal's reason. */
export const createTranscription = (client: EngineClient, engine: string) => {
  let isVerbose = true;
  return async (request: TranscriptionRequest): Promise<Transcript> => {
    if (!isVerbose) return post(client, engine, request, 'json');
    try {
      return await post(client, engine, request, 'verbose_json');
    } catch (error) {
      if (!(error instanceof EngineRefusal && formatRefusals.has(error.status))) throw error;
      const transcript = await post(client, engine, request, 'json');
      isVerbose = false;
      return transcript;
    }
  };
};
