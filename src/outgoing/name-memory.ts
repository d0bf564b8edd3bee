/** Remembers the addresses of names, and which names were not found, each for its time. */
import { NODATA, NOTFOUND } from 'node:dns';
import type { Clock } from '#src/domain/clock.ts';
import type { ResolvedAddress } from './ask-name-servers.ts';

export type NameMemoryLimits = Readonly<{
  /** What the owner of a name wishes is kept within these. */
  shortestTtlSec: number;
  longestTtlSec: number;
  /** A name that was not found is asked for again after this. */
  failureMs: number;
  /** So long after its time an address is used all the same while nobody answers for the name (RFC 8767). */
  staleMs: number;
  /** Names that are remembered. */
  names: number;
}>;

export type NameMemory = {
  /** Undefined where the name must be looked up. Throws the error of a look-up a moment ago. */
  recall(name: string): readonly string[] | undefined;
  keepFound(name: string, answers: readonly ResolvedAddress[]): readonly string[];
  /** Gives addresses whose time is over, where there are any; else throws the error. */
  keepFailed(name: string, error: Error): readonly string[];
};

/** There is no such name: its addresses of before are no longer its own. */
export const isGone = (error: Error): boolean =>
  'code' in error && (error.code === NOTFOUND || error.code === NODATA);

export const createNameMemory = (clock: Pick<Clock, 'now'>, limits: NameMemoryLimits): NameMemory => {
  const found = new Map<string, { addresses: readonly string[]; until: number }>();
  const failed = new Map<string, { error: Error; until: number }>();

  const remember = <Value>(memory: Map<string, Value>, name: string, value: Value): void => {
    memory.delete(name);
    memory.set(name, value);
    const [oldest] = memory.keys();
    if (memory.size > limits.names && oldest !== undefined) memory.delete(oldest);
  };

  /** Throws the error where there is nothing young enough to go by. */
  const stale = (name: string, error: Error): readonly string[] => {
    const last = found.get(name);
    if (last === undefined || clock.now() > last.until + limits.staleMs) throw error;
    return last.addresses;
  };

  return {
    recall(name) {
      const last = found.get(name);
      if (last !== undefined && clock.now() < last.until) return last.addresses;
      const failure = failed.get(name);
      if (failure !== undefined && clock.now() < failure.until) return stale(name, failure.error);
      return undefined;
    },
    keepFound(name, answers) {
      const addresses = answers.map(({ address }) => address);
      const wishedSec = Math.min(...answers.map(({ ttlSec }) => ttlSec));
      const keptSec = Math.min(limits.longestTtlSec, Math.max(limits.shortestTtlSec, wishedSec));
      remember(found, name, { addresses, until: clock.now() + keptSec * 1_000 });
      failed.delete(name);
      return addresses;
    },
    keepFailed(name, error) {
      if (isGone(error)) found.delete(name);
      remember(failed, name, { error, until: clock.now() + limits.failureMs });
      return stale(name, error);
    },
  };
};
