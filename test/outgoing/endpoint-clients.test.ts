import test, { type ExecutionContext } from 'ava';
import { createEndpointClients } from '#src/outgoing/endpoint-clients.ts';
import type { EndpointResponse } from '#src/outgoing/endpoint-client.ts';
import {
  redirectTo,
  sendBody,
  sendJson,
  startAgentServer,
  stayQuiet,
  type Answer,
} from '#test/helpers/agent-server.ts';

const setUp = async (t: ExecutionContext, requestsAtOnce: number, answers: Answer | Answer[]) => {
  const server = await startAgentServer(answers);
  const asked: string[] = [];
  const clients = createEndpointClients({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: 1_000,
    requestsAtOnce,
    names: {
      lookupFor: (workspaceId) => (host, _options, callback) => {
        asked.push(`${workspaceId} ${host}`);
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    },
  });
  t.teardown(async () => {
    await clients.close();
    await server.close();
  });
  const post = (
    workspaceId: string,
    signal = new AbortController().signal,
    url = server.url,
  ): Promise<EndpointResponse> => clients.of(workspaceId).post(url, { headers: {}, body: '{}', signal });
  return { server, clients, asked, post };
};

const refusal = { failure: 'over_capacity' };

test('requests that hang take no more than the share of their workspace, and no connection of another', async (t) => {
  const { server, post } = await setUp(t, 12, [...Array.from({ length: 6 }, () => stayQuiet), sendJson({})]);
  const abort = new AbortController();
  const hanging = Array.from({ length: 12 }, () => post('one', abort.signal));
  const ended = Promise.allSettled(hanging);
  t.like(await t.throwsAsync(post('one')), refusal);
  await server.received(6);
  t.is((await post('two')).status, 200);
  abort.abort();
  const failures = (await ended).map((each) => each.status === 'rejected' && each.reason);
  t.is(failures.filter(({ failure }) => failure === 'over_capacity').length, 6);
});

test('a place is free again when its body was read, left or discarded, and when there is none', async (t) => {
  const { server, post } = await setUp(t, 2, [
    sendBody('read'),
    sendBody('left'),
    sendBody('discarded'),
    redirectTo('http://127.0.0.1:1/'),
    sendBody('last'),
  ]);
  const read = await post('one');
  t.like(await t.throwsAsync(post('one')), refusal);
  for await (const bytes of read.body) t.is(Buffer.from(bytes).toString(), 'read');
  for await (const bytes of (await post('one')).body) {
    t.is(Buffer.from(bytes).toString(), 'left');
    break;
  }
  (await post('one')).discard();
  t.like(await t.throwsAsync(post('one')), { failure: 'redirect_refused' });
  t.is((await post('one')).status, 200);
  t.is(server.requests.length, 5);
});

test('names are looked up in the name of their workspace', async (t) => {
  const { post, asked, server } = await setUp(t, 12, sendJson({}));
  const url = `http://localhost:${server.port}/`;
  (await post('one', undefined, url)).discard();
  (await post('two', undefined, url)).discard();
  t.deepEqual(asked, ['one localhost', 'two localhost']);
});
