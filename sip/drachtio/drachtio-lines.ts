/**
 * Real telephone lines: SIP by drachtio-server, audio by FreeSWITCH or this process. Both servers are external; calls
 * are placed and accepted while the required servers are connected.
 */
import type { Logger } from 'pino';
import type { LineEvent, LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import { openFence, type Fence } from '#src/domain/fence.ts';
import type { Country } from '#src/domain/phone-number.ts';
import {
  type InboundAccess,
  type InboundAccessNumbers,
  createInboundAccess,
} from '../inbound-access/inbound-access.ts';
import type { Lines, LinesHealth, OnArrival } from '../lines.ts';
import { mediaMeansFor, type CommonMeans } from '#sip/audio/media-means.ts';
import { createMediaThread, type StartThread } from '../media-thread/media-thread.ts';
import { type OutOfDialogRequests, createOutOfDialogRequests } from '../trunks/out-of-dialog-requests.ts';
import { referTo } from '../trunks/addressing.ts';
import { configuredTrunk, type ConfiguredTrunk } from '../trunks/configured-trunk.ts';
import type { TrunkDirectory } from '../trunks/directory.ts';
import { type SharedTrunkLoad, createSharedLimits } from '../trunks/shared-limits.ts';
import { createBackgroundTasks, type BackgroundTasks } from '../background-tasks.ts';
import { createDrachtioLine, type DrachtioLine, type DrachtioLineOptions } from './drachtio-line.ts';
import {
  createSipCapture,
  noSipCapture,
  type KeepSipMessage,
  type CaptureLimits,
} from './capture/sip-capture.ts';
import type { MediaServerNumbers } from '../freeswitch/media-server.ts';
import { carryingHealth, createCarriers } from '../carriers.ts';
import { createLostSignalling } from './resume/lost-connection.ts';
import { createMediaServers, type MediaServerState } from '../freeswitch/media-servers.ts';
import type { ServerAddress } from '../reconnect.ts';
import { type PendingLeg, failedLeg } from './leg.ts';
import { type TrunkCheck, createTrunkCheck } from './check-trunk.ts';
import {
  createSignallingConnection,
  type RelayedNodes,
  type ControlProbe,
  type SignallingHandlers,
} from './connection/connection.ts';
import { createLegTracker, type TrackedLeg } from './resume/leg-tracker.ts';
import type { OrphanLeg } from '#src/domain/sip-leg.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { headerOf } from '../headers/header-values.ts';
import { tagIn } from '../headers/name-addresses.ts';
import { allTrunks, createChooser } from '../trunks/chooser.ts';
import { createTrunkLimits } from '../trunks/limits.ts';
import { createTrunkCoolDowns } from '../trunks/cool-downs.ts';
import { adoptCall, type AdoptOptions } from './resume/adopt.ts';
import { createMediaFailover } from './resume/media-failover.ts';
import { abilitiesOn, allowedBy } from './dialog/capabilities.ts';
import { createInbound, type Inbound } from './inbound.ts';
import { startOutboundLeg } from './outbound-leg.ts';
import { createLeaving } from './resume/leave-standing.ts';
import { queryDialog } from './resume/revive.ts';
import type { SessionTimes } from './dialog/session-timer.ts';

/** Time that `close` waits for responses to BYE and CANCEL. */
const closeWithinMs = 2_000;

/** Time limits of trunks, in milliseconds. */
export type TrunkTimes = {
  /** Time without any response to an INVITE, after which the next trunk is tried. */
  silenceMs: number;
  /** Timeout of a REGISTER or OPTIONS. */
  answerMs: number;
  /** Longest wait for a free channel or for the next second of the trunk's rate limit. */
  patienceMs: number;
  /** Maximum cool-down after `Retry-After`, whatever value the trunk sends. */
  longestCoolDownMs: number;
  /** Timeout of a BYE or CANCEL, after which the call counts as ended. */
  byeMs: number;
  /** Requested lifetime of a registration, in seconds. */
  registrationSec: number;
  /** Session timers, by which a vanished other party is detected. */
  session: SessionTimes;
};

export type DrachtioLinesOptions = CommonMeans & {
  /** Address of drachtio-server, or of the relay in front of it. */
  drachtio: ServerAddress;
  /** Present with the relay. */
  relay?: RelayedNodes | undefined;
  /**
   * Media servers among which calls are distributed. If the list is empty, this process carries the calls that it can
   * carry.
   */
  freeSwitches: readonly ServerAddress[];
  controlProbe: ControlProbe;
  mediaServers: MediaServerNumbers;
  /** Trunk of the configuration; `null` if there is none. */
  trunk: ConfiguredTrunk | null;
  trunks: TrunkDirectory;
  /**
   * Called when the far ends of a call have changed (`Lines.checkpoint`). A trunk check has a far end without a call: an
   * id of its own is given.
   */
  onCheckpoint: (callId: string) => void;
  /** Called when a line was released because another gateway has taken over its call. */
  onTaken: (callId: string) => void;
  /**
   * Called with the calls that could continue at another gateway, because the connection to drachtio-server has not
   * returned. Resolves when calls are released to another gateway; those that are not released end. Must not release any
   * after `isCutOff` has returned false.
   */
  onCutOff: (callIds: readonly string[], isCutOff: () => boolean) => Promise<void>;
  /** Reads the legs that an earlier process of this node, or the given dead node, left. */
  readOrphans: (node?: string) => Promise<readonly OrphanLeg[]>;
  /** Load of all gateways on the trunks with limits. */
  trunkLoad: SharedTrunkLoad;
  trunkTimes: TrunkTimes;
  inboundAccess: InboundAccessNumbers;
  /** Address of this host at which FreeSWITCH reaches this process. */
  mediaHost: string;
  /** Local address and ports to which trunks send the audio that this process carries. */
  rtp: { host: string; ports: { from: number; to: number } };
  /** Starts the thread in which audio is processed; a separate thread by default. */
  startMediaThread?: StartThread;
  country: Country;
  /** Storage of the SIP messages of calls; `null` if messages are not captured. */
  sipMessages: { keep: KeepSipMessage; limits: CaptureLimits } | null;
  /**
   * Fence for frozen processes. While the fence is closed, commands to both servers wait. By default, the fence is
   * always open.
   */
  fence?: Fence;
  clock: Clock;
  logger: Logger;
};

export type DrachtioLines = Lines & {
  outOfDialog: OutOfDialogRequests;
  tryTrunk: TrunkCheck['check'];
  /** Numbers of refused callers from unknown sources since the start. */
  refusedCallers: InboundAccess['refused'];
  mediaServers: () => readonly MediaServerState[];
  /** Makes the relay refuse the messages of a gateway that was declared dead. */
  disown(node: string): Promise<void>;
  /** Ends the far ends of a dead node's calls. Another module ends the rows of these calls. */
  endLegsOf(node: string): Promise<void>;
  /** Ends far ends of calls that were taken over and cannot continue. */
  endLegs(legs: readonly OrphanLeg[]): void;
};

/** Connects to drachtio-server and the media servers, and chooses the carrier of a call's audio. */
const createServers = (options: DrachtioLinesOptions, backgroundTasks: BackgroundTasks) => {
  const { sipMessages, fence = openFence, clock, logger } = options;
  const sipCapture = sipMessages === null ? noSipCapture : createSipCapture({ ...sipMessages, clock });
  const connection = createSignallingConnection({
    server: options.drachtio,
    probe: options.controlProbe,
    overhear: sipCapture.hear,
    relay: options.relay,
    fence,
    clock,
    logger,
  });
  const mediaThread = createMediaThread({
    ports: options.rtp.ports,
    fence,
    logger,
    ...(options.startMediaThread === undefined ? {} : { start: options.startMediaThread }),
  });
  const mediaServers = createMediaServers(options.freeSwitches, {
    ...options.mediaServers,
    ownAddress: options.mediaHost,
    srf: connection.srf,
    mediaThread,
    resample: options.resample,
    fence,
    clock,
    backgroundTasks,
    logger,
  });
  const carriers = createCarriers(mediaServers, {
    thread: mediaThread,
    address: options.rtp.host,
    clock,
    rtpTimeoutMs: options.mediaServers.rtpTimeoutMs,
  });
  return { connection, sipCapture, mediaServers, mediaThread, carriers };
};

/** Handles requests: answers those outside of calls, and passes the others on. */
const createHandlers = (
  { access, inbound }: { access: InboundAccess; inbound: Inbound },
  canTakeCallsOf: (trunk: Trunk) => boolean,
): Omit<SignallingHandlers, 'onLost' | 'onConnected' | 'onDialogLost'> => ({
  onInvite: inbound.receive,
  onOptions(request, response) {
    const trunks = access.candidates(request);
    const able = trunks.find(canTakeCallsOf);
    if (trunks.length === 0) response.send(403);
    else if (able === undefined) response.send(503);
    else response.send(200, { headers: abilitiesOn(able) });
  },
  onOther(request, response) {
    const trunk = access.admit(request, response);
    if (trunk === null) return;
    const isInDialog = tagIn(headerOf(request, 'To')) !== '';
    response.send(isInDialog ? 481 : 405, { headers: { Allow: allowedBy(trunk) } });
  },
  isIgnored: access.ignores,
});

/** Returns the gateway's own number in the call. */
const ownNumberOf = ({ direction, from, to }: Pick<LineInput, 'direction' | 'from' | 'to'>): string =>
  direction === 'outbound' ? from : to;

/**
 * Marks a leg as that of a transfer, because a process that takes over the call must not mistake it for the other
 * party.
 */
const ofTransfer = (leg: TrackedLeg): TrackedLeg => ({
  ...leg,
  update: (state) => leg.update({ ...state, isOfTransfer: true }),
});

/** Channels and rates of trunks, on this gateway and over all gateways. */
const createLimits = (
  { trunkTimes, trunkLoad, clock, logger }: DrachtioLinesOptions,
  { add }: BackgroundTasks,
) => {
  const { patienceMs } = trunkTimes;
  const limits = createTrunkLimits({ clock, patienceMs });
  return createSharedLimits({ limits, load: trunkLoad, patienceMs, inBackground: add, clock, logger });
};

type Dialling = Parameters<typeof startOutboundLeg>[0];

/** Begins to dial through the trunks of a number. */
const createDialling =
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
  ): PendingLeg =>
    isDown()
      ? failedLeg('trunk_error')
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

