/** SIP calls, outbound and inbound: allowed callers, trunk selection, and the end of far ends. */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import {
  createInboundAccess,
  type InboundAccess,
  type InboundAccessNumbers,
} from '../inbound-access/inbound-access.ts';
import { headerOf } from '../headers/header-values.ts';
import { tagIn } from '../headers/name-addresses.ts';
import type { OnArrival } from '../lines.ts';
import { createOutOfDialogRequests } from '../trunks/out-of-dialog-requests.ts';
import { allTrunks, createChooser } from '../trunks/chooser.ts';
import type { TrunkDirectory } from '../trunks/directory.ts';
import { createTrunkLimits } from '../trunks/limits.ts';
import { createSharedLimits, type SharedLimits, type SharedTrunkLoad } from '../trunks/shared-limits.ts';
import { createTrunkCoolDowns } from '../trunks/cool-downs.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { SipCapture } from './capture/sip-capture.ts';
import type { Carriers } from '../carriers.ts';
import type { MediaServers } from '../freeswitch/media-servers.ts';
import { adoptCall, type AdoptOptions } from './resume/adopt.ts';
import { abilities, allowed } from './dialog/capabilities.ts';
import { settledAttempt, type Attempt } from './leg.ts';
import { createTrunkCheck } from './check-trunk.ts';
import type { SignallingConnection, SignallingHandlers } from './connection/connection.ts';
import { createLegTracker, type LegTracker, type LegStore, type TrackedLeg } from './resume/leg-tracker.ts';
import { createInbound, type Inbound } from './inbound.ts';
import { startOutboundLeg } from './outbound-leg.ts';
import { dialogStands } from './resume/revive.ts';
import type { SessionTimes } from './dialog/session-timer.ts';

/** Time limits of trunks, in milliseconds. */
export type TrunkTimes = {
  /** Time without any response to an INVITE, after which the next trunk is tried. */
  silenceMs: number;
  /** Timeout of a REGISTER or OPTIONS. */
  answerMs: number;
  /** Longest wait for a free channel or for the next second of the trunk's rate limit. */
  patienceMs: number;
  /** Longest cool-down after `Retry-After`, whatever value the trunk sends. */
  longestCoolDownMs: number;
  /** Timeout of a BYE or CANCEL; the call has ended anyway. */
  byeMs: number;
  /** Requested lifetime of a registration, in seconds. */
  registrationSec: number;
  /** Session timers, which detect a vanished other party. */
  session: SessionTimes;
};

