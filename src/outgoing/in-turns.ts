/**
 * Fair scheduling of response bodies: they share each pass of the event loop, so a fast server delays neither a call's
 * audio nor another body. Data beyond a pass waits for the next one; the body that has taken least goes first. A
 * waiting body is not read, so TCP slows its server down.
 */

/** Bytes per pass of all bodies together. Reading this many bytes of events takes about five milliseconds. */
const bytesPerPass = 16 * 1024;
/** Bytes that one turn hands out. */
const pieceBytes = 8 * 1024;
/** Smallest cost of a piece in bytes. */
const leastBytes = 128;

type Waiting = { taken: number; bytes: number; goOn: () => void };

// Module-level: one per process, like the event loop.
let left = bytesPerPass;
let pass: NodeJS.Immediate | null = null;
const waiting = new Set<Waiting>();

const leastTaken = (): Waiting | undefined => {
  let least: Waiting | undefined;
  for (const one of waiting) if (least === undefined || one.taken < least.taken) least = one;
  return least;
};

const countPass = (): void => {
  pass ??= setImmediate(() => {
    pass = null;
    left = bytesPerPass;
    while (left > 0) {
      const next = leastTaken();
      if (next === undefined) return;
      waiting.delete(next);
      left -= next.bytes;
      countPass();
      next.goOn();
    }
  });
};

/** Resolves when it is this body's turn. */
const turn = (taken: number, bytes: number): Promise<void> | undefined => {
  countPass();
  if (left > 0 && waiting.size === 0) {
    left -= bytes;
    return undefined;
  }
  return new Promise((goOn) => waiting.add({ taken, bytes, goOn }));
};

/** Returns the same bytes, split where they are long. */
export async function* inTurns(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let taken = 0;
  for await (const bytes of body) {
    for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      const cost = Math.max(piece.byteLength, leastBytes);
      const untilTurn = turn(taken, cost);
      if (untilTurn !== undefined) await untilTurn;
      taken += cost;
      yield piece;
    }
  }
}
