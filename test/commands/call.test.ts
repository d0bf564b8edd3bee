/** `npm run call`, with a gateway whose simulated lines run fast. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { type CallNews, TrunklineProblem, TrunklineUnreachable } from '#src/client/client.ts';
import type { Call, CallEvent } from '#src/client/schema.ts';
import { runCall } from '#src/commands/call.ts';
import type { CallView, EndedCall } from '#src/commands/call/call-view.ts';
import { followCall } from '#src/commands/call/follow-call.ts';
import { createJsonView } from '#src/commands/call/json-view.ts';
import { createTerminalView } from '#src/commands/call/terminal-view.ts';
import { wordsFor } from '#src/commands/call/words.ts';
import { UsageError } from '#src/commands/parse-options.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { noServer } from '#test/helpers/no-server.ts';
import { type TestGateway, sharedGateway, testSettings } from '#test/helpers/gateway.ts';
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
  t.regex(text, /The agent ended the call\. It lasted \d+\.\d s\./);
  t.regex(text, /The agent was heard \d\.\d s after the other party had spoken/);
  t.true(text.includes(`/#/calls/${call?.id}`));
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
  const { exit, printed, sees, pressCtrlC } = typing([silent], folderOf(await sharing(t)));
  await sees(/Answered/);
  for (let time = 0; time < times; time += 1) pressCtrlC();
  t.is(await exit, times > 2 ? 1 : 0);
  return printed.output;
};

test.serial(
  'requests a hangup at the first Ctrl-C, hangs up at once at the second, exits at the third',
  async (t) => {
    t.regex(await endedBy(t, 1), /is asked to end the call[^]*The agent ended the call/);
    t.regex(await endedBy(t, 2), /Hanging up at once[^]*The call was hung up at once, as requested/);
    t.regex(await endedBy(t, 3), /Left\. Whether the call has ended/);
  },
);

test.serial('handles a signal like Ctrl-C, and counts a signal that npm repeats once', async (t) => {
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
  t.regex(printed, /is asked to end the call[^]*The agent ended the call\./);
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
  await wrongly(/--fast/, polite, '--fast');
  await wrongly(/NUMBER_KEY is missing/, polite, '--url', gateway.credentials.base_url);
  await t.throwsAsync(typing(['911'], folderOf(gateway)).exit, { instanceOf: TrunklineProblem });
  const { number_key: NUMBER_KEY, base_url } = gateway.credentials;
  const environment = { NUMBER_KEY, GW_DATA_DIR: await emptyFolder(t) };
  t.is(await typing([busy, '--url', base_url], environment).exit, 1);
});

// A gateway that ends

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

test.serial('does not attribute a call that the user hung up to the agent', (t) => {
  const { view, written } = viewing(null);
  tell(view, 'call.hangup_requested', { immediate: true });
  written();
  view.ends({ call_id: 'one', status: 'completed', end_reason: 'agent_hangup', duration_sec: 4 });
  t.regex(written(), /The call was hung up at once, as requested\. It lasted 4\.0 s\./);
});

// Terminal

const escape = '\u001B';

const viewing = (columns: number | null, environment: NodeJS.ProcessEnv = {}) => {
  const clock = createOrderedClock();
  let written = '';
  const view = createTerminalView({
    write: (text) => (written += text),
    columns: () => columns,
    style: (_style, text) => text,
    words: wordsFor(environment),
    linkOf: (callId) => `http://here/#/calls/${callId}`,
    isPassing: false,
    clock,
  });
  view.begins({ callId: 'one', to: '01000000001', from: '07000000000' });
  return {
    view,
    clock,
    /** Output since the last call of this function. */
    written: () => {
      const all = written;
      written = '';
      return all;
    },
  };
};

const event = (type: string, data: CallEvent['data'] = {}, offset: number | null = 0): CallEvent => ({
  sequence: 1,
  type,
  at: '2026-11-21T12:00:00.000+09:00',
  t_offset_sec: offset,
  data,
});

const tell = (view: CallView, ...parameters: Parameters<typeof event>): void =>
  view.news({ type: 'fact', event: event(...parameters) });

const said = (text: string, more: object = {}) => ({ role: 'assistant', text, whole: true, ...more });

test.serial('prints words beside their speaker and wraps long lines', (t) => {
  const { view, written } = viewing(null);
  written();
  const many = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
  tell(view, 'turn.spoken', said(many), 65.4);
  const [first = '', ...others] = written().trimEnd().split('\n');
  t.regex(first, /^ {2}1:05 {2}Agent {8}word0 word1 /);
  t.true(others.length > 2);
  for (const line of [first, ...others]) {
    t.true(line.length <= 100);
    t.regex(line, /^.{21}word/);
  }
});

