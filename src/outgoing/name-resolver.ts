/**
 * Resolves host names of customers' servers. A name server that does not answer must delay only requests to its own
 * names. Therefore look-ups use no shared thread (`query-name-servers.ts`), concurrent look-ups of one name are merged,
 * each workspace has a share of them, and results are cached. `target-guard.ts` decides whether an address may be
 * called. The reason why no library is used is in guides/design/decisions.md, "Own look-up of names".
 */
import { type LookupAddress, type LookupOptions, NODATA, NOTFOUND } from 'node:dns';
import { type LookupFunction, isIPv4 } from 'node:net';
import { callbackify } from 'node:util';
import type { Clock } from '#src/domain/clock.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import type { ResolveName, ResolvedAddress } from './query-name-servers.ts';
import { EndpointFailure } from './endpoint-failure.ts';
import type { HostsFile } from './hosts-file.ts';
import type { Permits } from './permits.ts';
import { plainHost } from './target-guard.ts';

/** Limits of the cache of addresses and of names that were not found. */
type NameCacheLimits = Readonly<{
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

type NameCache = {
  /** Returns undefined if the name must be looked up. Throws the error of a recent look-up. */
  recall(name: string): readonly string[] | undefined;
  storeFound(name: string, answers: readonly ResolvedAddress[]): readonly string[];
  /** Returns expired addresses if there are any; otherwise throws the error. */
  storeFailed(name: string, error: Error): readonly string[];
};

/** Whether the error means that the name does not exist, so that its addresses are dropped. */
const isGone = (error: Error): boolean =>
  'code' in error && (error.code === NOTFOUND || error.code === NODATA);

const createNameCache = (clock: Clock, limits: NameCacheLimits): NameCache => {
  const found = new Map<string, { addresses: readonly string[]; until: number }>();
  const failed = new Map<string, { error: Error; until: number }>();

  const remember = <Value>(memory: Map<string, Value>, name: string, value: Value): void => {
    memory.delete(name);
    memory.set(name, value);
    const [oldest] = memory.keys();
    if (memory.size > limits.names && oldest !== undefined) memory.delete(oldest);
  };

  /** Returns expired addresses. Throws the error if no entry is recent enough. */
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
    storeFound(name, answers) {
      const addresses = answers.map(({ address }) => address);
      const wishedSec = Math.min(...answers.map(({ ttlSec }) => ttlSec));
      const cachedSec = Math.min(limits.longestTtlSec, Math.max(limits.shortestTtlSec, wishedSec));
      remember(found, name, { addresses, until: clock.now() + cachedSec * 1_000 });
      failed.delete(name);
      return addresses;
    },
    storeFailed(name, error) {
      if (isGone(error)) found.delete(name);
      remember(failed, name, { error, until: clock.now() + limits.failureMs });
      return stale(name, error);
    },
  };
};

export type NameLimits = NameCacheLimits &
  Readonly<{
    /** Longest look-up. */
    lookUpMs: number;
  }>;

export type NameResolver = {
  /**
   * Returns the look-up function for one workspace's connections. A look-up fails with an error whose `code` is one of
   * `node:dns`, or with an EndpointFailure.
   */
  lookupFor(workspaceId: string): LookupFunction;
};

export type NameResolverOptions = {
  queryNameServers: ResolveName;
  /**
   * Resolver of the system (search domains, mDNS), for names that the operator allows and DNS does not know. The
   * system's resolver uses a shared thread, so customers cannot trigger it.
   */
  querySystem: ResolveName;
  isTrusted: (name: string) => boolean;
  hostsFile: HostsFile;
  /** Permits for concurrent look-ups. */
  permits: Permits;
  limits: NameLimits;
  clock: Clock;
};

const tooLate = (): Error =>
  Object.assign(new Error('The name servers did not answer'), { code: 'ETIMEOUT' });

/** These names always mean the local machine (RFC 6761, section 6.3). */
const namesLoopback = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** Queries the name servers first, then the system's resolver. */
const askAll =
  ({ queryNameServers, querySystem, isTrusted }: NameResolverOptions): ResolveName =>
  async (name) => {
    try {
      return await queryNameServers(name);
    } catch (error) {
      if (!(error instanceof Error) || !isGone(error) || !isTrusted(name)) throw error;
      return querySystem(name);
    }
  };

/**
 * Returns addresses of one family, or IPv4 before IPv6, as a connection needs them. Throws if there is no address of
 * the family.
 */
const ofFamily = (
  addresses: readonly string[],
  family: LookupOptions['family'],
): [LookupAddress, ...LookupAddress[]] => {
  const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);
  const [first, ...others] = addresses
    .map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }))
    .filter((each) => wanted === 0 || each.family === wanted)
    .toSorted((one, other) => one.family - other.family);
  if (first !== undefined) return [first, ...others];
  throw Object.assign(new Error('The name has no address of this family'), { code: NOTFOUND });
};

type Resolve = (name: string, workspaceId: string) => Promise<readonly string[]>;

/** Merges look-ups of one name; the first workspace's permit covers all. */
const createLookUps = (options: NameResolverOptions): { resolve: Resolve } => {
  const { permits, limits, clock } = options;
  const memory = createNameCache(clock, limits);
  const askFor = askAll(options);
  const underWay = new Map<string, Promise<readonly string[]>>();

  const ask = async (name: string): Promise<readonly string[]> => {
    try {
      return memory.storeFound(
        name,
        await withTimeout(clock, limits.lookUpMs, () => askFor(name), { error: tooLate }),
      );
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error('A look-up failed', { cause });
      return memory.storeFailed(name, error);
    }
  };

  return {
    async resolve(name, workspaceId) {
      const known = memory.recall(name) ?? underWay.get(name);
      if (known !== undefined) return known;
      const releasePermit = permits.acquire(workspaceId);
      if (releasePermit === undefined) {
        throw new EndpointFailure('over_capacity', 'too many names of this workspace are being looked up');
      }
      const asking = ask(name).finally(() => {
        releasePermit();
        underWay.delete(name);
      });
      underWay.set(name, asking);
      return asking;
    },
  };
};

export const createNameResolver = (options: NameResolverOptions): NameResolver => {
  const lookUps = createLookUps(options);

  const resolve: Resolve = async (name, workspaceId) => {
    const onThisMachine = options.hostsFile(name);
    if (onThisMachine.length > 0) return onThisMachine;
    return namesLoopback(name) ? ['127.0.0.1', '::1'] : lookUps.resolve(name, workspaceId);
  };

  const find = async (host: string, workspaceId: string, family: LookupOptions['family']) =>
    ofFamily(await resolve(plainHost(host), workspaceId), family);
  const findThen = callbackify(find);

  return {
    lookupFor:
      (workspaceId) =>
      (host, { all, family }, callback) =>
        findThen(host, workspaceId, family, (error, found) => {
          if (error !== null) return callback(error, []);
          const [first] = found;
          return all === true ? callback(null, found) : callback(null, first.address, first.family);
        }),
  };
};
