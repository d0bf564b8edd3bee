/** Reasons for refused requests to a call in progress (src/calls/in-call). */
import type { Saying } from '../explain.ts';

export const inCallRefusals: readonly Saying[] = [
  {
    pattern: /^Invalid string: must match pattern \/\^\[0-9\*#A-D\]\$\/$/,
    text: '전화기의 버튼 하나를 입력하세요: 0~9, *, #, A~D',
  },
  {
    pattern: /^Invalid string: must match pattern \/\^\[0-9\*#A-Dw\].*$/,
    text: '0~9, *, #, A~D, w를 1~64자까지 입력할 수 있습니다.',
  },
  {
    pattern: /^Calls of this number may not be transferred there; .*$/,
    text: '이 번호의 통화를 그곳으로 연결할 수 없습니다. 번호 설정에서 허용할 수 있습니다.',
  },
  {
    pattern: /^This is a number of the call itself: .*$/,
    text: '이 통화의 번호입니다. 상대방은 통화 중이고, 자기 번호는 에이전트가 받습니다.',
  },
  { pattern: /^Somebody is rung for this call already\.$/, text: '이미 담당자에게 전화를 걸고 있습니다.' },
  {
    pattern: /^The other party talks with (?:a|the) person .*$/,
    text: '상대방이 이미 담당자와 통화 중입니다.',
  },
  { pattern: /^Nobody is being rung for this call\.$/, text: '전화를 걸고 있는 담당자가 없습니다.' },
  {
    pattern: /^The agent does not talk with the other party any more\.$/,
    text: '에이전트가 더는 상대방과 통화하고 있지 않습니다.',
  },
  {
    pattern: /^The other party has not agreed to the call yet\.$/,
    text: '상대방이 아직 통화에 동의하지 않았습니다.',
  },
  {
    pattern: /^A machine has answered this call, .*$/,
    text: '자동 응답기가 받아 메시지를 남기고 있습니다.',
  },
  { pattern: /^This call is being ended; .*$/, text: '통화가 끝나는 중입니다.' },
  {
    pattern: /^The call is just being taken over; .*$/,
    text: '다른 게이트웨이가 통화를 넘겨받는 중입니다. 잠시 후 다시 시도하세요.',
  },
  {
    pattern: /^The gateway that holds the call took the request and did not answer, .*$/,
    text: '통화를 맡은 게이트웨이가 응답하지 않아 요청이 처리되었는지 알 수 없습니다. 다시 보내기 전에 통화의 이벤트를 확인하세요.',
  },
  {
    pattern: /^The other party takes keys neither .*$/,
    text: '상대방이 버튼 신호를 받지 않아 누르지 못했습니다.',
  },
  { pattern: /^Nothing of it can be spoken\.$/, text: '말할 수 있는 내용이 없습니다.' },
  {
    pattern: /^(\d+) transfers in a row came to nothing\. .*$/,
    text: '연결이 $1번 이어서 실패했습니다. 상대방이 말한 뒤에 다시 시도하세요.',
  },
  {
    pattern: /^(?:\d+ sentences with \d+ characters wait|The digits that wait) .*$/,
    text: '이 통화에서 기다리는 것이 너무 많습니다. 잠시 후 다시 시도하세요.',
  },
];
