/** `npm run call`, with gateways whose simulated lines hurry. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { TrunklineProblem } from '#src/client/client.ts';
import { runCall } from '#src/commands/call.ts';
import { UsageError } from '#src/commands/parse-options.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { sharedGateway, testSettings, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

const polite = '01000000001';
const busy = '01000000003';
const silent = '01000000006';

/** Somebody who types it, reads what it prints, and may want to end it. */
const typing = (args: readonly string[], environment: Record<string, string>) => {
  const printed = { output: '', errors: '' };
  let ask: (() => void) | null = null;
  const exit = runCall(args, {
    environment,
    output: { write: (text) => (printed.output += text) },
    errors: { write: (text) => (printed.errors += text) },
    asked: { isAsked: () => false, onAsked: (newAsk) => (ask = newAsk) },
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

/** Of whoever types in the folder of this gateway. */
const folderOf = ({ credentials }: TestGateway): Record<string, string> => ({
  GW_DATA_DIR: dirname(credentials.file),
});

test.serial('a call is shown as it happens, and how it ended', async (t) => {
  const gateway = await sharing(t);
  const { exit, printed } = typing([polite, 'Confirm the table'], folderOf(gateway));
  t.is(await exit, 0);
  const [call] = z
    .object({ calls: z.array(z.object({ id: z.string() })) })
    .parse((await gateway.client.get('/api/v1/calls')).body).calls;
  const transcript = await gateway.transcript(call?.id ?? '');
  t.true(transcript.length > 2);
  const text = printed.output.replaceAll(/\s+/g, ' ');
  let from = 0;
  for (const turn of transcript) {
    const at = text.indexOf(
      `${turn.role === 'user' ? 'Other party' : 'Agent'} ${turn.text.replaceAll(/\s+/g, ' ')}`,
      from,
    );
    t.true(at >= from, turn.text);
    from = at;
  }
  t.regex(text, new RegExp(`^Calling ${polite} from ${gateway.credentials.number}\\. Watch it: http`));
  t.regex(text, /The agent said goodbye and ended the call\. It lasted \d+\.\d s\./);
  t.regex(text, /The agent was heard \d\.\d s after the other party had spoken/);
  t.true(text.includes(`/#/calls/${call?.id}`));
});

test.serial('what is said of a call stands in it', async (t) => {
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

test.serial('a call that nobody takes ends with 1, and says why', async (t) => {
  const { exit, printed } = typing([busy], folderOf(await sharing(t)));
  t.is(await exit, 1);
  t.regex(printed.output, /The line was busy\.\n/);
  t.notRegex(printed.output, /It lasted/);
});

const jsonLine = z.looseObject({ type: z.string() });

test.serial('programs get a line of JSON for each event', async (t) => {
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
  const { exit, printed, sees, pressCtrlC } = typing([silent], folderOf(await sharing(t)));
  await sees(/Answered/);
  for (let time = 0; time < times; time += 1) pressCtrlC();
  t.is(await exit, times > 2 ? 1 : 0);
  return printed.output;
};

test.serial('whoever wants to end the call asks the agent to, insists, and leaves', async (t) => {
  t.regex(await endedBy(t, 1), /is asked to end the call[^]*The agent said goodbye/);
  t.regex(await endedBy(t, 2), /Hanging up at once[^]*The agent said goodbye/);
  t.regex(await endedBy(t, 3), /Left\. Whether the call has ended/);
});

test.serial('a signal is what Ctrl-C is: one that is repeated by npm counts once', async (t) => {
  const gateway = await sharing(t);
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
  t.regex(printed, /is asked to end the call[^]*The agent said goodbye and ended the call\./);
  t.notRegex(printed, /at once; Ctrl-C again leaves/);
});

test.serial('where no gateway runs one is started, which ends with the call', async (t) => {
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

test.serial('a recording is played by the first player there is', async (t) => {
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

test.serial('what cannot be is said in one line', async (t) => {
  const gateway = await sharing(t);
  const wrongly = (message: RegExp, ...args: string[]) =>
    t.throwsAsync(typing(args, folderOf(gateway)).exit, { instanceOf: UsageError, message });
  await wrongly(/The number to call is missing/);
  await wrongly(/quote the task/, polite, 'Confirm', 'it');
  await wrongly(/whole number of seconds/, polite, '--max-duration', 'long');
  await wrongly(/--fast/, polite, '--fast');
  await wrongly(/NUMBER_KEY is missing/, polite, '--url', gateway.credentials.base_url);
  await t.throwsAsync(typing(['911'], folderOf(gateway)).exit, { instanceOf: TrunklineProblem });
  const { number_key: NUMBER_KEY, base_url } = gateway.credentials;
  const environment = { NUMBER_KEY, GW_DATA_DIR: await emptyFolder(t) };
  t.is(await typing([busy, '--url', base_url], environment).exit, 1);
});
