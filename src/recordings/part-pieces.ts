/**
 * Raw parts in the store. Each gateway uploads the raw part of a call in pieces while the call runs
 * (`part-uploads.ts`), so that another gateway has the part when this one is gone with its folder:
 * `parts/<call id>/<from ms>/<node>/<first byte>.<more or last>`.
 */
import { Readable } from 'node:stream';
import type { RawPart } from './raw-part.ts';
import type { RecordingStore } from './store.ts';

type Piece = { key: string; from: number; bytes: number; isLast: boolean };

/** A raw part in the store. */
export type StoredPart = Pick<RawPart, 'callId' | 'fromMs' | 'node'> & {
  /** In the order of their places. */
  pieces: readonly Piece[];
  /** Whether all of the part is stored. Otherwise the gateway that wrote the part died, or could not upload the rest. */
  isWhole: boolean;
};

export type PartPieces = {
  /** Resolves to the parts of a call. Rejects with a `StoreFailure` while the store is unavailable. */
  list(callId: string): Promise<StoredPart[]>;
  /** Reads a part, one piece after the other. Audio of a missing piece is replaced by silence. */
  read(part: StoredPart): Readable;
  /** Removes all parts of a call. Rejects with a `StoreFailure` while the store is unavailable. */
  remove(callId: string): Promise<void>;
};

/** A sample of silence in µ-law. */
const quiet = 0xff;

/** Digits of the place in a key, so that the keys of a part are sorted by their places. */
const placeDigits = 10;

const folderOf = (prefix: string, callId: string): string => `${prefix}parts/${callId}/`;

export const pieceKey = (
  prefix: string,
  { callId, fromMs, node }: Pick<RawPart, 'callId' | 'fromMs' | 'node'>,
  { from, isLast }: Pick<Piece, 'from' | 'isLast'>,
): string =>
  `${folderOf(prefix, callId)}${Math.round(fromMs)}/${node}/${String(from).padStart(placeDigits, '0')}.${isLast ? 'last' : 'more'}`;

const form = /^(\d{1,8})\/([\w.-]{1,64})\/(\d{10})\.(more|last)$/;

/**
 * Selects the longer one of two pieces from the same place, which is the later one: the first upload was not confirmed.
 */
const latestOf = (pieces: readonly Piece[]): Piece[] => {
  const byPlace = new Map<number, Piece>();
  for (const piece of pieces) {
    const other = byPlace.get(piece.from);
    if (other === undefined || piece.bytes > other.bytes || (piece.bytes === other.bytes && piece.isLast))
      byPlace.set(piece.from, piece);
  }
  return [...byPlace.values()].toSorted((one, other) => one.from - other.from);
};

const areWhole = (pieces: readonly Piece[]): boolean => {
  let position = 0;
  for (const { from, bytes } of pieces) {
    if (from !== position) return false;
    position += bytes;
  }
  return pieces.at(-1)?.isLast === true;
};

export const createPartPieces = (store: RecordingStore, prefix: string): PartPieces => {
  const list = async (callId: string): Promise<StoredPart[]> => {
    const folder = folderOf(prefix, callId);
    const parts = new Map<string, { fromMs: number; node: string; pieces: Piece[] }>();
    for (const { key, bytes } of await store.list(folder)) {
      const [, fromMs, node, from, state] = form.exec(key.slice(folder.length)) ?? [];
      if (fromMs === undefined || node === undefined) continue;
      const id = `${fromMs}/${node}`;
      const part = parts.get(id) ?? { fromMs: Number(fromMs), node, pieces: [] };
      part.pieces.push({ key, from: Number(from), bytes, isLast: state === 'last' });
      parts.set(id, part);
    }
    return [...parts.values()].map(({ fromMs, node, pieces }) => {
      const latest = latestOf(pieces);
      return { callId, fromMs, node, pieces: latest, isWhole: areWhole(latest) };
    });
  };

  async function* audioOf({ pieces }: StoredPart): AsyncGenerator<Uint8Array> {
    let position = 0;
    for (const { key, from } of pieces) {
      if (from > position) yield new Uint8Array(from - position).fill(quiet);
      position = Math.max(position, from);
      for await (const chunk of await store.read(key)) {
        if (!(chunk instanceof Uint8Array)) throw new Error('The store gave text instead of bytes');
        position += chunk.length;
        yield chunk;
      }
    }
  }

  return {
    list,
    read: (part) => Readable.from(audioOf(part)),
    async remove(callId) {
      for (const { key } of await store.list(folderOf(prefix, callId))) await store.remove(key);
    },
  };
};
