import test from 'ava';
import type { Audio, Synthesizer } from '#sip/speech.ts';
import { chosenVoice } from '#src/speech/chosen-voice.ts';
import { EngineFailure, UnspokenLanguage, VoiceRefused } from '#src/speech/engine-failure.ts';
import { listeningLogger } from './doubles/engine-world.ts';

/** Speaks its own sample, or fails. */
const voice = (sample: number, error: Error | null = null) => {
  const asked: string[] = [];
  const synthesizer: Synthesizer = {
    name: 'engine',
    async synthesize(text): Promise<Audio> {
      asked.push(text);
      if (error !== null) throw error;
      return { sampleRate: 8_000, samples: Int16Array.of(sample) };
    },
  };
  return { asked, synthesizer };
};

const setUp = (error: Error | null) => {
  const [chosen, usual] = [voice(1, error), voice(2)];
  const { lines, logger } = listeningLogger();
  const synthesizer = chosenVoice(chosen.synthesizer, usual.synthesizer, logger);
  const say = async (text: string) => [...(await synthesizer.synthesize(text, 'en')).samples];
  return { chosen, usual, lines, say };
};

test('the chosen voice speaks', async (t) => {
  const { say, usual, lines } = setUp(null);
  t.deepEqual([await say('a'), await say('b')], [[1], [1]]);
  t.deepEqual([usual.asked, lines], [[], []]);
});

for (const error of [new VoiceRefused('engine', new Error('no')), new UnspokenLanguage('engine', 'en')])
  test(`after ${error.name} the usual voice speaks, for good, and that is said once`, async (t) => {
    const { say, chosen, lines } = setUp(error);
    t.deepEqual(await Promise.all([say('a'), say('b')]), [[2], [2]]);
    t.deepEqual(await say('c'), [2]);
    t.deepEqual(chosen.asked, ['a', 'b']);
    t.is(lines.length, 1);
  });

test('an engine that fails fails, whatever its voice', async (t) => {
  const failure = new EngineFailure('engine could not be reached');
  const { say, usual } = setUp(failure);
  t.is(await t.throwsAsync(say('a')), failure);
  t.deepEqual(usual.asked, []);
});
