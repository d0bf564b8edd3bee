/**
 * The contract of an agent (`src/agents/agent.ts`, `machines/reply.ts`) as a suite that every kind runs, for any
 * format: the common parts of requests, words, silence, failures, time limits and abort.
 */
import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { SimulatedClock } from 'xstate';
import { lingerMs } from '#src/agents/message-end.ts';
import { wantsTool } from '#src/agents/model-marks.ts';
import {
  breakInTheMiddle,
  hangUpConnection,
  redirectTo,
  sendBody,
  startAgentServer,
  stayQuiet,
  type Answer,
} from '#test/helpers/agent-server.ts';
import { textOf } from '#test/helpers/heard-reply.ts';
import { callId, type AgentKind } from './agent-kinds.ts';
import { agentOf } from './agent-world.ts';
import type { DeclareTest } from './clause.ts';

const words = '네, 그렇습니다.';

/** Begins a response with these bytes and leaves it open. */
const begin =
  (bytes: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(bytes);
  };

const inSingleBytes =
  (body: string): Answer =>
  async (response) => {
    response.writeHead(200);
    for (const byte of Buffer.from(body)) {
      if (!response.write(Uint8Array.of(byte))) await once(response, 'drain');
      await setImmediate();
    }
    response.end();
  };

/** A response that breaks off after these bytes. */
const breakBehind =
  (bytes: string): Answer =>
  (response) => {
    response.writeHead(200).write(bytes, () => response.destroy());
  };

/** Notifies when a time-out is awaited. */
class NoticedClock extends SimulatedClock {
  readonly #begun = new EventEmitter();

  override setTimeout(callback: () => void, milliseconds: number) {
    const timer = super.setTimeout(callback, milliseconds);
    this.#begun.emit(`${milliseconds}`);
    return timer;
  }

