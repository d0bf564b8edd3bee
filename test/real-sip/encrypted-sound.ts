/**
 * Trunks that encrypt their audio, for each carrier: either both parties hear it, or there is no call. baresip is the
 * other side.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { DrachtioLines } from '#sip/drachtio/drachtio-lines.ts';
import type { OnArrival } from '#sip/lines.ts';
import type { ArrivalVerdict } from '#src/domain/arrival.ts';
import type { Synthesizer } from '#sip/audio/speech.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { startTelephone, type Telephone } from './far-end.ts';
import { onRealServers } from './on-real-servers.ts';
import { pooled, realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import type { SipServers } from './sip-servers.ts';
import { toneRecognizer } from './tone-recognizer.ts';
import { createToneDecoder, sayInTones } from './tone-speech.ts';
import { callIn, offers, startTrunk } from './trunk-ends.ts';

const own = '07012345678';
const callee = '01099998888';

/** The gateway's voice, in tones that can be recognized at the far end. */
const toneSynthesizer: Synthesizer = {
  name: 'tones',
  synthesize: async (text) => ({ sampleRate: 8_000, samples: sayInTones(text) }),
};

/** Resources shared by the tests of one file. */
const createWorld = (servers: () => SipServers, media: Trunk['media']) => {
  const logged: string[] = [];

  const linesWith = async (
    t: ExecutionContext,
    changes: Partial<Trunk>,
    onArrival?: OnArrival,
  ): Promise<DrachtioLines> => {
    const trunks = [someTrunk({ host: '127.0.0.1', port: 9, srtp: 'required', media, ...changes })];
    const verdict: ArrivalVerdict = { accepted: false, because: 'unknown_number' };
    const log = new Writable({
      write(line, _encoding, done) {
        logged.push(String(line));
        done();
      },
    });
    const lines = await realLines(servers(), 9, {
      trunk: null,
      trunks: directoryOf(trunks),
      speech: sameSpeech(toneSynthesizer, toneRecognizer()),
      logger: pino({ level: 'trace' }, log),
    });
    await lines.start(onArrival ?? (async () => verdict));
    t.teardown(() => lines.close());
    return lines;
  };

  const telephoneFor = async (
    t: ExecutionContext,
    options: Partial<Parameters<typeof startTelephone>[1]> = {},
  ): Promise<Telephone> => {
    const telephone = await startTelephone(servers().folder, { seconds: 40, srtp: true, ...options });
    t.teardown(telephone.close);
    return telephone;
  };

  return {
    logged,
    linesWith,
    telephoneFor,
    noChannelIsLeft: (): Promise<void> =>
      until(async () => (await servers().mediaServers[0]?.channels()) === pooled),
  };
};

type World = ReturnType<typeof createWorld>;

const open = (lines: DrachtioLines, input: Partial<Parameters<DrachtioLines['open']>[0]> = {}): WatchedLine =>
  openWatched(lines.open, lineInput({ from: own, to: callee, ...input }));

const heardOn = (line: WatchedLine): string[] => line.all('line.heard').map(({ text }) => text);

const heardAt = async (telephone: Telephone): Promise<string[]> => {
  const { channels } = await telephone.heard();
  const texts: string[] = [];
  createToneDecoder({ words: () => {}, whole: (text) => texts.push(text) }).write(
    channels[0] ?? new Int16Array(),
  );
  return texts;
};

/** Makes both parties speak, one after the other. */
const talk = async (line: WatchedLine, theirs: string, ours: string): Promise<void> => {
  await until(() => heardOn(line).includes(theirs));
  const utterance = line.say(ours);
  await until(() => line.all('line.played').length === utterance);
};

const declareCalls = (
  servers: () => SipServers,
  { linesWith, telephoneFor, noChannelIsLeft }: World,
): void => {
  for (const codec of ['PCMU', 'PCMA'] as const)
    realTimeTest(`an outbound call is encrypted and audible to both parties, with ${codec}`, async (t) => {
      const telephone = await telephoneFor(t, { says: [{ afterMs: 1_500, text: 'Hello?' }] });
      const line = open(await linesWith(t, { port: telephone.port, codecs: [codec] }));
      await until(() => line.saw('line.answered'));
      await talk(line, 'Hello?', 'Good day.');
      line.tell({ type: 'hangUp' });
      t.deepEqual(await heardAt(telephone), ['Good day.']);
      await noChannelIsLeft();
    });

  realTimeTest('an inbound call is encrypted and audible to both parties', async (t) => {
    const arrived: { callId: string; from: string; to: string }[] = [];
    const lines = await linesWith(t, { inboundAddresses: ['127.0.0.1'] }, async (arrival) => {
      arrived.push(arrival);
      return { accepted: true };
    });
    const telephone = await telephoneFor(t, {
      dial: `sip:${own}@127.0.0.1:${servers().sipPort}`,
      says: [{ afterMs: 1_500, text: 'Hello?' }],
    });
    await until(() => arrived.length === 1);
    const line = open(lines, { direction: 'inbound', ...arrived[0] });
    await talk(line, 'Hello?', 'Good day.');
    line.tell({ type: 'hangUp' });
    t.deepEqual(await heardAt(telephone), ['Good day.']);
    await noChannelIsLeft();
  });

  realTimeTest('an outbound call is audible again after a hold', async (t) => {
    const telephone = await telephoneFor(t, {
      says: [
        { afterMs: 1_500, text: 'Hello?' },
        { afterMs: 9_000, text: 'Back again.' },
      ],
    });
    const line = open(await linesWith(t, { port: telephone.port }));
    await until(() => line.saw('line.answered'));
    await talk(line, 'Hello?', 'Good day.');
    await telephone.tell('hold');
    await delay(500);
    await telephone.tell('resume');
    await talk(line, 'Back again.', 'Still here.');
    t.false(line.saw('line.failed'));
    line.tell({ type: 'hangUp' });
    // baresip stops recording at the first hold; it reports packets that it cannot decrypt.
    t.deepEqual(await heardAt(telephone), ['Good day.']);
    const log = await telephone.log();
    t.notRegex(log, /failed to decrypt/);
    t.regex(log.slice(log.indexOf('call: resume')), /audio=[1-9]\d+\/[1-9]\d+/);
    await noChannelIsLeft();
  });
};

