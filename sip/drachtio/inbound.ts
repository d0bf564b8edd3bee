/**
 * Inbound calls. Each INVITE of a trunk is offered to the gateway as an arrival. The arrival is refused before the
 * answer, or waits until its line is opened.
 */
import { randomUUID } from 'node:crypto';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { AnyActorRef } from 'xstate';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { isStored, type ArrivalVerdict } from '#src/domain/arrival.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { callerFrom, isShared, type Caller, type InviteSource } from '../inbound-access/access-list.ts';
import type { InboundAccess } from '../inbound-access/inbound-access.ts';
import type { OnArrival } from '../lines.ts';
import { calledParty } from '../parties/called-party.ts';
import type { NumberOwner, TrunkDirectory } from '../trunks/directory.ts';
import type { SharedLimits } from '../trunks/shared-limits.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { SipCapture } from './capture/sip-capture.ts';
import type { Carriers } from '../carriers.ts';
import { failedLeg, type PendingLeg } from './leg.ts';
import type { TrunkCheck } from './check-trunk.ts';
import type { LegTracker } from './resume/leg-tracker.ts';
import { refusals, refuse, verdictRefusals, type InviteRefusal } from './dialog/refusals.ts';
import { createScreening, type Parties } from './screening.ts';
import type { SessionTimes } from './dialog/session-timer.ts';
import { createInboundLeg, type InboundLeg } from './inbound-leg.ts';

/**
 * Selects the first of several candidate numbers that this trunk may call. The trunk of a workspace reaches only
 * numbers of that workspace.
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

/** Trunks of several workspaces with the same address. */
type SharedSource = Exclude<InviteSource, 'unknown'>;

/** Finds the owner of the called number among the workspaces that share an address; `null` if there is none. */
const ownerAmong = async (
  { trusted, accounts }: SharedSource,
  numbers: readonly string[],
  directory: TrunkDirectory,
): Promise<NumberOwner | null> => {
  const workspaces = new Set([...trusted, ...accounts].map(({ workspaceId }) => workspaceId));
  for (const number of numbers) {
    const owner = await directory.ownerOf(number);
    if (owner !== undefined && workspaces.has(owner.workspaceId)) return owner;
  }
  return null;
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
  const { access, directory, sipCapture, clock, logger } = options;
  const screen = createScreening(options);
  /** Callers whose lines are not yet open, by call id. */
  const waiting = new Map<string, InboundLeg>();
  let onArrival: OnArrival | null = null;

  /** Offers an arrival. Resolves with the refusal, or with `null` if the call accepts the caller. Never rejects. */
  const offer = async (
    callId: string,
    { from, numbers, identity, sipHeaders }: Parties,
    { request, trunk }: { request: Srf.SrfRequest; trunk: Trunk },
    ask: OnArrival,
  ): Promise<InviteRefusal | null> => {
    const at = clock.now();
    try {
      const to = await calledNumber(numbers, trunk, directory);
      const verdict: ArrivalVerdict =
        to === undefined
          ? { accepted: false, because: 'unknown_number' }
          : await ask({ callId, from, to, at, identity, sipHeaders });
      if (isStored(verdict)) sipCapture.claim(request.get('Call-ID'), callId);
      if (verdict.accepted) return null;
      logger.info({ call_id: callId, because: verdict.because }, 'rejected an inbound call');
      return verdictRefusals[verdict.because];
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'the admission of a caller failed');
      return refusals.failed;
    }
  };

  /** Begins the leg of a caller who is admitted. */
  const take = (request: Srf.SrfRequest, response: Srf.SrfResponse, caller: Caller): void => {
    if (onArrival === null) return refuse(response, refusals.unavailable, logger);
    const trunk = access.admit(request, response, caller);
    if (trunk === null) return undefined;
    const callId = randomUUID();
    const ask = onArrival;
    const leg = createInboundLeg({
      ...options,
      callId,
      request,
      response,
      trunk,
      screen: () => screen({ request, response }, trunk),
      offer: (parties) => offer(callId, parties, { request, trunk }, ask),
      logger: logger.child({ call_id: callId }),
      onOver: () => waiting.delete(callId),
    });
    waiting.set(callId, leg);
    return leg.begin();
  };

  /** Takes a caller from an address of several workspaces, on a trunk of the workspace that has the called number. */
  const takeShared = async (
    request: Srf.SrfRequest,
    response: Srf.SrfResponse,
    source: SharedSource,
  ): Promise<void> => {
    const cancelled = new AbortController();
    request.on('cancel', () => cancelled.abort());
    let owner: NumberOwner | null;
    try {
      owner = await ownerAmong(source, calledParty(request, options.country).numbers, directory);
    } catch (error) {
      logger.error({ err: error }, 'the trunk of a caller could not be determined');
      return refuse(response, refusals.failed, logger);
    }
    // drachtio-server has already answered the CANCEL, and the INVITE with 487.
    return cancelled.signal.aborted ? undefined : take(request, response, callerFrom(source, owner));
  };

  return {
    open(ask: OnArrival): void {
      onArrival = ask;
    },

    /** Called for each INVITE that begins a call. */
    receive(request: Srf.SrfRequest, response: Srf.SrfResponse): void {
      if (!request.isNewInvite) return refuse(response, refusals.noSuchCall, logger);
      if (onArrival === null) return refuse(response, refusals.unavailable, logger);
      const source = access.sourceOf(request);
      return isShared(source)
        ? void takeShared(request, response, source)
        : take(request, response, callerFrom(source, null));
    },

    /** Answers the waiting caller of the call with this id. `parent` is the chart of the call's line. */
    answer(callId: string, parent: AnyActorRef | undefined): PendingLeg {
      const leg = waiting.get(callId);
      waiting.delete(callId);
      return leg === undefined ? failedLeg('cancelled') : leg.answer(parent);
    },

    close(): void {
      onArrival = null;
      for (const leg of waiting.values()) leg.refuse(verdictRefusals.draining);
    },
  };
};

export type Inbound = ReturnType<typeof createInbound>;
