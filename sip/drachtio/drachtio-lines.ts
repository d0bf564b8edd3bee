/**
 * Real telephone lines: SIP by drachtio-server, sound by FreeSWITCH. Both are external servers; calls are placed and
 * taken while both are connected.
 */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import type { Lines } from '../lines.ts';
import type { OpenRecording } from '../recording.ts';
import { loadVoiceDetector, type OpenVoiceDetector } from '../listening/voice-detector.ts';
import type { ListeningNumbers } from '../listening/listener.ts';
import type { SpeechEngines } from '../speech.ts';
import { createAskTrunk, type AskTrunk } from '../trunks/ask-trunk.ts';
import { chooseTrunks } from '../trunks/choose.ts';
import { configuredTrunk, type ConfiguredTrunk } from '../trunks/configured-trunk.ts';
import type { TrunkDirectory } from '../trunks/directory.ts';
import { createInboundAccess, type InboundAccess } from '../inbound-access/inbound-access.ts';
import { createTrunkLimits } from '../trunks/limits.ts';
import { abilities, allowed, noSip, type Attempt } from './signalling/attempt.ts';
import { createDrachtioLine, type DrachtioLine } from './drachtio-line.ts';
import { createTrunkCheck, type TrunkCheck } from './signalling/check-trunk.ts';
import { createFarEnds, type LegStore } from './signalling/far-ends.ts';
import { createInbound } from './signalling/inbound.ts';
import { createSpeak } from './playout/synthesis.ts';
import { createBackgroundTasks } from './background-tasks.ts';
import type { MediaServerNumbers } from './media/server.ts';
import { createMediaServers, type MediaServerState } from './media/servers.ts';
import { createAudioForks } from './media/audio-fork.ts';
import { dial } from './signalling/outbound.ts';
import type { SessionTimes } from './signalling/session-timer.ts';
import { createSignalling, type ControlProbe, type ServerAddress } from './signalling/connection.ts';

/** How long closing waits for BYE and CANCEL to be answered. */
const closeWithinMs = 2_000;

/** How long is waited for a trunk, in milliseconds. */
export type TrunkTimes = {
  /** From which nothing at all came for an INVITE; the next one is tried then. */
  silenceMs: number;
  /** Which does not answer a REGISTER or OPTIONS. */
  answerMs: number;
  /** For its next free channel, or the next second. */
  patienceMs: number;
  /** For a sign that the other side of a call is still there. */
  session: SessionTimes;
};

export type DrachtioLinesOptions = {
  drachtio: ServerAddress;
  /** One or several; each carries a part of the calls. */
  freeSwitches: readonly ServerAddress[];
  controlProbe: ControlProbe;
  mediaServers: MediaServerNumbers;
  /** The trunk of the configuration; `null` where there is none. */
  trunk: ConfiguredTrunk | null;
  trunks: TrunkDirectory;
  legs: LegStore;
  trunkTimes: TrunkTimes;
  /** Where FreeSWITCH reaches this process: the address of this host, and the port for sound (0: a free one). */
  media: { host: string; port: number };
  country: Country;
  speech: SpeechEngines;
  listening: ListeningNumbers;
  /** `null`: no call is recorded. */
  openRecording: OpenRecording | null;
  clock: Clock;
  logger: Logger;
};

export type DrachtioLines = Lines & {
  askTrunk: AskTrunk;
  tryTrunk: TrunkCheck['check'];
  /** Callers that no trunk knows, since the start. */
  refusedCallers: InboundAccess['refused'];
  mediaServers: () => readonly MediaServerState[];
  /** Ends the far ends of the calls of a node that has died; its calls' rows are others' to end. */
  endFarEndsOf(node: string): Promise<void>;
};

