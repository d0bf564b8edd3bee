import test from 'ava';
import { fakeGateway } from './fake-gateway.ts';

test('whether marks in the replies of an agent are acts is kept for each direction', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `/api/v1/admin/numbers/${number.id}`;
  const agent = async (direction: string, body: object) =>
    (await admin.put(`${one}/agents/${direction}`, body)).body;

  t.is((await agent('inbound', { agent: 'builtin', controls: 'inline' })).controls, 'inline');
  t.is((await agent('outbound', { agent: 'builtin' })).controls, 'off');
  const { body } = await admin.get(one);
  t.like(body, { agents: { inbound: { controls: 'inline' }, outbound: { controls: 'off' } } });
  t.is((await agent('inbound', { agent: 'builtin' })).controls, 'off');
  t.is((await agent('inbound', { agent: 'builtin', controls: 'always' })).code, 'invalid_request');
});
