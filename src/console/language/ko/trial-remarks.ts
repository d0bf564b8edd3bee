/** Remarks that a call would log about an otherwise valid reply (src/agents/controls, src/agents/trial.ts). */
import type { Saying } from '../explain.ts';

export const trialRemarks: readonly Saying[] = [
  {
    pattern: /^a control "(\w+)" is wrong: .*$/,
    text: '"$1" 동작의 속성이 올바르지 않아 실행하지 않습니다.',
  },
  {
    pattern: /^the reply has a control of an unknown name$/,
    text: '알 수 없는 동작이 있어 실행하지 않습니다.',
  },
  {
    pattern: /^the reply has a control that is not closed .*$/,
    text: '"/>"로 닫지 않은 동작이 있어 실행하지 않습니다.',
  },
  {
    pattern: /^"controls" is wrong: .*$/,
    text: '"controls"는 객체 20개까지의 목록이어야 하며, 객체마다 제어를 하나씩 적어야 합니다.',
  },
  {
    pattern: /^There is no language model \(GW_LLM_BASE_URL\): .*$/,
    text: '언어 모델이 없어(GW_LLM_BASE_URL) 내장 에이전트가 정해진 질문만 합니다.',
  },
  { pattern: /^the agent has hung up$/, text: '에이전트가 전화를 끊었습니다.' },
  { pattern: /^the agent has pressed (\S+)$/, text: '에이전트가 $1 버튼을 눌렀습니다.' },
];
