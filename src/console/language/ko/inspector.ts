import type { Texts } from '../texts.ts';

export const inspector: Texts['inspector'] = {
  title: '인스펙터',
  open: '인스펙터',
  call: '통화',
  lead: '이 통화의 액터와 액터끼리 주고받는 내용입니다. 말한 내용, 누른 버튼, 전화번호는 가려집니다.',
  leadAll:
    '모든 게이트웨이에서 진행 중인 워크스페이스의 통화입니다. 통화를 열면 액터와 액터끼리 주고받는 내용을 볼 수 있습니다.',
  searchCalls: '번호 또는 ID',
  onlyNewest: (most) =>
    `통화 중인 최근 ${most}건과 벨이 울리는 최근 ${most}건만 표시됩니다. 다른 통화를 찾으려면 상대방 번호의 숫자 네 자리나 통화 ID의 처음 여덟 글자를 입력하세요.`,
  noCalls: '진행 중인 통화가 없습니다.',
  off: '인스펙터가 꺼져 있습니다',
  offHint: '통화 내부를 실시간으로 보려면 GW_INSPECT=1로 게이트웨이를 시작하세요.',
  link: {
    joining: '연결하는 중 …',
    open: '실시간',
    lost: '연결이 끊겨 다시 시도하는 중 …',
    over: '통화가 끝났습니다',
    refused: '연결이 거부되었습니다. 진행 중인 통화가 아니거나 보는 사람이 너무 많습니다',
  },
  pause: '일시 정지',
  goOn: (waiting) => (waiting === 0 ? '계속' : `계속 (새 메시지 ${waiting}개)`),
  clear: '비우기',
  actors: '액터',
  calls: '통화',
  moreActors: (count) => `외 ${count}개`,
  running: '실행 중',
  over: '종료됨',
  messages: '메시지',
  shown: (count, all, most) =>
    `${count === all ? `${count}개` : `${all}개 중 ${count}개`}, 최근 것부터. 마지막 ${most}개를 보관합니다.`,
  search: '검색',
  actor: '액터',
  kind: '종류',
  kinds: { event: '이벤트', state: '스냅숏', actor: '액터', skipped: '건너뜀' },
  type: '이벤트 유형',
  outside: '외부',
  to: '받는 쪽',
  nothing: '없음',
  skipped: (count) => `이 페이지가 늦게 읽어 메시지 ${count}개를 건너뛰었습니다.`,
  more: (count) => `더 보기 (${count}개 남음)`,
};
