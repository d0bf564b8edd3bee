/** The SIP messages of a whole gateway's calls, as they are stored and read. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { z } from 'zod';
import { finalStatuses, type TestGateway } from '#test/helpers/gateway.ts';
import { readHep } from '#test/sip/hep/read-hep.ts';
import { onRealServers } from './on-real-servers.ts';
import { realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import {
  answer,
  ask,
  expectAnswer,
  leave,
  pickUp,
  receive,
  ring,
  soundAt,
  startScripted,
} from './scripted-end.ts';
import type { SipServers } from './sip-servers.ts';

const ladderIn = z.object({
  messages: z.array(
    z.object({
      direction: z.enum(['in', 'out']),
      transport: z.string(),
      local: z.string(),
      remote: z.string(),
      elapsed_ms: z.number(),
      start_line: z.string(),
      text: z.string(),
      left_out: z.literal(0),
    }),
  ),
});

const messagesOf = async ({ admin }: TestGateway, callId: string) =>
  ladderIn.parse((await admin.get(`/api/v1/admin/calls/${callId}/sip`)).body).messages;

type Message = Awaited<ReturnType<typeof messagesOf>>[number];

const rungOf = ({ direction, start_line: line, text }: Message): string =>
  `${direction === 'out' ? '→' : '←'} ${line.replace(/ sip:.*/, '').replace('SIP/2.0 ', '')} ${/^CSeq: \d+ (\w+)/im.exec(text)?.[1]}`;

const challenge = answer('401 Unauthorized', {
  tag: 'challenge',
  headers: ['WWW-Authenticate: Digest realm="carrier", nonce="47ebe028", algorithm=MD5, qop="auth"'],
});

const testLadder = (servers: () => SipServers): void => {
  realTimeTest(
    'stores exactly the messages of a call with a challenge, a re-INVITE and BYE, in order',
    async (t) => {
      const end = await startScripted(servers().folder, [
        receive('INVITE'),
        challenge,
        receive('ACK'),
        ...ring,
        ...pickUp(),
        ask('INVITE', 1, { sdp: soundAt('a=sendonly') }),
        expectAnswer(200),
        ask('ACK', 1),
        ask('INFO', 2, { headers: ['Content-Type: application/dtmf-relay'], sdp: 'Signal=7\nDuration=160' }),
        expectAnswer(200),
        ...leave,
      ]);
      t.teardown(end.close);
      const gateway = await realGateway(t, servers(), end.port, { GW_TRUNK: '' });
      const { status } = await gateway.admin.post('/api/v1/admin/trunks', {
        name: 'carrier',
        host: '127.0.0.1',
        port: end.port,
        username: 'gw',
        password: 'correct',
        health_check: false,
      });
      t.is(status, 201);
      await until(async () => {
        const { body } = await gateway.admin.get('/api/v1/admin/trunks');
        return (
          JSON.stringify(body).includes('"state":"ready"') ||
          JSON.stringify(body).includes('"state":"unused"')
        );
      });
      const callId = await gateway.call('01099998888', 'Say hello');
      await until(async () => /^CSeq: 2 INFO/m.test(await end.messages()));
      await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
      await gateway.untilStatus(callId, ...finalStatuses);
      await t.notThrowsAsync(end.finished());
      await until(async () => (await messagesOf(gateway, callId)).length >= 13);
      const messages = await messagesOf(gateway, callId);
      t.deepEqual(messages.map(rungOf), [
        '→ INVITE INVITE',
        '← 401 Unauthorized INVITE',
        '→ INVITE INVITE',
        '← 180 Ringing INVITE',
        '← 200 OK INVITE',
        '→ ACK ACK',
        '← INVITE INVITE',
        '→ 200 OK INVITE',
        '← ACK ACK',
        '← INFO INFO',
        '→ 200 OK INFO',
        '→ BYE BYE',
        '← 200 OK BYE',
      ]);
      const all = messages.map(({ text }) => text).join('');
      t.regex(all, /^Authorization: Digest username="gw", .*response=\*\*\*/m);
      t.regex(await end.messages(), /response="[\da-f]{32}"/, 'the trunk got it whole');
      t.notRegex(all, /response="?[\da-f]{8}/);
      t.regex(all, /^Signal=x\r?$/m);
      const [local, remote] = [`127.0.0.1:${servers().sipPort}`, `127.0.0.1:${end.port}`];
      t.deepEqual(
        new Set(messages.map((one) => `${one.transport} ${one.local} ${one.remote}`)),
        new Set([`udp ${local} ${remote}`]),
      );
      const times = messages.map(({ elapsed_ms: elapsed }) => elapsed);
      t.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    },
  );
};

const testHep = (servers: () => SipServers): void => {
  realTimeTest('sends the same messages to a collector by HEP', async (t) => {
    const collector = createSocket('udp4').bind(0, '127.0.0.1');
    await once(collector, 'listening');
    t.teardown(() => collector.close());
    const packets: ReturnType<typeof readHep>[] = [];
    collector.on('message', (packet) => packets.push(readHep(packet)));
    const end = await startScripted(servers().folder, [...ring, ...pickUp(), ...leave]);
    t.teardown(end.close);
    const gateway = await realGateway(t, servers(), end.port, {
      GW_HEP: `127.0.0.1:${collector.address().port}`,
    });
    const callId = await gateway.call('01099998888', 'Say hello');
    await gateway.untilStatus(callId, 'active');
    await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);
    await until(async () => packets.length >= 6 && (await messagesOf(gateway, callId)).length >= 6);
    const messages = await messagesOf(gateway, callId);
    t.deepEqual(
      packets.map(({ payload }) => payload),
      messages.map(({ text }) => text),
    );
    t.is(new Set(packets.map(({ correlationId }) => correlationId)).size, 1);
    t.like(packets[0], { from: '127.0.0.1', fromPort: servers().sipPort, to: '127.0.0.1', toPort: end.port });
  });
};

onRealServers('the SIP messages of calls', (servers) => {
  testLadder(servers);
  testHep(servers);
});
