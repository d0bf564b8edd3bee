import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { agentTimes } from '#config/policy.ts';
import { createTryAgent } from '#src/agents/trial.ts';
import { turnReport } from '#src/agents/trial/report.ts';
import type { TrialRequest } from '#src/domain/agent-trial.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';
import { systemClock } from '#src/clocks.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import {
  after,
  breakInTheMiddle,
  redirectTo,
  sendBody,
  sendJson,
  sendReply,
  startAgentServer,
  stayQuiet,
  type Answer,
} from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';

const asked = (request: Partial<TrialRequest> & { chatUrl: string | null }): TrialRequest => ({
  agentType: 'webhook',
  assistantId: null,
  agentId: null,
  controls: 'off',
  token: null,
  direction: 'inbound',
  language: 'en',
  instruction: null,
  say: ['Hello'],
  ...request,
});

const tryWith = async (
  t: ExecutionContext,
  answers: Answer | readonly Answer[],
  request: Partial<TrialRequest> = {},
  times: { firstTokenMs?: number } = {},
) => {
  const server = await startAgentServer(answers);
  t.teardown(() => server.close());
  const { wholeTrialMs, ...replyTimes } = { ...agentTimes, ...times };
  const tryAgent = createTryAgent({
    ...endpointWorld(t),
    times: replyTimes,
    wholeTrialMs,
    languageModel: null,
    logger: pino({ level: 'silent' }),
  });
  const seen: TriedTurn[] = [];
  const trial = await tryAgent(asked({ chatUrl: server.url, ...request }), (turn) => seen.push(turn));
  t.deepEqual(seen, trial.turns);
  return { server, trial, turn: trial.turns.at(-1) };
};

test('an inbound conversation goes turn by turn, and everything is noted', async (t) => {
  const { server, trial } = await tryWith(
    t,
    [sendReply('Good morning. How can I help?'), sendReply('Bye.')],
    {
      say: ['Hello', 'Nothing'],
    },
  );
  t.like(trial, { agentType: 'webhook', direction: 'inbound', language: 'en', ok: true, notes: [] });
  t.deepEqual(
    trial.turns.map(({ turn, message, spoken }) => [turn, message, spoken.map(({ text }) => text)]),
    [
      [1, 'Hello', ['Good morning.', 'How can I help?']],
      [2, 'Nothing', ['Bye.']],
    ],
  );
  const [first] = trial.turns;
  const [exchange] = first?.exchanges ?? [];
  const [request] = server.requests;
  t.is(exchange?.sent.body, request?.body);
  t.like(exchange?.sent, { method: 'POST', url: server.url });
  t.like(JSON.parse(exchange?.sent.body ?? ''), {
    call_id: trial.callId,
    message: 'Hello',
    gw: { direction: 'inbound', from: '01000000001', to: '07000000000', language: 'en' },
  });
  t.like(exchange?.received, {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"reply":"Good morning. How can I help?"}',
    bytes: 41,
  });
  t.is(exchange?.error, null);
  t.like(first, { remarks: [], failure: null, advice: null });
});

test('an outbound conversation begins with the kickoff, from the own number', async (t) => {
  const { trial } = await tryWith(t, sendReply('Hello.'), {
    direction: 'outbound',
    instruction: 'Book a table\nfor two',
    say: ['Yes?'],
    ownNumber: '0212345678',
  });
  t.deepEqual(
    trial.turns.map(({ message }) => message),
    [kickoffFor('Book a table\nfor two'), 'Yes?'],
  );
  t.like(JSON.parse(trial.turns[0]?.exchanges[0]?.sent.body ?? ''), {
    gw: { direction: 'outbound', from: '0212345678', to: '01000000001' },
  });
});

