/** A whole gateway that loses its servers, or is rejected by them. */
import { finalStatuses, type TestGateway } from '#test/helpers/gateway.ts';
import { startFarEnd, startTelephone } from './far-end.ts';
import { onRealServers } from './on-real-servers.ts';
import { ownPort } from './ports.ts';
import { noChannelIsLeft, realGateway } from './real-gateway.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { type SipServers } from './sip-servers.ts';

const callee = '01099998888';

const failed = (reason: string) => ({ status: 'failed', end_reason: reason });

onRealServers('a whole gateway without its servers', (servers) => {
  const noStrayMedia = async (gateway: TestGateway, callId: string): Promise<void> => {
    await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);
    await noChannelIsLeft(servers());
  };

  realTimeTest(
    'places calls only while both servers are reachable, and ends calls of a lost media server',
    async (t) => {
      const far = await startFarEnd('silent', servers().folder);
      t.teardown(far.close);
      const gateway = await realGateway(t, servers(), far.port);
      const ready = async (): Promise<number> =>
        (await fetch(`${gateway.credentials.base_url}/readyz`)).status;
      t.is(await ready(), 200);
      const callId = await gateway.call(callee, 'Say hello');
      await gateway.untilStatus(callId, 'active');
      await servers().killFreeSwitch();
      t.like(await gateway.untilStatus(callId, ...finalStatuses), failed('media_error'));
      await until(async () => (await ready()) === 503);
      const refused = await gateway.call(callee, 'Say hello');
      t.like(await gateway.untilStatus(refused, ...finalStatuses), failed('media_error'));
      await servers().restartFreeSwitch();
      await until(async () => (await ready()) === 200);
      const again = await gateway.call(callee, 'Say hello');
      await gateway.untilStatus(again, 'active');
      await noStrayMedia(gateway, again);
    },
  );

  realTimeTest(
    'ends calls of a lost drachtio-server, and places calls again after its restart',
    async (t) => {
      const far = await startFarEnd('silent', servers().folder);
      t.teardown(far.close);
      const gateway = await realGateway(t, servers(), far.port);
      const callId = await gateway.call(callee, 'Say hello');
      await gateway.untilStatus(callId, 'active');
      await servers().killDrachtio();
      t.like(await gateway.untilStatus(callId, ...finalStatuses), failed('media_error'));
      const refused = await gateway.call(callee, 'Say hello');
      t.like(await gateway.untilStatus(refused, ...finalStatuses), failed('trunk_error'));
      await servers().restartDrachtio();
      await until(async () => (await fetch(`${gateway.credentials.base_url}/readyz`)).status === 200);
      const again = await gateway.call(callee, 'Say hello');
      await gateway.untilStatus(again, 'active');
      const telephone = await startTelephone(servers().folder, {
        dial: `sip:0298765432@127.0.0.1:${servers().sipPort}`,
        seconds: 5,
      });
      t.teardown(telephone.close);
      await until(async () => /404 Not Found/.test(await telephone.log()));
      await noStrayMedia(gateway, again);
    },
  );

  realTimeTest('names a server that rejects the secret, and places no call', async (t) => {
    const { drachtio, freeSwitch } = servers();
    const wrong: readonly [Partial<SipServers>, RegExp][] = [
      [{ drachtio: { ...drachtio, secret: 'wrong' } }, /drachtio-server at .* refused the secret/],
      [{ freeSwitch: { ...freeSwitch, secret: 'wrong' } }, /FreeSWITCH at .* refused the secret/],
      [{ freeSwitch: { ...freeSwitch, port: await ownPort() } }, /FreeSWITCH at .* ECONNREFUSED/],
      [{ drachtio: { ...drachtio, port: await ownPort() } }, /drachtio-server at .* ECONNREFUSED/],
    ];
    for (const [change, detail] of wrong) {
      const lines = await realLines({ ...servers(), ...change }, 9);
      await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
      const health = lines.health();
      t.regex(health.ready ? 'ready' : health.detail, detail);
      await lines.close();
    }
  });
});
