/** Calls with far ends whose scenario is written by the test: outbound and inbound. */
import test, { type ExecutionContext } from 'ava';
import { lineInput } from '#test/helpers/line-input.ts';
import type { Line, LineEvent } from '#machines/line.ts';
import type { DrachtioLinesOptions } from '#sip/drachtio/drachtio-lines.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import type { TrunkMedia, TrunkSrtp } from '#src/domain/trunk.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';
import { startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { onRealServers } from './on-real-servers.ts';
import { realLines, until } from './real-lines.ts';
import { startScripted, type ScriptedEnd } from './scripted-end.ts';
import type { SipServers } from './sip-servers.ts';

type Steps = readonly (string | readonly string[])[];
/** `ear` is the port of the far end's audio; `media` and `srtp` are settings of the trunk. */
type CallOptions = Partial<DrachtioLinesOptions> & {
  ear?: EarAndMouth;
  media?: TrunkMedia;
  srtp?: TrunkSrtp;
};

/** Events of a line, as they arrive. */
type Following = {
  events: LineEvent[];
  /** Waits for an event of this type. */
  has(type: LineEvent['type']): Promise<void>;
  count(type: LineEvent['type']): number;
};

type ScriptedCall = Following & { line: Line; end: ScriptedEnd };

export type ScriptedCalls = {
  /** Calls a far end with this scenario `calls` times; `repeats: false` disables sipp's retransmissions. */
  callTo(
    t: ExecutionContext,
    steps: Steps,
    options?: CallOptions & { calls?: number; repeats?: boolean },
  ): Promise<ScriptedCall>;
  /** A caller with this scenario, which is admitted. `callers` is the number of callers that reached the gateway. */
  callFrom(
    t: ExecutionContext,
    steps: Steps,
    options?: CallOptions,
  ): Promise<ScriptedCall & { callers: () => number }>;
};

const following = (events: LineEvent[]): Following => {
  const count = (type: LineEvent['type']): number => events.filter((event) => event.type === type).length;
  const has = (type: LineEvent['type']): Promise<void> =>
    until(() => count(type) > 0).catch((error: unknown) => {
      throw new Error(`${type} is missing: ${JSON.stringify(events)}`, { cause: error });
    });
  return { events, count, has };
};

const earKey = (ear: EarAndMouth | undefined): { ear?: number } =>
  ear === undefined ? {} : { ear: ear.port };

const dialling =
  (servers: () => SipServers): ScriptedCalls['callTo'] =>
  async (t, steps, { ear, media, srtp, calls = 1, repeats = true, ...options } = {}) => {
    const end = await startScripted(servers().folder, steps, { calls, repeats, ...earKey(ear) });
    t.teardown(end.close);
    const at = { host: '127.0.0.1', port: end.port };
    const trunks =
      srtp && directoryOf([someTrunk({ ...at, srtp, ...(media === undefined ? {} : { media }) })]);
    const terms = trunks === undefined ? options : { ...options, trunk: null, trunks };
    const lines = await realLines(servers(), end.port, terms, media);
    await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
    t.teardown(() => lines.close());
    const events: LineEvent[] = [];
    const line = lines.open(lineInput({ from: '07012345678' }), (event) => events.push(event));
    return { line, end, ...following(events) };
  };

/** Admits the next caller. */
const awaitCaller = async (
  t: ExecutionContext,
  servers: SipServers,
  options: Partial<DrachtioLinesOptions>,
): Promise<Following & { line: Line; callers: () => number }> => {
  const lines = await realLines(servers, 9, options);
  const events: LineEvent[] = [];
  let callers = 0;
  const opened = Promise.withResolvers<Line>();
  await lines.start(async ({ callId, from, to }) => {
    callers += 1;
    const input = {
      direction: 'inbound',
      language: 'en',
      speech: usualSpeech,
      bargeIn: stopping,
      turnEnd: byPauses,
      recording: false,
    } as const;
    setImmediate(() =>
      opened.resolve(lines.open({ ...input, callId, from, to }, (event) => events.push(event))),
    );
    return { accepted: true };
  });
  t.teardown(() => lines.close());
  const line: Line = {
    tell: (command) => void opened.promise.then((one) => one.tell(command)),
    close: () => void opened.promise.then((one) => one.close()),
    release: () => void opened.promise.then((one) => one.release('now')),
  };
  return { line, callers: () => callers, ...following(events) };
};

const answering =
  (servers: () => SipServers): ScriptedCalls['callFrom'] =>
  async (t, steps, { ear, ...options } = {}) => {
    const call = await awaitCaller(t, servers(), options);
    const end = await startScripted(servers().folder, steps, { dial: servers().sipPort, ...earKey(ear) });
    t.teardown(end.close);
    return { ...call, end };
  };

/** Declares tests of such calls; after them, no channel may be left. */
export const withScriptedCalls = (about: string, declareTests: (calls: ScriptedCalls) => void): void =>
  onRealServers(about, (servers) => {
    test.serial.after.always('no channel is left', async (t) => {
      await until(async () => /^0 total/m.test(await servers().console('show channels count')));
      t.pass();
    });
    declareTests({ callTo: dialling(servers), callFrom: answering(servers) });
  });

export const startEar = async (t: ExecutionContext): Promise<EarAndMouth> => {
  const ear = await startEarAndMouth();
  t.teardown(ear.close);
  return ear;
};
