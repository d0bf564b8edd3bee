/**
 * Bodies of responses share each pass of the event loop, so that servers which send as fast as they can hold up nobody:
 * neither the sound of a call nor a body that has only begun. What is taken beyond a pass waits for the next one, and
 * who has taken least goes first. Who waits does not read: its server finds the connection full.
 */

/** Of all bodies together. Reading so many bytes of events without a word takes some five milliseconds. */
const bytesPerPass = 16 * 1024;
/** The bytes that are given out at once. */
const pieceBytes = 8 * 1024;
/** A piece costs at least as much as so many bytes. */
const leastBytes = 128;

type Waiting = { taken: number; bytes: number; goOn: () => void };

// Of the process, as the event loop is.
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

/** The same bytes, cut where they are long. */
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
