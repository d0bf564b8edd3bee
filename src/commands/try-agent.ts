/** `npm run try-agent`: talks to an agent endpoint without a call and prints the requests and responses. */
import { httpUrl, parseOptions, UsageError } from './parse-options.ts';
import { ConfigError, readConfig } from '#config/config.ts';
import { agentTimes, graphTimes, replyLimits } from '#config/policy.ts';
import { createTryAgent } from '#src/agents/trial.ts';
import { closingReport, turnReport } from '#src/agents/trial/report.ts';
import { agentTrial } from '#src/api/agents/trial-schema.ts';
import { encode } from '#src/api/http/codec.ts';
import { languageModelsOf } from '#src/administration/choose-model.ts';
import {
  builtInTools,
  controlModes,
  longestPrompt,
  type BuiltInSettings,
  type BuiltInTool,
} from '#src/domain/agent-binding.ts';
import {
  agentHeaderName,
  isAgentHeaderValue,
  isReservedHeader,
  longestAgentHeader,
  mostAgentHeaders,
  type AgentHeaders,
} from '#src/domain/agent-headers.ts';
import { trialAgents, type TrialRequest } from '#src/domain/agent-trial.ts';
import { isLanguage, languages } from '#src/domain/language.ts';
import { StartError } from '#src/domain/start-error.ts';
import { terminalJson, terminalLine } from '#src/domain/terminal-text.ts';
import { systemClock } from '#src/clocks.ts';
import { createLogger } from '#src/logger.ts';
import { startLanguageModel } from '#src/parts/agents.ts';
import { startOutgoing } from '#src/parts/outgoing.ts';

/** Id of the workspace: the command has a single workspace without a name. */
const nobody = '';

/** Maximum number of turns of the other party. */
const mostTurns = 20;

const help = `Talks to an agent endpoint as a call would, and prints what was sent, what came back,
what would be spoken and when, and what to change when it fails.

  npm run try-agent -- --type langgraph --url http://127.0.0.1:2024 --assistant-id agent --say "Hello"

  --type TYPE           ${trialAgents.join(', ')}
                        (builtin: the built-in agent, with the model of GW_LLM_BASE_URL)
  --url URL             the chat URL, as in the number's binding
  --say TEXT            what the other party says; each one is a turn, up to ${mostTurns}
  --direction WAY       inbound (default): the first --say is the first turn
                        outbound: the kickoff is the first turn, and --say may be left out
  --instruction TEXT    the task in the kickoff; makes it outbound
  --token TOKEN         sent as bearer token: the stored one outbound, the session token inbound
  --header 'NAME: VALUE'  a header of your own on every request, such as 'api-key: …'; up to ${mostAgentHeaders}
  --assistant-id NAME   for langgraph
  --agent-id NAME       for outbound mastra
  --model NAME          for builtin: one of GW_LLM_MODEL and GW_LLM_MODELS (default the first)
  --prompt TEXT         for builtin: instructions that are added to the gateway's own
  --tools NAMES         for builtin: what it may do, ${builtInTools.join(',')},
                        with commas (default all; none: it only talks)
  --controls inline     marks in its replies such as <hangup/> are acts, as in a binding with that setting
  --language LANGUAGE   ${languages.join(', ')} (default ko)
  --json                the same for machines (with npm run --silent)
  --help                this text

The settings GW_AGENT_ALLOW_LOOPBACK, GW_AGENT_ALLOWED_HOSTS and GW_AGENT_CA_FILE hold here as well.
Ends with 0 when every turn got a reply, 1 when one failed or was silent, 2 when it was called wrongly.
`;