export const createDrachtioLines = (options: DrachtioLinesOptions): DrachtioLines => {
  const { clock, logger, country, openRecording, speech, trunkTimes, trunks: directory } = options;
  const configured = options.trunk && configuredTrunk(options.trunk);
  const lines = new Set<DrachtioLine>();
  const backgroundTasks = createBackgroundTasks(clock, logger);
  const signalling = createSignalling({
    server: options.drachtio,
    onInvite: (request, response) => inbound.receive(request, response),
    onOptions(request, response) {
      if (access.isUnknown(request)) response.send(403);
      else if (isClosed || mediaServers.problem() !== null) response.send(503);
      else response.send(200, { headers: abilities });
    },
    onOther(request, response) {
      if (access.admit(request, response) === null) return;
      response.send(request.has('To') && /;\s*tag=/i.test(request.get('To')) ? 481 : 405, {
        headers: { Allow: allowed },
      });
    },
    isIgnored: (request) => access.ignores(request),
    probe: options.controlProbe,
    onConnected: () => farEnds.connected(),
    onLost() {
      farEnds.lost();
      for (const line of lines) line.lose();
      mediaServers.renew();
    },
    clock,
    logger,
  });
  const mediaServers = createMediaServers(options.freeSwitches, {
    ...options.mediaServers,
    ownAddress: options.media.host,
    srf: signalling.srf,
    clock,
    backgroundTasks,
    logger,
  });
  const farEnds = createFarEnds({
    store: options.legs,
    send: signalling.send,
    endChannel: mediaServers.endChannel,
    clock,
    backgroundTasks,
    logger,
  });
  const audioForks = createAudioForks({ ...options.media, clock, logger });
  const access = createInboundAccess({ directory, configured, clock, logger });
  const limits = createTrunkLimits({ clock, patienceMs: trunkTimes.patienceMs });
  const askTrunk = createAskTrunk({
    srf: signalling.srf,
    problem: signalling.problem,
    answerMs: trunkTimes.answerMs,
    clock,
  });
  const { srf } = signalling;
  const { silenceMs, session: sessionTimes } = trunkTimes;
  const shared = { srf, mediaServers, country, silenceMs, sessionTimes, clock, backgroundTasks, logger };
  const trunkCheck = createTrunkCheck({ ...shared, askTrunk, meetFarEnd: () => farEnds.meet(null) });
  const inbound = createInbound({ ...shared, access, directory, limits, trunkCheck, farEnds });
  let openDetector: OpenVoiceDetector | null = null;
  let isClosed = false;

  const unreachable: Attempt = {
    outcome: Promise.resolve({ answered: false, cause: 'trunk_error', sip: noSip }),
    sip: () => noSip,
    cancel() {},
    lose() {},
  };

  const trunksFor = async (number: string): Promise<Trunk[]> =>
    chooseTrunks({
      owner: await directory.ownerOf(number),
      trunks: configured === null ? directory.all() : [...directory.all(), configured],
      isUsable: (id) => id === configured?.id || directory.isUsable(id),
      random: Math.random,
    });

  const attemptFor = (input: LineInput, lineLogger: Logger, onRinging: () => void): Attempt => {
    if (input.direction === 'inbound') return inbound.answer(input.callId);
    if (isClosed || signalling.problem() !== null) return unreachable;
    return dial({
      ...shared,
      from: input.from,
      to: input.to,
      trunks: () => trunksFor(input.from),
      limits,
      onRinging,
      meetFarEnd: () => farEnds.meet(input.callId),
      logger: lineLogger,
    });
  };

  return {
    askTrunk,
    tryTrunk: trunkCheck.check,
    refusedCallers: access.refused,
    mediaServers: mediaServers.states,
    async endFarEndsOf(node) {
      const orphans = await options.legs.orphans(node);
      farEnds.abandon(orphans);
      farEnds.endChannels(orphans);
    },
    name: 'drachtio',
    async start(onArrival) {
      // Before anything else: whoever still talks to a process that died waits for it.
      const orphans = await options.legs.orphans();
      await signalling.open();
      farEnds.abandon(orphans);
      openDetector = await loadVoiceDetector();
      await audioForks.open();
      await access.open();
      // Endpoints are made beforehand over SIP.
      await mediaServers.open();
      farEnds.endChannels(orphans);
      await directory.start({ ...askTrunk, tryOut: trunkCheck.check });
      inbound.open(onArrival);
    },
    open(input, emit) {
      const lineLogger = logger.child({ call_id: input.callId });
      const recognizer = speech.recognizerFor(input.speech);
      const line = createDrachtioLine({
        input,
        emit,
        attempt: (onRinging) => attemptFor(input, lineLogger, onRinging),
        audioForks,
        speak: createSpeak(speech.synthesizerFor(input.speech), input.language),
        hearing:
          recognizer === null || openDetector === null
            ? null
            : { recognizer, openDetector, numbers: options.listening },
        openRecording: input.recording && openRecording !== null ? () => openRecording(input.callId) : null,
        clock,
        backgroundTasks,
        logger: lineLogger,
        onOver: () => lines.delete(line),
      });
      lines.add(line);
      return line;
    },
    health() {
      const detail = signalling.problem() ?? mediaServers.problem();
      if (detail !== null) return { ready: false, detail };
      const warning = mediaServers.warning();
      return warning === null ? { ready: true } : { ready: true, warning };
    },
    async close() {
      isClosed = true;
      inbound.close();
      access.close();
      for (const line of lines) line.dispose();
      mediaServers.empty();
      await backgroundTasks.settled(closeWithinMs);
      mediaServers.close();
      signalling.close();
      await audioForks.close();
    },
  };
};
