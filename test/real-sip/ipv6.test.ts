/** Signalling and audio over IPv6, with drachtio-server alone: the gateway carries the audio itself. */
import { createSocket } from 'node:dgram';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Arrival } from '#src/domain/arrival.ts';
import { startDrachtio } from '#src/servers/start-drachtio.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { ownLinePorts, ownPort } from './ports.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { endProcess, missingPrograms } from './sip-servers.ts';
import { headerIn, startUdpEnd } from './udp-end.ts';

const address = '::1';
const own = '07012345678';

const startSip = async (t: ExecutionContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-ipv6-'));
  const control = { host: '127.0.0.1', port: await ownPort(), secret: 'test-drachtio' };
  const sipPort = await ownPort();
  const { child, ready } = startDrachtio(
    { control, sip: { host: address, port: sipPort }, publicAddress: null, tls: null },
    join(folder, 'drachtio.log'),
  );
  t.teardown(async () => {
    await endProcess(child);
    await rm(folder, { recursive: true, force: true });
  });
  await ready;
  return { control, sipPort };
};

/** A trunk at ::1 with audio, and lines whose calls come from it and go to it. */
const startWorld = async (t: ExecutionContext) => {
  const { control, sipPort } = await startSip(t);
  const ear = await startEarAndMouth({ address });
  t.teardown(ear.close);
  const end = await startUdpEnd({ address, ear: ear.port });
  t.teardown(end.close);
  const trunk = someTrunk({ host: address, port: end.port, media: 'direct', inboundAddresses: [address] });
  const lines = await realLines({ drachtio: control, freeSwitch: control }, 9, {
    freeSwitches: [],
    trunk: null,
    trunks: directoryOf([trunk]),
    rtp: { host: address, ports: await ownLinePorts() },
  });
  t.teardown(() => lines.close());
  const open = (
    input: Pick<Arrival, 'callId' | 'from' | 'to'>,
    direction: 'inbound' | 'outbound',
  ): WatchedLine => openWatched(lines.open, lineInput({ ...input, direction }));
  return { sipPort, ear, end, lines, open };
};

/** The trunk sends its audio to the address in the gateway's SDP. */
const tellTheEar = (ear: EarAndMouth, sdp: string): void => {
  const socket = createSocket('udp6');
  socket.send(`call ${/^m=audio (\d+)/m.exec(sdp)?.[1]}`, ear.port, address, () => socket.close());
};

const talk = async (line: WatchedLine, ear: EarAndMouth): Promise<void> => {
  line.say('Over the other protocol you can hear me as well.');
  await ear.untilSpokenTo(600);
  await until(() => line.saw('line.played'));
  await ear.say('Hello?');
  await until(() => line.all('line.heard').some(({ text }) => text === 'Hello?'));
};

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`IPv6: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  realTimeTest('an outbound call over IPv6 is audible to both parties', async (t) => {
    const { ear, end, lines, open } = await startWorld(t);
    await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
    const line = open({ callId: randomUUID(), from: own, to: '01099998888' }, 'outbound');
    await until(() => line.saw('line.answered'));
    const invite = end.heard.find(({ method }) => method === 'INVITE')?.text ?? '';
    t.regex(invite, /^c=IN IP6 ::1\r$/m);
    t.regex(headerIn(invite, 'Contact'), /\[::1\]/);
    tellTheEar(ear, invite);
    await talk(line, ear);
    line.tell({ type: 'hangUp' });
    await until(() => end.count('BYE') === 1);
    await until(() => line.saw('line.ended'));
    t.false(line.saw('line.failed'));
  });

  realTimeTest('an inbound call over IPv6 is audible to both parties', async (t) => {
    const { sipPort, ear, end, lines, open } = await startWorld(t);
    const arrived: WatchedLine[] = [];
    await lines.start(async (arrival) => {
      setImmediate(() => arrived.push(open(arrival, 'inbound')));
      return { accepted: true };
    });
    end.call(sipPort, own, 'over-ipv6');
    const answer = (): string => end.answers.find((text) => text.startsWith('SIP/2.0 200')) ?? '';
    await until(() => answer() !== '');
    end.confirm(sipPort, answer());
    tellTheEar(ear, answer());
    await until(() => arrived[0]?.saw('line.answered') === true);
    const [line] = arrived;
    if (line === undefined) throw new Error('Nobody called');
    await talk(line, ear);
    line.tell({ type: 'hangUp' });
    await until(() => end.count('BYE') === 1);
    t.false(line.saw('line.failed'));
  });
}
