/** The lines of a gateway on doubles of drachtio-server and FreeSWITCH, and the telephones behind them. */
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
import { loadVoiceDetector } from '#sip/listening/voice-detector.ts';
import { loadResampler } from '#sip/resampler.ts';
import { emptyDirectory } from '#sip/trunks/directory.ts';
import { loadOfNobodyElse } from '#sip/trunks/shared-limits.ts';
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
import { soundRunIn } from './sound-run.ts';
import { createTurnedClock } from './turned-clock.ts';

export const ownNumber = '07012345678';
export const trunkAddress = '127.0.0.1:15060';

const seats = createSeats(4);

/** The doubles, and who is behind them. */
type Servers = {
  drachtio: DrachtioServer;
  freeSwitches: readonly FreeSwitch[];
  /** The trunk of the configuration. */
  trunk: FarEnd;
};

/** The addresses of servers that lines need, doubles or real ones. */
export type ServerAddresses = {
  drachtio: Pick<DrachtioServer, 'control'>;
  freeSwitches: readonly Pick<FreeSwitch, 'eventSocket'>[];
  trunk: FarEnd;
};

/** The lines of a gateway, and its calls. */
export type LinesAndCalls = {
  lines: DrachtioLines;
  clock: OrderedClock;
  /** The line of a call that goes out. */
  call(to?: string): WatchedLine;
  /** What has come in, and the line of each where it was let in. */
  arrivals: readonly Arrival[];
  inbound: readonly WatchedLine[];
  /** Resolves as soon as it holds; asked whenever a call says something, or somebody calls in. */
  until(condition: () => boolean): Promise<void>;
  /** Resolves as soon as this was said of one of these calls. */
  said(lines: readonly WatchedLine[], type: LineEvent['type']): Promise<void>;
};

export type SipEdge = Servers & LinesAndCalls;

export type SipEdgeOptions = Partial<DrachtioLinesOptions> & {
  /** What is decided about each caller; without one, all are let in. */
  decide?: (arrival: Arrival) => ArrivalVerdict | Promise<ArrivalVerdict>;
  /** The lines of callers that are let in are not opened by themselves. */
  opensNothing?: boolean;
  freeSwitchCount?: number;
  /** What is wrong with the servers from the start; the lines are then not waited for. */
  spoil?: (servers: Servers) => void;
};

/** Makes nothing audible, at once. */
const silentVoice = {
  name: 'silence',
  synthesize: async () => ({ sampleRate: 8_000, samples: new Int16Array(800) }),
};

/** Nothing is made beforehand where nothing else is said: each call shows its own messages. */
export const plainMediaServers = {
  ...mediaServers,
  probeMs: 3_600_000,
  rtpTimeoutMs: 0,
  // Frames come as the test says.
  silenceMs: 0,
  pool: { ...mediaServers.pool, size: 0 },
};

/** So seldom, and so patient, that no test meets it by chance when it turns the clock. */
const noProbe = { everyMs: 3_600_000, answerMs: 3_600_000, comeBackMs: controlProbe.comeBackMs };

/** What lines on these doubles need, where a test says nothing else. */
const linesOn = async ({
  drachtio,
  freeSwitches,
  clock,
}: Pick<ServerAddresses, 'drachtio' | 'freeSwitches'> & {
  clock: OrderedClock;
}): Promise<DrachtioLinesOptions> => ({
  drachtio: drachtio.control,
  freeSwitches: freeSwitches.map(({ eventSocket }) => eventSocket),
  controlProbe: noProbe,
  mediaServers: plainMediaServers,
  trunk: { address: trunkAddress },
  trunks: emptyDirectory,
  legs: { keep() {}, takeOver() {}, remove() {}, orphans: async () => [] },
  trunkLoad: loadOfNobodyElse,
  trunkTimes,
  inboundAccess,
  mediaHost: '127.0.0.1',
  rtp: { host: '127.0.0.1', ports: { from: 22_000, to: 22_398 } },
  startSoundRun: soundRunIn(clock),
  country: 'KR',
  speech: sameSpeech(silentVoice),
  listening,
  openDetector: await loadVoiceDetector(),
  turnModel: null,
  resample: await loadResampler(),
  openRecording: null,
  overhear: () => ({ write() {}, isWanted: () => false }),
  sipMessages: null,
  clock,
  logger: pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
});

/** Whatever nobody answers any more is not waited for. */
const closeLines = async (lines: DrachtioLines, clock: OrderedClock): Promise<void> => {
  let isClosed = false;
  const closing = lines.close().finally(() => {
    isClosed = true;
  });
  for (let turns = 0; turns < 50 && !isClosed; turns += 1) await setImmediate();
  clock.advance(60_000);
  await closing;
};

/** What does not come about at once is tried again when the clock goes on. */
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

/** The lines of another gateway on the servers of this one. */
export const startSipEdgeOn = async <On extends ServerAddresses>(
  t: Pick<ExecutionContext, 'teardown'>,
  servers: On,
  { waits = true, ...options }: Omit<SipEdgeOptions, 'freeSwitchCount' | 'spoil'> & { waits?: boolean } = {},
): Promise<On & LinesAndCalls> => {
  const { decide = () => ({ accepted: true }), opensNothing = false, ...lineOptions } = options;
  const clock = createTurnedClock();
  const lines = createDrachtioLines({ ...(await linesOn({ ...servers, clock })), ...lineOptions });
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
