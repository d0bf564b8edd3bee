/** Commands that try out an agent or a trunk. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { UsageError } from '#src/commands/parse-options.ts';
import { main, stepReport } from '#src/commands/trunk-check.ts';
import { runTryAgent } from '#src/commands/try-agent.ts';
import { writeCredentials } from '#src/start/credentials.ts';
import { fakeGateway } from '#test/api/fake-gateway.ts';
import { type Answer, sendBody, sendJson, sendReply, startAgentServer } from '#test/helpers/agent-server.ts';

// npm run try-agent

type Ended = { code: number; stdout: string; stderr: string };

/** The command in this process, with only these settings. */
const tryAgent = async (
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> => {
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

test.serial('prints a conversation and exits with 0', async (t) => {
  const server = await serve(t, [sendReply('안녕하세요. 무엇을 도와드릴까요?'), sendReply('네.')]);
  const { code, stdout, stderr } = await tryAgent([
    '--type',
    'webhook',
    '--url',
    server.url,
    '--token',
    'hush-hush',
    '--header',
    'X-Api-Key: hush: hush',
    '--say',
    '여보세요',
    '--say',
    '예약이요',
  ]);
  t.is(stderr, '');
  t.is(code, 0);
  t.like(server.requests[0]?.headers, { authorization: 'Bearer hush-hush', 'x-api-key': 'hush: hush' });
  for (const part of [
    'Turn 1: 여보세요',
    'Turn 2: 예약이요',
    `→ POST ${server.url}`,
    'Authorization: Bearer ••••',
    'x-api-key: ••••',
    '← 200',
    '무엇을 도와드릴까요?',
    'first sentence',
    'All 2 turns got a reply.',
  ]) {
    t.true(stdout.includes(part), part);
  }
  t.notRegex(stdout, /hush/);
});

test.serial('exits with 2 and one line on standard error for wrong usage', async (t) => {
  const command = fileURLToPath(new URL('../../src/commands/try-agent.ts', import.meta.url));
  const child = execFile(process.execPath, [command, '--type', 'gpt']);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  t.deepEqual(await once(child, 'close'), [2, null]);
  t.regex(stderr, /^--type must be one of[^\n]+\n$/);
});

test.serial('--json prints the same result as JSON', async (t) => {
  const server = await serve(t, sendReply('Hello.'));
  const { code, stdout } = await tryAgent([
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

test.serial('exits with 1 after a failed turn and prints advice', async (t) => {
  const server = await serve(t, sendJson({ answer: 'Hi' }));
  const { code, stdout } = await tryAgent(['--type', 'webhook', '--url', server.url, '--say', 'Hello']);
  t.is(code, 1);
  t.regex(stdout, /What to change: .*"answer"/);
});

test.serial('applies the settings of the gateway to a trial', async (t) => {
  const server = await serve(t, sendReply('Hi.'));
  const { code, stdout } = await tryAgent(['--type', 'webhook', '--url', server.url, '--say', 'Hello'], {
    GW_AGENT_ALLOW_LOOPBACK: '0',
  });
  t.is(code, 1);
  t.regex(stdout, /What to change: .*GW_AGENT_ALLOW_LOOPBACK=1/);
  t.is(server.requests.length, 0);
});

test.serial('tries the built-in agent with a model, instructions and tools', async (t) => {
  const server = await serve(t, sendReply('Hello.'));
  const settings = { GW_LLM_BASE_URL: server.url, GW_LLM_MODEL: 'small', GW_LLM_MODELS: 'large' };
  const base = ['--type', 'builtin', '--say', 'Hello'];
  await tryAgent([...base, '--model', 'large', '--prompt', 'You are Mina.', '--tools', 'hang_up'], settings);
  await tryAgent([...base, '--tools', 'none'], settings);
  const [first = '', second = ''] = server.requests.map(({ body }) => JSON.stringify(body));
  for (const part of ['large', 'You are Mina.', 'hang_up']) t.true(first.includes(part), part);
  t.false(first.includes('transfer_call'));
  t.true(second.includes('small'));
  t.notRegex(second, /You are Mina|hang_up/);
});

test.serial('--help explains the command', async (t) => {
  const { code, stdout } = await tryAgent(['--help']);
  t.is(code, 0);
  for (const name of [
    '--type',
    '--url',
    '--say',
    '--token',
    '--header',
    '--assistant-id',
    '--agent-id',
    '--model',
    '--prompt',
    '--tools',
    '--language',
  ]) {
    t.true(stdout.includes(name), name);
  }
});

const basic = ['--type', 'webhook', '--url', 'http://127.0.0.1:9'];

const wrong: [readonly string[], RegExp, Record<string, string>?][] = [
  [[], /^--type must be one of webhook, /],
  [['--type', 'gpt'], /^--type must be one of/],
  [['--type', 'webhook', '--say', 'x'], /^--url is missing/],
  [['--type', 'webhook', '--url', 'nonsense', '--say', 'x'], /^--url must be a URL/],
  [['--type', 'webhook', '--url', 'localhost:8080', '--say', 'x'], /^--url must be a URL such as https:/],
  [basic, /^--say is missing/],
  [[...basic, '--say', 'x', '--header', 'hush'], /^--header must be a name[^h]+/],
  [[...basic, '--say', 'x', '--header', 'x-api-key:'], /^--header must be a name/],
  [[...basic, '--say', 'x', '--header', 'Authorization: hush'], /^--header Authorization belongs to/],
  [[...basic, '--say', 'x', '--header', 'x-api-key: hüsh'], /^--header x-api-key must have up to 4096/],
  [
    [...basic, '--say', 'x', '--header', 'x-api-key: a', '--header', 'X-API-KEY: b'],
    /^--header X-API-KEY is given twice/,
  ],
  [[...basic, '--say', 'x', '--direction', 'sideways'], /^--direction must be/],
  [
    [...basic, '--say', 'x', '--direction', 'inbound', '--instruction', 'y'],
    /^--instruction is for outbound/,
  ],
  [[...basic, '--say', 'x', '--language', 'de'], /^--language must be one of ko, en, ja/],
  [[...basic, '--say', 'x', '--token', 'ä'], /^--token must be/],
  [[...basic, '--say', 'x', '--prompt', 'y'], /^--prompt is for --type builtin/],
  [
    ['--type', 'builtin', '--say', 'x', '--tools', 'hang_up,dance'],
    /^--tools must be none, or some of hang_up/,
  ],
  [['--type', 'builtin', '--say', 'x', '--prompt', 'y'.repeat(8_001)], /^--prompt must have 8000/],
  [['--type', 'builtin', '--say', 'x', '--model', 'large'], /^--model needs a language model/],
  [
    ['--type', 'builtin', '--say', 'x', '--model', 'huge'],
    /^--model must be one of small, large/,
    { GW_LLM_BASE_URL: 'http://127.0.0.1:9', GW_LLM_MODEL: 'small', GW_LLM_MODELS: 'large' },
  ],
  [[...basic, '--say', 'x', '--loud'], /--loud/],
  [[...basic, '--say', 'x', 'more'], /more/],
  [[...basic, '--say', 'x'], /^GW_AGENT_ALLOW_LOOPBACK must be/, { GW_AGENT_ALLOW_LOOPBACK: 'yes' }],
  [[...basic, '--say', 'x'], /^GW_AGENT_CA_FILE cannot be read/, { GW_AGENT_CA_FILE: '/nowhere.pem' }],
];
for (const [args, message, environment] of wrong) {
  test.serial(
    `exits with 2 and one line for wrong usage: ${message.source}, ${args.length} words`,
    async (t) => {
      const { code, stdout, stderr } = await tryAgent(args, environment);
      t.is(code, 2);
      t.is(stdout, '');
      t.regex(stderr, message);
      t.regex(stderr, /^[^\n]+\n$/);
    },
  );
}

// npm run trunk

const trunk = async (
  t: ExecutionContext,
  args: readonly string[],
  environment: Record<string, string> = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-check-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const printed: string[] = [];
  const code = await main(args, { GW_DATA_DIR: folder, ...environment }, (text) => void printed.push(text));
  return { code, printed: printed.join('\n') };
};

test.serial('checks a named trunk of the running gateway and prints a report', async (t) => {
  const { admin, baseUrl, adminToken } = await fakeGateway(t);
  await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const args = ['check', 'carrier', '--url', `${baseUrl}/`];
  t.deepEqual(await trunk(t, [...args, '--token', adminToken]), {
    code: 0,
    printed: '✔ options: The trunk answers.\n',
  });
  t.is((await trunk(t, args, { ADMIN_TOKEN: adminToken })).code, 0);
  await t.throwsAsync(trunk(t, ['check', 'other', '--url', baseUrl, '--token', adminToken]), {
    message: 'There is no trunk named "other" (there are: carrier)',
  });
  await t.throwsAsync(trunk(t, [...args, '--token', 'wrong']), { message: /^The gateway answers 401: / });
});

test.serial('sends the stored admin token only to the gateway that it belongs to', async (t) => {
  const { admin, baseUrl, adminToken } = await fakeGateway(t);
  await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-check-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeCredentials(folder, {
    base_url: baseUrl,
    console_url: `${baseUrl}/console`,
    workspace_id: randomUUID(),
    number_id: randomUUID(),
    number: '07000000000',
    number_key: 'unused',
    admin_token: adminToken,
  });
  const environment = { GW_DATA_DIR: folder };
  t.is((await trunk(t, ['check', 'carrier'], environment)).code, 0);
  t.is((await trunk(t, ['check', 'carrier', '--url', baseUrl], environment)).code, 0);
  await t.throwsAsync(trunk(t, ['check', 'carrier', '--url', 'http://127.0.0.1:9'], environment), {
    message: /^ADMIN_TOKEN is missing/,
  });
});

test.serial('exits with 1 if a check failed', async (t) => {
  const { admin, baseUrl, adminToken } = await fakeGateway(t, {
    tryTrunk: async () => [{ step: 'call', result: 'failed', sentence: 'It is full.', ladder: [] }],
  });
  await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const { code, printed } = await trunk(t, ['check', 'carrier', '--url', baseUrl, '--token', adminToken]);
  t.is(code, 1);
  t.is(printed, '✘ call: It is full.\n');
});

test.serial('prints the SIP messages as a ladder diagram', (t) => {
  t.is(
    stepReport({
      step: 'registration',
      result: 'ok',
      sentence: 'The trunk took the registration.',
      ladder: [
        { at_ms: 0, direction: 'out', message: 'REGISTER sip:sip.example.com' },
        { at_ms: 31, direction: 'in', message: '200 OK' },
      ],
    }),
    [
      '✔ registration: The trunk took the registration.',
      '       0 ms  gateway ──▶ trunk  REGISTER sip:sip.example.com',
      '      31 ms  gateway ◀── trunk  200 OK',
      '',
    ].join('\n'),
  );
});

test.serial('prints the correct usage after a wrong one', async (t) => {
  const usage = { message: /npm run trunk -- check NAME/ };
  await t.throwsAsync(trunk(t, []), usage);
  await t.throwsAsync(trunk(t, ['check']), usage);
  await t.throwsAsync(trunk(t, ['mend', 'carrier']), usage);
  await t.throwsAsync(trunk(t, ['check', 'carrier', '--nonsense']), { message: /nonsense/ });
  await t.throwsAsync(trunk(t, ['check', 'carrier']), { message: /give --url and --token/ });
  await t.throwsAsync(trunk(t, ['check', 'carrier', '--url', 'http://127.0.0.1:9', '--token', 'x']), {
    message: 'There is no gateway at http://127.0.0.1:9',
  });
  for (const url of ['gateway.example.com', 'localhost:8080'])
    await t.throwsAsync(trunk(t, ['check', 'carrier', '--url', url, '--token', 'x']), {
      instanceOf: UsageError,
      message: '--url must be a URL such as https://gateway.example.com',
    });
  t.regex((await trunk(t, ['--help'])).printed, /Tries a trunk out/);
});

test.serial('rejects an answer that is not that of a gateway', async (t) => {
  for (const [status, answer] of [
    [502, '<html>Bad gateway</html>'],
    [200, '<html>Welcome</html>'],
    [500, '{}'],
    [200, '{}'],
  ] as const) {
    const server = await serve(t, sendBody(answer, status));
    await t.throwsAsync(trunk(t, ['check', 'carrier', '--url', server.url, '--token', 'x']), {
      instanceOf: UsageError,
      message: `${new URL(server.url).origin} does not answer as a gateway of this version (HTTP ${status})`,
    });
  }
});

test.serial('lists the trunks that a call would try, in order', async (t) => {
  const { baseUrl, adminToken, asked, workspaceId, number } = await fakeGateway(t);
  const args = ['route', '+82 10-0000-0001', '--url', baseUrl, '--token', adminToken];
  t.deepEqual(await trunk(t, [...args, '--from', number.number]), {
    code: 0,
    printed: [
      '+821000000001',
      '  1. carrier (+8210): sip.example.com:5060',
      '  –  second: left out (drained)',
      '',
    ].join('\n'),
  });
  t.deepEqual(asked, [['routeTo', { workspaceId, trunkId: null, to: '01000000001' }]]);
  await t.throwsAsync(trunk(t, [...args, '--from', '01099999999']), {
    message: /^The gateway answers 400: /,
  });
  await t.throwsAsync(trunk(t, ['route', '12', '--url', baseUrl, '--token', adminToken]), {
    message: /^The gateway answers 400: /,
  });
});

test.serial('exits with 1 if no trunk would carry the call', async (t) => {
  const { baseUrl, adminToken } = await fakeGateway(t, {
    routeTo: () => ({ number: '+821000000001', trunks: [], leftOut: [], sentence: 'There is none.' }),
  });
  t.deepEqual(await trunk(t, ['route', '01000000001', '--url', baseUrl, '--token', adminToken]), {
    code: 1,
    printed: '+821000000001: There is none.\n',
  });
});
