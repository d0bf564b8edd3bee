import type { Texts } from '../texts.ts';

export const workspace: Texts['workspace'] = {
  lead: '지금부터 시작하는 모든 번호의 통화에 적용됩니다.',
  policyLead: '비워 두면 플랫폼 값을 따릅니다. 번호에 따로 정한 값이 있으면 그 값이 먼저입니다.',
  name: '이름',
  timeZone: '시간대',
  timeZoneHint: '화면과 API의 시각이 이 시간대로 표시됩니다.',
  max_calls_in_progress: '전체 최대 동시 통화 수',
  maxCallsHint: '번호마다의 제한은 옆에 있습니다.',
};

export const tokens: Texts['tokens'] = {
  lead: '이 콘솔과 관리자 API를 사용할 수 있는 토큰입니다.',
  add: '토큰 만들기',
  create: '토큰 만들기',
  name: '이름',
  nameHint: '누가 또는 무엇이 사용할 토큰인지 적으세요.',
  role: '역할',
  roles: { admin: '관리자', viewer: '열람자' },
  roleHints: { admin: '설정을 바꾸고 키를 볼 수 있습니다.', viewer: '키를 제외한 모든 것을 볼 수 있습니다.' },
  ends: '유효 기간',
  inDays: (days) => `${days}일`,
  never: '취소할 때까지',
  endless: '취소할 때까지 유효',
  endsAt: (when) => `${when}까지 유효`,
  endedAt: (when) => `${when}에 만료됨`,
  expired: '만료됨',
  lastUsed: (when) => `마지막 사용 ${when}`,
  neverUsed: '사용한 적 없음',
  current: '(현재 토큰)',
  ofGateway: (name) => `게이트웨이 ${name}의 토큰`,
  revoke: '취소',
  revokeTitle: (name) => `"${name}" 토큰을 취소할까요?`,
  revokeText: '즉시 사용할 수 없게 됩니다. 이 토큰을 쓰는 곳에는 다른 토큰이 필요합니다.',
  revokeOwnText: '지금 로그인한 토큰입니다. 즉시 사용할 수 없게 되며, 다른 토큰으로 다시 로그인해야 합니다.',
};

export const gateways: Texts['gateways'] = {
  lead: '함께 서비스하는 게이트웨이입니다. 하나가 멈추거나 종료되면 통화는 다른 게이트웨이에서 이어집니다.',
  states: { running: '실행 중', silent: '응답 없음', lost: '중단됨' },
  stateHints: {
    running: '',
    silent: '지금 아무 응답이 없습니다',
    lost: '다른 게이트웨이가 통화를 이어받습니다',
  },
  current: '(이 콘솔)',
  inProgress: (calls) => `통화 ${calls}건 진행 중`,
  ringing: (calls) => `${calls}건 연결 중`,
  takesNone: '다른 게이트웨이의 통화를 받지 않음',
  seen: (when) => `마지막 확인 ${when}`,
  takenOver: (calls) => `그중 ${calls}건은 다른 게이트웨이에서 시작`,
};
