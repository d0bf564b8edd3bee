/** Seek bar of a finished call, drawn over the audio of both parties and the steps of the charts. */
import { texts } from '../language/language.ts';
import { placeTime } from '../parts/when.tsx';
import type { Playback } from './playback.ts';
import { stepName } from './step-words.tsx';
import { pathOf, type Waveform } from './waveform.ts';

/** Size of the drawing, which is stretched to its container. */
const box = { width: 1000, height: 100 };
const laneHeight = 40;
const middles = [26, 74];

type Shares = (place: number) => number;

/** Converts positions to shares of the call: 0 at its beginning, 1 at its end. */
const sharesOf =
  ({ from, to }: Playback): Shares =>
  (place) =>
    to === from ? 0 : Math.min(1, Math.max(0, (place - from) / (to - from)));

export const Scrubber = ({ playback, waveform }: { playback: Playback; waveform: Waveform | null }) => {
  const t = texts.value.replay;
  const { from, to, steps } = playback;
  const place = playback.shown.value;
  const step = steps[playback.index.value];
  const shareOf = sharesOf(playback);
  const ticks = steps.map((one) => shareOf(playback.placeOf(one)));
  return (
    <div class={waveform === null ? 'wave bare' : 'wave'}>
      {waveform !== null && <Lanes waveform={waveform} shareOf={shareOf} played={shareOf(place)} />}
      <svg class="ticks" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
        <path d={ticks.map((share) => `M${(share * box.width).toFixed(1)} 0v12`).join('')} />
      </svg>
      <i class="playhead" style={{ left: `${shareOf(place) * 100}%` }} aria-hidden="true" />
      <input
        type="range"
        min={from}
        max={to}
        step="any"
        value={place}
        aria-label={t.place}
        aria-valuetext={`${placeTime(place)}${step === undefined ? '' : `, ${stepName(step)}`}`}
        onInput={(event) => playback.seek(Number(event.currentTarget.value))}
      />
    </div>
  );
};

type LanesProps = { waveform: Waveform; shareOf: Shares; played: number };

const Lanes = ({ waveform: { lanes, seconds }, shareOf, played }: LanesProps) => {
  const t = texts.value.calls.one;
  const left = shareOf(0) * box.width;
  const width = shareOf(seconds) * box.width - left;
  const drawn = lanes.map(({ speaker, peaks }, index) => ({
    speaker,
    path: pathOf(peaks, { left, width, middle: middles[index] ?? box.height / 2, height: laneHeight }),
  }));
  return (
    <>
      <svg class="lanes" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        <clipPath id="played">
          <rect width={played * box.width} height={box.height} />
        </clipPath>
        {left > 0 && <rect class="unrecorded" width={left} height={box.height} />}
        {drawn.map(({ speaker, path }) => (
          <path key={speaker} class={speaker} d={path} />
        ))}
        <g clip-path="url(#played)">
          {drawn.map(({ speaker, path }) => (
            <path key={speaker} class={`${speaker} played`} d={path} />
          ))}
        </g>
      </svg>
      {drawn.map(({ speaker }) => (
        <small key={speaker} class={`lane-name ${speaker}`} aria-hidden="true">
          {t.speaker[speaker]}
        </small>
      ))}
    </>
  );
};