const parse = (args: readonly string[]) =>
  parseOptions({
    args: [...args],
    strict: true,
    options: {
      type: { type: 'string' },
      url: { type: 'string' },
      say: { type: 'string', multiple: true, default: [] },
      direction: { type: 'string' },
      instruction: { type: 'string' },
      token: { type: 'string' },
      header: { type: 'string', multiple: true, default: [] },
      'assistant-id': { type: 'string' },
      'agent-id': { type: 'string' },
      model: { type: 'string' },
      prompt: { type: 'string' },
      tools: { type: 'string' },
      controls: { type: 'string', default: 'off' },
      language: { type: 'string', default: 'ko' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;

const directionOf = (named: string | undefined, instruction: string | null): TrialRequest['direction'] => {
  const direction = named ?? (instruction === null ? 'inbound' : 'outbound');
  if (direction !== 'inbound' && direction !== 'outbound') {
    throw new UsageError('--direction must be inbound or outbound');
  }
  if (direction === 'inbound' && instruction !== null) {
    throw new UsageError('--instruction is for outbound calls: an inbound call has none');
  }
  return direction;
};

/** Parses a token: visible ASCII characters, like a stored token. */
const tokenOf = (token: string | undefined): string | null => {
  if (token === undefined || token === '') return null;
  if (!/^[!-~]{1,4096}$/.test(token)) throw new UsageError('--token must be of visible ASCII characters');
  return token;
};

/** Parses headers as in an agent binding. Error messages do not contain the values. */
const headersOf = (lines: readonly string[]): AgentHeaders => {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [name = '', ...rest] = line.split(':');
    const value = rest.join(':').trim();
    if (!agentHeaderName.test(name) || value === '')
      throw new UsageError("--header must be a name of letters, digits and hyphens, ':' and a value");
    if (isReservedHeader(name))
      throw new UsageError(`--header ${name} belongs to the connection or to the gateway and cannot be set`);
    if (!isAgentHeaderValue(value))
      throw new UsageError(
        `--header ${name} must have up to ${longestAgentHeader} printable ASCII characters`,
      );
    if (headers.has(name.toLowerCase())) throw new UsageError(`--header ${name} is given twice`);
    headers.set(name.toLowerCase(), value);
  }
  if (headers.size > mostAgentHeaders)
    throw new UsageError(`--header may be given ${mostAgentHeaders} times at most`);
  return Object.fromEntries(headers);
};

const toolsOf = (names: string): BuiltInTool[] => {
  const wanted = new Set(names === 'none' ? [] : names.split(',').map((name) => name.trim()));
  const tools = builtInTools.filter((tool) => wanted.has(tool));
  if (tools.length < wanted.size)
    throw new UsageError(`--tools must be none, or some of ${builtInTools.join(', ')}`);
  return tools;
};

/** Parses the settings of the built-in agent, as a number has them. */
const builtInOf = (
  agentType: TrialRequest['agentType'],
  { model, prompt, tools }: Pick<ReturnType<typeof parse>, 'model' | 'prompt' | 'tools'>,
): BuiltInSettings => {
  const [given] = Object.entries({ model, prompt, tools }).flatMap(([name, text]) =>
    text === undefined ? [] : [name],
  );
  if (given !== undefined && agentType !== 'builtin')
    throw new UsageError(`--${given} is for --type builtin`);
  const text = prompt?.trim() || null;
  if (text !== null && text.length > longestPrompt)
    throw new UsageError(`--prompt must have ${longestPrompt} characters at most`);
  return { model: model || null, prompt: text, tools: tools === undefined ? null : toolsOf(tools) };
};

/** Rejects a model that the operator does not offer, as the gateway does. */
const requireOffered = ({ model }: TrialRequest, languageModels: readonly string[]): void => {
  if (model === null || languageModels.includes(model)) return;
  throw new UsageError(
    languageModels.length === 0
      ? '--model needs a language model (GW_LLM_BASE_URL)'
      : `--model must be one of ${languageModels.join(', ')} (GW_LLM_MODELS)`,
  );
};

const chatUrlOf = (url: string | undefined): string => {
  if (url === undefined) throw new UsageError('--url is missing: the chat URL of the agent');
  return httpUrl(url, 'https://agent.example.com/chat');
};

const requestOf = (options: ReturnType<typeof parse>): TrialRequest => {
  const agentType = trialAgents.find((type) => type === options.type);
  if (agentType === undefined) throw new UsageError(`--type must be one of ${trialAgents.join(', ')}`);
  const chatUrl = agentType === 'builtin' ? null : chatUrlOf(options.url);
  if (!isLanguage(options.language))
    throw new UsageError(`--language must be one of ${languages.join(', ')}`);
  const controls = controlModes.find((mode) => mode === options.controls);
  if (controls === undefined) throw new UsageError(`--controls must be ${controlModes.join(' or ')}`);
  const instruction = options.instruction ?? null;
  const direction = directionOf(options.direction, instruction);
  if (direction === 'inbound' && options.say.length === 0) {
    throw new UsageError('--say is missing: what the other party says');
  }
  if (options.say.length > mostTurns) throw new UsageError(`--say may be given ${mostTurns} times at most`);
  return {
    agentType,
    chatUrl,
    assistantId: options['assistant-id'] || null,
    agentId: options['agent-id'] || null,
    controls,
    ...builtInOf(agentType, options),
    token: tokenOf(options.token),
    headers: headersOf(options.header),
    direction,
    language: options.language,
    instruction,
    say: options.say,
  };
};

type Environment = {
  environment: NodeJS.ProcessEnv;
  output: { write: (text: string) => unknown; isTTY?: boolean };
  errors: { write: (text: string) => unknown };
};

const runTrial = async (args: readonly string[], { environment, output }: Environment): Promise<number> => {
  const options = parse(args);
  const print = (text: string): unknown => output.write(text);
  if (options.help) {
    print(help);
    return 0;
  }
  const request = requestOf(options);
  const config = readConfig(environment, output.isTTY ?? false);
  requireOffered(request, languageModelsOf(config.languageModel));
  await using started = new AsyncDisposableStack();
  const outgoing = await startOutgoing({
    config,
    clock: systemClock,
    environment: { openDispatcher: null },
    started,
  });
  const languageModel = startLanguageModel({ config, clock: systemClock, started }, () => undefined);
  const tryAgent = createTryAgent({
    client: outgoing.trials.of(nobody),
    clock: systemClock,
    limits: replyLimits,
    graphTimes,
    times: agentTimes,
    // Sum of the time limits of all turns.
    wholeTrialMs: (request.say.length + 1) * agentTimes.wholeReplyMs,
    languageModel: languageModel.model,
    logger: await createLogger({ level: 'silent', format: 'json' }),
  });
  const trial = await tryAgent(request, (turn) => {
    if (!options.json) print(turnReport(turn));
  });
  print(options.json ? `${terminalJson(encode(agentTrial, trial, 'UTC'), 2)}\n` : closingReport(trial));
  return trial.ok ? 0 : 1;
};

/** Runs the command. Resolves to the exit code; wrong usage is reported as one line of `errors`. */
export const runTryAgent = async (args: readonly string[], environment: Environment): Promise<number> => {
  try {
    return await runTrial(args, environment);
  } catch (error) {
    const isWrongUse =
      error instanceof UsageError || error instanceof ConfigError || error instanceof StartError;
    if (!isWrongUse) throw error;
    environment.errors.write(`${terminalLine(error.message)} (--help explains)\n`);
    return 2;
  }
};

if (import.meta.main)
  process.exitCode = await runTryAgent(process.argv.slice(2), {
    environment: process.env,
    output: process.stdout,
    errors: process.stderr,
  });
