/** Whatever a server sends, the conversation hears of a failure in time, and of no words that were not meant. */
import { gzipSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import type { ReplyEvent, ReplyFailure } from '#machines/reply.ts';
import { agentTypes, type AgentType } from '#src/domain/agent-binding.ts';
import { createAgents } from '#src/agents/create-agent.ts';
import { createStartReply } from '#src/agents/start-reply.ts';
import { systemClock } from '#src/clock.ts';
import {
  breakInTheMiddle,
  redirectTo,
  sendBody,
  startAgentServer,
  type Answer,
} from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';

/** Only what sends no words for certain is given up soon; the rest is waited for, however busy the machine is. */
const timesFor = (failures: readonly ReplyFailure[]) => ({
  firstTokenMs: failures[0] === 'first_token_timeout' ? 1_000 : 60_000,
  wholeReplyMs: 60_000,
  idleFlushMs: 50,
});

/** One reply of an agent of this type, whose server answers like this to everything but the making of a thread. */
const hear = async (
  t: ExecutionContext,
  agentType: AgentType,
  answer: Answer,
  failures: readonly ReplyFailure[],
) => {
  const server = await startAgentServer((response, request) => {
    if (request.path === '/threads') return sendBody('{}')(response, request);
    return answer(response, request);
  });
  t.teardown(server.close);
  const logger = pino({ level: 'silent' });
  const agent = createAgents({
    ...endpointWorld(t),
    hangUp: () => Promise.resolve(),
    pressKeys: null,
    languageModel: null,
    logger,
  })({
    context: {
      call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
      direction: 'outbound',
      from: '0212345678',
      to: '01000000001',
      language: 'ko',
    },
    binding: {
      direction: 'outbound',
      agent: 'endpoint',
      agentType,
      chatUrl: server.url,
      assistantId: 'support',
      agentId: null,
    },
    bearerToken: null,
    instruction: null,
  });
  t.teardown(() => agent.end?.());
  const times = timesFor(failures);
  const startReply = createStartReply({ findAgent: () => agent, times, clock: systemClock, logger });
  const events: ReplyEvent[] = [];
  await new Promise<void>((resolve) => {
    startReply({ callId: 'a-call', turn: 1, messages: [{ role: 'user', content: '네?' }] }, (event) => {
      events.push(event);
      if (event.type !== 'reply.sentence') resolve();
    });
  });
  return { server, events };
};

const write = (response: Parameters<Answer>[0], bytes: string | Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    if (response.destroyed) resolve(false);
    else response.write(bytes, (error) => resolve(error === undefined || error === null));
  });

/** Sends the same over and over until nobody takes it any more. */
const endlessly =
  (bytes: string | Buffer, pauseMs = 0): Answer =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    while (await write(response, bytes)) if (pauseMs > 0) await delay(pauseMs);
  };

const hostile: readonly (readonly [title: string, answer: Answer, failures: readonly ReplyFailure[]])[] = [
  ['a line without end', endlessly(Buffer.alloc(64 * 1024, 'x')), ['reply_too_large', 'first_token_timeout']],
  ['a JSON without end', endlessly(Buffer.alloc(64 * 1024, '[')), ['reply_too_large', 'first_token_timeout']],
  ['comments without end', endlessly(': still here\n\n', 5), ['first_token_timeout', 'reply_too_large']],
  ['one byte now and then', endlessly(' ', 50), ['first_token_timeout']],
  [
    'bytes that mean nothing',
    sendBody(Buffer.from([0, 1, 2, 0xff, 0xfe, 0x80, 10, 0xc3])),
    ['no_reply', 'invalid_reply'],
  ],
  [
    'a compressed body that is none',
    sendBody('{"reply":"네."}', 200, { 'content-encoding': 'gzip' }),
    ['invalid_reply'],
  ],
  [
    'a small body that becomes a large one',
    sendBody(gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x')), 200, { 'content-encoding': 'gzip' }),
    ['reply_too_large', 'first_token_timeout'],
  ],
  [
    'a page',
    sendBody('<!DOCTYPE html><p>로그인하세요</p>', 200, { 'content-type': 'text/html' }),
    ['invalid_reply'],
  ],
  ['an empty body', sendBody(''), ['no_reply', 'invalid_reply']],
  ['no content', (response) => void response.writeHead(204).end(), ['no_reply', 'invalid_reply']],
  ['a redirect', redirectTo('http://127.0.0.1:9/'), ['redirect_refused']],
  [
    'an error with a reply in it',
    sendBody('{"reply":"네.","output":"네.","message":"네."}', 500),
    ['http_error'],
  ],
  ['a connection that breaks', breakInTheMiddle, ['connection_failed', 'invalid_reply']],
  [
    'headers without a body',
    (response) => {
      response.writeHead(200).flushHeaders();
    },
    ['first_token_timeout'],
  ],
];

for (const agentType of agentTypes) {
  for (const [title, answer, failures] of hostile) {
    test(`${agentType}: ${title} is a failure and no speech`, async (t) => {
      const { events } = await hear(t, agentType, answer, failures);
      t.is(events.length, 1, JSON.stringify(events));
      const [event] = events;
      t.true(event?.type === 'reply.failed' && failures.includes(event.failure), JSON.stringify(event));
    });
  }
}