test('times are those since the turn began, in order', async (t) => {
  const { turn } = await tryWith(t, after(30, sendReply('One. Two.')));
  const exchange = turn?.exchanges[0];
  const times = [
    0,
    exchange?.sent.atMs ?? NaN,
    turn?.firstByteMs ?? NaN,
    turn?.firstSentenceMs ?? NaN,
    turn?.spoken[1]?.atMs ?? NaN,
    turn?.endMs ?? NaN,
  ];
  t.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  t.true((turn?.firstByteMs ?? 0) >= 29);
  t.is(exchange?.received?.firstByteMs, turn?.firstByteMs);
});

test('the token is sent, and shown nowhere, not even where the server repeats it', async (t) => {
  const token = 'hush-hush-1';
  const { server, trial } = await tryWith(
    t,
    sendBody(JSON.stringify({ reply: `You sent ${token}.` }), 200, {
      'x-echo': token,
      'set-cookie': 'session=1',
    }),
    { token },
  );
  t.is(server.requests[0]?.headers.authorization, `Bearer ${token}`);
  t.is(trial.turns[0]?.exchanges[0]?.sent.headers['Authorization'], 'Bearer ••••');
  t.false(JSON.stringify(trial).includes(token));
  t.false(JSON.stringify(trial).includes('session=1'));
  t.deepEqual(
    trial.turns[0]?.spoken.map(({ text }) => text),
    ['You sent ••••.'],
  );
});

test('the first turn that fails is the last, and its advice says what to change', async (t) => {
  const { server, trial, turn } = await tryWith(t, sendJson({ text: 'Hi' }), { say: ['One', 'Two'] });
  t.is(server.requests.length, 1);
  t.false(trial.ok);
  t.like(turn, { spoken: [], firstSentenceMs: null, failure: { kind: 'invalid_reply' } });
  t.regex(turn?.advice ?? '', /its fields are: "text"/);
});

test('an error status keeps what the server says of it', async (t) => {
  const { turn } = await tryWith(t, sendBody('no such path', 404));
  t.like(turn, {
    failure: { kind: 'http_error', detail: 'HTTP 404', serverSays: 'no such path' },
    exchanges: [{ received: { status: 404, body: 'no such path' } }],
  });
  t.regex(turn?.advice ?? '', /Correct the path/);
});

test('silence that the agent chooses is no failure, and no reply either', async (t) => {
  const { trial, turn } = await tryWith(t, sendReply(''));
  t.false(trial.ok);
  t.like(turn, { failure: null, spoken: [] });
  t.regex(turn?.advice ?? '', /say nothing/);
});

test('text that no voice can speak is no reply', async (t) => {
  const { turn } = await tryWith(t, sendReply('🙂'));
  t.like(turn, {
    failure: { kind: 'no_reply', detail: 'the reply has text, and none of it can be spoken' },
    spoken: [],
  });
  t.regex(turn?.advice ?? '', /words/);
});

test('a redirect and a broken reply are told by name', async (t) => {
  const redirected = await tryWith(t, redirectTo('https://elsewhere.example.com/'));
  t.like(redirected.turn, {
    failure: { kind: 'redirect_refused' },
    exchanges: [
      {
        received: { status: 302, headers: { location: 'https://elsewhere.example.com/' } },
        error: 'redirect_refused: HTTP 302',
      },
    ],
  });
  t.regex(redirected.turn?.advice ?? '', /to https:\/\/elsewhere\.example\.com\/, .*Use the address/);
  const broken = await tryWith(t, breakInTheMiddle);
  t.like(broken.turn, {
    failure: { kind: 'connection_failed' },
    exchanges: [{ received: { body: '{"reply": "Hel' } }],
  });
  t.regex(broken.turn?.exchanges[0]?.error ?? '', /^connection_failed/);
});

test('the time limits of a call hold', async (t) => {
  const { turn } = await tryWith(t, stayQuiet, { token: 'hush-hush' }, { firstTokenMs: 30 });
  t.like(turn, {
    failure: { kind: 'first_token_timeout' },
    exchanges: [{ received: null, error: 'given up by the gateway' }],
  });
});

