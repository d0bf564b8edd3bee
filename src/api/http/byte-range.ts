/** Parses the `Range` header of a file request (RFC 9110, 14.1.2 and 14.2). */
import type { ByteRange } from '#src/domain/open-recording.ts';

/**
 * Parses the header. `whole`: there is no range, or one that a server may ignore (several ranges, another unit).
 * `invalid`: the range is malformed or outside the file (guides/design/wire.md, "Recording").
 */
export const byteRangeOf = (header: string | undefined, size: number): ByteRange | 'whole' | 'invalid' => {
  const [, unit = '', set = ''] = /^([^=]*)=(.*)$/s.exec(header ?? '') ?? [];
  if (header === undefined || (unit.trim().toLowerCase() !== 'bytes' && unit !== '')) return 'whole';
  const ranges = set.split(',').map((spec) => oneRange(spec.trim(), size));
  if (ranges.includes('malformed')) return 'invalid';
  const satisfiable = ranges.filter((range) => typeof range === 'object');
  const [first] = satisfiable;
  if (first === undefined) return 'invalid';
  return satisfiable.length === 1 ? first : 'whole';
};

const oneRange = (spec: string, size: number): ByteRange | 'malformed' | 'outside' => {
  const [, first = '', last = ''] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (first === '' && last === '') return 'malformed';
  if (first === '') return suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? Infinity : Number(last);
  if (end < start) return 'malformed';
  return start < size ? { start, end: Math.min(end, size - 1) } : 'outside';
};

/** Returns the range of a suffix: `-5` means the last five bytes, or the whole file if it is shorter. */
const suffix = (length: number, size: number): ByteRange | 'outside' =>
  length === 0 || size === 0 ? 'outside' : { start: Math.max(0, size - length), end: size - 1 };
