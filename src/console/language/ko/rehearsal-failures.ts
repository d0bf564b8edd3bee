/** Korean texts of failed expectations and of changes between runs (src/rehearsals). */
import type { Saying } from '../explain.ts';

export const rehearsalFailures: readonly Saying[] = [
  { pattern: /^says: the agent never said (.*)$/s, text: 'says: 에이전트가 $1에 맞는 말을 하지 않았습니다' },
  {
    pattern: /^never_says: the agent said (.*) in “(.*)”$/s,
    text: 'never_says: 에이전트가 “$2”에서 $1에 맞는 말을 했습니다',
  },
  {
    pattern: /^(\w+): at most (\S+) was expected, and it was (\S+)$/,
    text: '$1: $2 이하여야 하는데 $3입니다',
  },
  {
    pattern: /^(\w+): at least (\S+) was expected, and it was (\S+)$/,
    text: '$1: $2 이상이어야 하는데 $3입니다',
  },
  {
    pattern: /^goal: (\w+) was expected, and it was (\w+): (.*)$/s,
    text: 'goal: $1(이)어야 하는데 $2입니다. $3',
  },
  {
    pattern: /^calls_transfer: (.+) was expected, and it was not transferred$/,
    text: 'calls_transfer: $1(이)어야 하는데 연결하지 않았습니다',
  },
  {
    pattern: /^calls_transfer: (.+) was expected, and it was to (\S+)$/,
    text: 'calls_transfer: $1(이)어야 하는데 $2번으로 연결했습니다',
  },
  { pattern: /^(\w+): (.+) was expected, and it was (.+)$/, text: '$1: $2(이)어야 하는데 $3입니다' },
  { pattern: /^visits: the call was never in (\S+)$/, text: 'visits: 통화가 $1 상태를 거치지 않았습니다' },
  { pattern: /^facts: there was no (\S+), but (.*)$/, text: 'facts: $1 기록이 없습니다. 있는 기록: $2' },
  {
    pattern: /^turn_latency_p95_ms: no reply was measured$/,
    text: 'turn_latency_p95_ms: 측정된 대답이 없습니다',
  },
  { pattern: /^rubric: “(.*)” does not hold: (.*)$/s, text: 'rubric: “$1”이(가) 맞지 않습니다. $2' },
  {
    pattern: /^step (\d+) \((.*)\) did not come about within (\S+) s$/s,
    text: '$1단계($2)가 $3초 안에 이루어지지 않았습니다',
  },
  {
    pattern: /^step (\d+) \((.*)\): the person neither reached the goal nor gave up \((.*)\)$/s,
    text: '$1단계($2): 상대방이 목표를 이루지도 포기하지도 않았습니다($3)',
  },
  {
    pattern: /^step (\d+) \((.*)\): the language model could not play the person \((.*)\)$/s,
    text: '$1단계($2): 언어 모델이 상대방 역할을 하지 못했습니다($3)',
  },
  {
    pattern: /^the call ended before step (\d+) \((.*)\) came about$/s,
    text: '$1단계($2) 전에 통화가 끝났습니다',
  },
];

const outcomes: Readonly<Record<string, string>> = { passed: '통과', failed: '실패', flaky: '불안정' };
const charts: Readonly<Record<string, string>> = {
  call: '통화',
  conversation: '대화',
  voicemail: '음성 메시지',
};

/** Translates what has changed since the last run: outcomes of a case, or the coverage of a chart. */
export const changed = (what: string): string =>
  what
    .replaceAll(/(?<=: |→ )(passed|failed|flaky)\b/g, (outcome: string) => outcomes[outcome] ?? outcome)
    .replaceAll(/\(passed (\d+) of (\d+)\)/g, '($2번 중 $1번 통과)')
    .replace(
      /^(call|conversation|voicemail): (states|transitions) (?=\d+\/)/,
      (_, chart: string, kind: string) =>
        `${charts[chart] ?? chart}: ${kind === 'states' ? '상태' : '전이'} `,
    );
