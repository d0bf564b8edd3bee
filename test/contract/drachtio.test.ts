/** The line contract on drachtio's driver and doubles of its servers; it also runs on real servers in test/real-sip. */
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import type { Synthesizer } from '#sip/audio/speech.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import { patienceMs } from '#test/doubles/mailbox.ts';
import type { MediaChannel } from '#test/doubles/media-channel.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { startSipEdge, type SipEdge } from '#test/doubles/sip-edge.ts';
import { kindOf } from '#test/doubles/sip-parser.ts';
import { createTelephoneSound, type TelephoneSound } from '#test/doubles/telephone-sound.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { beep } from '#test/real-sip/ear-and-mouth.ts';
import { toneRecognizer } from '#test/real-sip/tone-recognizer.ts';
import { sayInTones } from '#test/real-sip/tone-speech.ts';
import { languageContract } from './language.ts';
import type { FarEndKind, NotingDriver } from './line-driver.ts';
import { lineContract } from './line-contract.ts';
import { pauseContract } from './pause.ts';
import { transferContract } from './transfer.ts';

const frameMs = 20;

type Telephone = {
  sound: TelephoneSound;
  channel(): MediaChannel;
  /** Resolves when the clock of the line has advanced this much. */
  after(milliseconds: number): Promise<void>;
  hangUp(): void;
};

/** Behaviour of a telephone: once answered, or with every call. */
type Manner = { number: string } & (
  | { answers: (telephone: Telephone) => Promise<void> }
  | { refuses: number }
  | { rings: true }
);

const pressKeys = async ({ channel, after }: Telephone): Promise<void> => {
  for (const key of '12#') {
    await after(200);
    channel().receivesDigit(key);
  }
};

const farEnds: Readonly<Record<FarEndKind, Manner>> = {
  silent: { number: '01000000006', async answers() {} },
  unattended: { number: '01000000002', rings: true },
  busy: { number: '01000000003', refuses: 486 },
  declining: { number: '01000000004', refuses: 603 },
  unreachable: { number: '01000000009', refuses: 503 },
  talking: {
    number: '01055550001',
    async answers({ sound, after }) {
      await after(1_000);
      sound.say(sayInTones('Hello, who is there?'));
    },
  },
  interrupting: {
    number: '01055550002',
    async answers({ sound }) {
      await sound.untilSpokenTo(800);
      sound.say(sayInTones('Please wait a moment.'));
    },
  },
  murmuring: {
    number: '01055550003',
    async answers({ sound }) {
      await sound.untilSpokenTo(800);
      sound.say(sayInTones('Uh-huh.'));
    },
  },
  dialling: { number: '01055550004', answers: pressKeys },
  leaving: {
    number: '01055550005',
    async answers({ after, hangUp }) {
      await after(2_000);
      hangUp();
    },
  },
  echoing: {
    number: '01055550006',
    async answers(telephone) {
      await telephone.channel().untilDigitsSent('1w2#');
      await pressKeys(telephone);
    },
  },
  machine: {
    number: '01055550007',
    async answers({ sound, after }) {
      await after(1_000);
      sound.say(sayInTones('Please leave a message after the tone.'));
      sound.say(new Int16Array(4_000));
      sound.say(beep);
    },
  },
};

/** Transfer targets (`transfer.ts`). */
const people: readonly Manner[] = [
  {
    number: '01000000011',
    async answers({ channel, after }) {
      const own = channel();
      if (!(await own.untilSpokenTo())) return;
      await after(500);
      own.receivesDigit('1');
    },
  },
  { number: '01000000012', refuses: 486 },
  { number: '01000000013', rings: true },
  {
    number: '01000000014',
    async answers({ after, hangUp }) {
      await after(4_000);
      hangUp();
    },
  },
];

const mannerOf = (call: FarCall): Manner | undefined =>
  [...Object.values(farEnds), ...people].find(({ number }) => call.last('INVITE').startLine.includes(number));

