/**
 * An OpenAI-compatible synthesizer that speaks "Part 7." as that part of the counting tone, and any other text as a
 * second of silence.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { countingPart, parts } from './counting-tone.ts';

const sampleRate = 8_000;
const speechRequest = z.object({ input: z.string() });

export const partText = (part: number): string => `Part ${part % parts}.`;

const soundOf = (text: string): Int16Array => {
  const part = /^Part (\d+)\.$/.exec(text)?.[1];
  return part === undefined ? new Int16Array(sampleRate) : countingPart(Number(part));
};

/** Starts the synthesizer. Resolves to the settings of a gateway that speaks with it. */
export const startCountingVoice = async (
  started: AsyncDisposableStack,
): Promise<Readonly<Record<string, string>>> => {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { input } = speechRequest.parse(await json(request));
      response.setHeader('content-type', `audio/pcm; rate=${sampleRate}`);
      response.end(new Uint8Array(soundOf(input).buffer));
    };
    answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  started.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The machine gave no port');
  return { GW_SYNTHESIZERS: 'openai-speech', GW_SPEECH_BASE_URL: `http://127.0.0.1:${address.port}` };
};
