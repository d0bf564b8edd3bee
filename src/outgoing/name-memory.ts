/** Cache of addresses and of names that were not found. */
import { NODATA, NOTFOUND } from 'node:dns';
import type { Clock } from '#src/domain/clock.ts';
import type { ResolvedAddress } from './ask-name-servers.ts';

export type NameMemoryLimits = Readonly<{
  /** Limits of the time to live. */
  shortestTtlSec: number;
  longestTtlSec: number;
  /** Time after which a name that was not found is looked up again. */
  failureMs: number;
  /** Time for which an expired address is used while name servers do not answer (RFC 8767). */
  staleMs: number;
  /** Largest number of names. */
  names: number;
}>;

export type NameMemory = {
  /** Returns undefined if the name must be looked up. Throws the error of a recent look-up. */
  recall(name: string): readonly string[] | undefined;
  keepFound(name: string, answers: readonly ResolvedAddress[]): readonly string[];
  /** Returns expired addresses if there are any; otherwise throws the error. */
  keepFailed(name: string, error: Error): readonly string[];
};

/** The name does not exist: drops its addresses. */
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

  /** Throws the error if no entry is recent enough. */
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