export type SignallingOptions = {
  connection: SignallingConnection;
  mediaServers: Pick<MediaServers, 'takeOverEndpoint' | 'endChannel'>;
  carriers: Carriers;
  directory: TrunkDirectory;
  /** Trunk of the configuration; `null` if there is none. */
  configured: Trunk | null;
  legs: LegStore;
  trunkLoad: SharedTrunkLoad;
  sipCapture: Pick<SipCapture, 'claim' | 'ended'>;
  trunkTimes: TrunkTimes;
  inboundAccess: InboundAccessNumbers;
  country: Country;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

type OnConnection = { waiting: () => ReadonlySet<string>; onLost: () => void; onConnected: () => void };

/** Handlers of requests: answers those outside of calls and dispatches the rest. */
const createHandlers = (
  { access, inbound }: { access: InboundAccess; inbound: Inbound },
  canTakeCallsOf: (trunk: Trunk) => boolean,
): Omit<SignallingHandlers, 'onLost' | 'onConnected'> => ({
  onInvite: inbound.receive,
  onOptions(request, response) {
    const trunks = access.candidates(request);
    if (trunks.length === 0) response.send(403);
    else if (trunks.some(canTakeCallsOf)) response.send(200, { headers: abilities });
    else response.send(503);
  },
  onOther(request, response) {
    if (access.admit(request, response) === null) return;
    const isInDialog = tagIn(headerOf(request, 'To')) !== '';
    response.send(isInDialog ? 481 : 405, { headers: { Allow: allowed } });
  },
  isIgnored: access.ignores,
});

/** Far ends are handled first. */
const following = (
  { waiting, onLost, onConnected }: OnConnection,
  legTracker: LegTracker,
): Pick<SignallingHandlers, 'onLost' | 'onConnected'> => ({
  onLost() {
    legTracker.lost(waiting());
    onLost();
  },
  onConnected() {
    legTracker.connected();
    onConnected();
  },
});

/** The gateway's own number in the call. */
export const ownNumberOf = ({ direction, from, to }: Pick<LineInput, 'direction' | 'from' | 'to'>): string =>
  direction === 'outbound' ? from : to;

/** Marks a leg as a transfer's, so that a process that takes over the call knows that it is not the other party. */
const ofTransfer = (leg: TrackedLeg): TrackedLeg => ({
  ...leg,
  update: (state) => leg.update({ ...state, isOfTransfer: true }),
});

const limitsFor = ({
  trunkTimes,
  trunkLoad,
  clock,
  backgroundTasks,
  logger,
}: SignallingOptions): SharedLimits => {
  const { patienceMs } = trunkTimes;
  const limits = createTrunkLimits({ clock, patienceMs });
  const inBackground = backgroundTasks.add;
  return createSharedLimits({ limits, load: trunkLoad, patienceMs, inBackground, clock, logger });
};

type Dialling = Parameters<typeof startOutboundLeg>[0];

/** Begins to dial through the trunks of a number. */
const createPlacing =
  ({
    choose,
    directory,
    isDown,
    ...means
  }: Pick<Dialling, 'limits' | 'coolDowns' | 'srf' | 'carriers' | 'country' | 'silenceMs' | 'sessionTimes'> &
    Pick<Dialling, 'clock' | 'backgroundTasks'> & {
      choose: ReturnType<typeof createChooser>['choose'];
      directory: TrunkDirectory;
      isDown: () => boolean;
    }) =>
  (
    { callId, from, to, sipHeaders = {} }: Pick<LineInput, 'callId' | 'from' | 'to' | 'sipHeaders'>,
    call: Pick<Dialling, 'onRinging' | 'parent' | 'name' | 'logger' | 'trackLeg' | 'preferredServer'>,
  ): Attempt =>
    isDown()
      ? settledAttempt('trunk_error')
      : startOutboundLeg({
          ...means,
          ...call,
          callId,
          from,
          to,
          sipHeaders,
          choose: () => choose(from, to, Object.keys(sipHeaders)),
          destinations: () => directory.destinationsOf(from),
        });

export const createSignalling = (options: SignallingOptions) => {
  const { connection, mediaServers, carriers, directory, legs, trunkTimes } = options;
  const { sipCapture, country, clock, backgroundTasks, logger } = options;
  const { srf, send, problem } = connection;
  const { silenceMs, session: sessionTimes } = trunkTimes;
  const { endChannel } = mediaServers;
  const legTracker = createLegTracker({ ...options, store: legs, send, endChannel });
  const access = createInboundAccess({ ...options, numbers: options.inboundAccess });
  const limits = limitsFor(options);
  const coolDowns = createTrunkCoolDowns({ ...trunkTimes, clock });
  const { choose, route } = createChooser(options, coolDowns);
  const outOfDialog = createOutOfDialogRequests({ ...trunkTimes, srf, problem, clock });
  const shared = { srf, carriers, country, silenceMs, sessionTimes, clock, backgroundTasks, logger };
  const trunkCheck = createTrunkCheck({ ...shared, outOfDialog, trackLeg: () => legTracker.track(null) });
  const inbound = createInbound({ ...shared, access, directory, limits, trunkCheck, legTracker, sipCapture });
  const adopting = { send, mediaServers, trunks: () => allTrunks(options), limits, legTracker };
  let isClosed = false;
  const canTakeCallsOf = (trunk: Trunk): boolean =>
    !isClosed && !trunk.drained && carriers.problem(trunk) === null;
  const handlers = createHandlers({ access, inbound }, canTakeCallsOf);

  const isDown = (): boolean => isClosed || problem() !== null;
  const place = createPlacing({ ...shared, choose, directory, limits, coolDowns, isDown });

  return {
    outOfDialog,
    tryTrunk: trunkCheck.check,
    /** Enabled trunks, including the configured one. */
    trunks: () => allTrunks(options),
    /** Number of callers from unknown sources since the start. */
    refusedCallers: access.refused,
    /** Ends legs of dead processes now, or as soon as there is a connection. */
    endOrphans: legTracker.endOrphans,
    /** Ends the channels of such legs; called once the media servers are connected. */
    endChannels: legTracker.endChannels,

    /** Connects to drachtio-server. `waiting`: the dialogs of calls that wait for a lost connection. */
    open: (on: OnConnection): Promise<void> => connection.open({ ...handlers, ...following(on, legTracker) }),
    dialogStands: (dialogId: string): Promise<boolean> => dialogStands(dialogId, send),

    /** Loads the allowed callers. */
    openAccess: access.open,

    /** Starts the trunk directory and begins to accept calls. */
    async takeCalls(onArrival: OnArrival): Promise<void> {
      const { channelsOf } = limits;
      await directory.start({ ...outOfDialog, tryOut: trunkCheck.check, coolDowns, channelsOf, route });
      inbound.open(onArrival);
    },

    /** Begins to dial, or to answer the waiting caller with the call's id. */
    attempt(input: LineInput, call: Pick<Dialling, 'onRinging' | 'parent' | 'logger'>): Attempt {
      if (input.direction === 'inbound') return inbound.answer(input.callId, call.parent);
      const trackLeg = (): TrackedLeg => legTracker.track(input.callId);
      return place(input, { ...call, name: 'outbound-leg', trackLeg, preferredServer: null });
    },

    /**
     * Begins to dial the target of a transfer from the call's own number; `preferredServer` is the other party's media
     * server.
     */
    ring(
      input: LineInput,
      to: string,
      call: Pick<Dialling, 'onRinging' | 'parent' | 'logger'> & { preferredServer: string | null },
    ): Attempt {
      const { callId } = input;
      const trackLeg = (): TrackedLeg => ofTransfer(legTracker.track(callId));
      const leg = { ...call, name: 'second-leg' as const, trackLeg };
      return place({ callId, from: ownNumberOf(input), to }, leg);
    },

    /** Takes over a call that another process has left. */
    adopt: (call: Pick<AdoptOptions, 'callId' | 'left' | 'logger'>): Attempt =>
      adoptCall({ ...shared, ...call, ...adopting }),

    takeNoMore: connection.takeNoMore,

    /** Stops accepting and placing calls; the connection remains, so that calls can be ended. */
    close(): void {
      isClosed = true;
      inbound.close();
      access.close();
    },
  };
};

export type Signalling = ReturnType<typeof createSignalling>;
