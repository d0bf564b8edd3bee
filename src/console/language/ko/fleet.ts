import type { Texts } from '../texts.ts';

export const fleet: Texts['fleet'] = {
  title: '상태별 통화',
  lead: '진행 중인 통화를 차트의 상태별로 보여 줍니다.',
  inProgress: (calls, gateways) => `게이트웨이 ${gateways}개에서 통화 ${calls}건이 진행 중입니다.`,
  link: { joining: '연결하는 중 …', open: '실시간', lost: '연결이 끊겼습니다. 다시 시도하는 중 …' },
  period: '지난 시간',
  lastHours: (hours) => `최근 ${hours}시간`,
  chart: '차트',
  chartLead:
    '상태 위의 숫자는 지금 그 상태에 있는 통화 수, 화살표의 숫자는 지나간 횟수입니다. 빨간 상태에서는 통화가 실패했습니다. 상태를 클릭하면 그 통화를 볼 수 있습니다.',
  chartLabel: (chart) => `${chart} 차트와 상태별 통화 수. 같은 숫자가 아래 표에 있습니다`,
  states: '상태',
  state: '상태',
  now: '지금',
  entered: '들어온 횟수',
  median: '머문 시간 중앙값',
  failed: '실패',
  none: '이 차트의 상태에 있거나 있었던 통화가 없습니다.',
  read: (calls, isWhole) =>
    isWhole ? `지난 통화 ${calls}건을 읽었습니다.` : `지난 통화 중 최근 ${calls}건만 읽었습니다.`,
  asOf: (time) => `${time} 기준입니다.`,
  readAgain: '지난 통화 다시 읽기',
  callsNow: (state) => `${state} 상태에 있는 통화 보기`,
  callsThen: (state) => `${state} 상태에 들어온 통화 보기`,
  callsFailed: (state) => `${state} 상태에서 실패한 통화 보기`,
  transitions: '통화가 지나간 길',
  transitionsLead: '앞과 뒤의 가장 안쪽 상태를 많은 순서로 보여 줍니다.',
  from: '앞',
  to: '뒤',
  times: '횟수',
  begin: '(시작)',
};
