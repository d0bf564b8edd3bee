/**
 * Digest authentication of callers. The gateway challenges with 401 until the caller proves that it knows the trunk's
 * password.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { createChallenges } from './challenges.ts';
import { createDigestCheck } from './digest.ts';
import type { UnknownCallers } from './unknown-callers.ts';

const ownRealm = 'trunkline';

export type InviteRequest = Pick<Srf.SrfRequest, 'source_address' | 'method' | 'has' | 'get'>;
export type InviteResponse = Pick<Srf.SrfResponse, 'send'>;

type Account = Trunk & { username: string; password: string };

const isAccount = (trunk: Trunk): trunk is Account => trunk.username !== null && trunk.password !== null;

/** Sends a response to a caller. Errors are ignored if the caller is gone. */
export const respond = (
  response: InviteResponse,
  { status, reason, headers = {} }: { status: number; reason: string; headers?: Record<string, string> },
  logger: Logger,
): void => {
  try {
    response.send(status, reason, { headers });
  } catch (error) {
    logger.debug({ err: error }, 'a challenge could not be sent to a caller');
  }
};

export type AuthenticationTimes = {
  /** Time after which a challenge counts as unanswered. */
  challengeMs: number;
  /** Lifetime of a challenge. */
  nonceMs: number;
};

export const createAuthentication = (options: {
  unknownCallers: UnknownCallers;
  times: AuthenticationTimes;
  clock: Clock;
  logger: Logger;
}) => {
  const { unknownCallers, times, clock, logger } = options;
  const digest = createDigestCheck(times.nonceMs, () => clock.now());
  const challenges = createChallenges(clock, times.challengeMs, (address) =>
    unknownCallers.count(address, 'unanswered_challenge'),
  );

  return {
    /**
     * Checks the caller's credentials. Trunks are keyed by their realm, which the credentials name. Returns `null` if
     * the caller was challenged.
     */
    authenticate(
      request: InviteRequest,
      response: InviteResponse,
      trunks: readonly Trunk[],
    ): Trunk | 'wrong' | null {
      const header = request.has('Authorization') ? request.get('Authorization') : undefined;
      const { source_address: address } = request;
      if (header !== undefined) challenges.answered(address);
      const byRealm = Map.groupBy(trunks.filter(isAccount), ({ realm }) => realm ?? ownRealm);
      let isStale = false;
      for (const [realm, accounts] of byRealm) {
        const answer = digest.check(header, { method: request.method, realm }, accounts);
        if (answer.verdict === 'known') return answer.account;
        if (answer.verdict === 'wrong') return 'wrong';
        isStale ||= answer.isStale;
      }
      const [realm = ownRealm] = byRealm.keys();
      unknownCallers.answer(address, () => {
        challenges.sent(address);
        // The challenge names MD5, because most trunks support only MD5; responses with SHA-256 are accepted too.
        const headers = { 'WWW-Authenticate': digest.challenge(realm, 'MD5', isStale) };
        respond(response, { status: 401, reason: 'Unauthorized', headers }, logger);
      });
      return null;
    },

    close: challenges.close,
  };
};
