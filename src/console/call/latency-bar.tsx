import type { Latency } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { hundredths } from '../parts/figures.ts';

/** Latency in milliseconds that fills the bar. After a longer silence, people wonder whether the line is dead. */
const wholeMs = 3_000;

const stageNames = ['endpointing', 'token', 'sentence', 'audio'] as const;

type Stage = { name: (typeof stageNames)[number]; from: number; to: number };

/** Returns consecutive stages from the end of the other party's audio to the beginning of the agent's. */
const stagesOf = (latency: Latency): Stage[] => {
  const asked = (latency.endpointing_ms ?? 0) + (latency.queued_ms ?? 0);
  const ends: [Stage['name'], number | undefined][] = [
    ['endpointing', latency.endpointing_ms],
    ['token', latency.first_token_ms],
    ['sentence', latency.first_sentence_ms],
    ['audio', latency.first_audio_ms],
  ];
  const stages: Stage[] = [];
  let from = 0;
  for (const [name, ms] of ends) {
    if (ms === undefined) continue;
    const to = name === 'endpointing' ? ms : asked + ms;
    if (to > from) stages.push({ name, from, to });
    from = Math.max(from, to);
  }
  return stages;
};

/** Bar with the stages of the other party's wait for a reply. */
export const LatencyBar = ({ latency }: { latency: Latency }) => {
  const t = texts.value.calls.one.latency;
  const stages = stagesOf(latency);
  const last = stages.at(-1);
  if (last === undefined) return null;
  const words = stages.map(({ name, from, to }) => `${t[name]} ${hundredths(to - from)}`).join(', ');
  return (
    <span class="latency" title={words}>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {stages.map(({ name, from, to }) => (
          <rect
            key={name}
            class={name}
            x={Math.min(100, (from / wholeMs) * 100)}
            width={Math.max(0.5, (Math.min(to, wholeMs) - Math.min(from, wholeMs)) / (wholeMs / 100))}
            height="6"
          />
        ))}
      </svg>
      <span aria-hidden="true" class="digits">
        {hundredths(last.to)}
      </span>
      <span class="unseen">{words}</span>
    </span>
  );
};

/** Whether a wait was measured and can be shown. */
export const isMeasured = (latency: Latency): boolean => stagesOf(latency).length > 0;

/** Legend of the colours. */
export const LatencyLegend = () => {
  const t = texts.value.calls.one.latency;
  return (
    <p class="legend hint" aria-hidden="true">
      {stageNames.map((name) => (
        <span key={name}>
          <svg viewBox="0 0 1 1">
            <rect class={name} width="1" height="1" />
          </svg>
          {t[name]}
        </span>
      ))}
    </p>
  );
};
