/** The command that starts the servers, as an operator uses it: a gateway beside it places a call. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { startTelephone } from './far-end.ts';
import { ownPort, ownRange } from './ports.ts';
import { bindFarewellAgent, realGateway, voiceOf } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { endProcess, missingPrograms } from './sip-servers.ts';
import { startTrunk } from './trunk-ends.ts';
import { findIn } from './wave.ts';

const program = fileURLToPath(new URL('../../src/commands/servers.ts', import.meta.url));

const startCommand = async (t: ExecutionContext, environment: Record<string, string> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-servers-'));
  const [control, relay, eventSocket, sip, mediaSip] = [
    await ownPort(),
    await ownPort(),
    await ownPort(),
    await ownPort(),
    await ownPort(),
  ];
  const audio = await ownRange(200);
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: {
      ...process.env,
      GW_DATA_DIR: folder,
      GW_DRACHTIO: `127.0.0.1:${control}`,
      GW_DRACHTIO_SECRET: 'secret-of-drachtio',
      GW_RELAY: `127.0.0.1:${relay}`,
      GW_FREESWITCH: `127.0.0.1:${eventSocket}`,
      GW_FREESWITCH_SECRET: 'secret-of-freeswitch',
      GW_SIP_PORT: String(sip),
      GW_FREESWITCH_SIP_PORT: String(mediaSip),
      GW_FREESWITCH_RTP_FROM: String(audio.from),
      GW_FREESWITCH_RTP_TO: String(audio.to),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(async () => {
    await endProcess(child, 10_000);
    await rm(folder, { recursive: true, force: true });
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return {
    child,
    folder,
    sip,
    viaRelay: { GW_RELAY: `127.0.0.1:${relay}` },
    output: () => output,
    servers: {
      folder,
      drachtio: { host: '127.0.0.1', port: control, secret: 'secret-of-drachtio' },
      freeSwitch: { host: '127.0.0.1', port: eventSocket, secret: 'secret-of-freeswitch' },
    },
  };
};

/** The command lines of running processes that contain this text. */
const processesThatName = async (text: string, chosen = ['-eo', 'args']): Promise<string> => {
  const child = spawn('ps', chosen, { stdio: ['ignore', 'pipe', 'ignore'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks)
    .toString()
    .split('\n')
    .filter((line) => line.includes(text))
    .join('\n');
};

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`npm run servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  realTimeTest('starts both servers, carries a call, and stops both with the command', async (t) => {
    const { child, folder, sip, viaRelay, output, servers } = await startCommand(t);
    await until(() => /in another terminal/.test(output()) || child.exitCode !== null, 60_000);
    t.regex(
      output(),
      new RegExp(`^drachtio-server is ready: SIP 127\\.0\\.0\\.1:${sip} \\(udp, tcp\\);`, 'm'),
    );
    t.regex(
      output(),
      /^FreeSWITCH is ready: .*sound \d+-\d+ \(udp\);.* log servers\/freeswitch\/log\/freeswitch\.log$/m,
    );
    t.regex(output(), new RegExp(`^The relay is ready: gateways connect to ${viaRelay.GW_RELAY} `, 'm'));
    t.notRegex(await processesThatName(folder), /secret-of/, 'secrets cannot be seen from outside');

    const telephone = await startTelephone(folder, { seconds: 40 });
    t.teardown(telephone.close);
    const gateway = await realGateway(t, servers, telephone.port, viaRelay);
    await gateway.admin.patch(gateway.numberPath, { language: 'en' });
    const farewell = 'The servers of this machine carry this sentence to you, goodbye.';
    await bindFarewellAgent(t, gateway, farewell);
    const callId = await gateway.call('01099998888', 'Say goodbye');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'completed',
      end_reason: 'agent_hangup',
    });
    const { channels } = await telephone.heard();
    const { likeness } = findIn(channels[0] ?? new Int16Array(), await voiceOf(farewell, 'en'), 8_000);
    t.true(likeness > 0.9, `the words are heard (${likeness})`);

    child.kill('SIGINT');
    await until(() => child.exitCode !== null);
    t.is(child.exitCode, 0, output());
    t.regex(output(), /^All servers have ended\.$/m);
    t.is(await processesThatName(join(folder, 'servers')), '', 'nothing is left');
    t.regex(await readFile(join(folder, 'servers/drachtio.log'), 'utf8'), /starting sip stack/);
  });

  realTimeTest('without FreeSWITCH, starts drachtio-server alone, and a call has audio', async (t) => {
    const { child, folder, viaRelay, output, servers } = await startCommand(t, { GW_FREESWITCH: 'none' });
    await until(() => /GW_FREESWITCH=none GW_LINES=drachtio npm start/.test(output()), 60_000);
    t.notRegex(output(), /FreeSWITCH is ready/);
    const telephone = await startTelephone(folder, { seconds: 40 });
    t.teardown(telephone.close);
    const gateway = await realGateway(t, servers, telephone.port, {
      GW_FREESWITCH: 'none',
      ...viaRelay,
    });
    await gateway.admin.patch(gateway.numberPath, { language: 'en' });
    const farewell = 'No media server stands between you and me, goodbye.';
    await bindFarewellAgent(t, gateway, farewell);
    const callId = await gateway.call('01099998888', 'Say goodbye');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'completed',
      end_reason: 'agent_hangup',
    });
    const { channels } = await telephone.heard();
    const { likeness } = findIn(channels[0] ?? new Int16Array(), await voiceOf(farewell, 'en'), 8_000);
    t.true(likeness > 0.9, `the words are heard (${likeness})`);
    child.kill('SIGINT');
    await until(() => child.exitCode !== null);
    t.is(child.exitCode, 0, output());
  });

  realTimeTest('restarts and names a server that ends by itself', async (t) => {
    const { child, folder, output } = await startCommand(t);
    await until(() => /in another terminal/.test(output()) || child.exitCode !== null, 60_000);
    const pid = Number(await readFile(join(folder, 'servers/freeswitch/run/freeswitch.pid'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    await until(() => /^FreeSWITCH is ready again\.$/m.test(output()), 60_000);
    t.regex(
      output(),
      /^FreeSWITCH has ended by itself \(SIGKILL\), and its calls with it\. It is started again in 1 s\.$/m,
    );
    t.is(child.exitCode, null);
    const drachtio = await processesThatName('drachtio', ['--ppid', String(child.pid), '-o', 'pid,args']);
    process.kill(Number.parseInt(drachtio, 10), 'SIGKILL');
    await until(() => /^drachtio-server is ready again\.$/m.test(output()), 60_000);
    child.kill('SIGINT');
    await until(() => child.exitCode !== null);
    t.is(child.exitCode, 0, output());
    t.is(await processesThatName(join(folder, 'servers')), '');
  });

  realTimeTest('names a port in use before starting anything', async (t) => {
    const first = await startCommand(t);
    await until(
      () => /drachtio-server is ready/.test(first.output()) || first.child.exitCode !== null,
      60_000,
    );
    const { host, port } = first.servers.drachtio;
    const second = await startCommand(t, { GW_DRACHTIO: `${host}:${port}` });
    await until(() => second.child.exitCode !== null);
    t.is(second.child.exitCode, 1);
    t.is(
      second.output(),
      `Something listens on ${host}:${port} already: drachtio-server cannot (GW_DRACHTIO)\n`,
    );
  });

  realTimeTest('stops both servers if the command is stopped during their start', async (t) => {
    const { child, folder, output } = await startCommand(t);
    await until(async () => (await processesThatName(join(folder, 'servers'))) !== '');
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null);
    t.is(child.exitCode, 0, output());
    t.is(await processesThatName(join(folder, 'servers')), '');
  });

  realTimeTest('writes the public address into SIP and SDP', async (t) => {
    const { folder, viaRelay, output, servers } = await startCommand(t, { GW_PUBLIC_ADDRESS: '127.0.0.9' });
    await until(() => /in another terminal/.test(output()), 60_000);
    t.regex(output(), /^drachtio-server is ready: .*known outside as 127\.0\.0\.9;/m);
    const trunk = await startTrunk('busy', folder);
    t.teardown(trunk.close);
    const gateway = await realGateway(t, servers, trunk.port, viaRelay);
    const callId = await gateway.call('01099998888', 'Say goodbye');
    await gateway.untilStatus(callId, ...finalStatuses);
    const messages = await trunk.messages();
    t.regex(messages, /^Via: SIP\/2\.0\/UDP 127\.0\.0\.9[:;]/m);
    t.regex(messages, /^Contact: <sip:127\.0\.0\.9:/m);
  });
}
