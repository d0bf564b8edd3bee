/** Cancellation of requests by clients of the Model Context Protocol over HTTP. */
import { Readable } from 'node:stream';
import test from 'ava';
import { responseOf } from '#src/api/mcp/own-fetch.ts';
import { createRunningRequests, type McpClient } from '#src/api/mcp/running-requests.ts';

const client: McpClient = { numberId: 'number', session: 'session' };

const request = { jsonrpc: '2.0', id: 0, method: 'tools/call', params: {} };

const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } };

const started = (by: McpClient, message: unknown = request) => {
  const running = createRunningRequests();
  let count = 0;
  const over = running.begin(by, message, () => (count += 1));
  return { running, over, count: () => count };
};

test('cancels the request that a message of its client names', (t) => {
  const { running, count } = started(client);
  running.apply(client, { ...cancelled, params: { requestId: 1 } });
  running.apply(client, { ...cancelled, params: { requestId: '0' } });
  running.apply(client, { ...cancelled, method: 'notifications/progress' });
  t.is(count(), 0);
  running.apply(client, cancelled);
  t.is(count(), 1);
});

test('cancels no request of another session, of another key, or of a client without a session', (t) => {
  const { running, count } = started(client);
  running.apply({ ...client, session: 'other' }, cancelled);
  running.apply({ ...client, numberId: 'other' }, cancelled);
  running.apply({ ...client, session: undefined }, cancelled);
  t.is(count(), 0);
  const without = started({ ...client, session: undefined });
  without.running.apply({ ...client, session: undefined }, cancelled);
  t.is(without.count(), 0);
});

test('cancels no request that was answered, and a later one with the same id', (t) => {
  const { running, over, count } = started(client);
  let later = 0;
  running.begin(client, request, () => (later += 1));
  over();
  running.apply(client, cancelled);
  t.deepEqual([count(), later], [0, 1]);
});

test('ends the stream of a request that was cancelled while the response was prepared', (t) => {
  const body = new Readable({ read() {} });
  t.throws(() => responseOf({ status: 200, headers: {}, body }, AbortSignal.abort()), { name: 'AbortError' });
  t.true(body.destroyed);
});

test('ends the stream of a request that is cancelled afterwards', (t) => {
  const body = new Readable({ read() {} });
  body.on('error', () => undefined);
  const cancelling = new AbortController();
  t.is(responseOf({ status: 200, headers: {}, body }, cancelling.signal).status, 200);
  cancelling.abort();
  t.true(body.destroyed);
});
