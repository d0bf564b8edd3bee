/** A gateway's lines on doubles of drachtio-server and FreeSWITCH, and the telephones behind them. */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { controlProbe, listening, mediaServers, trunkTimes, inboundAccess } from '#config/policy.ts';
import type { LineEvent, LineInput } from '#machines/line.ts';
import {
  createDrachtioLines,
  type DrachtioLines,
  type DrachtioLinesOptions,
} from '#sip/drachtio/drachtio-lines.ts';
import { loadVoiceDetector } from '#sip/audio/listening/voice-detector.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import type { StartThread } from '#sip/media-thread/media-thread.ts';
import { emptyDirectory } from '#sip/trunks/directory.ts';
import { loadOfOtherNodes } from '#sip/trunks/shared-limits.ts';
import type { StoredLeg } from '#src/domain/sip-leg.ts';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';
import type { OrderedClock } from '#test/contract/ordered-clock.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { until as untilHolds } from '#test/helpers/until.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { startDrachtioServer, type DrachtioServer } from './drachtio-server.ts';
import { createFarEnd, type FarEnd } from './far-end.ts';
import { startFreeSwitch, type FreeSwitch } from './freeswitch.ts';
import { patienceMs } from './mailbox.ts';
import { createSeats } from './seats.ts';
import { threadRunIn } from './thread-run.ts';
import { createTurnedClock } from './turned-clock.ts';

export const ownNumber = '07012345678';
export const trunkAddress = '127.0.0.1:15060';

const seats = createSeats(4);

/** The doubles and their counterparties. */
type Servers = {
  drachtio: DrachtioServer;
  freeSwitches: readonly FreeSwitch[];
  /** The configured trunk. */
  trunk: FarEnd;
};

/** Addresses of the servers that lines need, doubles or real ones. */
export type ServerAddresses = {
  drachtio: Pick<DrachtioServer, 'control'>;
  freeSwitches: readonly Pick<FreeSwitch, 'eventSocket'>[];
  trunk: FarEnd;
};

/** A gateway's lines and its calls. */
export type LinesAndCalls = {
  lines: DrachtioLines;
  clock: OrderedClock;
  /** Opens an outbound call's line. */
  call(to?: string): WatchedLine;
  /** Inbound calls, and the lines of the accepted ones. */
  arrivals: readonly Arrival[];
  inbound: readonly WatchedLine[];
  /** Resolves when the condition holds; checked on every event of a call and on every inbound call. */
  until(condition: () => boolean): Promise<void>;
  /** Resolves when one of these calls has emitted this event. */
  said(lines: readonly WatchedLine[], type: LineEvent['type']): Promise<void>;
};

export type SipEdge = Servers & LinesAndCalls;

export type SipEdgeOptions = Partial<DrachtioLinesOptions> & {
  /** Stores the legs of a call whenever they change. */
  storeLegs?: (callId: string, legs: readonly StoredLeg[]) => void;
  /** Decides about each inbound call; by default all are accepted. */
  decide?: (arrival: Arrival) => ArrivalVerdict | Promise<ArrivalVerdict>;
  /** Does not open the lines of accepted calls automatically. */
  opensNothing?: boolean;
  freeSwitchCount?: number;
  /** Changes how the media thread starts. */
  wrapMediaThread?: (start: StartThread) => StartThread;
  /** Breaks the servers before the lines start; the test then does not wait for the lines to be ready. */
  spoil?: (servers: Servers) => void;
};

/** A synthesizer that returns silence immediately. */
const silentVoice = {
  name: 'silence',
  synthesize: async () => ({ sampleRate: 8_000, samples: new Int16Array(800) }),
};

/** Settings without an endpoint pool, so that the messages of each call are its own. */
export const plainMediaServers = {
  ...mediaServers,
  probeMs: 3_600_000,
  rtpTimeoutMs: 0,
  // The test determines when frames arrive.
  silenceMs: 0,
  pool: { ...mediaServers.pool, size: 0 },
};

/** Intervals so long that a test does not trigger a probe by advancing the clock. */
const noProbe = { everyMs: 3_600_000, answerMs: 3_600_000, comeBackMs: controlProbe.comeBackMs };

