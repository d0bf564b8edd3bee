/**
 * The relay in a process of its own, in front of a real drachtio-server: calls while gateways, or the relay itself, are
 * killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { LineEvent } from '#machines/line.ts';
import { createFarEnd, type FarCall, type FarEnd } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { branchOf, mustHave } from '#test/doubles/sip-parser.ts';
import { connectClient, type Client } from '#test/sip/relay/control-client.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { ownPort } from './ports.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startDoomedGateway } from './start-doomed.ts';
import { createUdpNetwork } from './udp-network.ts';

const sdp = describeSound();
const program = fileURLToPath(new URL('../../src/commands/relay.ts', import.meta.url));

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`the relay on a real server: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always(() => servers.close());

  const startRelay = async (t: ExecutionContext, port: number) => {
    const { drachtio } = servers;
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env['PATH'],
        GW_RELAY: `127.0.0.1:${port}`,
        GW_DRACHTIO: `${drachtio.host}:${drachtio.port}`,
        GW_DRACHTIO_SECRET: drachtio.secret,
        GW_LOG_FORMAT: 'json',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (data: Buffer) => (said += data.toString()));
    await until(() => said.includes('the relay is ready'));
    return {
      address: { ...drachtio, port },
      said: () => said,
      async kill(signal: NodeJS.Signals = 'SIGKILL') {
        child.kill(signal);
        await once(child, 'exit');
      },
    };
  };

  const startWorld = async (t: ExecutionContext) => {
    const network = createUdpNetwork(servers.sipPort);
    t.teardown(network.close);
    const port = await ownPort();
    return {
      relay: await startRelay(t, port),
      restart: () => startRelay(t, port),
      trunk: createFarEnd(network, `127.0.0.1:${await ownPort()}`),
    };
  };

  const answered = async (trunk: FarEnd, gateway: Client): Promise<{ call: FarCall; dialogId: string }> => {
    const call = trunk.calls('07012345678', { sdp });
    const { transactionId } = await gateway.told('INVITE');
    await gateway.answer(transactionId, '200 OK', sdp);
    await call.receives(200);
    call.sends('ACK');
    const { dialogId } = await gateway.told('ACK');
    return { call, dialogId };
  };

  const stands = ['NOK', 'Server error: missing content-type'];
  const gone = ['NOK', 'Server error: unable to find dialog for dialog id provided'];

  realTimeTest('requests of the far end to a killed gateway reach the next gateway', async (t) => {
    const { relay, trunk } = await startWorld(t);
    const doomed = await connectClient(t, relay.address);
    const { call, dialogId } = await answered(trunk, doomed);
    doomed.kill();
    await doomed.closed;
    await until(() => relay.said().includes('a gateway disconnected'));
    call.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=5\r\n' });
    call.sends('INVITE', { sdp });
    const next = await connectClient(t, relay.address);
    t.deepEqual(
      await next.asksForDialog(dialogId),
      stands,
      'nothing is sent, and it is known that it stands',
    );
    for (const method of ['INFO', 'INVITE']) {
      const { transactionId } = await next.told(method);
      await next.answer(transactionId, '200 OK', method === 'INVITE' ? sdp : '');
      await call.receives(200);
    }
    call.sends('ACK');
    await next.told('ACK');
    next.kill();
    await next.closed;
    call.sends('BYE');
    const last = await connectClient(t, relay.address);
    await until(async () => (await last.asksForDialog(dialogId))[1] === gone[1]);
    const { transactionId } = await last.told('BYE');
    await last.answer(transactionId, '200 OK');
    await call.receives(200);
    t.false(call.ladder().includes('← OPTIONS'));
    t.false(relay.said().includes(servers.drachtio.secret));
  });

  realTimeTest(
    'keeps calls after a kill of the SIP relay and hangs them up through the next one',
    async (t) => {
      const { relay, trunk, restart } = await startWorld(t);
      const before = await connectClient(t, relay.address);
      const [one, other] = [await answered(trunk, before), await answered(trunk, before)];
      await relay.kill();
      await before.closed;
      const { address } = await restart();
      const gateway = await connectClient(t, address);
      t.deepEqual(await gateway.asksForDialog(one.dialogId), stands);
      void gateway.inDialog(one.dialogId, 'BYE');
      await one.call.receives('BYE');
      one.call.answers(200);
      await gateway.told('SIP/2.0 200');
      // drachtio-server drops in-dialog requests of a lost connection, and the dialog has then ended.
      other.call.sends('BYE');
      await other.call.receives(481);
      await until(async () => (await gateway.asksForDialog(other.dialogId))[1] === gone[1]);
    },
  );

  /**
   * The call of a gateway that is killed before the telephone answers. The gateway has no database, so no other gateway
   * knows of the call: the same is true if it is killed before the leg of the call is stored.
   */
  const placedByKilled = async (t: ExecutionContext, rings: 'before the kill' | 'after the kill') => {
    const { relay, trunk } = await startWorld(t);
    const trunkPort = Number(trunk.address.split(':')[1]);
    const { freeSwitch } = servers;
    const drachtio = relay.address;
    const doomed = await startDoomedGateway(t, { drachtio, freeSwitch }, { trunkPort, media: 'direct' });
    const call = await trunk.receives('INVITE');
    if (rings === 'before the kill') call.answers(180);
    await doomed.killEarly();
    await until(() => relay.said().includes('a gateway disconnected'));
    if (rings === 'after the kill') call.answers(180);
    return { call, relay };
  };

  for (const rings of ['before the kill', 'after the kill'] as const)
    realTimeTest(`cancels the call of a killed gateway to a telephone that rings ${rings}`, async (t) => {
      const { call, relay } = await placedByKilled(t, rings);
      const cancel = await call.receives('CANCEL');
      t.is(branchOf(cancel), branchOf(call.last('INVITE')), 'a telephone ignores a CANCEL of another branch');
      call.answers(200, { to: 'CANCEL' });
      call.answers(487, { to: 'INVITE' });
      await until(() =>
        relay.said().includes('no gateway cancelled the calls that a lost gateway was placing'),
      );
    });

  realTimeTest('hangs up a telephone that answers the call of a killed gateway', async (t) => {
    const { call } = await placedByKilled(t, 'before the kill');
    call.answers(200, { sdp });
    await call.receives('ACK');
    await call.receives('BYE');
    call.answers(200);
    t.deepEqual(call.unread(), []);
  });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const)
    realTimeTest(
      `continues calls of a gateway while the SIP relay is stopped by ${signal} and restarted`,
      async (t) => {
        const { relay, trunk, restart } = await startWorld(t);
        const trunkPort = Number(trunk.address.split(':')[1]);
        const lines = await realLines(
          { drachtio: relay.address, freeSwitch: servers.freeSwitch },
          trunkPort,
          {},
          'direct',
        );
        t.teardown(() => lines.close());
        await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
        const dial = async () => {
          const events: LineEvent[] = [];
          const line = lines.open(lineInput(), (event) => void events.push(event));
          const far = await trunk.receives('INVITE');
          far.answers(200, { sdp });
          await far.receives('ACK');
          const has = (type: string) => until(() => events.some((event) => event.type === type));
          await has('line.answered');
          return { line, far, events, has };
        };
        const [one, other] = [await dial(), await dial()];
        await relay.kill(signal);
        await until(() => !lines.health().ready);
        await restart();
        await until(() => lines.health().ready);
        one.line.tell({ type: 'hangUp' });
        await one.far.receives('BYE');
        one.far.answers(200);
        await one.has('line.ended');
        other.far.sends('BYE');
        await other.far.receives(481);
        await other.has('line.ended');
        t.like(other.events.at(-1), { type: 'line.ended', by: 'counterparty' });
        for (const { events } of [one, other]) t.false(events.some(({ type }) => type === 'line.failed'));
      },
    );

  realTimeTest('sends a caller a retry time while no gateway is connected', async (t) => {
    const { trunk } = await startWorld(t);
    const refused = await trunk.calls('07012345678', { sdp }).receives(503);
    t.is(mustHave(refused, 'Retry-After'), '5');
    await t.notThrowsAsync(trunk.asks('OPTIONS').receives(503));
  });
}
