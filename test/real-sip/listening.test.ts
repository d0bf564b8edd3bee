/** Speech on real servers: what a far end says and what reaches its ear, by the sound alone. */
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { LineEvent } from '#machines/line.ts';
import type { DrachtioLinesOptions } from '#sip/drachtio/drachtio-lines.ts';
import type { Recognizer, Synthesizer } from '#sip/speech.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import type { EarAndMouth } from './ear-and-mouth.ts';
import { voiceOf } from './real-gateway.ts';
import { realLines, until } from './real-lines.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startSpeakingEnd } from './speaking-end.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { toneRecognizer } from './tone-recognizer.ts';
import { soundings } from './wave.ts';
import { realTimeTest } from './real-time-test.ts';

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

  /** An answered call to a far end with an ear and a mouth. */
  const call = async (
    t: ExecutionContext,
    options: Partial<DrachtioLinesOptions> & {
      sendsSilence?: boolean;
      onEvent?: (event: LineEvent, line: WatchedLine) => void;
    } = {},
  ): Promise<{ line: WatchedLine; far: EarAndMouth }> => {
    const { sendsSilence = true, onEvent, ...linesOptions } = options;
    const { far, trunkPort } = await startSpeakingEnd(t, servers, { sendsSilence });
    const lines = await realLines(servers, trunkPort, linesOptions);
    await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
    t.teardown(() => lines.close());
    const input = lineInput();
    const line = openWatched(lines.open, input, onEvent);
    await until(() => line.saw('line.answered'));
    await delay(200);
    return { line, far };
  };

  const hangUp = async (t: ExecutionContext, line: WatchedLine): Promise<void> => {
    line.tell({ type: 'hangUp' });
    await until(() => line.isOver());
    t.deepEqual(line.finish(), []);
  };

  realTimeTest('the agent falls silent at the far ear within 50 ms of being interrupted', async (t) => {
    let interruptedAt = 0;
    const { line, far } = await call(t, {
      onEvent(event, it) {
        if (event.type !== 'line.speech') return;
        interruptedAt = Date.now();
        it.tell({ type: 'stopTalking' });
      },
    });
    const figures: { untilSpeechMs: number; untilSilenceMs: number }[] = [];
    for (let round = 0; round < 6; round += 1) {
      line.say(sentence);
      await far.untilSpokenTo(300 + 170 * round);
      const { from } = await far.say('Please wait.');
      await until(() => line.all('line.heard').length === round + 1);
      figures.push({
        untilSpeechMs: interruptedAt - from,
        untilSilenceMs: (far.lastHeardAt() ?? Infinity) + 20 - interruptedAt,
      });
    }
    t.log(figures);
    const worst = Math.max(...figures.map(({ untilSilenceMs }) => untilSilenceMs));
    t.true(worst <= 50, `silent after ${worst} ms`);
    t.deepEqual(
      line.all('line.heard').map(({ text }) => text),
      Array.from({ length: 6 }, () => 'Please wait.'),
    );
    t.true(line.all('line.played').every(({ whole, text }) => !whole && text.length < sentence.length));
    await hangUp(t, line);
  });

  realTimeTest(
    'words are heard soon after they were said, and their times are those of their sound',
    async (t) => {
      const { line, far } = await call(t);
      const first = await far.say('Tomorrow at seven, please.');
      await until(() => line.saw('line.heard'));
      const [heard] = line.all('line.heard');
      t.log({ endpointingMs: (heard?.at ?? 0) - first.to, lateMs: (heard?.startedAt ?? 0) - first.from });
      t.is(heard?.text, 'Tomorrow at seven, please.');
      t.true((heard?.at ?? 0) - first.to < 800);
      t.true(Math.abs((heard?.startedAt ?? 0) - first.from) < 150);
      await far.say('And one more thing,');
      await delay(600);
      await far.say('a table by the window.');
      await until(() => line.all('line.heard').length === 2);
      t.is(line.all('line.heard')[1]?.text, 'And one more thing, a table by the window.');
      await hangUp(t, line);
    },
  );

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
      `noise and silence say nothing to a recognizer of ${gives}, over the voice of the agent or not`,
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
        await far.say('Still here.');
        await until(() => line.saw('line.heard'));
        t.is(line.all('line.heard')[0]?.text, 'Still here.');
        await hangUp(t, line);
      },
    );

  realTimeTest('a voice that lasts interrupts also where words come only with whole sentences', async (t) => {
    const { line, far } = await call(t, {
      speech: sameSpeech(espeakNg(), toneRecognizer('sentences')),
      onEvent(event, it) {
        if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
      },
    });
    line.say(sentence);
    await far.untilSpokenTo(500);
    await far.say('Excuse me, I have a question.');
    t.true(line.saw('line.speech'), 'it interrupts before it is over');
    await until(() => line.saw('line.heard'));
    t.is(line.all('line.heard')[0]?.text, 'Excuse me, I have a question.');
    t.is(line.all('line.played')[0]?.whole, false);
    await hangUp(t, line);
  });

  realTimeTest('a far end that sends no sound between its words is understood', async (t) => {
    const { line, far } = await call(t, { sendsSilence: false });
    await far.say('Hello?');
    await until(() => line.saw('line.heard'));
    t.is(line.all('line.heard')[0]?.text, 'Hello?');
    await hangUp(t, line);
  });

  realTimeTest('a call goes on when its recognizer fails', async (t) => {
    let fail = (): void => {};
    const failing: Recognizer = {
      name: 'failing',
      open(options, emit) {
        fail = () => emit({ type: 'failed', error: new Error('The engine is gone') });
        return toneRecognizer().open(options, emit);
      },
    };
    const { line, far } = await call(t, { speech: sameSpeech(espeakNg(), failing) });
    await far.say('Hello?');
    await until(() => line.saw('line.heard'));
    fail();
    await far.say('Is anybody there?');
    line.say('Yes, somebody is.');
    await until(() => line.saw('line.played'));
    t.is(line.all('line.heard').length, 1);
    t.is(line.all('line.played')[0]?.whole, true);
    await hangUp(t, line);
  });

  /** The words of espeak-ng, as slowly as an engine that makes them while they are spoken. */
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

  realTimeTest(
    'a voice that is made while it is spoken is heard before it is complete, and stops when it is cut',
    async (t) => {
      const synthesizer = streaming();
      const { line, far } = await call(t, { speech: sameSpeech(synthesizer, toneRecognizer()) });
      const saidAt = Date.now();
      line.say(sentence);
      line.say('And a second one.');
      await until(() => line.all('line.played').length === 2);
      const voiced = far.heard().filter(({ loudness }) => loudness > 200);
      const completeAt = synthesizer.completeAt.get(sentence) ?? 0;
      const longestGap = Math.max(...voiced.slice(1).map(({ at }, index) => at - (voiced[index]?.at ?? 0)));
      t.log({ firstSoundMs: (voiced[0]?.at ?? 0) - saidAt, completeMs: completeAt - saidAt, longestGap });
      t.true((voiced[0]?.at ?? Infinity) < completeAt - 2_000);
      t.true(line.all('line.played').every(({ whole }) => whole));
      const second = line.all('line.played')[1];
      const lastSound =
        soundings(await voiceOf('And a second one.', 'en'), 8_000, { pauseMs: 2_000 })[0]?.to ?? 0;
      const lateMs = (far.lastHeardAt() ?? 0) + 20 - (second?.startedAt ?? 0) - lastSound;
      t.true(lateMs > -30 && lateMs < 100, `heard to its end, ${lateMs} ms after it was sent`);

      line.say(sentence);
      await delay(2_500);
      line.tell({ type: 'stopTalking' });
      const stoppedAt = Date.now();
      await until(() => line.all('line.played').length === 3);
      await delay(500);
      t.log({
        cut: line.all('line.played')[2]?.text,
        silentAfterMs: (far.lastHeardAt() ?? 0) + 20 - stoppedAt,
      });
      t.true((far.lastHeardAt() ?? Infinity) + 20 - stoppedAt <= 50);
      const cut = line.all('line.played')[2];
      t.true(cut !== undefined && !cut.whole && sentence.startsWith(cut.text));
      t.true(cut !== undefined && cut.text.length > 20 && cut.text.length < 50, cut?.text);
      await hangUp(t, line);
    },
  );
}
