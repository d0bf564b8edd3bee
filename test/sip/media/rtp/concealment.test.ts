import test from 'ava';
import { createConcealment } from '#sip/media/rtp/concealment.ts';
import { levelOf, silenceDb } from '#sip/samples.ts';

const tone = (hertz: number, from: number, count: number): Int16Array =>
  Int16Array.from(
    { length: count },
    (_, index) => 8_000 * Math.sin((2 * Math.PI * hertz * (from + index)) / 8_000),
  );

test('a tone goes on in its pitch, without a step', (t) => {
  const concealment = createConcealment();
  concealment.heard(tone(200, 0, 800));
  const filled = concealment.fill(160);
  const meant = tone(200, 800, 160);
  const wrong = filled.reduce((most, sample, index) => {
    const fading = 1 - index / 480;
    return Math.max(most, Math.abs(sample - (meant[index] ?? 0) * fading));
  }, 0);
  t.true(wrong < 400, String(wrong));
});

test('what is missing long falls silent, and begins loud again behind what comes', (t) => {
  const concealment = createConcealment();
  concealment.heard(tone(150, 0, 400));
  const levels = Array.from({ length: 4 }, () => levelOf(concealment.fill(160)));
  t.true((levels[0] ?? 0) > (levels[1] ?? 0) && (levels[1] ?? 0) > (levels[2] ?? 0));
  t.is(levels[3], silenceDb);
  concealment.heard(tone(150, 1_040, 160));
  t.true(levelOf(concealment.fill(160)) > -20);
});

test('before anything was heard there is silence', (t) => {
  t.is(levelOf(createConcealment().fill(160)), silenceDb);
});
