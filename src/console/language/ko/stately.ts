import type { StatelyWords } from '../en/stately.ts';

export const stately: StatelyWords = {
  title: 'Stately 인스펙터',
  lead: '진행 중인 통화의 차트입니다. 인스펙터는 stately.ai에서 불러오며, 통화 데이터는 말한 내용, 누른 버튼, 전화번호를 가린 채 게이트웨이에서 이 브라우저로만 전달됩니다.',
  console: '콘솔',
  own: '콘솔의 인스펙터',
  ownInstead: '인터넷이 필요 없는 콘솔의 인스펙터 열기',
  token: '관리자 토큰',
  call: '통화',
  everyCall: '비워 두면 모든 통화',
  watch: '보기',
  window: '새 창에서 열기',
  looking: 'stately.ai를 찾는 중 …',
  loading: '인스펙터를 불러오는 중 …',
  joining: '연결하는 중 …',
  watching: '보는 중입니다.',
  noCall: '보는 중입니다. 통화가 진행되면 차트가 나타납니다.',
  refused: '연결이 거부되었습니다. 콘솔에 로그인했는지, 토큰이 맞는지, 통화가 진행 중인지 확인하세요.',
  over: '끝났습니다',
  unreachable:
    '이 브라우저에서 stately.ai에 연결할 수 없어 여기에 차트를 표시할 수 없습니다. 인터넷에 연결한 뒤 페이지를 다시 불러오세요.',
  blocked: '브라우저가 새 창을 열지 않았습니다. 이 페이지의 새 창을 허용하고 다시 시도하세요.',
};