test.serial('prints the latency of a reply after the reply only', (t) => {
  const { view, written } = viewing(null);
  tell(view, 'turn.spoken', said('Good morning.', { latency: { first_audio_ms: 40 } }));
  t.true(written().endsWith('Good morning.\n'));
  tell(view, 'turn.spoken', said('Yes.', { latency: { endpointing_ms: 260, first_audio_ms: 40 } }));
  t.true(written().endsWith('Yes. (0.3 s)\n'));
});

test.serial('prints a mark where words were interrupted', (t) => {
  const { view, written } = viewing(null);
  tell(view, 'turn.spoken', { ...said('Good mor'), whole: false });
  t.true(written().endsWith('Good mor –\n'));
});

test.serial("prints a transfer's target and the reason of its failure, in the reader's language", (t) => {
  for (const [environment, requested, failed] of [
    [{}, 'A person is rung to take the call: 01000000012', 'Nobody was reached to take the call: busy'],
    [{ LC_ALL: 'ko_KR.UTF-8' }, '담당자에게 전화를 거는 중: 01000000012', '담당자와 연결하지 못함: 통화 중'],
  ] as const) {
    const { view, written } = viewing(null, environment);
    tell(view, 'call.transfer_requested', { transfer_id: 'one', to: '01000000012', mode: 'cold' });
    t.true(written().endsWith(`${requested}\n`));
    tell(view, 'call.transfer_failed', { transfer_id: 'one', reason: 'busy', sip: { status: 486 } });
    t.true(written().endsWith(`${failed}\n`));
    tell(view, 'call.transfer_failed', { transfer_id: 'one', reason: 'something_new' });
    t.true(written().endsWith(': something_new\n'));
  }
});

test.serial('escapes control characters in received words', (t) => {
  const { view, written } = viewing(null);
  written();
  tell(
    view,
    'turn.spoken',
    said(`${escape}[2J${escape}]0;title\u0007Hello\r\n\u0007${escape}[1Athere\u009B3m`),
  );
  tell(view, 'call.summarized', { summary: `${escape}[31mred` });
  tell(view, `${escape}[31mnew.fact`);
  tell(view, 'turn.spoken', said('\u202Eignored\u202C \u2067in\u2069 \u200Fthis\u061C\u2028order'));
  view.say('The gateway says: \u202E...\u0007');
  const text = written();
  t.notRegex(text, /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u);
  t.true(text.includes('Hello'));
  t.true(text.includes('ignored in this order'));
});

test.serial('escapes cursor and direction controls in JSON lines, and keeps other text', (t) => {
  let output = '';
  const view = createJsonView({ write: (text) => (output += text), tell: () => undefined });
  const text = '\u202Ethis\u202C \u2028 \u009B2J \u001B[31m';
  tell(view, 'turn.spoken', said(text));
  t.notRegex(output, /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u);
  t.like(JSON.parse(output), { event: { data: { text } } });
});

test.serial('prints the state of the call and its duration in the last line', (t) => {
  const { view, written, clock } = viewing(60);
  t.true(written().endsWith(`\r${escape}[K  0:00  Ringing`));
  clock.advance(2_000);
  t.true(written().endsWith(`\r${escape}[K  0:02  Ringing`));
  tell(view, 'call.answered');
  const state = { call: 'active.talking.conversing', conversation: 'replying.speaking', voicemail: null };
  view.news({ type: 'state', state });
  t.true(written().endsWith(`\r${escape}[K  0:00  active.talking.conversing  replying.speaking`));
  tell(view, 'call.held');
  t.regex(written().replace(`\r${escape}[K`, '> '), /^> {3}0:00 +Put on hold by the other party\n/);
  view.close();
  t.is(written(), `\r${escape}[K`);
  clock.advance(5_000);
  t.is(written(), '');
});

test.serial('limits the state line to the width of the terminal', (t) => {
  const { view, written } = viewing(30);
  written();
  const state = { call: 'active.talking.conversing', conversation: 'replying.speaking', voicemail: null };
  view.news({ type: 'state', state });
  t.true(written().replace(`\r${escape}[K`, '').length < 30);
});

test.serial('prints no state line when the output is a file', (t) => {
  const { view, written, clock } = viewing(null);
  view.news({ type: 'state', state: { call: 'ringing.alerting', conversation: null, voicemail: null } });
  clock.advance(10_000);
  t.false(written().includes(escape));
});

test.serial('prints Korean texts for a Korean locale', (t) => {
  for (const environment of [{ LC_ALL: 'ko_KR.UTF-8', LANG: 'en_US' }, { LANG: 'ko' }])
    t.regex(viewing(null, environment).written(), /전화를 겁니다/);
  for (const environment of [{}, { LC_ALL: 'en_US', LANG: 'ko_KR' }, { LANG: 'ja_JP' }])
    t.regex(viewing(null, environment).written(), /^Calling/);
});
