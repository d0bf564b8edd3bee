/** Summary of waits for replies, as clients see it (guides/latency.md). */
import * as z from 'zod';

const percentiles = (example: { p50: number; p90: number; p99: number }, description: string) =>
  z.object({ p50: z.int(), p90: z.int(), p99: z.int() }).meta({ description, example });

const part = (description: string, example: number) => z.int().meta({ description, example });

export const latencySummary = z
  .object({
    turns: z.int().meta({
      description:
        'Number of measured turns: turns of the agent that answer speech and were heard. With fewer than 10, `p90` is the slowest turn; with fewer than 100, `p99` is.',
      example: 84,
    }),
    calls: z.int().meta({ description: 'Number of calls with such a turn.', example: 12 }),
    wait_ms: percentiles(
      { p50: 420, p90: 910, p99: 2140 },
      'From the end of speech of the other party to the first audible sound of the reply. Milliseconds.',
    ),
    endpointing_ms: percentiles(
      { p50: 60, p90: 220, p99: 640 },
      'From the end of speech to the decision that the turn is over.',
    ),
    first_token_ms: percentiles(
      { p50: 240, p90: 480, p99: 1200 },
      'From the request for the reply to its first text.',
    ),
    first_sentence_ms: percentiles(
      { p50: 310, p90: 560, p99: 1310 },
      'From the request to the first sentence that can be spoken.',
    ),
    first_audio_ms: percentiles(
      { p50: 360, p90: 690, p99: 1500 },
      'From the request to the first audible sound.',
    ),
    share: z
      .object({
        wait_ms: part('The median wait. The other values add up to it.', 420),
        endpointing_ms: part('Share of the detection of the end of speech.', 60),
        gateway_ms: part('Share of the gateway, from that decision to the request.', 0),
        agent_ms: part('Share of the agent, from the request to its first sentence.', 310),
        voice_ms: part('Share of the synthesizer, from the first sentence to its first sound.', 50),
      })
      .meta({
        description:
          'Parts of the median wait, in proportion to the average parts of the fifth of the turns around the median.',
      }),
  })
  .meta({ id: 'LatencySummary' });
