/** `npm run rehearse` and `npm run cluster`. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { howTo, runCluster } from '#src/commands/cluster.ts';
import { UsageError } from '#src/commands/parse-options.ts';
import { runRehearse } from '#src/commands/rehearse.ts';
import { storedResult } from '#src/rehearsals/comparison.ts';
import { readCredentials } from '#src/start/credentials.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { type TestGateway, sharedGateway, testGateway, withFreshNumber } from '#test/helpers/gateway.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

// npm run rehearse

const sharing = sharedGateway();

const typing = async (environment: Record<string, string>, ...args: string[]) => {
  const printed = { output: '', errors: '' };
  const exit = await runRehearse(args, {
    environment,
    output: { write: (text) => (printed.output += text) },
    errors: { write: (text) => (printed.errors += text) },
    asked: new AbortController().signal,
  });
  return { exit, ...printed };
};

const folderOf = ({ credentials }: TestGateway): Record<string, string> => ({
  GW_DATA_DIR: dirname(credentials.file),
});

const suiteFile = async (t: ExecutionContext, text: string): Promise<string> => {
  const file = join(await emptyFolder(t), 'suite.yaml');
  await writeFile(file, text);
  return file;
};

/** Time limits on the line pass twenty times as fast as the agent answers, so they are long. */
const caseOf = (name: string, steps: string, expect = '', timeoutSec = 600): string =>
  `  - name: ${name}\n    timeout_sec: ${timeoutSec}\n    ${steps}\n${expect === '' ? '' : `    expect: ${expect}\n`}`;

test.serial(
  'reports each case as passed or failed, with its words and the states that were not visited',
  async (t) => {
    const gateway = await sharing(t);
    const file = await suiteFile(
      t,
      [
        'cases:\n',
        caseOf(
          'passes',
          'caller: [{ says: Are you open?, }, { hears: /./ }, { hangs_up: true }]',
          '{ end_reason: counterparty_hangup, visits: [active.talking.conversing, listening.hearing], facts: [call.ended] }',
        ),
        caseOf(
          'never says it',
          'caller: [{ says: Hello., }, { hears: /./ }, { hangs_up: true }]',
          '{ says: [xyzzy], never_says: [/./], end_reason: busy, status: failed, calls_transfer: true, duration_sec: { at_least: 500 }, visits: [active.bridged], facts: [call.held] }',
        ),
        caseOf('hears in vain', 'caller: [{ hears: xyzzy }, { hangs_up: true }]', '', 20),
        caseOf('is busy', 'callee: [{ is_busy: true }]', '{ end_reason: busy, duration_sec: 0 }'),
      ].join(''),
    );
    const junit = join(dirname(file), 'out.xml');
    const { exit, output } = await typing(folderOf(gateway), file, '--parallel', '4', '--junit', junit);
    t.is(exit, 1);
    t.regex(output, /✔ passes/);
    t.regex(output, /✔ is busy/);
    for (const failure of [
      /says: the agent never said xyzzy/,
      /never_says: the agent said \/\.\/ in “/,
      /end_reason: busy was expected, and it was counterparty_hangup/,
      /status: failed was expected, and it was completed/,
      /calls_transfer: true was expected, and it was not transferred/,
      /duration_sec: at least 500 was expected/,
      /visits: the call was never in active\.bridged/,
      /facts: there was no call\.held, but call\.answered/,
      /other party: Hello\./,
      /✘ hears in vain/,
      /step 1 \(hears: xyzzy\) did not come about within 20 s/,
      /4 cases: 2 passed, 2 failed/,
      /call: states \d+\/\d+, transitions \d+\/\d+\n {2}never in .*active\.bridged/,
      /conversation: states \d+\/\d+/,
    ])
      t.regex(output, failure);
    t.regex(await readFile(junit, 'utf8'), /tests="4" failures="2"/);
  },
);

test.serial('compares a stored run with the next one; --json prints JSON', async (t) => {
  const gateway = await sharing(t);
  const file = await suiteFile(
    t,
    `cases:\n${caseOf('one', 'callee: [{ declines: true }]', '{ end_reason: declined }')}`,
  );
  const kept = join(dirname(file), 'last.json');
  const first = await typing(folderOf(gateway), file, '--save', kept, '--repeat', '2', '--json');
  t.is(first.exit, 0);
  const result = storedResult.parse(JSON.parse(first.output));
  t.like(result, { passed: true, cases: { 0: { name: 'one', outcome: 'passed', runs: 2 } } });
  t.deepEqual(JSON.parse(await readFile(kept, 'utf8')), JSON.parse(first.output));
  await writeFile(file, `cases:\n${caseOf('one', 'callee: [{ declines: true }]', '{ end_reason: busy }')}`);
  const second = await typing(folderOf(gateway), file, '--compare', kept);
  t.is(second.exit, 1);
  t.regex(second.output, /worse one: passed → failed/);
});

