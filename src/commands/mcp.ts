/**
 * `npm run --silent mcp`: Model Context Protocol over standard input and output, for agents that start their servers.
 * The command forwards to a running gateway, which has the same tools at `/mcp`.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ConfigError } from '#config/config.ts';
import { NoGateway } from '#src/api/mcp/failed-tool.ts';
import { createMcpServer } from '#src/api/mcp/mcp-server.ts';
import type { ClientOptions } from '#src/client/send.ts';
import { steadyClock } from '#src/clocks.ts';
import { terminalLine } from '#src/domain/terminal-text.ts';
import { knownGateway } from '#src/start/known-gateway.ts';
import { version } from '#src/version.ts';
import { httpUrl, parseOptions, UsageError } from './parse-options.ts';

const help = `Gives an agent tools that place, follow and end telephone calls, by the Model Context Protocol over standard
input and output. The agent's program starts it: guides/mcp.md has the lines to copy.

  npm run --silent mcp

The gateway that runs on this machine is used, with the key in its data folder, or that in NUMBER_KEY.

  --url URL   another gateway; its number key is read from NUMBER_KEY
  --help      this text
`;

/** Parses the options. Returns `undefined` if help is requested. */
const readOptions = (args: readonly string[]): { url: string | undefined } | undefined => {
  const { values } = parseOptions({
    args: [...args],
    options: { url: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return undefined;
  return { url: httpUrl(values.url) };
};

export type ProcessStreams = {
  environment: NodeJS.ProcessEnv;
  input: Readable;
  output: Writable;
};

/** Runs the command. Resolves to the exit code when the input ends. */
export const runMcp = async (
  args: readonly string[],
  { environment, input, output }: ProcessStreams,
): Promise<number> => {
  const wanted = readOptions(args);
  if (wanted === undefined) {
    output.write(help);
    return 0;
  }
  if (wanted.url !== undefined && environment['NUMBER_KEY'] === undefined)
    throw new UsageError('NUMBER_KEY is missing: the key of the number that calls');
  // Looks up the gateway for each request, because it may start later, or restart on another port.
  const options = async (): Promise<ClientOptions> => {
    const here = await knownGateway(environment);
    if (here.key === undefined)
      throw new NoGateway(
        `There are no credentials in ${here.config.dataFolder}: start a gateway there, or set NUMBER_KEY to the key of a number.`,
      );
    return { baseUrl: wanted.url ?? here.url, key: here.key };
  };
  const server = createMcpServer({ version, clock: steadyClock, options });
  const ended = once(input, 'end');
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  await server.close();
  return 0;
};

if (import.meta.main) {
  try {
    const { env: environment, stdin: input, stdout: output } = process;
    process.exitCode = await runMcp(process.argv.slice(2), { environment, input, output });
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    process.stderr.write(`${terminalLine(error.message)} (--help explains)\n`);
    process.exitCode = 2;
  }
}
