/**
 * Inbound calls: each INVITE of a trunk is offered as an arrival. It is refused before the answer, or waits until its
 * line is opened.
 */
import { randomUUID } from 'node:crypto';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { isStored, type ArrivalVerdict } from '#src/domain/arrival.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import type { InboundAccess } from '../../inbound-access/inbound-access.ts';
import type { OnArrival } from '../../lines.ts';
import type { TrunkDirectory } from '../../trunks/directory.ts';
import type { SharedLimits } from '../../trunks/shared-limits.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { SipCapture } from '../capture/sip-capture.ts';
import type { Carriers } from '../media/carriers.ts';
import { answerCaller } from './answer.ts';
import { settledAttempt, type Attempt } from './attempt.ts';
import type { TrunkCheck } from './check-trunk.ts';
import type { LegTracker } from './leg-tracker.ts';
import { refusals, refuse, verdictRefusals, type InviteRefusal } from './refusals.ts';
import { createScreening, type Parties } from './screening.ts';
import type { SessionTimes } from './session-timer.ts';
import { createPendingCallers } from './pending-callers.ts';

/**
 * The first of several numbers for which this trunk may deliver calls: a workspace's trunk delivers only to that
 * workspace's numbers.
 */
const calledNumber = async (
  numbers: readonly string[],
  { workspaceId }: Trunk,
  directory: TrunkDirectory,
): Promise<string | undefined> => {
  const [likeliest, ...others] = numbers;
  if (workspaceId === null && others.length === 0) return likeliest;
  for (const number of numbers) {
    const owner = await directory.ownerOf(number);
    if (owner !== undefined && owner.workspaceId === (workspaceId ?? owner.workspaceId)) return number;
  }
  return workspaceId === null ? likeliest : undefined;
};

export type InboundOptions = {
  carriers: Carriers;
  access: InboundAccess;
  directory: TrunkDirectory;
  limits: Pick<SharedLimits, 'arrive'>;
  legTracker: Pick<LegTracker, 'track'>;
  trunkCheck: Pick<TrunkCheck, 'isOwnCall'>;
  sipCapture: Pick<SipCapture, 'claim'>;
  country: Country;
  sessionTimes: SessionTimes;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

export const createInbound = (options: InboundOptions) => {
  const { access, directory, limits, sipCapture, clock, logger } = options;
  const screen = createScreening(options);
  const pending = createPendingCallers(options);
  let onArrival: OnArrival | null = null;

  const offer = async (
    callId: string,
    { from, numbers, identity, sipHeaders }: Parties,
    { request, trunk }: { request: Srf.SrfRequest; trunk: Trunk },
    ask: OnArrival,
  ) => {
    const at = clock.now();
    try {
      const to = await calledNumber(numbers, trunk, directory);
      const verdict: ArrivalVerdict =
        to === undefined
          ? { accepted: false, because: 'unknown_number' }
          : await ask({ callId, from, to, at, identity, sipHeaders });
      if (isStored(verdict)) sipCapture.claim(request.get('Call-ID'), callId);
      if (verdict.accepted) return;
      logger.info({ call_id: callId, because: verdict.because }, 'a caller was refused');
      pending.refuse(callId, verdictRefusals[verdict.because]);
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'it could not be decided whether a caller is let in');
      pending.refuse(callId, refusals.failed);
    }
  };

  const refuseFor = (trunk: Trunk): InviteRefusal => {
    logger.warn({ trunk: trunk.name }, 'a caller was refused: no channel of the trunk is free');
    return verdictRefusals.concurrency_limit;
  };

  return {
    open(ask: OnArrival): void {
      onArrival = ask;
    },

    /** Called for each INVITE that begins a call. */
    receive(request: Srf.SrfRequest, response: Srf.SrfResponse): void {
      if (!request.isNewInvite) return refuse(response, refusals.noSuchCall, logger);
      if (onArrival === null) return refuse(response, refusals.unavailable, logger);
      const trunk = access.admit(request, response);
      if (trunk === null) return undefined;
      const screened = screen({ request, response }, trunk);
      if ('refusal' in screened) return refuse(response, screened.refusal, logger);
      const callId = randomUUID();
      const joining = limits.arrive(trunk, callId);
      if (joining === null) return refuse(response, refuseFor(trunk), logger);
      const { permit, hasChannel } = joining;
      const ask = onArrival;
      pending.add(callId, { request, response, trunk, permit });
      void hasChannel.then((isFree) =>
        isFree
          ? offer(callId, screened.parties, { request, trunk }, ask)
          : pending.refuse(callId, refuseFor(trunk)),
      );
      return undefined;
    },

    /** Answers the waiting caller with this id. */
    answer(callId: string): Attempt {
      const caller = pending.take(callId);
      if (caller === undefined) return settledAttempt('cancelled');
      return answerCaller(caller, { ...options, logger: logger.child({ call_id: callId }) });
    },

    close(): void {
      onArrival = null;
      pending.refuseAll(verdictRefusals.draining);
    },
  };
};

export type Inbound = ReturnType<typeof createInbound>;
