/** `npm run call`, with a gateway whose simulated lines run fast. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { type CallNews, TrunklineProblem, TrunklineUnreachable } from '#src/client/client.ts';
import type { Call, CallEvent } from '#src/client/schema.ts';
import { runCall } from '#src/commands/call.ts';
import type { EndedCall } from '#src/commands/call/call-view.ts';
import { followCall } from '#src/commands/call/follow-call.ts';
import { wordsFor } from '#src/commands/call/words.ts';
import { UsageError } from '#src/commands/parse-options.ts';
import { writeCredentials } from '#src/start/credentials.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { noServer } from '#test/helpers/no-server.ts';
import { type TestGateway, sharedGateway } from '#test/helpers/gateway.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

// The command

const polite = '01000000001';
const busy = '01000000003';
const silent = '01000000006';

/** A user who types the command, reads its output, and may end it. */
const typing = (args: readonly string[], environment: Record<string, string>) => {
  const printed = { output: '', errors: '' };
  let ask: (() => void) | null = null;
  const exit = runCall(args, {
    environment,
    output: { write: (text) => (printed.output += text) },
    errors: { write: (text) => (printed.errors += text) },
    interrupts: { wasInterrupted: () => false, onInterrupt: (newAsk) => (ask = newAsk) },
  });
  return {
    printed,
    exit,
    pressCtrlC: () => ask?.(),
    sees: (words: RegExp): Promise<true> =>
      until(String(words), () => words.test(printed.output) || undefined),
  };
};

const sharing = sharedGateway();

/** The shared gateway, at which a silent callee stays for longer than a busy machine takes to press Ctrl-C. */
const patientlySharing = async (t: ExecutionContext): Promise<TestGateway> => {
  const gateway = await sharing(t);
  const { status } = await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 600 });
  t.is(status, 200);
  return gateway;
};

/** Environment of a user in the folder of this gateway. */
const folderOf = ({ credentials }: TestGateway): Record<string, string> => ({
  GW_DATA_DIR: dirname(credentials.file),
});

test.serial('prints a call in progress, and its result', async (t) => {
  const gateway = await sharing(t);
  const { exit, printed } = typing([polite, 'Confirm the table'], folderOf(gateway));
  t.is(await exit, 0);
  const [call] = z
    .object({ calls: z.array(z.object({ id: z.string() })) })
    .parse((await gateway.client.get('/api/v1/calls')).body).calls;
  const transcript = await gateway.transcript(call?.id ?? '');
  t.true(transcript.length > 2);
  const text = printed.output.replaceAll(/\s+/g, ' ');
  // An event that arrives late has a row after later ones: the order is asserted with a simulated clock.
  for (const sentence of transcript.flatMap((turn) => turn.text.split(/(?<=[.?!])\s+/)))
    t.true(text.includes(sentence), sentence);
  t.regex(text, /Agent 안녕하세요[^]*Other party /);
  t.regex(text, new RegExp(`^Calling ${polite} from ${gateway.credentials.number}\\. Watch it: http`));
  t.regex(text, /Our side ended the call\. It lasted \d+\.\d s\./);
  t.regex(text, /The agent was heard \d\.\d s after the other party had spoken/);
  t.true(text.includes(`/#/calls/${call?.id}`));
});

test.serial('--language places the call in another language than that of the number', async (t) => {
  const { exit, printed } = typing(
    [polite, 'Confirm the table', '--language', 'en'],
    folderOf(await sharing(t)),
  );
  t.is(await exit, 0);
  t.regex(printed.output, /Agent +Hello, I am calling/);
  t.notRegex(printed.output, /\p{Script=Hangul}/u);
});

test.serial('passes the given metadata to the call', async (t) => {
  const gateway = await sharing(t);
  const given = ['--metadata', 'order=A-1042', '--metadata', 'note=a=b'];
  await typing([busy, ...given], folderOf(gateway)).exit;
  await typing([busy], folderOf(gateway)).exit;
  const { body } = await gateway.client.get('/api/v1/calls');
  const [plain, said] = z.array(z.looseObject({})).parse(body['calls']);
  t.deepEqual(said?.['metadata'], { order: 'A-1042', note: 'a=b' });
  t.false('metadata' in (plain ?? {}));
  await t.throwsAsync(typing([busy, '--metadata', 'order'], folderOf(gateway)).exit, {
    instanceOf: UsageError,
    message: '--metadata is a key and a value, such as order=A-1042',
  });
});

test.serial('exits with 1 and the reason after an unanswered call', async (t) => {
  const { exit, printed } = typing([busy], folderOf(await sharing(t)));
  t.is(await exit, 1);
  t.regex(printed.output, /The line was busy\.\n/);
  t.notRegex(printed.output, /It lasted/);
});

