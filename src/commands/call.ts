/**
 * `npm run call -- 01000000001 "…"`: places a call on the running gateway, or on one started for it, and shows it live.
 */
import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';
import { ConfigError, type Config } from '#config/config.ts';
import { createClient, TrunklineProblem, TrunklineUnreachable, type Client } from '#src/client/client.ts';
import type { Call } from '#src/client/schema.ts';
import { steadyClock } from '#src/clocks.ts';
import { isLanguage, languages, type Language } from '#src/domain/language.ts';
import { StartError } from '#src/domain/start-error.ts';
import { terminalLine } from '#src/domain/terminal-text.ts';
import { createLogger } from '#src/logger.ts';
import { isInstalled } from '#src/speech/run-program.ts';
import { checkAddress } from '#src/start/check-address.ts';
import { urlOf } from '#src/start/local-url.ts';
import { knownGateway } from '#src/start/known-gateway.ts';
import type { CallView } from './call/call-view.ts';
import { followCall } from './call/follow-call.ts';
import { createJsonView } from './call/json-view.ts';
import { playerNames, playRecording } from './call/play-recording.ts';
import { createTerminalView } from './call/terminal-view.ts';
import { wordsFor, type Words } from './call/words.ts';
import { httpUrl, parseOptions, UsageError } from './parse-options.ts';

const help = `Places a call and shows it as it happens: who says what, how long the agent took, how it ended.

  npm run call -- 01000000001 "Confirm the reservation of tomorrow at three" --language en
  npm run call -- 01000000001 "내일 오후 3시 예약을 확인해 주세요" --language ko

The number that is called, and what the agent is to do; that may be left out where the agent knows it.
A gateway that runs on this machine is used; where none runs, one is started, which ends with the call.
01000000001 to 01000000009 are simulated. On real lines a call costs money, and reaches somebody.

  --language TAG        the language of this call: ${languages.join(', ')}; else that of the number that calls
  --max-duration SEC    the longest call, 60 to 1800
  --metadata KEY=VALUE  said of the call, to find it by; may be given several times
  --listen              plays the recording when the call is over (by ${playerNames})
  --json                one line of JSON for each event (with npm run --silent)
  --url URL             another gateway; its number key is read from NUMBER_KEY
  --help                this text

Ctrl-C asks the agent to end the call, twice hangs up at once.
Ends with 0 when the call was completed, 1 when it was not, 2 when it was called wrongly.
`;

type CallOptions = {
  to: string;
  instruction: string | undefined;
  language: Language | undefined;
  maxDurationSec: number | undefined;
  metadata: Record<string, string>;
  url: string | undefined;
  listens: boolean;
  isJson: boolean;
};

const secondsIn = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,4}$/.test(text)) throw new UsageError('--max-duration is a whole number of seconds');
  return Number(text);
};

const languageIn = (tag: string | undefined): Language | undefined => {
  if (tag === undefined || isLanguage(tag)) return tag;
  throw new UsageError(`--language is one of ${languages.join(', ')}`);
};

const metadataIn = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const place = text.indexOf('=');
      if (place < 1) throw new UsageError('--metadata is a key and a value, such as order=A-1042');
      return [text.slice(0, place), text.slice(place + 1)];
    }),
  );

/** Parses the options. Returns `undefined` if help is requested. */
const readOptions = (args: readonly string[]): CallOptions | undefined => {
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      language: { type: 'string' },
      'max-duration': { type: 'string' },
      metadata: { type: 'string', multiple: true, default: [] },
      listen: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const [to, instruction, ...others] = positionals;
  if (to === undefined) throw new UsageError('The number to call is missing');
  if (others.length > 0) throw new UsageError('More than a number and a task were given: quote the task');
  return {
    to,
    instruction,
    language: languageIn(values.language),
    maxDurationSec: secondsIn(values['max-duration']),
    metadata: metadataIn(values.metadata),
    url: httpUrl(values.url),
    listens: values.listen,
    isJson: values.json,
  };
};

/** The gateway that places the call. `isPassing`: it was started for this call and ends with it. */
type UsedGateway = { url: string; key: string; isPassing: boolean };

const answerWithinMs = 5_000;

const isAlive = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerWithinMs) })).ok;
  } catch {
    return false;
  }
};

const startOwn = async (
  config: Config,
  started: AsyncDisposableStack,
  say: (words: string) => void,
  words: Words,
): Promise<UsedGateway> => {
  await checkAddress(config);
  say(words.starting(urlOf(config.host, config.port)));
  const { startGateway } = await import('../gateway.ts');
  const gateway = await startGateway(config, await createLogger({ level: 'silent', format: 'json' }));
  started.defer(() => gateway.close());
  say(words.started((gateway.startedInMs / 1_000).toFixed(1)));
  const { base_url, number_key } = gateway.credentials;
  return { url: base_url, key: number_key, isPassing: true };
};

/** Finds the gateway to use: the named one, else the running gateway of this folder, else a new one. */
const findGateway = async (
  { url }: CallOptions,
  environment: NodeJS.ProcessEnv,
  start: (config: Config) => Promise<UsedGateway>,
): Promise<UsedGateway> => {
  if (url !== undefined) {
    const key = environment['NUMBER_KEY'];
    if (key === undefined) throw new UsageError('NUMBER_KEY is missing: the key of the number that calls');
    return { url, key, isPassing: false };
  }
  const { config, url: here } = await knownGateway(environment);
  if (!(await isAlive(here))) {
    try {
      return await start(config);
    } catch (error) {
      // A gateway of this folder that was still starting may have opened the port in the meantime.
      if (!(error instanceof StartError && (await isAlive(here)))) throw error;
    }
  }
  const { key } = await knownGateway(environment);
  if (key === undefined)
    throw new UsageError(
      `The gateway at ${here} keeps its credentials elsewhere: set NUMBER_KEY to the key of a number`,
    );
  return { url: here, key, isPassing: false };
};