/** Begins, answers, takes over and ends legs of calls, for the lines, the start and the trunk directory. */
const createLegs = (
  options: DrachtioLinesOptions,
  { connection, sipCapture, mediaServers, carriers }: ReturnType<typeof createServers>,
  backgroundTasks: BackgroundTasks,
) => {
  const { trunks: directory, trunkTimes, country, clock, logger } = options;
  const { srf, send, claim, problem } = connection;
  const { silenceMs, session: sessionTimes } = trunkTimes;
  const { endChannel } = mediaServers;
  const sources = { directory, configured: options.trunk && configuredTrunk(options.trunk), country };
  const legTracker = createLegTracker({
    ...options,
    sipCapture,
    send,
    endChannel,
    backgroundTasks,
  });
  const access = createInboundAccess({ ...options, ...sources, numbers: options.inboundAccess });
  const limits = createLimits(options, backgroundTasks);
  const coolDowns = createTrunkCoolDowns({ ...trunkTimes, clock });
  const { choose, route } = createChooser(sources, coolDowns);
  const outOfDialog = createOutOfDialogRequests({ ...trunkTimes, srf, problem, clock });
  const shared = { srf, carriers, country, silenceMs, sessionTimes, clock, backgroundTasks, logger };
  const trunkCheck = createTrunkCheck({ ...shared, outOfDialog, trackLeg: () => legTracker.track(null) });
  const inbound = createInbound({ ...shared, access, directory, limits, trunkCheck, legTracker, sipCapture });
  /** Returns the enabled trunks, including the configured one. */
  const trunks = (): readonly Trunk[] => allTrunks(sources);
  const adopting = { send, claim, mediaServers, trunks, limits, legTracker };
  let isClosed = false;
  const isDown = (): boolean => isClosed || problem() !== null;
  const { survivingLeg } = createMediaFailover(shared);
  const dial = createDialling({ ...shared, choose, directory, limits, coolDowns, isDown });

  return {
    trunks,
    access,
    legTracker,
    outOfDialog,
    trunkCheck,
    handlers: createHandlers(
      { access, inbound },
      (trunk) => !isClosed && !trunk.drained && carriers.problem(trunk) === null,
    ),

    /** Starts the trunk directory and begins to accept calls. */
    async takeCalls(onArrival: OnArrival): Promise<void> {
      const { channelsOf } = limits;
      await directory.start({ ...outOfDialog, tryOut: trunkCheck.check, coolDowns, channelsOf, route });
      inbound.open(onArrival);
    },

    /** Begins to dial, or to answer the waiting caller with the call's id. */
    begin(input: LineInput, call: Pick<Dialling, 'onRinging' | 'parent' | 'logger'>): PendingLeg {
      const { callId, direction } = input;
      const trackLeg = (): TrackedLeg => legTracker.track(callId);
      const leg =
        direction === 'inbound'
          ? inbound.answer(callId, call.parent)
          : dial(input, { ...call, name: 'outbound-leg', trackLeg, preferredServer: null });
      return survivingLeg(leg, { callId, logger: call.logger });
    },

    /**
     * Begins to dial the target of a transfer from the call's own number. `preferredServer` is the media server of the
     * other party.
     */
    ring(
      input: LineInput,
      to: string,
      call: Pick<Dialling, 'onRinging' | 'parent' | 'logger'> & { preferredServer: string | null },
    ): PendingLeg {
      const { callId } = input;
      const trackLeg = (): TrackedLeg => ofTransfer(legTracker.track(callId));
      const target = { callId, from: ownNumberOf(input), to };
      const leg = dial(target, { ...call, name: 'second-leg', trackLeg });
      return survivingLeg(leg, { callId, logger: call.logger });
    },

    /** Takes over a call of another process. */
    adopt: (call: Pick<AdoptOptions, 'callId' | 'state' | 'logger'>): PendingLeg =>
      survivingLeg(adoptCall({ ...shared, ...call, ...adopting }), call),

    /** Stops accepting and placing calls. The connection remains, so that calls can be ended. */
    close(): void {
      isClosed = true;
      inbound.close();
      access.close();
    },
  };
};

