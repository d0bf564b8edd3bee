/**
 * Inbound access control, the first check of every request. An unknown caller is refused before the gateway creates a
 * call, a database row or a media channel.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import type { TrunkDirectory } from '../trunks/directory.ts';
import { callerFrom, sourceAt, type Caller, type InviteSource } from './access-list.ts';
import {
  createAuthentication,
  respond,
  type AuthenticationTimes,
  type InviteRequest,
  type InviteResponse,
} from './authentication.ts';
import { isAnswerable } from './contact.ts';
import { createHostAddresses } from './host-addresses.ts';
import { createUnknownCallers, type AccessFault, type RefusalDelays } from './unknown-callers.ts';

export type InboundAccessNumbers = AuthenticationTimes & { refusals: RefusalDelays };

export const createInboundAccess = (options: {
  directory: TrunkDirectory;
  configured: Trunk | null;
  numbers: InboundAccessNumbers;
  clock: Clock;
  logger: Logger;
}) => {
  const { directory, configured, numbers, clock, logger } = options;
  const unknownCallers = createUnknownCallers(numbers.refusals, clock, logger);
  const authentication = createAuthentication({ unknownCallers, times: numbers, clock, logger });
  const addresses = configured && createHostAddresses({ host: configured.host, clock, logger });

  const turnAway = (request: InviteRequest, response: InviteResponse, fault: AccessFault): void =>
    unknownCallers.meet(request.source_address, fault, () =>
      respond(response, { status: 403, reason: 'Forbidden' }, logger),
    );

  const sourceOf = (request: InviteRequest): InviteSource =>
    sourceAt(request.source_address, {
      trunks: directory.all(),
      configured:
        configured === null || addresses === null
          ? null
          : { trunk: configured, addresses: addresses.known() },
    });

  return {
    open: async (): Promise<void> => addresses?.open(),

    /** Whether a request must stay unanswered. Such requests are counted. */
    ignores({ raw, source_address: address }: Pick<Srf.SrfRequest, 'raw' | 'source_address'>): boolean {
      if (isAnswerable(raw)) return false;
      unknownCallers.count(address, 'unusable_contact');
      return true;
    },

    /** Returns the trunks that have the address of a request. */
    sourceOf,

    /** Returns the calling trunk; `null` if the caller was refused or challenged. */
    admit(
      request: InviteRequest,
      response: InviteResponse,
      caller: Caller = callerFrom(sourceOf(request), null),
    ): Trunk | null {
      if (caller === 'unknown') {
        turnAway(request, response, 'unknown_address');
        return null;
      }
      if ('trunk' in caller) return caller.trunk;
      const account = authentication.authenticate(request, response, caller.accounts);
      if (account !== 'wrong') return account;
      turnAway(request, response, 'wrong_credentials');
      return null;
    },

    /** Returns the trunks that may send requests from this address; empty for unknown addresses. */
    candidates(request: InviteRequest): readonly Trunk[] {
      const source = sourceOf(request);
      return source === 'unknown' ? [] : [...source.trusted, ...source.accounts];
    },

    /** Numbers of refused callers since the start. */
    refused: unknownCallers.counts,

    close(): void {
      addresses?.close();
      authentication.close();
      unknownCallers.close();
    },
  };
};

export type InboundAccess = ReturnType<typeof createInboundAccess>;
