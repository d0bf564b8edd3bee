/** Calls over SIP, out and in: who may call, over which trunk a call goes out, and how its far end comes to an end. */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import {
  createInboundAccess,
  type InboundAccess,
  type InboundAccessNumbers,
} from '../../inbound-access/inbound-access.ts';
import { headerOf } from '../../headers/header-values.ts';
import { tagIn } from '../../headers/name-addresses.ts';
import type { OnArrival } from '../../lines.ts';
import { createAskTrunk } from '../../trunks/ask-trunk.ts';
import { allTrunks, createChooser } from '../../trunks/chooser.ts';
import type { TrunkDirectory } from '../../trunks/directory.ts';
import { createTrunkLimits } from '../../trunks/limits.ts';
import { createSharedLimits, type SharedLimits, type SharedTrunkLoad } from '../../trunks/shared-limits.ts';
import { createTrunkRests } from '../../trunks/rests.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { SipCapture } from '../capture/sip-capture.ts';
import type { Carriers } from '../media/carriers.ts';
import type { MediaServers } from '../media/media-servers.ts';
import { adoptCall, type AdoptOptions } from './adopt.ts';
import { abilities, allowed, settledAttempt, type Attempt } from './attempt.ts';
import { createTrunkCheck } from './check-trunk.ts';
import type { SignallingConnection, SignallingHandlers } from './signalling-connection.ts';
import { createLegTracker, type LegTracker, type LegStore, type TrackedLeg } from './leg-tracker.ts';
import { createInbound, type Inbound } from './inbound.ts';
import { dial } from './outbound.ts';
import { dialogStands } from './revive.ts';
import type { SessionTimes } from './session-timer.ts';

/** The longest waits for a trunk, in milliseconds. */
export type TrunkTimes = {
  /** From which nothing at all came for an INVITE; the next one is tried then. */
  silenceMs: number;
  /** Which does not answer a REGISTER or OPTIONS. */
  answerMs: number;
  /** For its next free channel, or the next second. */
  patienceMs: number;
  /** When it has asked to be left alone (`Retry-After`): no longer than this, whatever it says. */
  longestRestMs: number;
  /** For the answer to a BYE or a CANCEL; then the call has ended all the same. */
  byeMs: number;
  /** How long a registration is asked for, in seconds. */
  registrationSec: number;
  /** For a sign that the other side of a call is still there. */
  session: SessionTimes;
};

export type SignallingOptions = {
  connection: SignallingConnection;
  mediaServers: Pick<MediaServers, 'adoptEndpoint' | 'endChannel'>;
  carriers: Carriers;
  directory: TrunkDirectory;
  /** The trunk of the configuration; `null` where there is none. */
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

/** Handlers of requests: answers to those outside of calls, and who takes the others. */
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

/** Far ends come before all others. */
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

/** The gateway's number of the call. */
export const ownNumberOf = ({ direction, from, to }: Pick<LineInput, 'direction' | 'from' | 'to'>): string =>
  direction === 'outbound' ? from : to;

/** Whoever goes on with the call knows by it that this is not the call's other party. */
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

type Dialling = Parameters<typeof dial>[0];

/** Begins to dial by the trunks of a number. */
const createPlacing =
  ({
    choose,
    directory,
    isDown,
    ...means
  }: Pick<Dialling, 'limits' | 'rests' | 'srf' | 'carriers' | 'country' | 'silenceMs' | 'sessionTimes'> &
    Pick<Dialling, 'clock' | 'backgroundTasks'> & {
      choose: ReturnType<typeof createChooser>['choose'];
      directory: TrunkDirectory;
      isDown: () => boolean;
    }) =>
  (
    { callId, from, to, sipHeaders = {} }: Pick<LineInput, 'callId' | 'from' | 'to' | 'sipHeaders'>,
    call: Pick<Dialling, 'onRinging' | 'logger' | 'trackLeg' | 'preferredServer'>,
  ): Attempt =>
    isDown()
      ? settledAttempt('trunk_error')
      : dial({
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
  const rests = createTrunkRests({ ...trunkTimes, clock });
  const { choose, route } = createChooser(options, rests);
  const askTrunk = createAskTrunk({ ...trunkTimes, srf, problem, clock });
  const shared = { srf, carriers, country, silenceMs, sessionTimes, clock, backgroundTasks, logger };
  const trunkCheck = createTrunkCheck({ ...shared, askTrunk, trackLeg: () => legTracker.track(null) });
  const inbound = createInbound({ ...shared, access, directory, limits, trunkCheck, legTracker, sipCapture });
  const adopting = { send, mediaServers, trunks: () => allTrunks(options), limits, legTracker };
  let isClosed = false;
  const canTakeCallsOf = (trunk: Trunk): boolean =>
    !isClosed && !trunk.drained && carriers.problem(trunk) === null;
  const handlers = createHandlers({ access, inbound }, canTakeCallsOf);

  const isDown = (): boolean => isClosed || problem() !== null;
  const place = createPlacing({ ...shared, choose, directory, limits, rests, isDown });

  return {
    askTrunk,
    tryTrunk: trunkCheck.check,
    /** Those that are enabled, that of the configuration too. */
    trunks: () => allTrunks(options),
    /** Callers that no trunk knows, since the start. */
    refusedCallers: access.refused,
    /** Ends legs of which no process is left, now or as soon as there is a connection. */
    endOrphans: legTracker.endOrphans,
    /** The channels of such legs, once the media servers are connected. */
    endChannels: legTracker.endChannels,

    /** Connects with drachtio-server. `waiting`: the dialogs of the calls that wait for it when it is lost. */
    open: (on: OnConnection): Promise<void> => connection.open({ ...handlers, ...following(on, legTracker) }),
    dialogStands: (dialogId: string): Promise<boolean> => dialogStands(dialogId, send),

    /** Looks up who may call. */
    openAccess: access.open,

    /** Finds out whose calls are taken, and takes them from now on. */
    async takeCalls(onArrival: OnArrival): Promise<void> {
      const { channelsOf } = limits;
      await directory.start({ ...askTrunk, tryOut: trunkCheck.check, rests, channelsOf, route });
      inbound.open(onArrival);
    },

    /** Begins to dial, or to answer the caller that waits under the call's id. */
    attempt(input: LineInput, call: { onRinging: () => void; logger: Logger }): Attempt {
      if (input.direction === 'inbound') return inbound.answer(input.callId);
      const trackLeg = (): TrackedLeg => legTracker.track(input.callId);
      return place(input, { ...call, trackLeg, preferredServer: null });
    },

    /**
     * Begins to dial a person to whom the other party of a call is to be handed, from the call's own number;
     * `preferredServer` is the media server of that party.
     */
    ring(
      input: LineInput,
      to: string,
      call: Pick<Dialling, 'onRinging' | 'logger'> & { preferredServer: string | null },
    ): Attempt {
      const { callId } = input;
      const trackLeg = (): TrackedLeg => ofTransfer(legTracker.track(callId));
      return place({ callId, from: ownNumberOf(input), to }, { ...call, trackLeg });
    },

    /** Goes on with a call that another process has left. */
    adopt: (call: Pick<AdoptOptions, 'callId' | 'left' | 'logger'>): Attempt =>
      adoptCall({ ...shared, ...call, ...adopting }),

    takeNoMore: connection.takeNoMore,

    /** No call is taken or placed any more; the connection still stands, so that calls can be ended. */
    close(): void {
      isClosed = true;
      inbound.close();
      access.close();
    },
  };
};

export type Signalling = ReturnType<typeof createSignalling>;
