/** Failures of event delivery, as worded by `src/events/attempt-delivery.ts`. */
import type { Saying } from '../explain.ts';

export const deliveryFailures: readonly Saying[] = [
  { pattern: /^The connection failed: (.*)$/, text: '연결하지 못했습니다: $1' },
  { pattern: /^No connection was made in time$/, text: '제한 시간 안에 연결하지 못했습니다' },
  { pattern: /^No answer within (\S+) s$/, text: '$1초 안에 응답이 없었습니다' },
  { pattern: /^TLS failed: (.*)$/, text: 'TLS 연결에 실패했습니다: $1' },
  { pattern: /^The URL may not be called: .*$/, text: '이 게이트웨이가 호출할 수 없는 URL입니다' },
  { pattern: /^HTTP (\d+): redirects are not followed$/, text: 'HTTP $1: 리디렉션은 따라가지 않습니다' },
  {
    pattern: /^HTTP (\d+): the endpoint wants no more events$/,
    text: 'HTTP $1: 이벤트를 더 받지 않는다고 했습니다',
  },
  { pattern: /^The answer was not HTTP$/, text: '응답이 HTTP가 아닙니다' },
  { pattern: /^The answer was too large$/, text: '응답이 너무 큽니다' },
  { pattern: /^The endpoint answered 410 Gone$/, text: '410 Gone으로 응답했습니다' },
  { pattern: /^The endpoint is being deleted$/, text: '삭제하는 중입니다' },
  { pattern: /^Nothing was sent: .*$/, text: '보내지 않았습니다' },
];