test.serial(
  'the agent of a suite speaks in its calls, without the secrets of the agent of the number, which stays bound',
  async (t) => {
    const gateway = await testGateway(t);
    const stored = {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: 'http://127.0.0.1:9/',
      headers: { 'x-api-key': 'key-of-the-agent' },
    };
    for (const [direction, more] of [
      ['inbound', {}],
      ['outbound', { token: 'token-of-the-agent' }],
    ] as const) {
      const bound = await gateway.admin.put(`${gateway.numberPath}/agents/${direction}`, {
        ...stored,
        ...more,
      });
      t.is(bound.status, 200);
    }
    const agentsNow = async () => (await gateway.admin.get(gateway.numberPath)).body['agents'];
    const before = await agentsNow();
    const duringRun: unknown[] = [];
    const agent = await startAgentServer(async (response, request) => {
      duringRun.push(await agentsNow());
      await sendReply('Hello from the suite.')(response, request);
    });
    t.teardown(agent.close);
    const hears = '{ hears: Hello from the suite }, { hangs_up: true }';
    const file = await suiteFile(
      t,
      `agent: { agent_type: webhook, chat_url: "${agent.url}" }\ncases:\n${caseOf('calls', `caller: [{ says: Hello. }, ${hears}]`)}${caseOf('is called', `callee: [${hears}]`)}`,
    );
    const { exit, output } = await typing(folderOf(gateway), file);
    t.is(exit, 0, output);
    t.true(agent.requests.length >= 2);
    for (const { headers } of agent.requests) {
      t.is(headers['x-api-key'], undefined);
      t.is(headers.authorization, undefined);
    }
    for (const agents of [...duringRun, await agentsNow()]) t.deepEqual(agents, before);
  },
);

test.serial('starts a gateway if none is running and stops it after the suite', async (t) => {
  const environment = testSettings(await testDatabaseUrl(t), await emptyFolder(t));
  const file = await suiteFile(
    t,
    `cases:\n${caseOf('one', 'callee: [{ line_fails: true }]', '{ end_reason: trunk_error }')}`,
  );
  const { exit, output } = await typing(environment, file);
  t.is(exit, 0, output);
  t.regex(output, /^No gateway runs at http:\S+: one is started for this suite\./);
});

test.serial('reports an invalid suite by line and column, and wrong usage in one line', async (t) => {
  const file = await suiteFile(t, 'cases:\n  - name: one\n    caller: [{ hear: x }]\n');
  const { exit, errors } = await typing({}, file);
  t.is(exit, 2);
  t.true(errors.startsWith(`${file}:3:16: There is no hear here\n`), errors);
  const wrongly = (message: RegExp, ...args: string[]) =>
    t.throwsAsync(typing({}, ...args), { instanceOf: UsageError, message });
  await wrongly(/Name one suite/);
  await wrongly(/--repeat is a whole number/, file, '--repeat', '0');
  await wrongly(/cannot be read/, `${file}.none`);
  const right = await suiteFile(t, 'cases:\n  - name: one\n    caller: [{ hangs_up: true }]\n');
  await wrongly(/no result of an earlier run/, right, '--compare', right);
  for (const url of ['gateway.example.com', 'localhost:8080'])
    await wrongly(/^--url must be a URL such as https:/, right, '--url', url);
  await wrongly(/ADMIN_TOKEN is missing/, right, '--url', 'http://127.0.0.1:1');
});

