import test from 'ava';
import { createClientAddress } from '#src/api/client-address.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { addNumber, fakeGateway, testLimits } from './fake-gateway.ts';

const path = '/api/v1/calls';

test('a key has so many requests; then it is told how long to wait', async (t) => {
  const perKey = { points: 2, perSeconds: 60 };
  const gateway = await fakeGateway(t, { limits: { ...testLimits, perKey } });
  const first = await gateway.client.get(path);
  t.is(first.headers.get('ratelimit-policy'), '"key";q=2;w=60');
  t.regex(first.headers.get('ratelimit') ?? '', /^"key";r=1;t=\d+$/);
  t.is((await gateway.client.get(path)).status, 200);

  const { status, body, headers } = await gateway.client.get(path);
  t.is(status, 429);
  t.is(body.code, 'rate_limited');
  t.regex(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  t.regex(headers.get('ratelimit') ?? '', /^"key";r=0;t=\d+$/);

  const other = await addNumber(gateway);
  t.is((await gateway.client.as(other.key).get(path)).status, 200, 'other keys have their own');
  t.is((await gateway.admin.get('/api/v1/admin/calls')).status, 200);
});

test('who fails too often is told to wait; a valid key from the same address is not', async (t) => {
  const failuresPerAddress = { points: 2, perSeconds: 60 };
  const { client, baseUrl } = await fakeGateway(t, { limits: { ...testLimits, failuresPerAddress } });
  const stranger = apiClient(baseUrl, 'wrong');
  t.is((await stranger.get(path)).status, 401);
  t.is((await stranger.get(path)).status, 401);
  const { status, headers } = await stranger.get(path);
  t.is(status, 429);
  t.truthy(headers.get('retry-after'));
  t.is((await client.get(path)).status, 200);
});

test('behind a trusted proxy failures are counted for whom it names, and nobody can name somebody else', async (t) => {
  const { baseUrl } = await fakeGateway(t, {
    limits: { ...testLimits, failuresPerAddress: { points: 1, perSeconds: 60 } },
    clientAddress: createClientAddress(['127.0.0.0/8']),
  });
  const knock = async (forwardedFor: string): Promise<number> => {
    const headers = { Authorization: 'Bearer wrong', 'X-Forwarded-For': forwardedFor };
    return (await fetch(`${baseUrl}${path}`, { headers })).status;
  };
  t.is(await knock('203.0.113.7'), 401);
  t.is(await knock('203.0.113.7'), 429);
  t.is(await knock('203.0.113.8'), 401, 'others are not held up');
  t.is(await knock('198.51.100.1, 203.0.113.7'), 429, 'what the client wrote itself counts nothing');
});

test('no limit, no headers of one', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.get(path)).headers.get('ratelimit'), null);
});

test('requests that came to other gateways count; while these cannot be counted, those that came here', async (t) => {
  let elsewhere: number | null = 1;
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, perKey: { points: 2, perSeconds: 60 } },
    countWithOthers: (perSeconds) => {
      let here = 0;
      return async (key) => {
        t.regex(key, /^(key (number|admin) |failures )/);
        here += 1;
        if (elsewhere === null) throw new Error('The database is away');
        return { requests: elsewhere + here, seconds: perSeconds };
      };
    },
  });
  t.regex((await gateway.client.get(path)).headers.get('ratelimit') ?? '', /r=0;t=60$/);
  elsewhere = null;
  t.is((await gateway.client.get(path)).status, 200);
  t.is((await gateway.client.get(path)).status, 429);
});