const healthOf = (
  { connection, ...means }: ReturnType<typeof createServers>,
  trunks: readonly Trunk[],
): LinesHealth => {
  const detail = connection.problem();
  if (detail !== null) return { ready: false, detail };
  const problem = carryingHealth(trunks, means);
  if (problem === null) return { ready: true };
  const { isDown, sentence } = problem;
  return isDown ? { ready: false, detail: sentence } : { ready: true, warning: sentence };
};

/** Handlers of the connection's state. */
const watchConnection = (
  lines: ReadonlyMap<string, DrachtioLine>,
  { connection, mediaServers }: ReturnType<typeof createServers>,
  { legTracker }: Pick<ReturnType<typeof createLegs>, 'legTracker'>,
  { controlProbe, onCutOff, clock, logger }: DrachtioLinesOptions,
) => {
  const calls = createLostSignalling<DrachtioLine>({
    lines: () => lines.values(),
    queryDialog: (dialogId) => queryDialog(dialogId, connection.send),
    comeBackMs: controlProbe.comeBackMs,
    offer(cutOff, isLost) {
      const resumable = [...lines].filter(([, line]) => cutOff.includes(line) && line.isResumable());
      return onCutOff(
        resumable.map(([callId]) => callId),
        isLost,
      );
    },
    clock,
    logger,
  });
  /** Returns the dialogs of calls that wait after a loss of the connection. */
  const waiting = () =>
    new Set(
      [...lines.values()].flatMap((line) => [line.dialogId() ?? [], line.secondDialogId() ?? []].flat()),
    );
  return {
    on: {
      // Handles the loss of the connection: first the far ends, then their calls.
      onLost() {
        legTracker.lost(waiting());
        calls.lost();
        mediaServers.signallingLost();
      },
      onConnected() {
        legTracker.connected();
        calls.connected();
        mediaServers.signallingBack();
      },
      onDialogLost(dialogId) {
        for (const line of lines.values())
          if (line.dialogId() === dialogId || line.secondDialogId() === dialogId) line.taken();
      },
    } satisfies Partial<SignallingHandlers>,
    /** Returns handlers of the events of a line that was taken over. From then on the line is tracked. */
    whenAdopted:
      (line: () => DrachtioLine, emit: (event: LineEvent) => void) =>
      (event: LineEvent): void => {
        if (event.type === 'line.adopted') calls.adopted(line());
        emit(event);
      },
    close: calls.close,
  };
};