/** A synthesizer that speaks seventeen letters a second and records its languages. */
const humming = (spoken: string[]): Synthesizer => ({
  name: 'humming',
  async synthesize(text, language) {
    spoken.push(language);
    const samples = Int16Array.from({ length: 480 * text.length }, (_, at) =>
      Math.round(6_000 * Math.sin((2 * Math.PI * 300 * at) / 8_000)),
    );
    return { sampleRate: 8_000, samples };
  },
});

const channelOf = ({ freeSwitches }: SipEdge): MediaChannel | undefined => freeSwitches[0]?.channels()[0];

/** All far ends that the trunk reaches. */
const answerCalls = (edge: SipEdge, sound: TelephoneSound): void => {
  const { trunk, clock } = edge;
  const after = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void clock.setTimeout(resolve, milliseconds));
  const channel = (): MediaChannel => {
    // The second one belongs to the ringing person.
    const found = edge.freeSwitches[0]?.channels().at(-1);
    if (found === undefined) throw new Error('There is no channel');
    return found;
  };
  const gone = new Set<FarCall>();

  const ring = async (call: FarCall, manner: Manner): Promise<void> => {
    if ('refuses' in manner) return call.answers(manner.refuses);
    call.answers(180);
    await after(300);
    if ('answers' in manner && !gone.has(call)) call.answers(200, { sdp: describeSound() });
    return undefined;
  };

  trunk.onMessage((message, call) => {
    const manner = mannerOf(call);
    switch (kindOf(message)) {
      case 'INVITE':
        if (manner !== undefined) void ring(call, manner);
        break;
      case 'ACK':
        if (manner !== undefined && 'answers' in manner)
          void manner.answers({ sound, channel, after, hangUp: () => call.sends('BYE') });
        break;
      case 'CANCEL':
        gone.add(call);
        call.answers(200, { to: 'CANCEL' });
        call.answers(487, { to: 'INVITE' });
        break;
      case 'BYE':
        call.answers(200);
    }
  });
};

/** Advances by 20 ms on both sides of the audio, with all resulting events. */
const step = async (edge: SipEdge, sound: TelephoneSound): Promise<void> => {
  edge.clock.advance(frameMs);
  const channel = channelOf(edge);
  // Messages between programs take a real moment, in which the clock of the line stands still.
  for (const one of edge.freeSwitches[0]?.channels() ?? []) await one.untilParked();
  if (channel?.sound?.isOpen() === true) sound.hear(channel.sound.tick(sound.next()));
  for (let turns = 0; turns < 4; turns += 1) await turn();
};

const makeDriver = async (): Promise<NotingDriver> => {
  const endings: (() => unknown)[] = [];
  const spoken: string[] = [];
  const speech = sameSpeech(humming(spoken), toneRecognizer());
  const edge = await startSipEdge(
    { teardown: (end: () => unknown) => void endings.unshift(end) },
    { speech },
  );
  const sound = createTelephoneSound();
  answerCalls(edge, sound);
  return {
    open: edge.lines.open,
    numberOf: (farEnd) => farEnds[farEnd].number,
    spokenIn: async () => spoken,
    async until(condition, atMostMs = 5_000) {
      // Longer than any limit of the contract, because the clock advances while messages between programs are read.
      const end = edge.clock.now() + Math.max(atMostMs, patienceMs);
      while (!condition()) {
        if (edge.clock.now() > end) throw new Error('It did not happen in time');
        await step(edge, sound);
      }
    },
    async pass(milliseconds) {
      for (let gone = 0; gone < milliseconds; gone += frameMs) await step(edge, sound);
    },
    async close() {
      for (const end of endings) await end();
    },
  };
};

lineContract(test, 'drachtio', makeDriver);
pauseContract(test, 'drachtio', makeDriver);
transferContract(test, 'drachtio', makeDriver);
languageContract(test, 'drachtio', makeDriver);