  async waitsFor(milliseconds: number): Promise<void> {
    await once(this.#begun, `${milliseconds}`);
  }
}

type Clause = (title: string, check: (t: ExecutionContext) => Promise<void>) => void;

const requests = (clause: Clause, kind: AgentKind): void => {
  const saying = sendBody(kind.reply(words));

  clause('sends the common headers and context with every request', async (t) => {
    const { say, server } = await agentOf(t, kind, saying, { token: 'secret-token' });
    t.like(await say(), { text: words, error: undefined, remarks: [] });
    for (const request of server.requests) {
      t.is(request.method, 'POST');
      const { traceparent: _, 'content-length': _length, ...headers } = request.headers;
      t.deepEqual(headers, {
        host: `127.0.0.1:${server.port}`,
        connection: 'keep-alive',
        'accept-encoding': 'identity',
        'user-agent': 'Trunkline',
        'content-type': 'application/json',
        authorization: 'Bearer secret-token',
        ...kind.headers,
      });
    }
  });

  clause('sends no authorization without a token', async (t) => {
    const { say, server } = await agentOf(t, kind, saying);
    await say();
    t.false(server.requests.some(({ headers }) => 'authorization' in headers));
  });

  // The operator's model is not part of a customer's trace.
  if (kind.agentType === null) return;
  clause("sends the customer's own headers with every request", async (t) => {
    const headers = { 'x-api-key': 'key-of-the-server', 'x-route': 'a b', 'user-agent': 'Me' };
    const { say, server } = await agentOf(t, kind, saying, { headers });
    await say();
    for (const request of server.requests) t.like(request.headers, headers, request.path);
  });

  clause("records every request as a separate span of the call's trace", async (t) => {
    const { say, server } = await agentOf(t, kind, saying);
    await say();
    await say();
    const spans = server.requests.map(({ headers }) => String(headers['traceparent']));
    t.is(new Set(spans).size, server.requests.length);
    const span = new RegExp(`^00-${callId.replaceAll('-', '')}-[0-9a-f]{16}-01$`);
    for (const each of spans) t.regex(each, span);
  });
};

const controls = (clause: Clause, kind: AgentKind): void => {
  clause('executes a control within the words at its place, for any chunking', async (t) => {
    const reply = inSingleBytes(
      kind.reply(`${words}<keys press="1#"/> 내일 봬요.<transfer to="0212345678"/><hangup/>`),
    );
    const { hear } = await agentOf(t, kind, reply, { controls: 'inline' });
    t.deepEqual(await hear(), [
      { type: 'reply.sentence', text: words },
      { type: 'reply.control', control: { act: 'press_keys', keys: '1#' } },
      { type: 'reply.sentence', text: '내일 봬요.' },
      {
        type: 'reply.control',
        control: {
          act: 'transfer',
          transfer: {
            to: '0212345678',
            mode: 'cold',
            say: null,
            briefing: null,
            acceptKey: null,
            ringTimeoutSec: 25,
            onFailure: 'resume',
          },
        },
      },
      { type: 'reply.control', control: { act: 'hang_up' } },
      { type: 'reply.finished' },
    ]);
    const { hear: hearSpeech } = await agentOf(t, kind, reply);
    t.deepEqual(
      (await hearSpeech()).map((event) => (event.type === 'reply.sentence' ? event.text : event.type)),
      [`${words} 내일 봬요.`, 'reply.finished'],
    );
  });

  clause('executes every control with all its attributes', async (t) => {
    const reply = sendBody(
      kind.reply(
        `${words}<collect digits="4" finish="#" timeout_sec="30" secret="true"/><language tag="en-US"/>Hello.` +
          `<transfer to="0212345678" mode="warm" briefing="It&apos;s about a refund." say="One moment." accept_key="1" ring_timeout_sec="40" on_failure="hang_up"/>`,
      ),
    );
    const { hear } = await agentOf(t, kind, reply, { controls: 'inline' });
    const wanted = { digits: 4, finish: '#', timeoutSec: 30, secret: true };
    const transfer = {
      to: '0212345678',
      mode: 'warm',
      say: 'One moment.',
      briefing: "It's about a refund.",
      acceptKey: '1',
      ringTimeoutSec: 40,
      onFailure: 'hang_up',
    };
    t.deepEqual(await hear(), [
      { type: 'reply.sentence', text: words },
      { type: 'reply.control', control: { act: 'collect_keys', wanted } },
      { type: 'reply.control', control: { act: 'change_language', language: 'en' } },
      { type: 'reply.sentence', text: 'Hello.' },
      { type: 'reply.control', control: { act: 'transfer', transfer } },
      { type: 'reply.finished' },
    ]);
  });

  clause('skips invalid and unknown controls and logs them without their words', async (t) => {
    const reply = sendBody(kind.reply(`${words}<keys press="hush"/><hush/><hangup`));
    const { hear, logged } = await agentOf(t, kind, reply, { controls: 'inline' });
    t.deepEqual(await hear(), [{ type: 'reply.sentence', text: words }, { type: 'reply.finished' }]);
    t.is(logged.filter((line) => line.includes('a control')).length, 3);
    t.notRegex(logged.join(''), /hush/);
  });

  clause('accepts silence declared by a control', async (t) => {
    const { hear } = await agentOf(t, kind, sendBody(kind.reply('<silence/>')), { controls: 'inline' });
    t.deepEqual(await hear(), [{ type: 'reply.finished' }]);
  });
};

/** Machine markup of models, and the text to be spoken. */
const modelText = (clause: Clause, kind: AgentKind): void => {
  const call = '<tool_call>{"name":"find_order","arguments":{"id":"B-2"}}</tool_call>';
  const written = [
    `<|channel|>analysis<|message|>음.<|end|><|start|>assistant<|channel|>final<|message|>${words} 내일 봬요.<|return|>`,
    `<|start_header_id|>assistant<|end_header_id|>\n\n${words} ${call}내일 봬요.<|eot_id|>user\n아니요.`,
    `<think>음. 글쎄.</think>${words} \u001b[1m내일\u001b[0m 봬요. [TOOL_CALLS][{"name":"x","arguments":{}}]`,
    `${words} 내일 봬요.<|tool_calls_section_begin|><|tool_call_begin|>functions.x:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`,
    `${words} 내일 봬요. {"name":"find_order","arguments":{"id":"B-2"}}`,
  ];
  const spoken = [
    { type: 'reply.sentence', text: words },
    { type: 'reply.sentence', text: '내일 봬요.' },
    { type: 'reply.finished' },
  ];
  for (const reply of written)
    clause(`omits machine markup of a model: ${reply}`, async (t) => {
      for (const answer of [sendBody, inSingleBytes]) {
        const { hear } = await agentOf(t, kind, answer(kind.reply(reply)));
        t.deepEqual(await hear(), spoken);
      }
      if (kind.streamed?.ended == null) return;
      const pieces = Array.from(reply, (piece) => kind.streamed?.begun(piece)).join('');
      const { hear } = await agentOf(t, kind, sendBody(pieces + kind.streamed.ended('')));
      t.deepEqual(await hear(), spoken);
    });

  clause('does not accept a tool call written as text as a reply', async (t) => {
    for (const reply of [call, '<|channel|>commentary to=functions.look<|message|>{"n":1}<|call|>']) {
      const { hear } = await agentOf(t, kind, sendBody(kind.reply(reply)));
      const [event, ...others] = await hear();
      t.like(event, { type: 'reply.failed', failure: 'no_reply' });
      t.true(event?.type === 'reply.failed' && event.detail?.endsWith(wantsTool));
      t.deepEqual(others, []);
    }
  });
};

const replies = (clause: Clause, kind: AgentKind): void => {
  clause('speaks the same words for any chunking', async (t) => {
    const { hear } = await agentOf(t, kind, inSingleBytes(kind.reply(`${words} 내일 봬요.`)));
    t.deepEqual(await hear(), [
      { type: 'reply.sentence', text: words },
      { type: 'reply.sentence', text: '내일 봬요.' },
      { type: 'reply.finished' },
    ]);
  });

  clause('accepts declared silence as a reply', async (t) => {
    const { hear } = await agentOf(t, kind, sendBody(kind.silence));
    t.deepEqual(await hear(), [{ type: 'reply.finished' }]);
  });

  const { streamed } = kind;
  if (streamed === null) return;
  clause('emits words while the rest of the reply is still generated', async (t) => {
    const { ask, server } = await agentOf(t, kind, begin(streamed.begun('네, ')));
    const abort = new AbortController();
    const pieces = ask(abort.signal)[Symbol.asyncIterator]();
    t.deepEqual(await pieces.next(), { done: false, value: '네, ' });
    abort.abort();
    await t.throwsAsync(async () => pieces.next(), { name: 'AbortError' });
    // A cancel request may end besides the reply.
    while (server.counts.aborted === 0) await server.responseClosed();
    t.is(server.counts.aborted, 1);
  });

  const { ended } = streamed;
  if (ended !== null)
    clause('ends a reply at its end mark although the connection stays open', async (t) => {
      const agentClock = new NoticedClock();
      const { hear, server } = await agentOf(t, kind, begin(ended(words)), { agentClock });
      const heard = hear();
      await agentClock.waitsFor(lingerMs);
      const closed = server.responseClosed();
      agentClock.increment(lingerMs);
      t.deepEqual(await heard, [{ type: 'reply.sentence', text: words }, { type: 'reply.finished' }]);
      await closed;
      t.is(server.counts.aborted, 1);
    });

  clause('accepts a reply that its server cut between sentences, with a remark', async (t) => {
    const { hear, say } = await agentOf(t, kind, sendBody(streamed.cutOff(words)));
    t.deepEqual(await hear(), [{ type: 'reply.sentence', text: words }, { type: 'reply.finished' }]);
    const { text, error, remarks } = await say();
    t.deepEqual([text, error, remarks.length], [words, undefined, 1]);
  });

  clause('fails a reply that its server cut within a sentence, after the received words', async (t) => {
    const { hear } = await agentOf(t, kind, sendBody(streamed.cutOff(`${words} 그런데 저는`)));
    const events = await hear();
    t.deepEqual(
      events.flatMap((event) => (event.type === 'reply.sentence' ? [event.text] : [])),
      [words, '그런데 저는'],
    );
    t.like(events.at(-1), { type: 'reply.failed', failure: 'reply_cut_off' });
  });

  clause('fails a reply after its words when the connection breaks', async (t) => {
    const { say } = await agentOf(t, kind, breakBehind(streamed.begun('네, ')));
    t.like(await say(), { text: '네, ', error: { failure: 'connection_failed' } });
  });
};

const failures = (clause: Clause, kind: AgentKind): void => {
  for (const status of [400, 401, 404, 429, 500, 503])
    clause(`fails on HTTP ${status} with any body`, async (t) => {
      const body = kind.reply(words);
      const { say } = await agentOf(t, kind, sendBody(body, status));
      const { text, error } = await say();
      t.is(text, '');
      t.like(error, { name: 'AgentFailure', failure: 'http_error', status, serverSays: body.trim() });
      t.true(error instanceof Error && error.message.endsWith(`HTTP ${status}`));
    });

  for (const status of [301, 302, 303, 307, 308])
    clause(`rejects a redirect with status ${status}`, async (t) => {
      const elsewhere = await startAgentServer(sendBody(kind.reply(words)));
      t.teardown(elsewhere.close);
      const { say } = await agentOf(t, kind, redirectTo(elsewhere.url, status));
      t.like(await say(), { text: '', error: { failure: 'redirect_refused' } });
      t.deepEqual(elsewhere.requests, []);
    });

  clause('fails when the connection ends before a response', async (t) => {
    const { say } = await agentOf(t, kind, hangUpConnection);
    t.like(await say(), { text: '', error: { failure: 'connection_failed' } });
  });

  clause('logs and errors contain neither secrets nor words', async (t) => {
    const secrets = /hush-hush|그렇습니다|여보세요|0212345678|01000000001/;
    const answers = [
      sendBody(kind.reply(words)),
      sendBody(`{"error":"hush-hush ${words}"}`, 401),
      sendBody(`${kind.reply(words)}{"hush-hush`),
      redirectTo('/login?token=hush-hush'),
      breakInTheMiddle,
      sendBody(`<html>hush-hush ${words}</html>`),
    ];
    for (const answer of answers) {
      const { say, hear, logged } = await agentOf(t, kind, answer, { token: 'hush-hush' });
      await hear();
      t.notRegex(logged.join(''), secrets);
      t.notRegex(String((await say()).error), secrets);
    }
  });
};

const time = (clause: Clause, kind: AgentKind): void => {
  // The requests of LangGraph are a thread and a run, and a run is sent before it is cancelled (test/agents/langgraph/barge-in).
  const takesRuns = kind.agentType === 'langgraph';

  clause('disconnects a server that does not start its response in time, and fails', async (t) => {
    const clock = new SimulatedClock();
    const { hear, asked, server } = await agentOf(t, kind, stayQuiet, {
      clock: clock,
      times: { firstTokenMs: 8_000 },
    });
    const heard = hear();
    await server.received(takesRuns ? 2 : 1);
    const closed = server.responseClosed();
    clock.increment(7_999);
    t.is(asked().length, 1);
    clock.increment(1);
    t.deepEqual(await heard, [{ type: 'reply.failed', failure: 'first_token_timeout' }]);
    if (!takesRuns) await closed;
  });

  clause('ends an aborted reply at once and closes the request', async (t) => {
    const { ask, server } = await agentOf(t, kind, stayQuiet);
    const abort = new AbortController();
    const heard = textOf(ask(abort.signal));
    await server.received(takesRuns ? 2 : 1);
    const closed = server.responseClosed();
    const reason = new Error('nobody wants it any more');
    abort.abort(reason);
    t.is(await t.throwsAsync(heard), reason);
    if (!takesRuns) await closed;
  });

  clause('sends no request for a reply that was aborted before its start', async (t) => {
    const { ask, server } = await agentOf(t, kind, sendBody(kind.reply(words)));
    await t.throwsAsync(textOf(ask(AbortSignal.abort())), { name: 'AbortError' });
    t.deepEqual(server.requests, []);
  });
};

export const agentContract = (test: DeclareTest, kind: AgentKind): void => {
  const clause: Clause = (title, check) => test(`${kind.name}: ${title}`, check);
  requests(clause, kind);
  replies(clause, kind);
  modelText(clause, kind);
  controls(clause, kind);
  failures(clause, kind);
  time(clause, kind);
};
