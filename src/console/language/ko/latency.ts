import type { Texts } from '../texts.ts';

export const latency: Texts['latency'] = {
  title: '대답을 기다린 시간',
  share: (wait, parts) => `${wait}: ${parts}`,
  parts: {
    agent: (ms) => `에이전트 ${ms}`,
    endpointing: (ms) => `말 끝 감지 ${ms}`,
    voice: (ms) => `음성 ${ms}`,
    gateway: (ms) => `게이트웨이 ${ms}`,
  },
  shareLead: '말이 끝난 때부터 대답이 처음 들린 때까지의 중앙값과 그 몫입니다.',
  measured: (turns, calls) => `대답 ${turns}번, 통화 ${calls}건.`,
  slowest: (percentile) => `대답이 적어 ${percentile}는 가장 느린 대답입니다.`,
  none: '이 기간에 측정된 대답이 없습니다.',
  asTable: '표로 보기',
  stage: '단계',
  stages: {
    wait_ms: '전체',
    endpointing_ms: '말 끝 감지',
    first_token_ms: '요청부터 첫 단어',
    first_sentence_ms: '요청부터 첫 문장',
    first_audio_ms: '요청부터 첫 음성',
  },
  before: (figure) => `이전 ${figure}`,
  period: '기간',
  periods: { day: '지난 24시간', week: '지난 7일' },
  agents: '에이전트별',
};
