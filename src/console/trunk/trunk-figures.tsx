import type { TrunkStatistics } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { count, percent, score, seconds } from '../parts/figures.ts';
import { clockTime } from '../parts/when.tsx';

/** Statistics of a trunk's calls in the last 24 hours, as a line. */
export const figuresLine = (figures: TrunkStatistics): string => {
  const t = texts.value.trunks.figures;
  const {
    outbound_calls: outbound,
    inbound_calls: inbound,
    outbound_failed_over: failedOver,
    one_way_calls: oneWay,
    answer_seizure_ratio: ratio,
    average_call_duration_sec: duration,
    post_dial_delay_ms: delay,
    mos,
  } = figures;
  if (outbound + inbound + failedOver === 0) return t.none;
  return [
    t.calls(count(outbound), count(inbound)),
    ratio === null ? undefined : t.answered(percent(ratio)),
    duration === null ? undefined : t.duration(clockTime(duration)),
    delay === null ? undefined : t.delay(seconds(delay / 1_000)),
    mos === null ? undefined : t.mos(score(mos)),
    failedOver === 0 ? undefined : t.failedOver(count(failedOver)),
    oneWay === 0 ? undefined : t.oneWay(count(oneWay)),
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
};
