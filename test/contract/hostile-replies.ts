/** Hostile server responses: the conversation receives a failure in time and no unintended words. */
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { ReplyFailure } from '#machines/reply.ts';
import { breakInTheMiddle, redirectTo, sendBody, type Answer } from '#test/helpers/agent-server.ts';
import { systemClock } from '#src/clocks.ts';
import type { AgentKind } from './agent-kinds.ts';
import { agentOf } from './agent-world.ts';
import type { DeclareTest } from './clause.ts';

/** Only a response that certainly has no words times out soon; for the others a busy machine gets enough time. */
const timesFor = (failures: readonly ReplyFailure[]) =>
  failures[0] === 'first_token_timeout' ? { firstTokenMs: 1_000 } : {};

const write = (response: Parameters<Answer>[0], bytes: string | Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    if (response.destroyed) resolve(false);
    else response.write(bytes, (error) => resolve(error === undefined || error === null));
  });

/** Sends the same bytes repeatedly until the connection is closed. */
const endlessly =
  (bytes: string | Buffer, pauseMs = 0): Answer =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    while (await write(response, bytes)) if (pauseMs > 0) await delay(pauseMs);
  };

const hostile: readonly (readonly [title: string, answer: Answer, failures: readonly ReplyFailure[]])[] = [
  ['an endless line', endlessly(Buffer.alloc(64 * 1024, 'x')), ['reply_too_large', 'first_token_timeout']],
  [
    'an endless JSON document',
    endlessly(Buffer.alloc(64 * 1024, '[')),
    ['reply_too_large', 'first_token_timeout'],
  ],
  ['endless comments', endlessly(': still here\n\n', 5), ['first_token_timeout', 'reply_too_large']],
  ['one byte at long intervals', endlessly(' ', 50), ['first_token_timeout']],
  [
    'random bytes',
    sendBody(Buffer.from([0, 1, 2, 0xff, 0xfe, 0x80, 10, 0xc3])),
    ['no_reply', 'invalid_reply'],
  ],
  [
    'an invalid compressed body',
    sendBody('{"reply":"네."}', 200, { 'content-encoding': 'gzip' }),
    ['invalid_reply'],
  ],
  [
    'a decompression bomb',
    sendBody(gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x')), 200, { 'content-encoding': 'gzip' }),
    ['reply_too_large', 'first_token_timeout'],
  ],
  [
    'a web page',
    sendBody('<!DOCTYPE html><p>로그인하세요</p>', 200, { 'content-type': 'text/html' }),
    ['invalid_reply'],
  ],
  ['an empty body', sendBody(''), ['no_reply', 'invalid_reply']],
  ['no content', (response) => void response.writeHead(204).end(), ['no_reply', 'invalid_reply']],
  ['a redirect', redirectTo('http://127.0.0.1:9/'), ['redirect_refused']],
  [
    'an error that contains a reply',
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

export const hostileReplies = (test: DeclareTest, kind: AgentKind): void => {
  for (const [title, answer, failures] of hostile)
    test(`${kind.name}: ${title} fails the reply without speech`, async (t) => {
      const { hear } = await agentOf(t, kind, answer, { times: timesFor(failures), clock: systemClock });
      const events = await hear();
      t.is(events.length, 1, JSON.stringify(events));
      const [event] = events;
      t.true(event?.type === 'reply.failed' && failures.includes(event.failure), JSON.stringify(event));
    });
};