export const createDrachtioLines = (options: DrachtioLinesOptions): DrachtioLines => {
  const { clock, logger } = options;
  const lines = new Map<string, DrachtioLine>();
  const backgroundTasks = createBackgroundTasks(clock, logger);
  const servers = createServers(options, backgroundTasks);
  const { connection, mediaServers, mediaThread } = servers;
  const legs = createLegs(options, servers, backgroundTasks);
  const { access, legTracker } = legs;
  const watched = watchConnection(lines, servers, legs, options);
  const leaving = createLeaving({ ...connection, clock, backgroundTasks });

  const loggerOf = ({ callId }: LineInput): Logger => logger.child({ call_id: callId });

  const openLine = (
    input: LineInput,
    emit: (event: LineEvent) => void,
    call: Pick<DrachtioLineOptions, 'beginLeg' | 'isAdopted' | 'parent'>,
  ): DrachtioLine => {
    const line = createDrachtioLine({
      ...call,
      ...mediaMeansFor(input, options),
      input,
      emit,
      mediaServers,
      leaveStanding: leaving.leave,
      ring: (to, call) => legs.ring(input, to, { ...call, logger: loggerOf(input) }),
      referTo: (trunk, to) => referTo(trunk, to, ownNumberOf(input), options.country),
      country: options.country,
      byeMs: options.trunkTimes.byeMs,
      clock,
      backgroundTasks,
      logger: loggerOf(input),
      onTaken: () => options.onTaken(input.callId),
      onOver() {
        if (lines.get(input.callId) === line) lines.delete(input.callId);
      },
    });
    lines.set(input.callId, line);
    return line;
  };

  const endLegs = (legs: readonly OrphanLeg[]): void => {
    legTracker.endOrphans(legs);
    legTracker.endChannels(legs);
  };

  return {
    name: 'drachtio',
    outOfDialog: legs.outOfDialog,
    tryTrunk: legs.trunkCheck.check,
    refusedCallers: access.refused,
    mediaServers: mediaServers.states,
    disown: connection.disown,
    endLegs,
    async endLegsOf(node) {
      endLegs(await options.readOrphans(node));
    },
    async start(onArrival) {
      const audioIsReady = mediaThread.start();
      // Orphaned legs are read first, because the other parties of a dead process's calls are waiting.
      const orphans = await options.readOrphans();
      await connection.open({ ...legs.handlers, ...watched.on });
      legTracker.endOrphans(orphans);
      await access.open();
      // Media servers are opened after drachtio-server, because they create endpoints in advance over SIP.
      await mediaServers.open();
      legTracker.endChannels(orphans);
      await audioIsReady;
      await legs.takeCalls(onArrival);
    },
    open: (input, emit, parent) =>
      openLine(input, emit, {
        isAdopted: false,
        parent,
        beginLeg: (call) => legs.begin(input, { ...call, logger: loggerOf(input) }),
      }),
    checkpoint: (callId) => ({
      legs: legTracker.legsOf(callId),
      isResumable: lines.get(callId)?.isResumable() ?? false,
      farEnd: null,
    }),
    resume(input, state, emit, parent) {
      const beginLeg = (): PendingLeg => legs.adopt({ callId: input.callId, state, logger: loggerOf(input) });
      const tell = watched.whenAdopted(() => line, emit);
      const line = openLine(input, tell, { isAdopted: true, parent, beginLeg });
      return line;
    },
    health: () => healthOf(servers, legs.trunks()),
    takeNoMore: connection.takeNoMore,
    async close() {
      watched.close();
      legs.close();
      for (const line of lines.values()) line.close();
      leaving.close();
      mediaServers.empty();
      await backgroundTasks.settled(closeWithinMs);
      mediaServers.close();
      connection.close();
      await mediaThread.close();
    },
  };
};