const declareRefusals = (
  servers: () => SipServers,
  { linesWith, telephoneFor, noChannelIsLeft }: World,
): void => {
  realTimeTest('places no call to a far end without encryption', async (t) => {
    const plain = await telephoneFor(t, { srtp: false });
    const lines = await linesWith(t, { port: plain.port });
    const refusing = open(lines);
    await until(() => refusing.saw('line.unanswered'));
    t.like(refusing.events.at(-1), { cause: 'media_error', sip: { status: 488 } });
    await lines.close();

    // A trunk that ignores the offered encryption.
    const careless = await startTrunk('silent', servers().folder);
    t.teardown(careless.close);
    const answered = open(await linesWith(t, { port: careless.port }));
    await until(() => answered.saw('line.unanswered'));
    t.like(answered.events.at(-1), { cause: 'media_error' });
    const messages = await careless.messages();
    t.regex(messages, /^m=audio \d+ RTP\/SAVP 0 8 101\r?$/m);
    t.deepEqual(messages.match(/^a=crypto:\d+ \S+/gm), ['a=crypto:1 AES_CM_128_HMAC_SHA1_80']);
    await until(async () => /^BYE /m.test(await careless.messages()));
    await noChannelIsLeft();
  });

  realTimeTest(
    'rejects a caller without encryption with a reason, and accepts an encrypted one of another trunk',
    async (t) => {
      const call = { sipPort: servers().sipPort, to: own, expect: 488 };
      const inboundAddresses = ['127.0.0.1'];
      const strict = await linesWith(t, { inboundAddresses });
      const plain = await callIn(servers().folder, call);
      t.true(plain.asExpected, plain.messages);
      t.regex(plain.messages, /^Warning: 399 trunkline "SRTP is required: /m);
      await strict.close();

      await linesWith(t, { inboundAddresses, srtp: 'off' });
      const secret = await callIn(servers().folder, { ...call, offer: offers.encrypted });
      t.true(secret.asExpected, secret.messages);
      t.regex(secret.messages, /^Warning: 399 trunkline "Audio over RTP\/SAVP is not supported"/m);
    },
  );
};

const declareOptional = (
  servers: () => SipServers,
  { linesWith, telephoneFor, noChannelIsLeft }: World,
  media: Trunk['media'],
): void => {
  for (const [telephone, isSecret] of [
    ['with it', media === 'direct'],
    ['without it', false],
  ] as const)
    realTimeTest(
      `with optional encryption, places an outbound call to a telephone ${telephone}`,
      async (t) => {
        const far = await telephoneFor(t, {
          srtp: telephone === 'with it' ? 'optional' : false,
          says: [{ afterMs: 1_500, text: 'Hello?' }],
        });
        const line = open(await linesWith(t, { port: far.port, srtp: 'optional' }));
        await until(() => line.saw('line.answered'));
        await talk(line, 'Hello?', 'Good day.');
        line.tell({ type: 'hangUp' });
        t.deepEqual(await heardAt(far), ['Good day.']);
        t.is(/SRTP is Enabled/.test(await far.log()), isSecret);
        await noChannelIsLeft();
      },
    );

  for (const srtp of [true, 'optional', false] as const)
    realTimeTest(
      `with optional encryption, accepts an inbound call from a telephone with srtp ${srtp}`,
      async (t) => {
        const arrived: { callId: string; from: string; to: string }[] = [];
        const changes: Partial<Trunk> = { inboundAddresses: ['127.0.0.1'], srtp: 'optional' };
        const lines = await linesWith(t, changes, async (arrival) => {
          arrived.push(arrival);
          return { accepted: true };
        });
        const telephone = await telephoneFor(t, {
          srtp,
          dial: `sip:${own}@127.0.0.1:${servers().sipPort}`,
          says: [{ afterMs: 1_500, text: 'Hello?' }],
        });
        await until(() => arrived.length === 1);
        const line = open(lines, { direction: 'inbound', ...arrived[0] });
        await talk(line, 'Hello?', 'Good day.');
        line.tell({ type: 'hangUp' });
        t.deepEqual(await heardAt(telephone), ['Good day.']);
        t.is(
          /SRTP is Enabled/.test(await telephone.log()),
          srtp === true || (srtp === 'optional' && media === 'direct'),
        );
        await noChannelIsLeft();
      },
    );
};

export const encryptedSound = (media: Trunk['media']): void =>
  onRealServers(`encrypted sound, ${media},`, (servers) => {
    const world = createWorld(servers, media);
    const { logged } = world;
    declareCalls(servers, world);
    declareRefusals(servers, world);
    declareOptional(servers, world, media);

    test.serial('logs no SRTP key', async (t) => {
      const files = await readdir(servers().folder, { recursive: true });
      const serverLogs = files.filter((name) => /^(drachtio|freeswitch).*\.log$/.test(name));
      t.true(serverLogs.some((name) => name.endsWith('log/freeswitch.log')));
      t.true(serverLogs.length >= 3 && logged.length > 10);
      for (const name of serverLogs)
        t.notRegex(await readFile(join(servers().folder, name), 'utf8'), /inline:/, name);
      t.notRegex(logged.join(''), /inline:/);
    });
  });
