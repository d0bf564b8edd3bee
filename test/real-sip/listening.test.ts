/** Speech on real servers: what a far end says and hears, by its audio alone. */
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { LineEvent } from '#machines/line.ts';
import type { DrachtioLinesOptions } from '#sip/drachtio/drachtio-lines.ts';
import type { Recognizer, Synthesizer } from '#sip/audio/speech.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { audible, type EarAndMouth } from './ear-and-mouth.ts';
import { voiceOf } from './real-gateway.ts';
import { realLines, until } from './real-lines.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startSpeakingEnd } from './speaking-end.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { toneRecognizer } from './tone-recognizer.ts';
import { sayInTones } from './tone-speech.ts';
import { soundings } from './wave.ts';
import { realTimeTest } from './real-time-test.ts';

/**
 * A busy machine delays single measurements, a defect delays all of them: this many rounds must be within the limit,
 * out of at most that many.
 */
const rounds = { within: 3, most: 8 };

const sentence = 'This is a rather long sentence, which takes a few seconds until it was said to its end.';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`listening on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always(async () => {
    await servers.close();
  });

  /** An answered call to a far end that hears and speaks. */
  const call = async (
    t: ExecutionContext,
    options: Partial<DrachtioLinesOptions> & {
      sendsSilence?: boolean;
      media?: TrunkMedia;
      onEvent?: (event: LineEvent, line: WatchedLine) => void;
    } = {},
  ): Promise<{ line: WatchedLine; far: EarAndMouth }> => {
    const { sendsSilence = true, media, onEvent, ...linesOptions } = options;
    const { far, trunkPort } = await startSpeakingEnd(t, servers, { sendsSilence });
    const lines = await realLines(servers, trunkPort, linesOptions, media);
    await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
    t.teardown(() => lines.close());
    const input = lineInput();
    const line = openWatched(lines.open, input, onEvent);
    await until(() => line.saw('line.answered'));
    await delay(200);
    return { line, far };
  };

  /** Waits for new words; none arrive if the audio was damaged in transit. */
  const untilHeardAfter = (
    line: WatchedLine,
    { before, to }: { before: number; to: number },
  ): Promise<void> => until(() => line.all('line.heard').length > before || Date.now() - to > 5_000);

  /**
   * Repeats words that were not understood, as a person does: FreeSWITCH has no jitter buffer, and each packet that a
   * busy machine delays costs a frame of the words.
   */
  const sayUntilHeard = async (
    { line, far }: { line: WatchedLine; far: EarAndMouth },
    text: string,
    samples = sayInTones(text),
  ): Promise<void> => {
    const texts = (): string[] => line.all('line.heard').map((heard) => heard.text);
    for (let tries = 1; tries <= 6; tries += 1) {
      const before = texts().length;
      const { to } = await far.play(samples);
      await untilHeardAfter(line, { before, to });
      if (texts().includes(text)) return;
    }
    throw new Error(`"${text}" was heard as ${JSON.stringify(texts())}`);
  };

  const hangUp = async (t: ExecutionContext, line: WatchedLine): Promise<void> => {
    line.tell({ type: 'hangUp' });
    await until(() => line.isOver());
    t.deepEqual(line.finish(), []);
  };

  /** Measures in each round until enough of them are within the limit. */
  const measure = async <Figures>(
    t: ExecutionContext,
    isWithin: (figures: Figures) => boolean,
    round: (index: number) => Promise<Figures>,
  ): Promise<void> => {
    const all: Figures[] = [];
    const countWithin = (): number => all.filter(isWithin).length;
    while (countWithin() < rounds.within && all.length < rounds.most) all.push(await round(all.length));
    t.log(all);
    t.is(countWithin(), rounds.within, JSON.stringify(all));
  };

  realTimeTest('silences the agent at the far end within 50 ms of an interruption', async (t) => {
    let interruptedAt = 0;
    const { line, far } = await call(t, {
      onEvent(event, it) {
        if (event.type !== 'line.speech') return;
        interruptedAt = Date.now();
        it.tell({ type: 'stopTalking' });
      },
    });
    type Interruption = { untilSilenceMs: number; heard: string; isCut: boolean };
    const isWithin = ({ untilSilenceMs, heard, isCut }: Interruption): boolean =>
      untilSilenceMs <= 50 && heard === 'Please wait.' && isCut;
    await measure(t, isWithin, async (round) => {
      const heardBefore = line.all('line.heard').length;
      const utterance = line.say(sentence);
      await far.untilSpokenTo(300 + 170 * (round % 6));
      const { from, to } = await far.say('Please wait.');
      await untilHeardAfter(line, { before: heardBefore, to });
      await until(() => line.all('line.played').length === utterance);
      const played = line.all('line.played').at(-1);
      return {
        untilSpeechMs: interruptedAt - from,
        untilSilenceMs: (far.lastHeardAt() ?? Infinity) + 20 - interruptedAt,
        heard: line.all('line.heard')[heardBefore]?.text ?? '',
        isCut: played?.whole === false && played.text.length < sentence.length,
      };
    });
    await hangUp(t, line);
  });

  realTimeTest('receives words soon after they were said, with the times of their audio', async (t) => {
    const { line, far } = await call(t);
    const isWithin = (figures: { text: string; endpointingMs: number; lateMs: number }): boolean =>
      figures.text === 'Tomorrow at seven, please.' &&
      figures.endpointingMs < 800 &&
      Math.abs(figures.lateMs) < 150;
    await measure(t, isWithin, async () => {
      const before = line.all('line.heard').length;
      const said = await far.say('Tomorrow at seven, please.');
      await untilHeardAfter(line, { before, to: said.to });
      const heard = line.all('line.heard')[before];
      return {
        text: heard?.text ?? '',
        endpointingMs: (heard?.at ?? 0) - said.to,
        lateMs: (heard?.startedAt ?? 0) - said.from,
      };
    });
    await hangUp(t, line);
  });

  for (const media of ['freeswitch', 'direct'] as const) {
    for (const sendsSilence of [true, false])
      realTimeTest(
        `${media}: reports the end of speech of a far end that ${sendsSilence ? 'sends' : 'suppresses'} silence`,
        async (t) => {
          const { line, far } = await call(t, { media, sendsSilence });
          // Damaged words end at the same time.
          const isWithin = (lateMs: number): boolean => lateMs > -60 && lateMs < 60;
          await measure(t, isWithin, async () => {
            const before = line.all('line.heard').length;
            const said = await far.say('Tomorrow at seven.');
            await untilHeardAfter(line, { before, to: said.to });
            const heard = line.all('line.heard')[before];
            return (heard?.endedAt ?? 0) - said.to;
          });
          await hangUp(t, line);
        },
      );

    realTimeTest(`${media}: reports when the far end hears the first sound of an utterance`, async (t) => {
      const lead = new Int16Array(8 * 300);
      const speech = sameSpeech(
        {
          name: 'late',
          synthesize: async (text) => ({
            sampleRate: 8_000,
            samples: joinSamples([lead, sayInTones(text)]),
          }),
        },
        toneRecognizer(),
      );
      const { line, far } = await call(t, { media, speech });
      // A packet arrives with its first sample and lasts 20 ms.
      const isWithin = (lateMs: number): boolean => lateMs > -30 && lateMs < 80;
      await measure(t, isWithin, async () => {
        await delay(500);
        const saidAt = Date.now();
        const utterance = line.say('Good morning.');
        await until(() => line.all('line.played').length === utterance);
        const first = far.heard().find(({ at, loudness }) => at > saidAt && loudness > audible);
        return (first?.at ?? 0) - (line.all('line.played').at(-1)?.startedAt ?? 0);
      });
      await hangUp(t, line);
    });
  }

  realTimeTest('does not end a turn at a short pause', async (t) => {
    const { line, far } = await call(t);
    const pause = new Int16Array(8 * 600);
    const parts = [sayInTones('And one more thing,'), pause, sayInTones('a table by the window.')];
    await sayUntilHeard({ line, far }, 'And one more thing, a table by the window.', joinSamples(parts));
    await hangUp(t, line);
  });

  const noise = (milliseconds: number, loudness: number): Int16Array => {
    let seed = 1;
    return Int16Array.from({ length: 8 * milliseconds }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return (seed / 2 ** 30 - 1) * loudness;
    });
  };

  const hum = Int16Array.from(
    { length: 16_000 },
    (_, index) => 5_000 * Math.sin((2 * Math.PI * 440 * index) / 8_000),
  );

  for (const gives of ['words', 'sentences'] as const)
    realTimeTest(
      `reports no words for noise and silence with a recognizer of ${gives}, with or without agent audio`,
      async (t) => {
        const { line, far } = await call(t, { speech: sameSpeech(espeakNg(), toneRecognizer(gives)) });
        line.say(sentence);
        await far.untilSpokenTo(300);
        for (const sound of [noise(2_000, 6_000), noise(15, 20_000), hum]) {
          await far.play(sound);
          await delay(200);
        }
        await until(() => line.saw('line.played'));
        await far.play(noise(1_500, 3_000));
        await delay(3_200);
        t.deepEqual(line.story(), ['line.ringing', 'line.answered', 'line.played']);
        t.is(line.all('line.played')[0]?.whole, true, 'nobody was interrupted');
        await sayUntilHeard({ line, far }, 'Still here.');
        await hangUp(t, line);
      },
    );

  realTimeTest('long speech interrupts even if words arrive only with whole sentences', async (t) => {
    const { line, far } = await call(t, {
      speech: sameSpeech(espeakNg(), toneRecognizer('sentences')),
      onEvent(event, it) {
        if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
      },
    });
    line.say(sentence);
    await far.untilSpokenTo(500);
    const question = 'Excuse me, I have a question.';
    const { to } = await far.say(question);
    t.true(line.saw('line.speech'), 'it interrupts before it is over');
    await untilHeardAfter(line, { before: 0, to });
    if (!line.all('line.heard').some(({ text }) => text === question))
      await sayUntilHeard({ line, far }, question);
    t.is(line.all('line.played')[0]?.whole, false);
    await hangUp(t, line);
  });

  realTimeTest('understands a far end that sends no audio between its words', async (t) => {
    const { line, far } = await call(t, { sendsSilence: false });
    await sayUntilHeard({ line, far }, 'Hello?');
    await hangUp(t, line);
  });

  realTimeTest('continues a call when its recognizer fails', async (t) => {
    let fail = (): void => {};
    const failing: Recognizer = {
      name: 'failing',
      open(options, emit) {
        fail = () => emit({ type: 'failed', error: new Error('The engine is gone') });
        return toneRecognizer().open(options, emit);
      },
    };
    const { line, far } = await call(t, { speech: sameSpeech(espeakNg(), failing) });
    await sayUntilHeard({ line, far }, 'Hello?');
    const heardBefore = line.all('line.heard').length;
    fail();
    await far.say('Is anybody there?');
    line.say('Yes, somebody is.');
    await until(() => line.saw('line.played'));
    t.is(line.all('line.heard').length, heardBefore);
    t.is(line.all('line.played')[0]?.whole, true);
    await hangUp(t, line);
  });

  /** The words of espeak-ng, as slowly as from a streaming engine. */
  const streaming = (): Synthesizer & { completeAt: Map<string, number> } => {
    const whole = espeakNg();
    const completeAt = new Map<string, number>();
    return {
      name: 'streaming',
      completeAt,
      synthesize: whole.synthesize,
      async *stream(text, language, signal) {
        const { sampleRate, samples } = await whole.synthesize(text, language, signal);
        const piece = Math.round(sampleRate / 10);
        for (let from = 0; from < samples.length; from += piece) {
          yield { sampleRate, samples: samples.subarray(from, from + piece) };
          await delay(90, undefined, { signal });
        }
        completeAt.set(text, Date.now());
      },
    };
  };

  realTimeTest('plays synthesized speech before it is complete, and stops it when cut off', async (t) => {
    const synthesizer = streaming();
    const { line, far } = await call(t, { speech: sameSpeech(synthesizer, toneRecognizer()) });
    const short = 'And a second one.';
    const saidAt = Date.now();
    line.say(sentence);
    line.say(short);
    await until(() => line.all('line.played').length === 2);
    const firstSoundAt = far.heard().find(({ loudness }) => loudness > audible)?.at ?? Infinity;
    const completeAt = synthesizer.completeAt.get(sentence) ?? 0;
    t.log({ firstAudioMs: firstSoundAt - saidAt, completeMs: completeAt - saidAt });
    t.true(firstSoundAt < completeAt);

    const sounding = soundings(await voiceOf(short, 'en'), 8_000, { pauseMs: 2_000 })[0];
    const soundingMs = (sounding?.to ?? 0) - (sounding?.from ?? 0);
    await measure(
      t,
      (lateMs: number) => lateMs > -30 && lateMs < 100,
      async () => {
        const utterance = line.say(short);
        await until(() => line.all('line.played').length === utterance);
        await delay(200);
        const startedAt = line.all('line.played').at(-1)?.startedAt ?? 0;
        return (far.lastHeardAt() ?? 0) + 20 - startedAt - soundingMs;
      },
    );
    t.true(line.all('line.played').every(({ whole }) => whole));

    const voice = soundings(await voiceOf(sentence, 'en'), 8_000, { pauseMs: 2_000 })[0];
    const voiceMs = (voice?.to ?? 0) - (voice?.from ?? 0);
    const isWithin = ({ silentAfterMs }: { silentAfterMs: number }): boolean => silentAfterMs <= 50;
    await measure(t, isWithin, async () => {
      await far.untilSilentFor(1_100);
      const utterance = line.say(sentence);
      await far.untilSpokenTo(2_000);
      line.tell({ type: 'stopTalking' });
      const stoppedAt = Date.now();
      await until(() => line.all('line.played').length === utterance);
      await delay(500);
      const cut = line.all('line.played').at(-1);
      const heardShare = ((far.lastHeardAt() ?? 0) - (cut?.startedAt ?? 0)) / voiceMs;
      const cutShare = (cut?.text ?? '').length / sentence.length;
      t.true(cut?.whole === false && sentence.startsWith(cut.text), cut?.text);
      t.true(Math.abs(cutShare - heardShare) < 0.2, `${cutShare} of the text, ${heardShare} of the sound`);
      return { silentAfterMs: (far.lastHeardAt() ?? Infinity) + 20 - stoppedAt, cutShare, heardShare };
    });
    await hangUp(t, line);
  });
}