const jsonLine = z.looseObject({ type: z.string() });

test.serial('--json prints one line per event', async (t) => {
  const { exit, printed } = typing(['--json', polite], folderOf(await sharing(t)));
  t.is(await exit, 0);
  const lines = printed.output
    .trim()
    .split('\n')
    .map((line) => jsonLine.parse(JSON.parse(line)));
  t.like(lines[0], { type: 'call', call: { to: polite, status: 'ringing' } });
  t.like(lines.at(-1), { type: 'call', call: { status: 'completed', end_reason: 'agent_hangup' } });
  t.true(lines.some(({ type }) => type === 'state'));
  t.deepEqual(
    lines.filter(({ type }) => type === 'fact').map((line) => Object(line['event']).sequence),
    lines.filter(({ type }) => type === 'fact').map((_line, index) => index + 1),
  );
});

const endedBy = async (t: ExecutionContext, times: number): Promise<string> => {
  const { exit, printed, sees, pressCtrlC } = typing([silent], folderOf(await patientlySharing(t)));
  await sees(/Answered/);
  for (let time = 0; time < times; time += 1) pressCtrlC();
  t.is(await exit, times > 2 ? 1 : 0);
  return printed.output;
};

test.serial(
  'requests a hangup at the first Ctrl-C, hangs up at once at the second, exits at the third',
  async (t) => {
    t.regex(await endedBy(t, 1), /is asked to end the call[^]*Our side ended the call/);
    t.regex(await endedBy(t, 2), /Hanging up at once[^]*The call was hung up immediately, as requested/);
    t.regex(await endedBy(t, 3), /Left\. Whether the call has ended/);
  },
);

test.serial('handles a signal like Ctrl-C, and counts a signal that npm repeats once', async (t) => {
  const gateway = await patientlySharing(t);
  const command = new URL('../../src/commands/call.ts', import.meta.url).pathname;
  const environment = { ...process.env, ...folderOf(gateway), LC_ALL: 'C' };
  const child = spawn(process.execPath, [command, silent], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = once(child, 'exit');
  await until('it was answered', () => printed.includes('Answered') || undefined);
  child.kill('SIGINT');
  child.kill('SIGINT');
  t.deepEqual(await ended, [0, null]);
  t.regex(printed, /is asked to end the call[^]*Our side ended the call\./);
  t.notRegex(printed, /at once; Ctrl-C again leaves/);
});

test.serial('starts a gateway if none is running and stops it after the call', async (t) => {
  const folder = await emptyFolder(t);
  const environment = testSettings(await testDatabaseUrl(t), folder);
  const { exit, printed } = typing([busy], { ...environment, LANG: 'ko_KR.UTF-8' });
  t.is(await exit, 1);
  t.regex(
    printed.output,
    /하나를 시작합니다[^]*준비되었습니다[^]*`npm start`를 실행한 뒤\): (http\S+)\/#\/calls\//,
  );
  const [, url = ''] = /: (http\S+)\/#\/calls\//.exec(printed.output) ?? [];
  await t.throwsAsync(fetch(`${url}/healthz`));
});

test.serial('uses a gateway that opens its port while the command tries to start one', async (t) => {
  const { credentials } = await sharing(t);
  const { hostname, port } = new URL(credentials.base_url);
  // Accepts connections from the second one on, as a gateway that was still starting during the first one.
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    if (connections === 1) {
      socket.destroy();
      return;
    }
    const gateway = connect(Number(port), hostname);
    socket.pipe(gateway).pipe(socket);
    socket.on('error', () => gateway.destroy());
    gateway.on('error', () => socket.destroy());
  });
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = z.object({ port: z.number() }).parse(server.address());
  const folder = await emptyFolder(t);
  await writeCredentials(folder, { ...credentials, base_url: `http://127.0.0.1:${address.port}` });
  const { exit, printed } = typing([busy], { GW_DATA_DIR: folder, GW_PORT: String(address.port) });
  t.is(await exit, 1);
  t.regex(printed.output, /The line was busy\.\n/);
});

test.serial('plays a recording with the first available player', async (t) => {
  const gateway = await sharing(t);
  const programs = await emptyFolder(t);
  const heard = join(programs, 'heard');
  await writeFile(join(programs, 'mpv'), `#!/bin/sh\nfor file; do :; done\n/bin/cp "$file" ${heard}\n`);
  await chmod(join(programs, 'mpv'), 0o755);
  const { exit, printed } = typing(['--listen', polite], { ...folderOf(gateway), PATH: programs });
  t.is(await exit, 0);
  t.regex(printed.output, /Playing the recording \(mpv\)\./);
  const none = typing(['--listen', polite], { ...folderOf(gateway), PATH: await emptyFolder(t) });
  t.is(await none.exit, 0);
  t.regex(none.printed.output, /none of ffplay, mpv, vlc, play is installed/);
});

