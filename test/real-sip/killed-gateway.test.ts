/** A gateway that was killed: active calls continue at the next one, and no far end keeps ringing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { mediaServers } from '#config/policy.ts';
import { apiClient, type ApiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { headerIn, startUdpEnd, type UdpEnd } from './udp-end.ts';

const answering = '01099991111';
const ringing = '01099992222';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`recovery of a killed gateway's calls: NOT RUN, ${missing.join(', ')} not installed`, (t) =>
    t.pass());
} else {
  let servers: SipServers;
  test.beforeEach(async () => {
    servers = await startServers({ parkSec: 120 });
  });
  test.afterEach.always(() => servers.close());

  const credentialsIn = z.object({
    base_url: z.string(),
    number_key: z.string(),
    admin_token: z.string(),
    number: z.string(),
  });

  /** A gateway in a process of its own, and the state that the next one needs to replace it. */
  const startDoomed = async (t: ExecutionContext, end: UdpEnd) => {
    const databaseUrl = await testDatabaseUrl(t);
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-killed-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const { drachtio, freeSwitch } = servers;
    const environment: Record<string, string> = {
      ...testSettings(databaseUrl, folder),
      GW_LINES: 'drachtio',
      GW_DRACHTIO: `${drachtio.host}:${drachtio.port}`,
      GW_RELAY: 'none',
      GW_DRACHTIO_SECRET: drachtio.secret,
      GW_FREESWITCH: `${freeSwitch.host}:${freeSwitch.port}`,
      GW_FREESWITCH_SECRET: freeSwitch.secret,
      GW_TRUNK: `127.0.0.1:${end.port}`,
      // The far end sends no audio.
      GW_RTP_TIMEOUT_SEC: '0',
    };
    const program = fileURLToPath(new URL('../../src/main.mjs', import.meta.url));
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    let printed = '';
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
    await until(() => printed.includes('is ready'));
    const credentials = credentialsIn.parse(
      JSON.parse(await readFile(join(folder, 'dev-credentials.json'), 'utf8')),
    );
    return {
      environment: { GW_DATABASE_URL: databaseUrl, GW_DATA_DIR: folder },
      client: apiClient(credentials.base_url, credentials.number_key),
      admin: apiClient(credentials.base_url, credentials.admin_token),
      number: credentials.number,
      async kill() {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  };

  const startEnd = async (t: ExecutionContext, recordRoute = false): Promise<UdpEnd> => {
    const end = await startUdpEnd({ ringing: [ringing], recordRoute });
    t.teardown(end.close);
    return end;
  };

  const calls = z.object({
    calls: z.array(z.object({ id: z.string(), status: z.string(), end_reason: z.string().nullable() })),
  });

  realTimeTest(
    'no far end of a killed gateway keeps ringing, and the next gateway resumes active calls and ends each once',
    async (t) => {
      const end = await startEnd(t);
      const doomed = await startDoomed(t, end);
      for (const to of [answering, ringing])
        t.is((await doomed.client.post('/api/v1/calls', { to, instruction: 'x' })).status, 201);
      await until(() => end.count('INVITE') === 2 && end.count('ACK') === 1);
      end.call(servers.sipPort, doomed.number, 'inbound');
      const isAnswer = (text: string): boolean =>
        /^SIP\/2.0 200/.test(text) && headerIn(text, 'CSeq') === '1 INVITE';
      await until(() => end.answers.some(isAnswer));
      end.confirm(servers.sipPort, end.answers.find(isAnswer) ?? '');
      const { pool } = mediaServers;
      await until(async () => (await servers.mediaServers[0]?.channels()) === pool.size + 3);
      await delay(300);
      await doomed.kill();
      t.is(end.count('BYE') + end.count('CANCEL'), 0);

      const gateway = await realGateway(t, servers, end.port, doomed.environment);
      await until(() => end.count('CANCEL') === 1);
      const statuses = async (): Promise<string[]> =>
        calls
          .parse((await gateway.client.get('/api/v1/calls')).body)
          .calls.map(({ status, end_reason: reason }) => [status, reason].join(' ').trim())
          .toSorted();
      await until(async () => (await statuses()).join() === 'active,active,failed system_error');
      t.deepEqual([end.count('BYE'), end.count('INVITE')], [0, 2], 'those that stand hear nothing of it');
      for (const { id, status } of calls.parse((await gateway.client.get('/api/v1/calls')).body).calls)
        if (status === 'active')
          t.is((await gateway.client.post(`/api/v1/calls/${id}/hangup`, { immediate: true })).status, 202);
      await until(() => end.count('BYE') === 2);
      await until(
        async () =>
          (await statuses()).join() === 'completed agent_hangup,completed agent_hangup,failed system_error',
        15_000,
      );
      // Pooled channels are parked; those of calls are not.
      await until(async () => (await servers.mediaServers[0]?.channels()) === 2 * pool.size);
      await delay(2_000);
      t.deepEqual(
        ['BYE', 'CANCEL', 'INVITE', 'ACK'].map((method) => end.count(method)),
        [2, 1, 2, 2],
        'nothing is said twice; an ACK confirms the refusal of what was cancelled',
      );
    },
  );

  const ladderIn = z.object({
    messages: z.array(z.object({ direction: z.string(), start_line: z.string() })),
  });

  /** The destination and the first line of each message. */
  const ladderOf = async (admin: ApiClient, callId: string): Promise<string[]> =>
    ladderIn
      .parse((await admin.get(`/api/v1/admin/calls/${callId}/sip`)).body)
      .messages.map(({ direction, start_line: line }) => `${direction} ${line.replace(/ sip:.*/, '')}`);

  realTimeTest(
    'stores SIP messages of a killed gateway’s call and of the gateway that resumes and hangs up the call',
    async (t) => {
      const end = await startEnd(t);
      const doomed = await startDoomed(t, end);
      const placed = await doomed.client.post('/api/v1/calls', { to: answering, instruction: 'x' });
      const callId = z.string().parse(placed.body['call_id']);
      await until(async () => (await ladderOf(doomed.admin, callId)).length === 4);
      await doomed.kill();
      const gateway = await realGateway(t, servers, end.port, doomed.environment);
      const { client } = gateway;
      await until(
        async () => (await client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status === 202,
        15_000,
      );
      await until(async () => (await ladderOf(gateway.admin, callId)).length >= 6);
      t.deepEqual(await ladderOf(gateway.admin, callId), [
        'out INVITE',
        'in SIP/2.0 180 Ringing',
        'in SIP/2.0 200 OK',
        'out ACK',
        'out BYE',
        'in SIP/2.0 200 OK',
      ]);
    },
  );

  realTimeTest('hangs up a far end whose call drachtio-server no longer knows', async (t) => {
    const end = await startEnd(t, true);
    const doomed = await startDoomed(t, end);
    await doomed.client.post('/api/v1/calls', { to: answering, instruction: 'x' });
    await until(() => end.count('ACK') === 1);
    await delay(300);
    await doomed.kill();
    await servers.killDrachtio();
    await servers.restartDrachtio();
    await realGateway(t, servers, end.port, doomed.environment);
    await until(() => end.count('BYE') === 1);
    const [invite, bye] = ['INVITE', 'BYE'].map(
      (name) => end.heard.find(({ method }) => method === name)?.text ?? '',
    );
    const of = (name: string): [string, string] => [headerIn(bye ?? '', name), headerIn(invite ?? '', name)];
    t.is(...of('Call-ID'));
    t.is(...of('From'));
    t.regex(headerIn(bye ?? '', 'To'), /;tag=far$/);
    t.true(parseInt(headerIn(bye ?? '', 'CSeq'), 10) > parseInt(headerIn(invite ?? '', 'CSeq'), 10));
    t.regex(bye ?? '', /^BYE sip:far@192.0.2.1:9 /);
    await delay(1_000);
    t.is(end.count('BYE'), 1);
  });
}
