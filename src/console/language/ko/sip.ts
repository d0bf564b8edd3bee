import type { Texts } from '../texts.ts';

export const sip: Texts['sip'] = {
  title: 'SIP 메시지',
  lead: '게이트웨이와 회선이 주고받은 메시지입니다. 선택하면 내용을 볼 수 있습니다. 비밀 정보는 가려져 있습니다.',
  gateway: '게이트웨이',
  trunk: '회선',
  attempt: (attempt, all) => `시도 ${attempt}/${all}`,
  way: { out: '게이트웨이에서 회선으로:', in: '회선에서 게이트웨이로:' },
  leftOut: (count) => `메시지 ${count}개는 보관되지 않았습니다.`,
  asText: '텍스트',
  asPcap: '캡처 파일 (pcap)',
  failed: '내려받지 못했습니다. 다시 시도해 주세요.',
  empty: {
    simulated: '메시지가 없습니다. 시뮬레이션 통화이므로 실제 전화망을 거치지 않았습니다.',
    switched_off:
      '메시지가 없습니다. 이 게이트웨이는 SIP 메시지를 보관하지 않습니다(GW_SIP_TRACE_DAYS가 0입니다).',
    too_old: '보관 기간이 지나 메시지가 삭제되었습니다.',
    none: '메시지가 없습니다. 이 통화에서 확인된 SIP 메시지가 없습니다.',
  },
};
