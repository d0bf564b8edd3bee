import type { Texts } from '../texts.ts';

export const compare: Texts['compare'] = {
  title: '통화 비교',
  lead: '두 통화를 나란히 놓고 같은 단계끼리 맞추어 재생합니다. 파일로 저장한 통화도 열 수 있습니다. 파일은 이 브라우저에서만 열리고 어디로도 보내지 않습니다.',
  side: { one: '첫째 통화', other: '둘째 통화' },
  file: '파일 열기',
  drop: '통화 파일을 여기에 끌어다 놓아도 됩니다.',
  newest: '또는 최근 통화에서 고르기',
  problem: {
    too_large: '파일이 통화 파일보다 큽니다.',
    not_json: '통화 파일이 아닙니다. JSON이 아닙니다.',
    other_format: '통화 파일이 아닙니다. Trunkline이 내보낸 파일이 아닙니다.',
    newer: '더 새로운 Trunkline이 내보낸 파일입니다. 그 버전에서 여세요.',
    wrong_field: (field) => `파일이 손상되었습니다. ${field} 항목이 없거나 잘못되었습니다.`,
  },
  missing: '이 통화를 읽을 수 없습니다. 지워졌을 수 있습니다.',
  fromFile: (name) => `파일: ${name}`,
  masked: '말과 번호가 가려져 있습니다.',
  page: '통화 페이지',
  another: '다른 통화 고르기',
  noSteps: '이 통화에는 저장된 단계가 없습니다.',
  over: '통화가 끝났습니다',
  gap: '여기에는 단계가 없습니다',
  place: '두 통화의 단계',
  same: '두 통화의 단계가 모두 같습니다.',
  partAt: (step) => `${step}단계에서 갈라집니다.`,
  differences: (first, second, changed) =>
    `첫째 통화에만 있는 단계 ${first}개, 둘째 통화에만 있는 단계 ${second}개, 다른 단계 ${changed}개입니다.`,
  byNumber: (step) =>
    `두 통화가 너무 길거나 너무 달라서 맞출 수 없습니다. ${step}단계부터는 번호순으로 나란히 보여 줍니다.`,
  kind: {
    same: '두 통화가 같습니다.',
    changed: '이 단계가 다릅니다.',
    first: '첫째 통화에만 있는 단계입니다.',
    second: '둘째 통화에만 있는 단계입니다.',
  },
  previousDifference: '이전 차이',
  nextDifference: '다음 차이',
  save: '파일로 저장',
  saveMasked: '가려서 저장',
  compare: '비교',
};
