/**
 * Who may call in. It decides before anything else is looked at: an unknown caller is refused without a call, a row in the
 * database or a channel on the media server.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { createChallenges } from './challenges.ts';
import { isAnswerable } from './contact.ts';
import { createDigestCheck } from './digest.ts';
import type { TrunkDirectory } from '../trunks/directory.ts';
import { createHostAddresses } from './host-addresses.ts';
import { createUnknownCallers, type AccessFault } from './unknown-callers.ts';
import { callerAt } from './access-list.ts';

const ownRealm = 'trunkline';

type Request = Pick<Srf.SrfRequest, 'source_address' | 'method' | 'has' | 'get'>;
type Response = Pick<Srf.SrfResponse, 'send'>;

type Account = Trunk & { username: string; password: string };

const isAccount = (trunk: Trunk): trunk is Account => trunk.username !== null && trunk.password !== null;

export const createInboundAccess = (options: {
  directory: TrunkDirectory;
  configured: Trunk | null;
  clock: Clock;
  logger: Logger;
}) => {
  const { directory, configured, clock, logger } = options;
  const digest = createDigestCheck(() => clock.now());
  const unknownCallers = createUnknownCallers(clock, logger);
  const challenges = createChallenges(clock, (address) =>
    unknownCallers.count(address, 'unanswered_challenge'),
  );
  const addresses = configured && createHostAddresses({ host: configured.host, clock, logger });

  const say = (response: Response, status: number, reason: string, headers: Record<string, string> = {}) => {
    try {
      response.send(status, reason, { headers });
    } catch (error) {
      logger.debug({ err: error }, 'a caller could not be answered');
    }
  };

  const turnAway = (request: Request, response: Response, fault: AccessFault): void =>
    unknownCallers.meet(request.source_address, fault, () => say(response, 403, 'Forbidden'));

  const callerOf = (request: Request) =>
    callerAt(request.source_address, {
      trunks: directory.all(),
      configured:
        configured === null || addresses === null
          ? null
          : { trunk: configured, addresses: addresses.known() },
    });

  /** By the realm of each, since that is what a caller's answer names. */
  const authenticate = (request: Request, response: Response, trunks: readonly Trunk[]): Trunk | null => {
    const header = request.has('Authorization') ? request.get('Authorization') : undefined;
    const { source_address: address } = request;
    if (header !== undefined) challenges.answered(address);
    const byRealm = Map.groupBy(trunks.filter(isAccount), ({ realm }) => realm ?? ownRealm);
    let isStale = false;
    for (const [realm, accounts] of byRealm) {
      const answer = digest.check(header, { method: request.method, realm }, accounts);
      if (answer.verdict === 'known') return answer.account;
      if (answer.verdict === 'wrong') {
        turnAway(request, response, 'wrong_credentials');
        return null;
      }
      isStale ||= answer.isStale;
    }
    const [realm = ownRealm] = byRealm.keys();
    // MD5, because most trunks know nothing else; who answers with SHA-256 is understood too.
    unknownCallers.answer(address, () => {
      challenges.sent(address);
      say(response, 401, 'Unauthorized', { 'WWW-Authenticate': digest.challenge(realm, 'MD5', isStale) });
    });
    return null;
  };

  return {
    open: async (): Promise<void> => addresses?.open(),

    /** Whether a request is not to be answered at all, whoever sent it; it is counted then. */
    ignores({ raw, source_address: address }: Pick<Srf.SrfRequest, 'raw' | 'source_address'>): boolean {
      if (isAnswerable(raw)) return false;
      unknownCallers.count(address, 'unusable_contact');
      return true;
    },

    /** The trunk that calls; `null` when the caller was answered already: refused, or challenged. */
    admit(request: Request, response: Response): Trunk | null {
      const caller = callerOf(request);
      if (caller === 'unknown') {
        turnAway(request, response, 'unknown_address');
        return null;
      }
      return 'trunk' in caller ? caller.trunk : authenticate(request, response, caller.accounts);
    },

    /** Whether this comes from an address that is no trunk's at all. */
    isUnknown: (request: Request): boolean => callerOf(request) === 'unknown',

    /** How many were refused since the start. */
    refused: unknownCallers.counts,

    close(): void {
      addresses?.close();
      challenges.close();
      unknownCallers.close();
    },
  };
};

export type InboundAccess = ReturnType<typeof createInboundAccess>;
