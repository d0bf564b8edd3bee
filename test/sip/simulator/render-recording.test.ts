import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { recordingSampleRate } from '#sip/recording-sink.ts';
import { loadResampler } from '#sip/resampler.ts';
import { renderRecording } from '#sip/simulator/render-recording.ts';
import { hum } from './recording-network.ts';

test('a recording is made no faster than it is encoded', async (t) => {
  let written = 0;
  let isFinished = false;
  let drain = (): void => {};
  const rendering = renderRecording(
    { durationMs: 60_000, counterparty: [], agent: [], pauses: [] },
    { synthesizer: hum(), resample: await loadResampler() },
    {
      write: (samples) => (written += samples.length / recordingSampleRate),
      drained: () => new Promise((resolve) => (drain = resolve)),
      leave: () => {},
      finish: () => (isFinished = true),
      fail: (error) => t.fail(error.message),
    },
    new AbortController().signal,
  );
  for (let turns = 0; turns < 100; turns += 1) await turn();
  t.true(written < 1, `${written} s were written`);
  while (!isFinished) {
    drain();
    await turn();
  }
  await rendering;
  t.is(Math.round(written), 60);
});
