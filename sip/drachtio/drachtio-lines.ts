/**
 * Real telephone lines: SIP by drachtio-server, audio by FreeSWITCH or this process. Both are external servers; calls
 * are placed and accepted while the required ones are connected.
 */
import type { Logger } from 'pino';
import type { LineEvent, LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { InboundAccess, InboundAccessNumbers } from '../inbound-access/inbound-access.ts';
import type { Lines, LinesHealth } from '../lines.ts';
import { mediaMeansFor, type CommonMeans } from '#sip/audio/media-means.ts';
import { createMediaThread, type StartThread } from '../media-thread/media-thread.ts';
import type { OutOfDialogRequests } from '../trunks/out-of-dialog-requests.ts';
import { referTo } from '../trunks/addressing.ts';
import { configuredTrunk, type ConfiguredTrunk } from '../trunks/configured-trunk.ts';
import type { TrunkDirectory } from '../trunks/directory.ts';
import type { SharedTrunkLoad } from '../trunks/shared-limits.ts';
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
import type { Attempt } from './leg.ts';
import type { TrunkCheck } from './check-trunk.ts';
import { createSignallingConnection, type ControlProbe } from './connection/connection.ts';
import type { LegStore } from './resume/leg-tracker.ts';
import { createSignalling, ownNumberOf, type TrunkTimes } from './signalling.ts';

/** Time that closing waits for responses to BYE and CANCEL. */
const closeWithinMs = 2_000;

export type DrachtioLinesOptions = CommonMeans & {
  drachtio: ServerAddress;
  /** Calls are distributed among them; without any, this process carries the calls that it can. */
  freeSwitches: readonly ServerAddress[];
  controlProbe: ControlProbe;
  mediaServers: MediaServerNumbers;
  /** Trunk of the configuration; `null` if there is none. */
  trunk: ConfiguredTrunk | null;
  trunks: TrunkDirectory;
  legs: LegStore;
  /** Load of all gateways on the trunks. */
  trunkLoad: SharedTrunkLoad;
  trunkTimes: TrunkTimes;
  inboundAccess: InboundAccessNumbers;
  /** Address of this host at which FreeSWITCH reaches this process. */
  mediaHost: string;
  /** Where trunks send the audio that this process carries: an address of this host and its ports. */
  rtp: { host: string; ports: { from: number; to: number } };
  /** Where audio is processed; a separate thread by default. */
  startMediaThread?: StartThread;
  country: Country;
  /** `null`: SIP messages of calls are not captured. */
  sipMessages: { keep: KeepSipMessage; limits: CaptureLimits } | null;
  clock: Clock;
  logger: Logger;
};

export type DrachtioLines = Lines & {
  outOfDialog: OutOfDialogRequests;
  tryTrunk: TrunkCheck['check'];
  /** Number of callers from unknown sources since the start. */
  refusedCallers: InboundAccess['refused'];
  mediaServers: () => readonly MediaServerState[];
  /** Ends the far ends of a dead node's calls. The rows of those calls are ended elsewhere. */
  endLegsOf(node: string): Promise<void>;
};

/** The two servers and the services that use them. */
const createServers = (options: DrachtioLinesOptions, backgroundTasks: BackgroundTasks) => {
  const { sipMessages, clock, logger } = options;
  const sipCapture = sipMessages === null ? noSipCapture : createSipCapture({ ...sipMessages, clock });
  const connection = createSignallingConnection({
    server: options.drachtio,
    probe: options.controlProbe,
    overhear: sipCapture.hear,
    clock,
    logger,
  });
  const mediaThread = createMediaThread({
    ports: options.rtp.ports,
    logger,
    ...(options.startMediaThread === undefined ? {} : { start: options.startMediaThread }),
  });
  const mediaServers = createMediaServers(options.freeSwitches, {
    ...options.mediaServers,
    ownAddress: options.mediaHost,
    srf: connection.srf,
    mediaThread,
    resample: options.resample,
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
  const signalling = createSignalling({
    ...options,
    connection,
    mediaServers,
    carriers,
    directory: options.trunks,
    configured: options.trunk && configuredTrunk(options.trunk),
    sipCapture,
    backgroundTasks,
  });
  return { connection, mediaServers, mediaThread, carriers, signalling };
};

const healthOf = ({ connection, signalling, ...means }: ReturnType<typeof createServers>): LinesHealth => {
  const detail = connection.problem();
  if (detail !== null) return { ready: false, detail };
  const problem = carryingHealth(signalling.trunks(), means);
  if (problem === null) return { ready: true };
  const { isDown, sentence } = problem;
  return isDown ? { ready: false, detail: sentence } : { ready: true, warning: sentence };
};

/** Handlers of the connection's state. */
const watchSignalling = (
  lines: ReadonlySet<DrachtioLine>,
  { signalling, mediaServers }: ReturnType<typeof createServers>,
  { controlProbe, clock }: DrachtioLinesOptions,
) => {
  const { dialogStands } = signalling;
  const calls = createLostSignalling({ lines, dialogStands, comeBackMs: controlProbe.comeBackMs, clock });
  return {
    on: {
      waiting: () =>
        new Set([...lines].flatMap((line) => [line.dialogId() ?? [], line.secondDialogId() ?? []].flat())),
      onLost() {
        calls.lost();
        mediaServers.renew();
      },
      onConnected: calls.connected,
    },
    /** Handlers of an adopted line's events; the line is tracked from then on. */
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
  const lines = new Set<DrachtioLine>();
  const backgroundTasks = createBackgroundTasks(clock, logger);
  const servers = createServers(options, backgroundTasks);
  const { connection, mediaServers, mediaThread, signalling } = servers;

  const lostSignalling = watchSignalling(lines, servers, options);

  const loggerOf = ({ callId }: LineInput): Logger => logger.child({ call_id: callId });

  const openLine = (
    input: LineInput,
    emit: (event: LineEvent) => void,
    call: Pick<DrachtioLineOptions, 'attempt' | 'isAdopted' | 'parent'>,
  ): DrachtioLine => {
    const line = createDrachtioLine({
      ...call,
      ...mediaMeansFor(input, options),
      input,
      emit,
      mediaServers,
      ring: (to, call) => signalling.ring(input, to, { ...call, logger: loggerOf(input) }),
      referTo: (trunk, to) => referTo(trunk, to, ownNumberOf(input), options.country),
      country: options.country,
      byeMs: options.trunkTimes.byeMs,
      clock,
      backgroundTasks,
      logger: loggerOf(input),
      onOver: () => lines.delete(line),
    });
    lines.add(line);
    return line;
  };

  return {
    name: 'drachtio',
    outOfDialog: signalling.outOfDialog,
    tryTrunk: signalling.tryTrunk,
    refusedCallers: signalling.refusedCallers,
    mediaServers: mediaServers.states,
    async endLegsOf(node) {
      const orphans = await options.legs.orphans(node);
      signalling.endOrphans(orphans);
      signalling.endChannels(orphans);
    },
    async start(onArrival) {
      // Done first, because the other parties of a dead process's calls are waiting.
      const orphans = await options.legs.orphans();
      await signalling.open(lostSignalling.on);
      signalling.endOrphans(orphans);
      await signalling.openAccess();
      // Opened second, because endpoints are created in advance over SIP.
      await mediaServers.open();
      signalling.endChannels(orphans);
      await signalling.takeCalls(onArrival);
    },
    open: (input, emit, parent) =>
      openLine(input, emit, {
        isAdopted: false,
        parent,
        attempt: (call) => signalling.attempt(input, { ...call, logger: loggerOf(input) }),
      }),
    resume(input, left, emit, parent) {
      const attempt = (): Attempt =>
        signalling.adopt({ callId: input.callId, left, logger: loggerOf(input) });
      const tell = lostSignalling.whenAdopted(() => line, emit);
      const line = openLine(input, tell, { isAdopted: true, parent, attempt });
      return line;
    },
    health: () => healthOf(servers),
    takeNoMore: signalling.takeNoMore,
    async close() {
      lostSignalling.close();
      signalling.close();
      for (const line of lines) line.close();
      mediaServers.empty();
      await backgroundTasks.settled(closeWithinMs);
      mediaServers.close();
      connection.close();
      await mediaThread.close();
    },
  };
};
