/**
 * A gateway is killed during a call with encrypted audio (SRTP), and another one continues it: baresip is the far end.
 */
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { relayNumbers } from '#config/line-policy.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { systemClock } from '#src/clocks.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { openWatched } from '#test/contract/watched-line.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { startTelephone } from './far-end.ts';
import { onRealServers } from './on-real-servers.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import type { SipServers } from './sip-servers.ts';
import { startDoomedGateway } from './start-doomed.ts';
import { startTlsDrachtio } from './tls-trunk.ts';
import { toneRecognizer } from './tone-recognizer.ts';
import { createToneDecoder, sayInTones } from './tone-speech.ts';

/** The telephone's words, every four seconds. */
const says = Array.from({ length: 12 }, (_, index) => ({
  afterMs: 1_500 + 4_000 * index,
  text: `Sentence ${index}.`,
}));

const startWorld = async (
  t: ExecutionContext,
  { folder, freeSwitch }: SipServers,
  media: TrunkMedia,
  transport: 'udp' | 'tls',
) => {
  const tls = await startTlsDrachtio(folder);
  t.teardown(tls.close);
  const relay = createRelay({
    listen: { host: '127.0.0.1', port: 0 },
    drachtio: tls.server,
    numbers: relayNumbers,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(() => relay.close());
  const drachtio = { ...tls.server, port: await relay.start() };
  const telephone = await startTelephone(folder, { seconds: 50, srtp: true, tls: true, says });
  t.teardown(telephone.close);
  const trunkPort = transport === 'tls' ? telephone.port + 1 : telephone.port;
  return { relay, drachtio, freeSwitch, telephone, trunkPort, media, transport };
};

type World = Awaited<ReturnType<typeof startWorld>>;

/** An active call in a process of its own, which is killed. Resolves to its stored state. */
const leaveCall = async (
  t: ExecutionContext,
  { relay, drachtio, freeSwitch, trunkPort, media, transport }: World,
) => {
  const call = { trunkPort, media, encrypted: transport };
  const doomed = await startDoomedGateway(t, { drachtio, freeSwitch }, call);
  await doomed.answered();
  const left = await doomed.kill();
  await until(() => relay.sizes().dialogs === 0);
  return left;
};

/**
 * Creates the lines of a second gateway, which resumes calls of the first gateway. Words are exchanged as tones on
 * these lines.
 */
const linesOfHeir = async (t: ExecutionContext, { media, transport, ...world }: World) => {
  const { trunkPort: port } = world;
  const trunk = someTrunk({ host: '127.0.0.1', port, transport, srtp: 'required', media });
  const lines = await realLines(world, port, {
    trunk: null,
    trunks: directoryOf([trunk]),
    speech: sameSpeech(
      {
        name: 'tones',
        synthesize: async (text) => ({ sampleRate: 8_000, samples: sayInTones(text) }),
      },
      toneRecognizer(),
    ),
  });
  t.teardown(() => lines.close());
  await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
  await until(() => lines.health().ready);
  return lines;
};

onRealServers('an encrypted call whose gateway is killed', (servers) => {
  for (const media of ['direct', 'freeswitch'] as const)
    for (const [transport, hangsUp] of [
      ['udp', 'the far end'],
      ['udp', 'the gateway'],
      ['tls', 'the gateway'],
      ['tls', 'the far end'],
    ] as const)
      realTimeTest(
        `${media}, ${transport}: keeps audio in both directions after a take-over, until ${hangsUp} hangs up`,
        async (t) => {
          const world = await startWorld(t, servers(), media, transport);
          const { telephone } = world;
          const left = await leaveCall(t, world);
          const killedAt = performance.now();
          const lines = await linesOfHeir(t, world);
          const line = openWatched(
            (input, emit) =>
              lines.resume(
                input,
                { legs: [left], farEnd: null, connectedWith: null, heard: null, formerSends: false },
                emit,
              ),
            lineInput(),
          );
          await until(() => line.saw('line.adopted') || line.isOver());
          t.log(`it went on ${Math.round(performance.now() - killedAt)} ms after the kill`);
          await until(() => line.saw('line.heard') || line.isOver());
          t.regex(line.all('line.heard')[0]?.text ?? '', /^Sentence \d+\.$/);
          const utterance = line.say('Good day.');
          await until(() => line.all('line.played').length === utterance || line.isOver());
          if (hangsUp === 'the gateway') line.tell({ type: 'hangUp' });
          else await telephone.tell('hangup');
          await until(() => line.isOver());
          t.like(line.events.at(-1), {
            type: 'line.ended',
            by: hangsUp === 'the gateway' ? 'gateway' : 'counterparty',
          });
          const { channels } = await telephone.heard();
          const texts: string[] = [];
          createToneDecoder({ words: () => {}, whole: (text) => texts.push(text) }).write(
            channels[0] ?? new Int16Array(),
          );
          t.deepEqual(texts, ['Good day.']);
          t.notRegex(await telephone.log(), /failed to decrypt/);
        },
      );
});
