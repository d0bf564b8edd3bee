/**
 * Real telephone lines: SIP by drachtio-server, sound by FreeSWITCH. Both are external servers; calls are placed and
 * taken while both are connected.
 */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Lines } from '../lines.ts';
import { dialledNumber, type NumberFormat } from '../numbers.ts';
import type { OpenRecording } from '../recording.ts';
import { resample } from '../resample.ts';
import type { Synthesizer } from '../speech.ts';
import type { Attempt } from './attempt.ts';
import { createDrachtioLine, type DrachtioLine } from './drachtio-line.ts';
import { createInbound } from './inbound.ts';
import { createLooseEnds } from './loose-ends.ts';
import { createMediaServer } from './media-server.ts';
import { createMediaSocket } from './media-socket.ts';
import { dial } from './outbound.ts';
import { createSignalling, type ServerAddress } from './signalling.ts';

/** The rate of a telephone's sound, in Hz. */
const lineSampleRate = 8_000;
/** How long closing waits for BYE and CANCEL to be answered. */
const closeWithinMs = 2_000;

export type Trunk = {
  /** Where calls go: `host` or `host:port`. */
  address: string;
  /** What stands behind the caller's number in the From header; without it, drachtio-server's own address. */
  fromHost?: string;
  numbers?: NumberFormat;
};

export type DrachtioLinesOptions = {
  drachtio: ServerAddress;
  freeSwitch: ServerAddress;
  trunk: Trunk;
  /** Where FreeSWITCH reaches this process: the address of this host, and the port for sound (0: a free one). */
  media: { host: string; port: number };
  country: Country;
  synthesizer: Synthesizer;
  /** `null`: no call is recorded. */
  openRecording: OpenRecording | null;
  clock: Clock;
  logger: Logger;
};

export const createDrachtioLines = (options: DrachtioLinesOptions): Lines => {
  const { clock, logger, trunk, country, synthesizer, openRecording } = options;
  const lines = new Set<DrachtioLine>();
  const looseEnds = createLooseEnds(clock, logger);
  const signalling = createSignalling({
    server: options.drachtio,
    onInvite: (request, response) => inbound.receive(request, response),
    onLost() {
      for (const line of lines) line.lose();
    },
    clock,
    logger,
  });
  const mediaServer = createMediaServer({
    server: options.freeSwitch,
    ownAddress: options.media.host,
    srf: signalling.srf,
    clock,
    logger,
  });
  const mediaSocket = createMediaSocket({ ...options.media, clock, logger });
  const inbound = createInbound({ mediaServer, country, clock, looseEnds, logger });
  let isClosed = false;

  const synthesize = async (text: string, language: string, signal: AbortSignal): Promise<Int16Array> => {
    const { sampleRate, samples } = await synthesizer.synthesize(text, language, signal);
    return resample(samples, sampleRate / lineSampleRate);
  };

  const unreachable: Attempt = {
    outcome: Promise.resolve({
      answered: false,
      cause: 'trunk_error',
      sip: { status: null, reason: null, callId: null },
    }),
    cancel() {},
  };

  const attemptFor = (input: LineInput, lineLogger: Logger, onRinging: () => void): Attempt => {
    if (input.direction === 'inbound') return inbound.answer(input.callId);
    if (isClosed || signalling.problem() !== null) return unreachable;
    return dial({
      uri: `sip:${dialledNumber(input.to, country, trunk.numbers ?? 'domestic')}@${trunk.address}`,
      // drachtio-server puts its own address where `localhost` stands.
      from: `<sip:${dialledNumber(input.from, country, trunk.numbers ?? 'domestic')}@${trunk.fromHost ?? 'localhost'}>`,
      srf: signalling.srf,
      mediaServer,
      onRinging,
      looseEnds,
      logger: lineLogger,
    });
  };

  return {
    name: 'drachtio',
    async start(onArrival) {
      await mediaSocket.open();
      inbound.open(onArrival);
      await Promise.all([signalling.open(), mediaServer.open()]);
    },
    open(input, emit) {
      const lineLogger = logger.child({ call_id: input.callId });
      const line = createDrachtioLine({
        input,
        emit,
        attempt: (onRinging) => attemptFor(input, lineLogger, onRinging),
        mediaSocket,
        synthesize: (text, signal) => synthesize(text, input.language, signal),
        openRecording: input.recording && openRecording !== null ? () => openRecording(input.callId) : null,
        clock,
        looseEnds,
        logger: lineLogger,
        onOver: () => lines.delete(line),
      });
      lines.add(line);
      return line;
    },
    health() {
      const detail = signalling.problem() ?? mediaServer.problem();
      return detail === null ? { ready: true } : { ready: false, detail };
    },
    async close() {
      isClosed = true;
      inbound.close();
      for (const line of lines) line.dispose();
      await looseEnds.settled(closeWithinMs);
      mediaServer.close();
      signalling.close();
      await mediaSocket.close();
    },
  };
};
