/** `npm run try-agent`: a conversation with an agent server, and wrong use. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { runTryAgent } from '#src/commands/try-agent.ts';
import { sendJson, sendReply, startAgentServer, type Answer } from '#test/helpers/agent-server.ts';

type Ended = { code: number; stdout: string; stderr: string };

/** The command in this process, with no settings but these. */
const run = async (args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> => {
  const printed = { stdout: '', stderr: '' };
  const code = await runTryAgent(args, {
    environment,
    output: { write: (text) => (printed.stdout += text) },
    errors: { write: (text) => (printed.stderr += text) },
  });
  return { code, ...printed };
};

const serve = async (t: ExecutionContext, answers: Answer | readonly Answer[]) => {
  const server = await startAgentServer(answers);
  t.teardown(() => server.close());
  return server;
};

test('a conversation is printed, and ends with 0', async (t) => {
  const server = await serve(t, [sendReply('안녕하세요. 무엇을 도와드릴까요?'), sendReply('네.')]);
  const { code, stdout, stderr } = await run([
    '--type',
    'webhook',
    '--url',
    server.url,
    '--token',
    'hush-hush',
    '--say',
    '여보세요',
    '--say',
    '예약이요',
  ]);
  t.is(stderr, '');
  t.is(code, 0);
  t.is(server.requests[0]?.headers.authorization, 'Bearer hush-hush');
  for (const part of [
    'Turn 1: 여보세요',
    'Turn 2: 예약이요',
    `→ POST ${server.url}`,
    'Authorization: Bearer ••••',
    '← 200',
    '무엇을 도와드릴까요?',
    'first sentence',
    'All 2 turns got a reply.',
  ]) {
    t.true(stdout.includes(part), part);
  }
  t.false(stdout.includes('hush-hush'));
});

test('as a program it exits with 2 and one line on standard error when called wrongly', async (t) => {
  const command = fileURLToPath(new URL('../../src/commands/try-agent.ts', import.meta.url));
  const child = execFile(process.execPath, [command, '--type', 'gpt']);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  t.deepEqual(await once(child, 'close'), [2, null]);
  t.regex(stderr, /^--type must be one of[^\n]+\n$/);
});

test('--json prints the same for machines', async (t) => {
  const server = await serve(t, sendReply('Hello.'));
  const { code, stdout } = await run([
    '--type',
    'webhook',
    '--url',
    server.url,
    '--language',
    'en',
    '--json',
    '--instruction',
    'Book a table',
  ]);
  t.is(code, 0);
  const trial = z
    .looseObject({ turns: z.array(z.looseObject({ message: z.string() })) })
    .parse(JSON.parse(stdout));
  t.like(trial, { ok: true, direction: 'outbound', language: 'en' });
  t.regex(trial.turns[0]?.message ?? '', /\[task\] Book a table$/);
});

test('a turn that fails ends with 1 and says what to change', async (t) => {
  const server = await serve(t, sendJson({ answer: 'Hi' }));
  const { code, stdout } = await run(['--type', 'webhook', '--url', server.url, '--say', 'Hello']);
  t.is(code, 1);
  t.regex(stdout, /What to change: .*"answer"/);
});

test('the settings of the gateway hold here as well', async (t) => {
  const server = await serve(t, sendReply('Hi.'));
  const { code, stdout } = await run(['--type', 'webhook', '--url', server.url, '--say', 'Hello'], {
    GW_AGENT_ALLOW_LOOPBACK: '0',
  });
  t.is(code, 1);
  t.regex(stdout, /What to change: .*GW_AGENT_ALLOW_LOOPBACK=1/);
  t.is(server.requests.length, 0);
});

test('--help explains itself', async (t) => {
  const { code, stdout } = await run(['--help']);
  t.is(code, 0);
  for (const name of ['--type', '--url', '--say', '--token', '--assistant-id', '--agent-id', '--language']) {
    t.true(stdout.includes(name), name);
  }
});

const basic = ['--type', 'webhook', '--url', 'http://127.0.0.1:9'];

const wrong: [readonly string[], RegExp, Record<string, string>?][] = [
  [[], /^--type must be one of webhook, /],
  [['--type', 'gpt'], /^--type must be one of/],
  [['--type', 'webhook', '--say', 'x'], /^--url is missing/],
  [['--type', 'webhook', '--url', 'nonsense', '--say', 'x'], /^--url must be a URL/],
  [basic, /^--say is missing/],
  [[...basic, '--say', 'x', '--direction', 'sideways'], /^--direction must be/],
  [
    [...basic, '--say', 'x', '--direction', 'inbound', '--instruction', 'y'],
    /^--instruction is for outbound/,
  ],
  [[...basic, '--say', 'x', '--language', 'de'], /^--language must be one of ko, en, ja/],
  [[...basic, '--say', 'x', '--token', 'ä'], /^--token must be/],
  [[...basic, '--say', 'x', '--loud'], /--loud/],
  [[...basic, '--say', 'x', 'more'], /more/],
  [[...basic, '--say', 'x'], /^GW_AGENT_ALLOW_LOOPBACK must be/, { GW_AGENT_ALLOW_LOOPBACK: 'yes' }],
  [[...basic, '--say', 'x'], /^GW_AGENT_CA_FILE cannot be read/, { GW_AGENT_CA_FILE: '/nowhere.pem' }],
];
for (const [args, message, environment] of wrong) {
  test(`wrong use ends with 2 and one line: ${message.source}, ${args.length} words`, async (t) => {
    const { code, stdout, stderr } = await run(args, environment);
    t.is(code, 2);
    t.is(stdout, '');
    t.regex(stderr, message);
    t.regex(stderr, /^[^\n]+\n$/);
  });
}
