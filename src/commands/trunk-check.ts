/**
 * `npm run trunk -- check <name>`: tests a trunk on the running gateway and prints its SIP messages; `npm run trunk --
 * route <number>`: lists the trunks that a call would use.
 */
import { httpUrl, parseOptions, UsageError } from './parse-options.ts';
import { z } from 'zod';
import { terminalLine, terminalLines } from '#src/domain/terminal-text.ts';
import { readCredentials } from '#src/start/credentials.ts';

const help = `Tries a trunk out on the running gateway: registration, OPTIONS, and a call.

  npm run trunk -- check NAME
  npm run trunk -- route NUMBER    which trunks a call to this number would take; nobody is called

  --from NUMBER   with route: the number of the workspace that calls
  --to NUMBER     call this number, which may ring for a moment; without it a number of the
                  workspace calls itself through the trunk
  --url URL       another gateway than that of dev-credentials.json
  --token TOKEN   an admin token of the workspace (default: ADMIN_TOKEN; for the gateway of
                  dev-credentials.json its token there)
  --help          this text

dev-credentials.json is looked for in the data folder (GW_DATA_DIR, .data).
Ends with 0 when nothing failed and there is a trunk, 1 when something did or there is none, 2 when it was called wrongly.
`;

const trunks = z.object({ trunks: z.array(z.object({ id: z.string(), name: z.string() })) });

const checked = z.object({
  steps: z.array(
    z.object({
      step: z.string(),
      result: z.enum(['ok', 'failed', 'skipped']),
      sentence: z.string(),
      ladder: z.array(z.object({ at_ms: z.number(), direction: z.enum(['out', 'in']), message: z.string() })),
    }),
  ),
});

type Step = z.infer<typeof checked>['steps'][number];

const marks = { ok: '✔', failed: '✘', skipped: '–' } as const;

export const stepReport = ({ step, result, sentence, ladder }: Step): string =>
  [
    `${marks[result]} ${step}: ${sentence}`,
    ...ladder.map(
      ({ at_ms, direction, message }) =>
        `  ${String(at_ms).padStart(6)} ms  gateway ${direction === 'out' ? '──▶' : '◀──'} trunk  ${message}`,
    ),
    '',
  ].join('\n');

const route = z.object({
  number: z.string(),
  trunks: z.array(z.object({ name: z.string(), prefix: z.string(), addresses: z.array(z.string()) })),
  left_out: z.array(z.object({ name: z.string(), because: z.string() })),
  sentence: z.string().nullable(),
});

export const routeReport = ({ number, trunks: found, left_out, sentence }: z.infer<typeof route>): string =>
  [
    `${number}${sentence === null ? '' : `: ${sentence}`}`,
    ...found.map(
      ({ name, prefix, addresses }, index) =>
        `  ${index + 1}. ${name} (${prefix === '' ? 'all numbers' : prefix}): ${addresses.join(', ')}`,
    ),
    ...left_out.map(({ name, because }) => `  –  ${name}: left out (${because})`),
    '',
  ].join('\n');

const parse = (args: readonly string[]) =>
  parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      to: { type: 'string' },
      from: { type: 'string' },
      url: { type: 'string' },
      token: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });

const problem = z.object({ title: z.string(), detail: z.string().optional() });

/** Requests a resource of the gateway. Throws a UsageError for an error, for another answer, and without an answer. */
const ask = async <Answer extends z.ZodType>(
  answer: Answer,
  { url, token, body }: { url: string; token: string; body?: object },
): Promise<z.output<Answer>> => {
  let response: Response;
  try {
    response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    throw new UsageError(`There is no gateway at ${new URL(url).origin}`, { cause });
  }
  const document: unknown = await response.json().catch(() => undefined);
  const found = answer.safeParse(document);
  if (response.ok && found.success) return found.data;
  const failure = problem.safeParse(document);
  if (response.ok || !failure.success)
    throw new UsageError(
      `${new URL(url).origin} does not answer as a gateway of this version (HTTP ${response.status})`,
    );
  const { title, detail } = failure.data;
  throw new UsageError(`The gateway answers ${response.status}: ${detail ?? title}`);
};

/** Runs the command and prints as it proceeds. Resolves to the exit code. */
export const main = async (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (text: string) => void,
): Promise<number> => {
  const { values, positionals } = parse(args);
  if (values.help) {
    print(help);
    return 0;
  }
  const [command, name, ...rest] = positionals;
  if ((command !== 'check' && command !== 'route') || name === undefined || rest.length > 0)
    throw new UsageError('It is called as: npm run trunk -- check NAME, or route NUMBER (more with --help)');
  const kept = await readCredentials(environment['GW_DATA_DIR'] || '.data');
  const url = httpUrl(values.url) ?? kept?.base_url;
  // The stored token is only for its own gateway.
  const keptToken = url === kept?.base_url ? kept?.admin_token : undefined;
  const token = values.token ?? environment['ADMIN_TOKEN'] ?? keptToken;
  if (url === undefined) throw new UsageError('There is no dev-credentials.json: give --url and --token');
  if (token === undefined)
    throw new UsageError('ADMIN_TOKEN is missing: a token of an admin of the workspace');

  const admin = `${url.replace(/(?<!\/)\/+$/, '')}/api/v1/admin`;
  if (command === 'route') {
    const query = new URLSearchParams({
      to: name,
      ...(values.from === undefined ? {} : { from: values.from }),
    });
    const found = await ask(route, { url: `${admin}/trunk-route?${query.toString()}`, token });
    print(routeReport(found));
    return found.trunks.length > 0 ? 0 : 1;
  }
  const path = `${admin}/trunks`;
  const listed = (await ask(trunks, { url: path, token })).trunks;
  const trunk = listed.find((one) => one.name === name);
  if (trunk === undefined)
    throw new UsageError(
      `There is no trunk named "${name}" (there are: ${listed.map((one) => one.name).join(', ') || 'none'})`,
    );
  const body = values.to === undefined ? {} : { to: values.to };
  const { steps } = await ask(checked, { url: `${path}/${trunk.id}/check`, token, body });
  for (const step of steps) print(stepReport(step));
  return steps.some(({ result }) => result === 'failed') ? 1 : 0;
};

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2), process.env, (text) =>
      process.stdout.write(`${terminalLines(text)}\n`),
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${terminalLine(error.message)}\n`);
    process.exitCode = 2;
  }
}