/** Polling interval and time limit for the recording, which is complete shortly after the call. */
const recordingWait = { everyMs: 250, atMostMs: 60_000 };

const listen = async (
  call: Call,
  client: Pick<Client, 'getCall' | 'getRecording'>,
  { say, words, environment }: { say: CallView['say']; words: Words; environment: NodeJS.ProcessEnv },
): Promise<void> => {
  const asked = { call_id: call.call_id };
  const until = steadyClock.now() + recordingWait.atMostMs;
  let { status } = call.recording;
  while (status === 'pending' && steadyClock.now() < until) {
    await setTimeout(recordingWait.everyMs);
    ({ status } = (await client.getCall(asked)).recording);
  }
  if (status !== 'completed') return say(words.noRecording);
  const onStart = (player: string): void => say(words.playing(player));
  const isPlayed = await playRecording(await client.getRecording(asked), { environment, onStart });
  if (!isPlayed) say(words.noPlayer(playerNames));
};

export type ProcessStreams = {
  environment: NodeJS.ProcessEnv;
  output: { write: (text: string) => unknown; isTTY?: boolean; columns?: number; rows?: number };
  /** Output for messages about this program when another program reads standard output. */
  errors: { write: (text: string) => unknown };
  interrupts: Interrupts;
};

/** Interrupts (Ctrl-C, SIGTERM), possibly repeated. */
type Interrupts = {
  wasInterrupted: () => boolean;
  /** Registers the function that runs for each later interrupt. */
  onInterrupt: (ask: () => void) => void;
};

/** Size of a terminal that does not report it. */
const usualSize = { columns: 80, rows: 24 };

const sizeOf = ({
  isTTY,
  columns,
  rows,
}: ProcessStreams['output']): { columns: number; rows: number } | null =>
  isTTY === true ? { columns: columns ?? usualSize.columns, rows: rows ?? usualSize.rows } : null;

const viewOn = (
  { output, errors }: ProcessStreams,
  { url, isPassing }: UsedGateway,
  isJson: boolean,
  words: Words,
): CallView =>
  isJson
    ? createJsonView({ write: (text) => output.write(text), tell: (text) => errors.write(text) })
    : createTerminalView({
        write: (text) => output.write(text),
        size: () => sizeOf(output),
        style: (style, text) => (output.isTTY === true ? styleText(style, text) : text),
        words,
        linkOf: (callId) => `${url}/#/calls/${callId}`,
        isPassing,
        clock: steadyClock,
      });

/** Runs the command. Resolves to the exit code. */
export const runCall = async (args: readonly string[], streams: ProcessStreams): Promise<number> => {
  const { environment, output, errors, interrupts } = streams;
  const wanted = readOptions(args);
  if (wanted === undefined) {
    output.write(help);
    return 0;
  }
  const words = wordsFor(environment);
  await using started = new AsyncDisposableStack();
  const say = (text: string): unknown => (wanted.isJson ? errors : output).write(`${text}\n`);
  const gateway = await findGateway(wanted, environment, async (config) => {
    if (config.lines === 'simulator' && !(await isInstalled('espeak-ng', environment['PATH'] ?? '')))
      say(words.noVoices);
    return startOwn(config, started, say, words);
  });
  if (interrupts.wasInterrupted()) return 1;
  const client = createClient({ baseUrl: gateway.url, key: gateway.key });
  const view = viewOn(streams, gateway, wanted.isJson, words);
  const { to, instruction, language, maxDurationSec, metadata } = wanted;
  const request = { to, instruction, language, max_duration_sec: maxDurationSec, metadata };
  const call = await followCall(request, { client, view, words, onInterrupt: interrupts.onInterrupt });
  if (call !== undefined && 'recording' in call && wanted.listens)
    await listen(call, client, { ...view, words, environment });
  return call?.status === 'completed' ? 0 : 1;
};

/** Time within which two signals count as one: npm forwards a Ctrl-C that the terminal has already sent. */
const sameSignalMs = 250;

/**
 * Subscribes to signals. From then on signals do not end this program by themselves, because a gateway that it started
 * must be shut down.
 */
const signals = (): Interrupts => {
  let last = -Infinity;
  let ask: (() => void) | null = null;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      const isSame = performance.now() - last < sameSignalMs;
      last = performance.now();
      if (!isSame) ask?.();
    });
  return {
    wasInterrupted: () => last > -Infinity,
    onInterrupt(newAsk) {
      ask = newAsk;
    },
  };
};

if (import.meta.main) {
  try {
    process.exitCode = await runCall(process.argv.slice(2), {
      environment: process.env,
      output: process.stdout,
      errors: process.stderr,
      interrupts: signals(),
    });
  } catch (error) {
    const isWrongUse = error instanceof UsageError || error instanceof ConfigError;
    const isForPeople =
      isWrongUse ||
      error instanceof StartError ||
      error instanceof TrunklineProblem ||
      error instanceof TrunklineUnreachable;
    if (!isForPeople) throw error;
    process.stderr.write(`${terminalLine(error.message)}${isWrongUse ? ' (--help explains)' : ''}\n`);
    process.exitCode = isWrongUse ? 2 : 1;
  }
}
