/**
 * Fair scheduling of response bodies, which share each pass of the event loop. A fast server therefore delays neither a
 * call's audio nor another body. Data beyond a pass waits for the next pass; the body that has taken the fewest bytes
 * goes first, then one that has waited too long because of ever new ones. A waiting body is not read, so TCP slows its
 * server down. Without fair scheduling, fifty fast servers hold the event loop for up to 1.6 s
 * (guides/design/decisions.md, "Own code beside undici").
 */

/** Bytes per pass of all bodies together. Reading this many bytes of events takes about five milliseconds. */
const bytesPerPass = 16 * 1024;
/** Bytes that one turn hands out. */
const pieceBytes = 8 * 1024;
/** Smallest cost of a piece in bytes. */
const leastBytes = 128;
/** Longest wait in milliseconds while other bodies go first. */
const longestWaitMs = 100;

type WaitingBody = { bytesTaken: number; bytes: number; since: number; resume: () => void };

// Module-level: one per process, like the event loop.
let left = bytesPerPass;
let pass: NodeJS.Immediate | null = null;
const waiting = new Set<WaitingBody>();

/** Returns the body that has waited longest, the first one of the set, if it has waited too long. */
const overdue = (): WaitingBody | undefined => {
  const [oldest] = waiting;
  return oldest !== undefined && performance.now() - oldest.since > longestWaitMs ? oldest : undefined;
};

const leastServed = (): WaitingBody | undefined => {
  let least: WaitingBody | undefined;
  for (const one of waiting) if (least === undefined || one.bytesTaken < least.bytesTaken) least = one;
  return least;
};

const countPass = (): void => {
  pass ??= setImmediate(() => {
    pass = null;
    left = bytesPerPass;
    for (let served = 0; left > 0; served += 1) {
      const next = (served === 1 ? overdue() : undefined) ?? leastServed();
      if (next === undefined) return;
      waiting.delete(next);
      left -= next.bytes;
      countPass();
      next.resume();
    }
  });
};

/** Returns a promise that resolves when this body may be read; undefined if it may be read at once. */
const turn = (bytesTaken: number, bytes: number): Promise<void> | undefined => {
  countPass();
  if (left > 0 && waiting.size === 0) {
    left -= bytes;
    return undefined;
  }
  return new Promise((resume) => waiting.add({ bytesTaken, bytes, since: performance.now(), resume }));
};

/** Returns the same bytes, split where they are long. */
export async function* scheduledFairly(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytesTaken = 0;
  for await (const bytes of body) {
    for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      const cost = Math.max(piece.byteLength, leastBytes);
      const untilTurn = turn(bytesTaken, cost);
      if (untilTurn !== undefined) await untilTurn;
      bytesTaken += cost;
      yield piece;
    }
  }
}
