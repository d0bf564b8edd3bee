import test from 'ava';
import { createSentenceSegmenter } from '#src/speech/sentence-segmenter.ts';
import { numbered } from './doubles/heard-events.ts';

const sound = numbered(1_000);

test('a sentence begins a moment before its voice was noticed and ends with its pause', (t) => {
  const segmenter = createSentenceSegmenter({ preRoll: 50, longest: 500 });
  t.deepEqual(segmenter.write(sound.subarray(0, 200)), []);
  t.is(segmenter.passed(), 150);
  segmenter.speechBegan();
  t.deepEqual(segmenter.write(sound.subarray(200, 300)), []);
  t.is(segmenter.passed(), null);
  t.deepEqual(segmenter.speechEnded(), [{ samples: sound.slice(150, 300), endsAt: 300 }]);
  t.is(segmenter.passed(), 300);
});

test('what is too long is cut into parts without a gap', (t) => {
  const segmenter = createSentenceSegmenter({ preRoll: 0, longest: 100 });
  segmenter.speechBegan();
  t.deepEqual(segmenter.write(sound.subarray(0, 250)), [
    { samples: sound.slice(0, 100), endsAt: 100 },
    { samples: sound.slice(100, 200), endsAt: 200 },
  ]);
  t.deepEqual(segmenter.speechEnded(), [{ samples: sound.slice(200, 250), endsAt: 250 }]);
});

test('a pause without speech, or without a sound, is no sentence', (t) => {
  const segmenter = createSentenceSegmenter({ preRoll: 50, longest: 500 });
  segmenter.write(sound);
  t.deepEqual(segmenter.speechEnded(), []);
  segmenter.clear();
  segmenter.speechBegan();
  t.deepEqual(segmenter.speechEnded(), []);
});
