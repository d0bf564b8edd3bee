import type { NumberWords } from '../en/number-words.ts';

export const numberWords: NumberWords = {
  sectionMenu: '설정 항목',
  sections: {
    greeting: '언어와 인사말',
    speech: '듣기와 말하기',
    turns: '말 주고받기',
    machines: '사람이 받지 않을 때',
    limits: '시간과 한도',
    recording: '녹음과 개인정보',
    destinations: '회선과 발신 범위',
    transfer: '사람에게 연결',
  },
  voiceOfDefault: (engine) => `${engine}의 목소리입니다. 고르면 이 합성 엔진도 함께 선택됩니다.`,
  list: {
    key: (tail) => `키 …${tail}`,
    keyIssued: '키 발급됨',
    noKey: '키 없음',
    lastCall: '마지막 통화',
    noCall: '아직 통화 없음',
  },
  trial: {
    conversation: '대화',
    otherParty: '상대방',
    agent: '에이전트',
    connected: '상대방이 전화를 받고 에이전트가 먼저 말하기를 기다립니다.',
    task: (task) => `할 일: ${task}`,
    empty: '에이전트와 나눈 대화가 여기에 표시됩니다.',
    connect: (number, direction) => `이 에이전트를 ${number}(${direction})에 연결`,
    isConnected: '연결했습니다. 지금부터 시작하는 통화에 쓰입니다.',
  },
  builtIn: {
    model: '모델',
    noModelYet: '없음',
    modelHint: '할 말을 만드는 모델입니다. 운영자가 허용한 모델 가운데 고릅니다.',
    prompt: '지침',
    promptHint:
      '전화로 말하는 방법과 할 수 있는 동작을 알려 주는 게이트웨이의 기본 지침에 더해집니다. 비밀번호는 적지 마세요. 상대방이 모델을 설득해 알아낼 수 있습니다.',
    promptExample:
      '당신은 강변치과 접수 담당자입니다. 진료 시간은 9시부터 6시까지이고 일요일은 쉽니다. 예약 요청은 이름과 날짜를 받아 두고, 확정하지는 마세요.',
    tools: '할 수 있는 동작',
    toolNames: {
      hang_up: '인사하고 전화 끊기',
      press_keys: 'ARS 메뉴나 내선에서 번호 누르기',
      collect_keys: '상대방에게 번호를 눌러 달라고 하기',
      transfer_call: '사람에게 연결하기(번호 설정에서 허용한 곳만)',
    },
    withoutModel:
      '이 게이트웨이에는 언어 모델이 없어(GW_LLM_BASE_URL) 내장 에이전트가 정해진 질문만 합니다. 아래 설정은 쓰이지 않습니다.',
    kept: '진행 중인 통화에는 적용되지 않습니다.',
  },
};