test.serial('plays call screening, and judges by whom a call was answered', async (t) => {
  const gateway = await withFreshNumber(await sharing(t));
  await gateway.admin.patch(gateway.numberPath, { language: 'en' });
  const screened = '{ screening: "This is a call screening service. Who is calling, please?" }';
  const person = '{ says: Hello? }, { hears: /./ }, { hangs_up: true }';
  const file = await suiteFile(
    t,
    [
      `number: '${gateway.credentials.number}'\ncases:\n`,
      caseOf(
        'is screened',
        `callee: [${screened}, ${person}]`,
        '{ answered_by: screening, visits: [screened.introducing] }',
      ),
      caseOf('is not', `callee: [${person}]`, '{ answered_by: screening }'),
    ].join(''),
  );
  const { exit, output } = await typing(folderOf(gateway), file, '--parallel', '2');
  t.is(exit, 1);
  t.regex(output, /✔ is screened/);
  t.regex(output, /✘ is not.*\n +answered_by: screening was expected, and it was (?:human|not judged)/);
});

// npm run cluster

const silent = '01000000006';
const events = z.object({ events: z.array(z.looseObject({ type: z.string() })) });

test.serial(
  'tries a cluster: the call of a killed gateway continues on the other one, and all processes stop on request',
  async (t) => {
    const folder = await emptyFolder(t);
    const asked = new AbortController();
    t.teardown(() => asked.abort());
    const printed: string[] = [];
    const running = runCluster(
      ['--nodes', '2', '--port', '0'],
      {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        GW_MAX_DELAY_MS: '0',
        GW_DATA_DIR: folder,
        GW_DRAIN_SEC: '0',
      },
      { print: (line) => printed.push(line), isTerminal: false },
      asked.signal,
    );
    const find = (words: RegExp): Promise<string> =>
      until(String(words), () =>
        printed.map((line) => words.exec(line)?.[1]).find((found) => found !== undefined),
      );
    const pids = [await find(/^node-1 {2}pid (\d+)/), await find(/^node-2 {2}pid (\d+)/)].map(Number);
    await find(/(placed with the first gateway)/);

    const [first, second] = await Promise.all(
      ['node-1', 'node-2'].map((name) => readCredentials(join(folder, 'cluster', name))),
    );
    const key = first?.number_key ?? '';
    t.true(printed.some((text) => text.includes('Authorization: Bearer $NUMBER_KEY')));
    t.false(printed.some((text) => text.includes(key)));
    const client = apiClient(second?.base_url ?? '', key);
    const { body } = await apiClient(first?.base_url ?? '', key).post('/api/v1/calls', { to: silent });
    const callId = z.object({ call_id: z.string() }).parse(body).call_id;
    const path = `/api/v1/calls/${callId}`;
    await until(
      'the call is active',
      async () => (await client.get(path)).body['status'] === 'active' || undefined,
    );
    process.kill(pids[0] ?? Number.NaN, 'SIGKILL');
    await find(/^(node-1) {2}has ended \(SIGKILL\); it comes back in 10 s$/);
    await until('the call has gone on', async () => {
      const known = events.parse((await client.get(`${path}/events`)).body).events;
      return known.some(({ type }) => type === 'call.taken_over') || undefined;
    });
    t.is((await client.get(path)).body['status'], 'active');

    asked.abort();
    await running;
    for (const pid of pids) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  },
);

test.serial('prints the key only if the output is a terminal', (t) => {
  const credentials = {
    base_url: 'http://127.0.0.1:8080',
    console_url: 'http://127.0.0.1:8080/',
    workspace_id: '',
    number_id: '',
    number: '07000000000',
    number_key: 'gw_live_key',
    admin_token: 'gw_admin_token',
    file: '/a folder/dev-credentials.json',
  };
  t.true(howTo(credentials, true).includes("-H 'Authorization: Bearer gw_live_key'"));
  const collected = howTo(credentials, false);
  t.notRegex(collected, /gw_live_key|gw_admin_token/);
  t.regex(collected, /\n {4}eval "\$\(GW_DATA_DIR='\/a folder' npm run --silent credentials\)"\n {4}curl /);
  t.true(collected.includes('-H "Authorization: Bearer $NUMBER_KEY"'));
});

test.serial('prints an error of a rehearsal in one line', async (t) => {
  const run = (...args: string[]) =>
    runCluster(args, {}, { print: t.fail, isTerminal: true }, AbortSignal.abort());
  await t.throwsAsync(run('--nodes', '0'), { message: '--nodes is a whole number from 1 to 10' });
  await t.throwsAsync(run('--nodes', 'two'), { message: '--nodes is a whole number from 1 to 10' });
  await t.throwsAsync(run('--port', '65530'), { message: '--port is a whole number from 0 to 65525' });
  await t.throwsAsync(run('--fast'), { message: /--fast/ });
});
