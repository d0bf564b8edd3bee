import test from 'ava';
import { fakeGateway } from './fake-gateway.ts';

const url = 'https://auth.example.com/callers';

test('the secret of the handshake is shown once, when it is made', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${number.id}/inbound-auth`;
  const first = await admin.put(path, { method: 'handshake', url });
  t.is(first.status, 200);
  t.like(first.body, { method: 'handshake', url });
  t.regex(String(first.body.secret), /^whsec_/);

  const moved = await admin.put(path, { method: 'handshake', url: `${url}/v2` });
  t.deepEqual(moved.body, { method: 'handshake', url: `${url}/v2` });
  const read = await admin.get(`/api/v1/admin/numbers/${number.id}`);
  t.like(read.body, { inbound_auth: { method: 'handshake', url: `${url}/v2` } });
  t.false(read.bytes.includes('whsec_'));

  t.deepEqual((await admin.put(path, { method: 'none' })).body, { method: 'none', url: null });
  const again = await admin.put(path, { method: 'handshake', url });
  t.not(again.body.secret, first.body.secret);
});

test('a handshake needs a URL that may be called', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${number.id}/inbound-auth`;
  const faults = [
    [{ method: 'handshake' }, 'url'],
    [{ method: 'handshake', url: '' }, 'url'],
    [{ method: 'handshake', url: null }, 'url'],
    [{ method: 'handshake', url: 'http://auth.example.com' }, 'url'],
    [{ method: 'basic', url }, 'method'],
    [{ method: 'none', secret: 'x' }, 'secret'],
  ] as const;
  for (const [body, field] of faults) {
    const answer = await admin.put(path, body);
    t.is(answer.status, 400);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
  }
});