test('the whole trial has a limit of its own', async (t) => {
  const server = await startAgentServer([sendReply('One.'), stayQuiet]);
  t.teardown(() => server.close());
  let expire: () => void = () => undefined;
  const { wholeTrialMs: _limit, ...times } = agentTimes;
  const trying = createTryAgent({
    ...endpointWorld(t),
    clock: {
      ...systemClock,
      setTimeout(callback, milliseconds) {
        if (milliseconds !== 123_456) return systemClock.setTimeout(callback, milliseconds);
        expire = callback;
        return undefined;
      },
    },
    times,
    wholeTrialMs: 123_456,
    languageModel: null,
    logger: pino({ level: 'silent' }),
  })(asked({ chatUrl: server.url, say: ['1', '2', '3'] }));
  await server.received(2);
  expire();
  const { turns } = await trying;
  t.is(turns.length, 2);
  t.like(turns[1], {
    failure: { kind: 'reply_timeout', detail: 'the time for the whole trial is up' },
    exchanges: [{ error: 'given up by the gateway' }],
  });
});

test('what a binding would not store is not sent, and said', async (t) => {
  const { trial } = await tryWith(t, sendReply('Hi.'), { agentId: 'support', assistantId: 'graph' });
  t.deepEqual(trial.notes, [
    'The agent ID is not used: webhook has none.',
    'The assistant ID is not used: webhook has none.',
  ]);
});

test('a large body is shown by its beginning', async (t) => {
  const { turn } = await tryWith(t, sendReply('가'.repeat(5_000)));
  const received = turn?.exchanges[0]?.received;
  t.is(received?.bytes, 15_012);
  t.is(received?.body, `{"reply":"${'가'.repeat(1_362)}`);
});

test('the report shows it all on lines, and moves no cursor', async (t) => {
  const { turn, server } = await tryWith(t, sendBody('{"reply": "Hi.\\n\\nThere."}\r\n\u001b[2J\u202e', 500));
  const text = turn === undefined ? '' : turnReport(turn);
  t.true(text.includes(`→ POST ${server.url}`));
  t.true(text.includes('← 500'));
  t.true(text.includes('Failed: http_error, HTTP 500'));
  t.true(text.includes('What to change: The server itself failed (HTTP 500).'));
  t.true(text.includes('\\u001b[2J\\u202e'));
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  t.notRegex(text, /[\u0000-\u0009\u000b-\u001f\u202e]/);
});

test('what the agent would do is shown in its place, and what is wrong is told', async (t) => {
  const reply = sendReply('One.<keys press="1#"/><language tag="ko"/><language tag="xx"/> Bye.<hangup/>');
  const { turn, trial } = await tryWith(t, reply, { controls: 'inline' });
  t.true(trial.ok);
  t.deepEqual(
    turn?.spoken.map(({ text }) => text),
    ['One.', 'Bye.'],
  );
  const [pressing, changing, ending] = turn?.controls ?? [];
  t.like(pressing, { act: 'press_keys', keys: '1#' });
  t.deepEqual([changing?.act, ending?.act], ['change_language', 'hang_up']);
  t.regex(turn?.remarks.join('') ?? '', /^a control "language" is wrong/);
  t.regex(
    turn === undefined ? '' : turnReport(turn),
    /Acts[^]*presses 1#\n.*goes on in the language ko\n.*hangs up\n/,
  );
});

test('whom the agent would transfer to is shown, and how', async (t) => {
  const reply = sendReply('One moment.<transfer to="0212345678" mode="warm" accept_key="1"/>');
  const { turn } = await tryWith(t, reply, { controls: 'inline' });
  t.like(turn?.controls[0], { act: 'transfer', transfer: { to: '0212345678', acceptKey: '1' } });
  t.regex(
    turn === undefined ? '' : turnReport(turn),
    /transfers to 0212345678, warm, taken by 1, rings for 25 s\n/,
  );
});

test('a turn of controls alone is a reply', async (t) => {
  const listed = sendJson({ reply: '', controls: [{ hangup: {} }] });
  t.true((await tryWith(t, listed, { controls: 'inline' })).trial.ok);
  t.false((await tryWith(t, listed)).trial.ok);
});
