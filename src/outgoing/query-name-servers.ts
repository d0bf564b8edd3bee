import { NODATA, NOTFOUND } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';

/** `ttlSec` as the owner of the name set it. */
export type ResolvedAddress = { address: string; ttlSec: number };

/** Rejects with an error whose `code` is one of `node:dns`. */
export type ResolveName = (name: string) => Promise<ResolvedAddress[]>;

/** Timeout per server in milliseconds, and rounds over all servers; each round waits twice as long. */
const patience = { timeout: 800, tries: 2 };

/** The system's name servers may change, for example on a laptop. */
const freshForMs = 60_000;

/** Delay for addresses of the other family (RFC 8305, section 3). */
const otherFamilyMs = 50;

const saysNo = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === NOTFOUND || error.code === NODATA);

/**
 * Resolves both families by c-ares, which uses no thread of the shared pool. `lookup` of `node:dns` blocks one of its
 * four threads while a name server does not answer, and files and zlib wait for them.
 */
export const createNameServerQuery = ({
  clock,
  nameServers,
}: {
  clock: Clock;
  /** `address` or `address:port`; null for the system's name servers. */
  nameServers: readonly string[] | null;
}): ResolveName => {
  let resolver = new Resolver(patience);
  let madeAt = clock.now();
  if (nameServers !== null) resolver.setServers(nameServers);

  const currentResolver = (): Resolver => {
    if (nameServers === null && Math.abs(clock.now() - madeAt) > freshForMs) {
      resolver = new Resolver(patience);
      madeAt = clock.now();
    }
    return resolver;
  };

  return async (name) => {
    const asked = currentResolver();
    const found: ResolvedAddress[] = [];
    const failures: unknown[] = [];
    const keep = async (answer: Promise<{ address: string; ttl: number }[]>): Promise<void> => {
      try {
        for (const { address, ttl } of await answer) found.push({ address, ttlSec: ttl });
      } catch (error) {
        failures.push(error);
      }
    };
    const families = [keep(asked.resolve4(name, { ttl: true })), keep(asked.resolve6(name, { ttl: true }))];
    await Promise.race(families);
    if (found.length === 0) await Promise.all(families);
    else await doneWithin(clock, otherFamilyMs, Promise.all(families));
    if (found.length > 0) return [...found];
    // The name may exist if one family timed out.
    throw failures.find((failure) => !saysNo(failure)) ?? failures[0];
  };
};

/** The system reports no time to live. */
const systemTtlSec = 30;

/** Asks the system's resolver, one name at a time, so at most one shared thread waits. */
export const createSystemQuery = (): ResolveName => {
  let before: Promise<unknown> = Promise.resolve();
  return (name) => {
    const asked = before.then(async () => {
      const found = await lookup(name, { all: true });
      return found.map(({ address }) => ({ address, ttlSec: systemTtlSec }));
    });
    before = asked.catch(() => undefined);
    return asked;
  };
};
