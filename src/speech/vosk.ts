/** Recognition by servers with Vosk's websocket protocol (github.com/alphacep/vosk-server, websocket/asr_server.py). */
import { z } from 'zod';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, RecognitionEngine } from './recognition-engine.ts';
import { openSocketRecognition } from './socket-recognition.ts';

const name = 'vosk';
/** Duration of a message. Messages are large, because each is answered with the whole hypothesis. */
const messageMs = 100;

const words = z.object({ text: z.string() });

const partialReply = z.object({ partial: z.string() });
/** Final reply of the server. Servers configured for alternatives use the second form. */
const finalReply = z.union([words, z.object({ alternatives: z.tuple([words], words) })]);

const read = (message: unknown, sent: number): EngineEvent[] | null => {
  const partial = partialReply.safeParse(message);
  if (partial.success) return [{ type: 'partial', text: partial.data.partial.trim() }];
  const final = finalReply.safeParse(message);
  if (!final.success) return null;
  const { text } = 'text' in final.data ? final.data : final.data.alternatives[0];
  return [
    { type: 'final', text: text.trim() },
    // Vosk has processed all audio that was sent, except for data in transit.
    { type: 'settled', samples: sent },
  ];
};

/**
 * Creates the recognizer. `url` is the server's address, such as ws://127.0.0.1:2700. The server's model determines the
 * language.
 */
export const vosk = (world: EngineWorld, { url }: { url: string }): RecognitionEngine => ({
  name,
  reportsTurnEnds: false,
  open(options, emit) {
    const { sampleRate } = options;
    const engine = {
      name,
      url,
      headers: {},
      messageSamples: (messageMs * sampleRate) / 1_000,
      hello: JSON.stringify({ config: { sample_rate: sampleRate } }),
      // The text must be exactly this, because the server compares strings.
      goodbye: '{"eof" : 1}',
      read,
    };
    return openSocketRecognition(world, engine, options, emit);
  },
});
