import test from 'ava';
import { createRecordingSound, type AudioElement } from '#src/console/call/recording-sound.ts';

/** An audio element of ten seconds that plays no sound. */
class SilentAudio extends EventTarget implements AudioElement {
  currentTime = 0;
  duration = 10;
  paused = true;
  ended = false;

  async play(): Promise<void> {
    this.paused = false;
  }

  pause(): void {
    this.paused = true;
  }
}

const setUp = (steps: { at: number }) => {
  const audio = new SilentAudio();
  const told: string[] = [];
  const sound = createRecordingSound(audio, () => steps.at, {
    loaded: () => told.push('loaded'),
    played: () => told.push('played'),
    paused: () => told.push('paused'),
    moved: (place) => told.push(`moved to ${place}`),
  });
  return { audio, sound, told };
};

test('it is put where the steps are and heard while they play', (t) => {
  const { audio, sound } = setUp({ at: 4 });
  sound.follow(false);
  t.deepEqual([audio.currentTime, audio.paused], [4, true]);
  sound.follow(true);
  t.true(sound.isHeard());
  sound.follow(false);
  t.false(sound.isHeard());
});

test('what rang before the answer, and what follows the end, is silent', (t) => {
  for (const [at, place] of [
    [-3, 0],
    [12, 12],
  ] as const) {
    const { audio, sound } = setUp({ at });
    audio.currentTime = 5;
    sound.follow(true);
    t.deepEqual([audio.currentTime, sound.isHeard()], [place, false]);
  }
});

test('it is not moved by what nobody would see, which would be heard', (t) => {
  const { audio, sound } = setUp({ at: 4.2 });
  audio.currentTime = 4;
  sound.follow(true);
  t.is(audio.currentTime, 4);
});

test('its own controls are told, but for what the steps themselves did', (t) => {
  const { audio, told } = setUp({ at: 4 });
  audio.dispatchEvent(new Event('play'));
  audio.dispatchEvent(new Event('pause'));
  audio.currentTime = 4;
  audio.dispatchEvent(new Event('seeked'));
  audio.currentTime = 8;
  audio.dispatchEvent(new Event('seeked'));
  audio.ended = true;
  audio.dispatchEvent(new Event('pause'));
  t.deepEqual(told, ['played', 'paused', 'moved to 8']);
});

test('a pause where nothing is recorded is none of its controls', (t) => {
  const { audio, told } = setUp({ at: -1 });
  audio.dispatchEvent(new Event('pause'));
  t.deepEqual(told, []);
});

test('that it can be played is told, for steps that play already', (t) => {
  const { audio, told } = setUp({ at: 4 });
  audio.dispatchEvent(new Event('loadedmetadata'));
  t.deepEqual(told, ['loaded']);
});

test('nothing is told once it was let go of, and nothing done before its length is known', (t) => {
  const { audio, sound, told } = setUp({ at: 4 });
  audio.duration = Number.NaN;
  sound.follow(true);
  t.deepEqual([audio.currentTime, sound.isHeard()], [0, false]);
  sound.end();
  audio.dispatchEvent(new Event('play'));
  t.deepEqual(told, []);
});