test.serial('prints an error of a call in one line', async (t) => {
  const gateway = await sharing(t);
  const wrongly = (message: RegExp, ...args: string[]) =>
    t.throwsAsync(typing(args, folderOf(gateway)).exit, { instanceOf: UsageError, message });
  await wrongly(/The number to call is missing/);
  await wrongly(/quote the task/, polite, 'Confirm', 'it');
  await wrongly(/whole number of seconds/, polite, '--max-duration', 'long');
  await wrongly(/--language is one of ko, en, ja/, polite, '--language', 'fr');
  await wrongly(/--fast/, polite, '--fast');
  for (const url of ['gateway.example.com', 'localhost:8080'])
    await wrongly(/^--url must be a URL such as https:/, polite, '--url', url);
  await wrongly(/NUMBER_KEY is missing/, polite, '--url', gateway.credentials.base_url);
  await t.throwsAsync(typing(['911'], folderOf(gateway)).exit, { instanceOf: TrunklineProblem });
  const { number_key: NUMBER_KEY, base_url } = gateway.credentials;
  const environment = { NUMBER_KEY, GW_DATA_DIR: await emptyFolder(t) };
  t.is(await typing([busy, '--url', base_url], environment).exit, 1);
});

// A gateway that ends

const event = (type: string, data: CallEvent['data'] = {}, offset: number | null = 0): CallEvent => ({
  sequence: 1,
  type,
  at: '2026-11-21T12:00:00.000+09:00',
  t_offset_sec: offset,
  data,
});

const answeredCall = { call_id: 'one', status: 'ringing', from: '07000000000' } as const;

/** A client whose stream of the call sends these events, then breaks and never returns. */
const followed = async (news: CallNews[], getCall: () => Promise<Call>) => {
  const shown: string[] = [];
  let ended: EndedCall | undefined;
  let ask = (): void => undefined;
  const result = await followCall(
    { to: polite },
    {
      client: {
        createCall: () => Promise.resolve(answeredCall),
        hangUp: () => Promise.reject(new Error('not to be asked')),
        cancelCall: () => Promise.reject(new Error('not to be asked')),
        getCall,
        async *watchCall(_request, { signal, onInterrupted } = {}) {
          yield* news;
          onInterrupted?.(new TrunklineUnreachable('It does not answer.'), 2_000);
          if (news.length === 0) ask();
          signal?.throwIfAborted();
          throw new TrunklineUnreachable('It does not answer.');
        },
      },
      view: {
        say: (words) => shown.push(words),
        begins: () => undefined,
        news: () => undefined,
        ends: (call) => (ended = call),
        close: () => undefined,
      },
      words: wordsFor({}),
      onInterrupt: (newAsk) => (ask = newAsk),
    },
  );
  return { shown, ended, result };
};

const away = () => Promise.reject(new TrunklineUnreachable('It does not answer.'));

test('takes the end of a call from its last event when the gateway stopped at the same time', async (t) => {
  const news = {
    type: 'fact',
    event: event('call.ended', { status: 'failed', end_reason: 'system_error' }, 7.5),
  } as const;
  const { shown, ended, result } = await followed([news], away);
  const end = { call_id: 'one', status: 'failed', end_reason: 'system_error', duration_sec: 7.5 };
  t.deepEqual([ended, result, shown], [end, end, []]);
});

test('reports an unreachable gateway at once, and an unknown result at the end', async (t) => {
  const news = { type: 'fact', event: event('call.answered') } as const;
  const { shown, ended, result } = await followed([news], away);
  t.deepEqual([ended, result], [undefined, undefined]);
  t.deepEqual(shown, [
    'It does not answer. Trying again in 2 s; Ctrl-C leaves.',
    'The connection to the gateway is lost, so whether the call has ended is unknown.',
  ]);
});

test('exits at once on Ctrl-C while the gateway is unreachable', async (t) => {
  const { shown, result } = await followed([], away);
  t.is(result, undefined);
  t.regex(shown.at(-1) ?? '', /^Left\./);
});

test('reports an unresponsive gateway in plain words', async (t) => {
  const environment = { NUMBER_KEY: 'gw_live_1', GW_DATA_DIR: await emptyFolder(t) };
  const { exit } = typing([polite, '--url', noServer], environment);
  await t.throwsAsync(exit, {
    instanceOf: TrunklineUnreachable,
    message: `The gateway at ${noServer} does not answer: ECONNREFUSED`,
  });
});
