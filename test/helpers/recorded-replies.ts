/** Recorded responses of agent servers: the exact bytes and the expected words. One archive per server. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const recording = z.object({
  name: z.string(),
  /** The tested case, if the name does not describe it. */
  case: z.string().optional(),
  request: z
    .object({
      method: z.string(),
      path: z.string(),
      authorization: z.string().optional(),
      body: z.unknown().optional(),
    })
    .optional(),
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()).default({}),
    /** Whether the connection breaks after these bytes. */
    reset: z.boolean().default(false),
    /** Lines with their line ends, which together are the bytes. All are UTF-8. */
    body: z.array(z.string()),
  }),
  expect: z.object({
    /** The text of the reply, including controls. */
    spoken: z.string().optional(),
    /** Sentences and controls, in order, for a binding with controls. */
    heard: z.array(z.unknown()).optional(),
    failure: z.string().optional(),
    finish: z.string().optional(),
    interrupt: z.boolean().optional(),
  }),
});

export type RecordedReply = z.output<typeof recording> & { bytes: Buffer };

export const recordedReplies = (
  server: 'langgraph' | 'mastra' | 'n8n' | 'openai_compatible',
): RecordedReply[] => {
  const archive = readFileSync(new URL(`../recorded/${server}.json`, import.meta.url), 'utf8');
  return z
    .array(recording)
    .parse(JSON.parse(archive))
    .map((each) => ({ ...each, bytes: Buffer.from(each.response.body.join('')) }));
};

/** A body that arrives in the given pieces; with `reset` it breaks off after them. */
export async function* bodyOf(
  pieces: readonly Uint8Array[],
  { reset = false }: { reset?: boolean } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* pieces;
  if (reset) throw new Error('the connection broke');
}

/** The same bytes: cut in two at every position in turn, and once into single bytes. */
export function* everyCut(bytes: Buffer): Generator<Buffer[], void, undefined> {
  for (let place = 0; place <= bytes.length; place += 1)
    yield [bytes.subarray(0, place), bytes.subarray(place)];
  yield Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
}

const inPiecesOf = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

/**
 * For bodies that are too long for one run per position: a cut every 64 bytes, starting at each of the first 64
 * positions, and once all into single bytes.
 */
export function* everyCutFarApart(bytes: Buffer): Generator<Buffer[], void, undefined> {
  for (let first = 1; first <= 64; first += 1)
    yield [bytes.subarray(0, first), ...inPiecesOf(bytes.subarray(first), 64)];
  yield inPiecesOf(bytes, 1);
}

/** Recorded replies with controls and their expected parts, which do not depend on where the bytes are cut. */
export const repliesWithControls = (
  server: Parameters<typeof recordedReplies>[0],
): { name: string; heard: unknown[]; cuts: () => Iterable<Buffer[]> }[] =>
  recordedReplies(server).flatMap(({ name, bytes, expect: { heard } }) =>
    heard === undefined ? [] : [{ name, heard, cuts: () => everyCutFarApart(bytes) }],
  );
