/** Korean texts of failed expectations, of changes between runs and of problems of a suite (src/rehearsals). */
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

/** Problems of a suite, which begin with line and column. Problems of the YAML itself are shown as they are. */
export const suiteProblems: readonly Saying[] = [
  {
    pattern: /^(\d+:\d+): A case has either a caller \(inbound\) or a callee \(outbound\)$/,
    text: '$1: 시나리오에는 caller(수신)와 callee(발신) 중 하나만 있어야 합니다',
  },
  {
    pattern: /^(\d+:\d+): An inbound call has a caller$/,
    text: '$1: 수신 통화에는 callee 대신 caller를 쓰세요',
  },
  {
    pattern: /^(\d+:\d+): An outbound call has a callee$/,
    text: '$1: 발신 통화에는 caller 대신 callee를 쓰세요',
  },
  {
    pattern: /^(\d+:\d+): An inbound call has no instruction$/,
    text: '$1: 수신 통화에는 instruction을 쓸 수 없습니다',
  },
  {
    pattern: /^(\d+:\d+): Another case has this name$/,
    text: '$1: 같은 이름의 시나리오가 있습니다',
  },
  {
    pattern: /^(\d+:\d+): Only a persona has a goal$/,
    text: '$1: goal은 persona가 있을 때만 쓸 수 있습니다',
  },
  { pattern: /^(\d+:\d+): A persona has a goal$/, text: '$1: persona에는 goal이 필요합니다' },
  {
    pattern: /^(\d+:\d+): A persona is the last step, because it ends the call$/,
    text: '$1: persona는 통화를 끝내므로 마지막 단계여야 합니다',
  },
  {
    pattern: /^(\d+:\d+): A step does one thing: (.*)$/s,
    text: '$1: 한 단계에는 다음 중 하나만 씁니다. $2',
  },
  {
    pattern: /^(\d+:\d+): (\w+) belongs to (\w+)$/,
    text: '$1: $2은(는) $3와(과) 함께 씁니다',
  },
  { pattern: /^(\d+:\d+): There is no state (\S+) in .*$/s, text: '$1: $2(이)라는 상태가 없습니다' },
  { pattern: /^(\d+:\d+): There is no (\S+) here$/, text: '$1: 여기에 $2을(를) 쓸 수 없습니다' },
  {
    pattern: /^(\d+:\d+): must be a number in domestic format, in quotes$/,
    text: '$1: 국내 형식의 전화번호를 따옴표 안에 쓰세요',
  },
  {
    pattern: /^(\d+:\d+): must be 1 to 64 of the keys .*$/,
    text: '$1: 0–9, *, #, A–D를 1~64자 따옴표 안에 쓰세요',
  },
  { pattern: /^(\d+:\d+): Too small: .*$/s, text: '$1: 값이 없거나 너무 작습니다' },
  { pattern: /^(\d+:\d+): Too big: .*$/s, text: '$1: 값이 너무 크거나 많습니다' },
  { pattern: /^(\d+:\d+): Invalid (?:input|option).*$/s, text: '$1: 올바르지 않은 값입니다' },
  { pattern: /^(\d+:\d+): This is no regular expression: (.*)$/s, text: '$1: 올바른 정규식이 아닙니다. $2' },
  {
    pattern: /^(\d+:\d+): An expression takes no other flags than i, s and u\.$/,
    text: '$1: 정규식에는 i, s, u 플래그만 쓸 수 있습니다',
  },
  {
    pattern: /^(\d+:\d+): An expression may look neither ahead nor behind, .*$/s,
    text: '$1: 정규식에 전방·후방 탐색과 역참조는 쓸 수 없습니다',
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
