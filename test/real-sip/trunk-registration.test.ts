/** Registration at trunks, by the lines alone and by a whole gateway. */
import { z } from 'zod';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { credentialsIn } from '#test/start/gateway-process.ts';
import { startGateways } from './gateways-with-calls.ts';
import { ownPort } from './ports.ts';
import { realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startBlackHole } from './trunk-ends.ts';
import { account, callee, trunkAt, withTrunkLines } from './trunk-lines.ts';

withTrunkLines('registration at trunks', ({ servers, startTrunkFor, linesWith }) => {
  realTimeTest('registers with the password, for the time that the registrar grants', async (t) => {
    const far = await startTrunkFor(t, 'trunk-registrar');
    const { outOfDialog } = await linesWith(t, []);
    const never = new AbortController().signal;
    const registered = await outOfDialog.register(trunkAt(far.port, { ...account, register: true }), never);
    t.is(registered.expiresSec, 120);
    const messages = await far.messages();
    t.regex(messages, new RegExp(`^Contact: <sip:gw@127\\.0\\.0\\.1:${servers().sipPort}`, 'm'));
    t.regex(messages, /^Expires: 600/m);
    await t.throwsAsync(outOfDialog.register(trunkAt(far.port, { ...account, password: 'guess' }), never), {
      message: /^The trunk refuses the user name or the password \(403 /,
    });
    const hole = await startBlackHole();
    t.teardown(hole.close);
    await t.throwsAsync(outOfDialog.register(trunkAt(hole.port, account), never), {
      message: /^The trunk does not answer/,
    });
  });

  realTimeTest('receives calls by TCP after registering by TCP', async (t) => {
    const far = await startTrunkFor(t, 'trunk-registrar', { transport: 'tcp' });
    const { outOfDialog } = await linesWith(t, []);
    const trunk = trunkAt(far.port, { ...account, transport: 'tcp' });
    await outOfDialog.register(trunk, new AbortController().signal);
    const contact = `^Contact: <sip:gw@127\\.0\\.0\\.1:${servers().sipPort};transport=tcp>`;
    t.regex(await far.messages(), new RegExp(contact, 'm'));
  });

  realTimeTest('a complete gateway registers at its trunk and calls through it', async (t) => {
    const registrar = await startTrunkFor(t, 'trunk-registrar');
    const first = await startTrunkFor(t, 'trunk-unavailable');
    const second = await startTrunkFor(t, 'silent');
    const gateway = await realGateway(t, servers(), await ownPort());
    const path = '/api/v1/admin/trunks';
    const withId = z.object({ id: z.string() });
    const add = async (body: Record<string, unknown>): Promise<string> => {
      const created = await gateway.admin.post(path, { host: '127.0.0.1', health_check: false, ...body });
      t.is(created.status, 201);
      return withId.parse(created.body).id;
    };
    const stateOf = async (id: string) => (await gateway.admin.get(`${path}/${id}`)).body['state'];
    const registered = await add({
      ...account,
      name: 'registrar',
      port: registrar.port,
      register: true,
      priority: 9,
    });
    await until(async () => (await stateOf(registered)) === 'registered');
    t.truthy((await gateway.admin.get(`${path}/${registered}`)).body['last_seen_at']);
    await gateway.admin.patch(`${path}/${registered}`, { enabled: false });
    await until(async () => /^Expires: 0/m.test(await registrar.messages()));
    t.is(await stateOf(registered), 'disabled');

    const unavailable = await add({ name: 'first', port: first.port, priority: 1 });
    const ready = await add({ name: 'second', port: second.port, priority: 2 });
    await until(async () => (await stateOf(unavailable)) === 'ready' && (await stateOf(ready)) === 'ready');
    const callId = await gateway.call(callee, 'Say hello');
    t.like(await gateway.untilStatus(callId, 'active'), { sip: { status: 200 } });
    await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);
    t.regex(await first.messages(), /INVITE/);

    await gateway.admin.patch(gateway.numberPath, { trunk_id: unavailable });
    const bound = await gateway.call(callee, 'Say hello');
    t.like(await gateway.untilStatus(bound, ...finalStatuses), {
      status: 'failed',
      end_reason: 'trunk_error',
      sip: { status: 503 },
    });
  });

  realTimeTest('the last gateway of a relay removes the registration at a trunk', async (t) => {
    const registrar = await startTrunkFor(t, 'trunk-registrar');
    const gateways = await startGateways(t, servers(), 'direct', await ownPort());
    const one = await gateways.start('one');
    const two = await gateways.start('two');
    const { admin_token: token } = await credentialsIn(one.folder);
    const trunk = { host: '127.0.0.1', health_check: false, ...account, name: 'registrar' };
    const path = '/api/v1/admin/trunks';
    const created = await one.client.as(token).post(path, { ...trunk, port: registrar.port, register: true });
    const { id } = z.object({ id: z.string() }).parse(created.body);
    for (const { client } of [one, two])
      await until(async () => (await client.as(token).get(`${path}/${id}`)).body['state'] === 'registered');
    const wishes = async (): Promise<string[]> =>
      [...(await registrar.messages()).matchAll(/^Expires: (\d+)/gm)].map(([, seconds = '']) => seconds);
    const untilRegistered = (times: number) =>
      until(async () => (await wishes()).filter((seconds) => seconds === '600').length >= times);
    await untilRegistered(2);
    one.signal('SIGTERM');
    t.is((await one.ended).code, 0);
    const next = await gateways.start('one', one.folder);
    // At its start, and again when it takes calls.
    await untilRegistered(4);
    t.false((await wishes()).includes('0'), 'the other gateway needed the registration');
    for (const gateway of [next, two]) {
      gateway.signal('SIGTERM');
      t.is((await gateway.ended).code, 0);
    }
    await until(async () => (await wishes()).includes('0'));
    t.is((await wishes()).at(-1), '0');
  });
});