/** Default options of lines on these doubles. */
const linesOn = async ({
  drachtio,
  freeSwitches,
  clock,
}: Pick<ServerAddresses, 'drachtio' | 'freeSwitches'> & {
  clock: OrderedClock;
}): Promise<Omit<DrachtioLinesOptions, 'onCheckpoint'>> => ({
  drachtio: drachtio.control,
  freeSwitches: freeSwitches.map(({ eventSocket }) => eventSocket),
  controlProbe: noProbe,
  mediaServers: plainMediaServers,
  trunk: { address: trunkAddress },
  trunks: emptyDirectory,
  onTaken() {},
  onCutOff: async () => {},
  readOrphans: async () => [],
  trunkLoad: loadOfOtherNodes,
  trunkTimes,
  inboundAccess,
  mediaHost: '127.0.0.1',
  rtp: { host: '127.0.0.1', ports: { from: 22_000, to: 22_398 } },
  country: 'KR',
  speech: sameSpeech(silentVoice),
  listening,
  openDetector: await loadVoiceDetector(),
  turnModel: null,
  resample: await loadResampler(),
  openRecording: null,
  overhear: () => ({ write() {}, isWanted: () => false, skip() {} }),
  sipMessages: null,
  clock,
  logger: pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
});

/** Advances the clock, so that closing does not wait for servers that no longer respond. */
const closeLines = async (lines: DrachtioLines, clock: OrderedClock): Promise<void> => {
  let isClosed = false;
  const closing = lines.close().finally(() => {
    isClosed = true;
  });
  for (let turns = 0; turns < 50 && !isClosed; turns += 1) await setImmediate();
  clock.advance(60_000);
  await closing;
};

/** Advances the clock, so that failed attempts are retried. */
const untilReady = (lines: DrachtioLines, clock: OrderedClock): Promise<true> =>
  untilHolds('the lines are ready', () => {
    if (lines.health().ready) return true;
    clock.advance(250);
    return undefined;
  });

export const startServers = async (
  t: Pick<ExecutionContext, 'teardown'>,
  freeSwitchCount = 1,
): Promise<Servers> => {
  await seats.take();
  t.teardown(seats.leave);
  const drachtio = await startDrachtioServer();
  t.teardown(() => drachtio.close());
  const freeSwitches = await Promise.all(
    Array.from({ length: freeSwitchCount }, (_, index) =>
      startFreeSwitch(drachtio, `127.0.0.1:${15_070 + index}`),
    ),
  );
  for (const freeSwitch of freeSwitches) t.teardown(() => freeSwitch.close());
  return { drachtio, freeSwitches, trunk: createFarEnd(drachtio, trunkAddress) };
};

/** Starts another gateway's lines on the same servers. */
export const startSipEdgeOn = async <On extends ServerAddresses>(
  t: Pick<ExecutionContext, 'teardown'>,
  servers: On,
  { waits = true, ...options }: Omit<SipEdgeOptions, 'freeSwitchCount' | 'spoil'> & { waits?: boolean } = {},
): Promise<On & LinesAndCalls> => {
  const {
    decide = () => ({ accepted: true }),
    opensNothing = false,
    storeLegs = () => {},
    wrapMediaThread = (start) => start,
    ...lineOptions
  } = options;
  const clock = createTurnedClock();
  const lines = createDrachtioLines({
    ...(await linesOn({ ...servers, clock })),
    startMediaThread: wrapMediaThread(threadRunIn(clock)),
    onCheckpoint: (callId) => storeLegs(callId, lines.checkpoint(callId).legs),
    ...lineOptions,
  });
  t.teardown(() => closeLines(lines, clock));

  const events = new EventEmitter();
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await once(events, 'said', { signal: AbortSignal.timeout(patienceMs) });
  };
  const open = (input: Pick<LineInput, 'callId' | 'direction' | 'from' | 'to'>): WatchedLine =>
    openWatched(lines.open, lineInput(input), () => events.emit('said'));
  const arrivals: Arrival[] = [];
  const inbound: WatchedLine[] = [];
  await lines.start(async (arrival) => {
    arrivals.push(arrival);
    events.emit('said');
    const verdict = await decide(arrival);
    const { callId, from, to } = arrival;
    if (verdict.accepted && !opensNothing) inbound.push(open({ callId, direction: 'inbound', from, to }));
    return verdict;
  });
  if (waits && servers.freeSwitches.length > 0) await untilReady(lines, clock);
  return {
    ...servers,
    lines,
    clock,
    call: (to = '01099998888') => open({ callId: randomUUID(), direction: 'outbound', from: ownNumber, to }),
    arrivals,
    inbound,
    until,
    said: (told, type) => until(() => told.some((line) => line.saw(type))),
  };
};

export const startSipEdge = async (
  t: Pick<ExecutionContext, 'teardown'>,
  { freeSwitchCount, spoil, ...options }: SipEdgeOptions = {},
): Promise<SipEdge> => {
  const servers = await startServers(t, freeSwitchCount);
  spoil?.(servers);
  return startSipEdgeOn(t, servers, { ...options, waits: spoil === undefined });
};
