import { NODATA, NOTFOUND } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';

/** `ttlSec` as the name's owner wants it. */
export type ResolvedAddress = { address: string; ttlSec: number };

/** Rejects with an error whose `code` says why, as `node:dns` names it. */
export type AskNameServers = (name: string) => Promise<ResolvedAddress[]>;

/** Milliseconds for one server, and rounds over all of them; each round waits twice as long as the one before. */
const patience = { timeout: 800, tries: 2 };

/** The system's own choice of name servers may change, as on a laptop. */
const freshForMs = 60_000;

/** The time for which the addresses of one family wait for those of the other (RFC 8305, section 3). */
const otherFamilyMs = 50;

const saysNo = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === NOTFOUND || error.code === NODATA);

/**
 * Asks for the addresses of both families by c-ares, which needs none of the process's shared threads: `lookup` of
 * `node:dns` takes one of four for as long as a dead name server is waited for, and files and zlib wait behind it.
 */
export const createAskNameServers = ({
  clock,
  nameServers,
}: {
  clock: Clock;
  /** `address` or `address:port`; null: those of the system. */
  nameServers: readonly string[] | null;
}): AskNameServers => {
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
    // Where one family timed out, the name may well exist.
    throw failures.find((failure) => !saysNo(failure)) ?? failures[0];
  };
};

/** The system tells no time to live. */
const systemTtlSec = 30;

/** Asks what else the system knows of, one name after another: never more than one of the shared threads waits. */
export const createAskSystem = (): AskNameServers => {
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
