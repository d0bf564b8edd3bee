/**
 * Answering-machine detection on outbound calls: sixty announcements and people in Korean, English and Japanese
 * (`test/announcements`), in simulated time through the complete listening and playback of a real call.
 */
import { judgeAll, rate, type Judged } from '#test/announcements/judge.ts';
import type { Bench } from './bench.ts';
import { percentile } from './percentile.ts';

const kinds = ['human', 'machine', 'screening', 'menu'] as const;
const ratings = ['right', 'late', 'wrong', 'unclear'] as const;

const row = (judged: readonly Judged[]): string => {
  const times = judged.flatMap(({ verdict }) => (verdict.by === null ? [] : [verdict.afterMs / 1_000]));
  const counts = ratings.map((rating) => `${rating} ${judged.filter((one) => rate(one) === rating).length}`);
  const median = percentile(times, 0.5).toFixed(1);
  const longest = percentile(times, 1).toFixed(1);
  return `${counts.join(', ')}; p50 ${median} s, longest ${longest} s after the first sound`;
};

export const benchAnswering: Bench = async ({ print }) => {
  for (const gives of ['words', 'sentences'] as const)
    for (const agent of ['waits', 'speaks'] as const) {
      const judged = await judgeAll({ gives, agent });
      for (const kind of kinds)
        print(
          `${gives}, agent ${agent}`,
          `${kind}: ${row(judged.filter(({ announcement }) => announcement.by === kind))}`,
        );
    }
};
