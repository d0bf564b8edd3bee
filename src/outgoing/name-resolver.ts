/**
 * Finds the addresses of customers' servers. A name server that does not answer must hold up nobody but those who ask
 * for its names, so look-ups need none of the shared threads (`ask-name-servers.ts`), one name is looked up once however
 * many ask, a workspace has its share of the look-ups at once, and what was found, or not found, is remembered for a
 * while. Whether an address may be called is not decided here, but where it is connected to (`target-guard.ts`).
 */
import { NODATA, NOTFOUND, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIPv4, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { Clock } from '#src/domain/clock.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import type { AskNameServers } from './ask-name-servers.ts';
import { EndpointFailure } from './endpoint-failure.ts';
import type { HostsFile } from './hosts-file.ts';
import type { Permits } from './permits.ts';
import { plainHost } from './target-guard.ts';

export type NameLimits = Readonly<{
  /** A look-up ends with this, whatever is still on its way. */
  lookUpMs: number;
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

export type NameResolver = {
  /** For the connections of one workspace. Fails with an error whose `code` is that of `node:dns`, or an EndpointFailure. */
  lookupFor(workspaceId: string): LookupFunction;
};

type Found = { addresses: readonly string[]; until: number };
type Failed = { error: Error; until: number };

const hasCode = (error: Error, ...codes: readonly string[]): boolean =>
  'code' in error && typeof error.code === 'string' && codes.includes(error.code);

/** There is no such name: its addresses of before are no longer its own. */
const isGone = (error: Error): boolean => hasCode(error, NOTFOUND, NODATA);

const tooLate = (): Error =>
  Object.assign(new Error('The name servers did not answer'), { code: 'ETIMEOUT' });

/** They mean the machine itself wherever they are asked for (RFC 6761, section 6.3). */
const namesLoopback = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

export const createNameResolver = (options: {
  askNameServers: AskNameServers;
  /**
   * For names that the operator allows and DNS does not know: what else the system knows of (search domains, mDNS). It
   * takes a shared thread, so no customer's word alone leads here.
   */
  askSystem: AskNameServers;
  isTrusted: (name: string) => boolean;
  hostsFile: HostsFile;
  /** Look-ups at once. */
  permits: Permits;
  limits: NameLimits;
  clock: Clock;
}): NameResolver => {
  const { hostsFile, permits, limits, clock } = options;
  const found = new Map<string, Found>();
  const failed = new Map<string, Failed>();
  const underWay = new Map<string, Promise<readonly string[]>>();

  const remember = <Value>(memory: Map<string, Value>, name: string, value: Value): void => {
    memory.delete(name);
    memory.set(name, value);
    const [oldest] = memory.keys();
    if (memory.size > limits.names && oldest !== undefined) memory.delete(oldest);
  };

  const askAll: AskNameServers = async (name) => {
    try {
      return await options.askNameServers(name);
    } catch (error) {
      if (!(error instanceof Error) || !isGone(error) || !options.isTrusted(name)) throw error;
      return options.askSystem(name);
    }
  };

  const ask = async (name: string): Promise<readonly string[]> => {
    try {
      const answers = await withTimeout(clock, limits.lookUpMs, () => askAll(name), { error: tooLate });
      const ttlSec = Math.min(...answers.map((answer) => answer.ttlSec));
      const keptSec = Math.min(limits.longestTtlSec, Math.max(limits.shortestTtlSec, ttlSec));
      const addresses = answers.map(({ address }) => address);
      remember(found, name, { addresses, until: clock.now() + keptSec * 1000 });
      failed.delete(name);
      return addresses;
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error('A look-up failed', { cause });
      if (isGone(error)) found.delete(name);
      remember(failed, name, { error, until: clock.now() + limits.failureMs });
      return stale(name, error);
    }
  };

  /** Throws the error where there is nothing old enough to go by. */
  const stale = (name: string, error: Error): readonly string[] => {
    const last = found.get(name);
    if (last === undefined || clock.now() > last.until + limits.staleMs) throw error;
    return last.addresses;
  };

  const resolve = async (name: string, workspaceId: string): Promise<readonly string[]> => {
    const known = hostsFile(name);
    if (known.length > 0) return known;
    if (namesLoopback(name)) return ['127.0.0.1', '::1'];
    const last = found.get(name);
    if (last !== undefined && clock.now() < last.until) return last.addresses;
    const failure = failed.get(name);
    if (failure !== undefined && clock.now() < failure.until) return stale(name, failure.error);
    const asked = underWay.get(name);
    if (asked !== undefined) return asked;
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
  };

  const find = async (
    name: string,
    workspaceId: string,
    family: LookupOptions['family'],
  ): Promise<[LookupAddress, ...LookupAddress[]]> => {
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);
    const [first, ...others] = (await resolve(plainHost(name), workspaceId))
      .map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }))
      .filter((each) => wanted === 0 || each.family === wanted)
      .toSorted((one, other) => one.family - other.family);
    if (first !== undefined) return [first, ...others];
    throw Object.assign(new Error('The name has no address of this family'), { code: NOTFOUND });
  };
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
