import type { Latency } from '../api/records.ts';
import { texts } from '../language/language.ts';

/** As long as the bar: beyond it a person wonders whether anybody is there. */
const wholeMs = 3_000;

type Stage = { name: 'endpointing' | 'token' | 'audio'; from: number; to: number };

/** One after another from the last sound of the other party to the first of the agent. */
const stagesOf = (latency: Latency): Stage[] => {
  const heard = latency.endpointing_ms ?? 0;
  const token = latency.first_token_ms ?? latency.first_sentence_ms ?? latency.first_audio_ms;
  const audio = latency.first_audio_ms ?? latency.first_sentence_ms;
  const stages: Stage[] = [{ name: 'endpointing', from: 0, to: heard }];
  if (token !== undefined) stages.push({ name: 'token', from: heard, to: heard + token });
  if (token !== undefined && audio !== undefined && audio > token)
    stages.push({ name: 'audio', from: heard + token, to: heard + audio });
  return stages.filter(({ from, to }) => to > from);
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** How long the other party waited for a reply, and for what. */
export const LatencyBar = ({ latency }: { latency: Latency }) => {
  const t = texts.value.calls.one.latency;
  const stages = stagesOf(latency);
  const last = stages.at(-1);
  if (last === undefined) return null;
  const words = stages.map(({ name, from, to }) => `${t[name]} ${seconds(to - from)}`).join(', ');
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
        {seconds(last.to)}
      </span>
      <span class="unseen">{words}</span>
    </span>
  );
};
