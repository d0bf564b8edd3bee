import { NODATA, NOTFOUND } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';

/** An address with its time to live as the name's owner set it. */
export type ResolvedAddress = { address: string; ttlSec: number };

/** Rejects with an error whose `code` is one of `node:dns`. */
export type ResolveName = (name: string) => Promise<ResolvedAddress[]>;

/**
 * Timeout per server in milliseconds, and number of rounds over all servers. Each round waits twice as long as the one
 * before.
 */
const patience = { timeout: 800, tries: 2 };

/** Time after which the system's list of name servers is read again, because it may change, for example on a laptop. */
const freshForMs = 60_000;

/** Time to wait for IPv6 addresses when IPv4 addresses are known (RFC 8305, section 3). */
const otherFamilyMs = 50;

const saysNo = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === NOTFOUND || error.code === NODATA);

/**
 * Resolves both families by c-ares, which uses no thread of the shared pool. `lookup` of `node:dns` would block one of
 * the pool's four threads while a name server does not answer, and files and zlib would wait for them.
 */
export const createNameServerQuery = ({
  clock,
  nameServers,
}: {
  clock: Clock;
  /** Name servers as `address` or `address:port`; null for those of the system. */
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
    const ipv4 = keep(asked.resolve4(name, { ttl: true }));
    const ipv6 = keep(asked.resolve6(name, { ttl: true }));
    // IPv4 addresses are used first. Without them, a host without IPv6 could not connect for the whole TTL.
    await ipv4;
    if (found.length === 0) await ipv6;
    else await doneWithin(clock, otherFamilyMs, ipv6);
    if (found.length > 0) return [...found];
    // If the query for one family timed out, the name may exist.
    throw failures.find((failure) => !saysNo(failure)) ?? failures[0];
  };
};

/** Time to live of an address from the system's resolver, which reports none. */
const systemTtlSec = 30;

/** Queries the system's resolver, one name at a time, so that at most one shared thread waits. */
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
