import type { Call, CallEvent, Latency, Turn } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { isOver } from '../parts/call-words.tsx';
import { Card } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { clockTime } from '../parts/when.tsx';
import { LatencyBar, LatencyLegend } from './latency-bar.tsx';
import { current, type Playback } from './playback.ts';

/** The words of a call, turn by turn, as they were heard; new turns are read out while the call goes on. */
export const Transcript = ({
  call,
  turns,
  events,
  playback,
}: {
  call: Call;
  turns: Turn[];
  events: CallEvent[];
  playback: Playback | null;
}) => {
  const latencies = new Map(events.map(({ data }) => [data.turn, data.latency]));
  const fact = playback?.isTouched.value === true ? playback.fact.value : null;
  const reached = events.find(({ sequence }) => sequence === fact)?.data.turn;
  const t = texts.value.calls.one;
  const isLive = !isOver(call);
  return (
    <Card title={t.transcript} beside={isLive && <Pill tone="live">{t.live}</Pill>}>
      <div aria-live={isLive ? 'polite' : 'off'}>
        {turns.length === 0 && <p class="hint">{isLive ? t.transcriptWaiting : t.transcriptEmpty}</p>}
        <ol class="turns">
          {turns.map((turn) => (
            <TurnItem
              key={turn.sequence}
              turn={turn}
              language={call.language}
              latency={latencies.get(turn.sequence)}
              isReached={turn.sequence === reached}
            />
          ))}
        </ol>
      </div>
      {[...latencies.values()].some((latency) => latency !== undefined) && <LatencyLegend />}
    </Card>
  );
};

const TurnItem = ({
  turn,
  language,
  latency,
  isReached,
}: {
  turn: Turn;
  language: string;
  latency: Latency | undefined;
  isReached: boolean;
}) => {
  const t = texts.value.calls.one;
  return (
    <li class={turn.role} {...current(isReached)}>
      <span class="speaker">
        {t.speaker[turn.role]} <span class="digits">{clockTime(turn.t_offset_sec)}</span>
        {latency !== undefined && turn.role === 'assistant' && <LatencyBar latency={latency} />}
      </span>
      <p lang={language}>{turn.text}</p>
    </li>
  );
};
