/** Korean translations of messages of the API. */
import type { Saying } from '../explain.ts';
import { deliveryFailures } from './delivery-failures.ts';
import { inCallRefusals } from './in-call-refusals.ts';
import { serverAdvice } from './server-advice.ts';
import { trialRemarks } from './trial-remarks.ts';

export const sayings: readonly Saying[] = [
  {
    pattern: /^Too small: expected number to be >=(\d+)$/,
    text: '$1 이상이어야 합니다.',
  },
  {
    pattern: /^Too big: expected number to be <=(\d+)$/,
    text: '$1 이하여야 합니다.',
  },
  { pattern: /^Too small: expected string .*$/, text: '필수 항목입니다.' },
  {
    pattern: /^Too big: expected string to have <=(\d+) characters$/,
    text: '$1자까지 입력할 수 있습니다.',
  },
  { pattern: /^Invalid input: .*$/, text: '올바르지 않은 값입니다.' },
  { pattern: /^This is required\.$/, text: '필수 항목입니다.' },
  {
    pattern: /^(?:Give the|This is no telephone) number in domestic format: write (\d+) in place of (\S+)\.$/,
    text: '국내 형식의 전화번호를 입력하세요. $2 대신 $1을(를) 쓰세요.',
  },
  {
    pattern: /^(?:Give the|This is no telephone) number in domestic format: leave out (\S+)\.$/,
    text: '국내 형식의 전화번호를 입력하세요. 앞의 $1을(를) 빼세요.',
  },
  {
    pattern: /^(?:Give the|This is no telephone) number in domestic format: write (\d+) before it\.$/,
    text: '국내 형식의 전화번호를 입력하세요. 앞에 $1을(를) 붙이세요.',
  },
  {
    pattern: /^(?:Give the|This is no telephone) number in domestic format: write digits alone, .*$/,
    text: '전화번호는 숫자로 입력하세요. 하이픈과 공백은 넣어도 됩니다.',
  },
  {
    pattern: /^This is no telephone number in domestic format.*$/,
    text: '국내 형식의 전화번호가 아닙니다. 예: 010-0000-0001',
  },
  { pattern: /^This number exists on this gateway already\.$/, text: '이미 등록된 번호입니다.' },
  {
    pattern: /^Too big: expected array to have <=(\d+) items$/,
    text: '$1개까지 입력할 수 있습니다.',
  },
  {
    pattern: /^This is neither a number in domestic format nor .*$/,
    text: '국내 형식의 전화번호나 *로 끝나는 앞자리(3자리 이상)가 아닙니다. 예: 0212345678, 0212345*',
  },
  { pattern: /^Write a name, "(.)" and what it says\.$/, text: '이름, "$1", 값 순서로 입력하세요.' },
  { pattern: /^This name is listed twice\.$/, text: '같은 이름이 두 번 있습니다.' },
  { pattern: /^A header is listed twice\.$/, text: '같은 헤더가 두 번 있습니다.' },
  {
    pattern: /^A key has 1 to (\d+) letters of ASCII, .*$/,
    text: '이름은 1~$1자의 영문자, 숫자, 밑줄, 점, 하이픈으로 이루어집니다.',
  },
  { pattern: /^There may be up to (\d+) (?:keys|headers)\.$/, text: '$1개까지 입력할 수 있습니다.' },
  {
    pattern: /^The name of a header is X- and .*$/,
    text: '헤더 이름은 X-로 시작하고, 그 뒤에 영문자, 숫자, 하이픈, 점, 밑줄이 1~60자 옵니다.',
  },
  {
    pattern: /^A header has 1 to (\d+) bytes, .*$/,
    text: '헤더 값은 1~$1바이트이고, 앞뒤 공백과 줄바꿈 등 제어 문자가 없어야 합니다.',
  },
  {
    pattern: /^The name of a header is 1 to (\d+) letters .*$/,
    text: '헤더 이름은 1~$1자의 영문자, 숫자, 하이픈으로 이루어집니다.',
  },
  {
    pattern: /^This header belongs to the connection or to the gateway .*$/,
    text: '연결이나 게이트웨이가 쓰는 헤더라 정할 수 없습니다.',
  },
  {
    pattern: /^A header has up to (\d+) printable characters .*$/,
    text: '헤더 값은 $1자까지의 인쇄 가능한 ASCII 문자이고, 앞뒤 공백이 없어야 합니다.',
  },
  { pattern: /^An agent has up to (\d+) headers.*$/, text: '헤더는 저장된 것을 포함해 $1개까지입니다.' },
  {
    pattern: /^The operator offers no such model \(GW_LLM_MODELS\); there is (.*)\.$/,
    text: '운영자가 허용하지 않은 모델입니다. 쓸 수 있는 모델: $1',
  },
  { pattern: /^Enter a whole number\.$/, text: '정수를 입력하세요.' },
  {
    pattern: /^The URL must begin with https:\/\/\.$/,
    text: 'https://로 시작하는 주소만 사용할 수 있습니다.',
  },
  { pattern: /^This is not a URL\..*$/, text: 'URL이 아닙니다. 예: https://agent.example.com/chat' },
  {
    pattern: /^The URL points into a private network.*$/,
    text: '사설 네트워크를 가리키는 URL입니다. 이 게이트웨이는 그곳으로 요청을 보내지 않습니다.',
  },
  {
    pattern: /^The URL must not contain a user name.*$/,
    text: 'URL에 사용자 이름이나 비밀번호를 넣을 수 없습니다.',
  },
  { pattern: /^The URL must not contain a fragment.*$/, text: 'URL에 # 뒤의 부분을 넣을 수 없습니다.' },
  {
    pattern: /^The operator of this gateway does not allow its address\.$/,
    text: '이 게이트웨이의 운영자가 허용하지 않는 주소입니다.',
  },
  {
    pattern: /^This gateway sends no SIP to this address\..*$/,
    text: '이 게이트웨이가 SIP를 보내지 않는 주소입니다. 운영자가 GW_TRUNK_ADDRESSES로 정합니다.',
  },
  {
    pattern: /^Give the number in domestic format.*$/,
    text: '국내 형식의 번호를 입력하세요. 예: 010-0000-0001',
  },
  {
    pattern: /^This number may not call abroad\..*$/,
    text: '이 번호로는 국제전화를 걸 수 없습니다. 국내 형식의 번호를 입력하세요. 예: 010-0000-0001',
  },
  {
    pattern: /^Numbers of this kind may not be called\..*$/,
    text: '이런 종류의 번호로는 걸 수 없습니다. 관리자가 발신 허용 범위에서 허용할 수 있습니다.',
  },
  {
    pattern: /^Numbers that begin so may not be called\..*$/,
    text: '차단된 접두 번호입니다. 관리자가 발신 허용 범위에서 허용할 수 있습니다.',
  },
  {
    pattern: /^Numbers of satellites and international networks.*$/,
    text: '위성 및 국제 네트워크 번호는 접두 번호로 허용한 경우에만 걸 수 있습니다.',
  },
  {
    pattern: /^This is no beginning of a number.*$/,
    text: '번호의 앞부분이 아닙니다. 예: 0505, +1242',
  },
  {
    pattern: /^(?:The workspace|This number) has used its (\d+) minutes .*$/,
    text: '하루 발신 통화 시간 $1분을 모두 사용했습니다. 진행 중인 통화가 쓸 시간도 포함됩니다.',
  },
  { pattern: /^max_duration_sec must be a whole number.*$/, text: '60에서 1800 사이의 정수여야 합니다.' },
  {
    pattern: /^The outbound agent of this number has no agent type.*$/,
    text: '이 번호의 발신 에이전트에 유형이나 채팅 URL이 없어 전화를 걸지 않았습니다.',
  },
  { pattern: /^This call is not in progress\.$/, text: '진행 중인 통화가 아닙니다.' },
  ...inCallRefusals,
  ...trialRemarks,
  {
    pattern: /^This gateway is shutting down.*$/,
    text: '게이트웨이가 종료되는 중이라 새 통화를 받지 않습니다.',
  },
  { pattern: /^No key was issued for this number yet\.$/, text: '이 번호에는 아직 발급된 키가 없습니다.' },
  {
    pattern: /^A token is made of visible ASCII characters\.$/,
    text: '토큰에는 ASCII 문자만 쓸 수 있습니다.',
  },
  { pattern: /^The method "handshake" needs a URL to ask\.$/, text: '핸드셰이크에는 인증 URL이 필요합니다.' },
  {
    pattern: /^This is neither a host name nor an IP address.*$/,
    text: '호스트 이름이나 IP 주소가 아닙니다. 포트는 따로 입력하세요.',
  },
  {
    pattern: /^This is neither an IP address nor a block.*$/,
    text: 'IP 주소나 대역이 아닙니다. 예: 203.0.113.0/24',
  },
  {
    pattern: /^The workspace has a trunk of this name already\.$/,
    text: '같은 이름의 회선이 이미 있습니다.',
  },
  {
    pattern: /^A trunk that is registered at needs a user name\.$/,
    text: '등록하려면 사용자 이름이 필요합니다.',
  },
  { pattern: /^A password needs a user name\.$/, text: '비밀번호에는 사용자 이름이 필요합니다.' },
  {
    pattern: /^Callers can be authenticated only where .*$/,
    text: '사용자 이름과 비밀번호가 있어야 수신 인증을 할 수 있습니다.',
  },
  {
    pattern: /^A name is made of letters, .*$/,
    text: '이름에는 글자, 숫자, 공백, 점, 하이픈, 밑줄만 쓸 수 있습니다.',
  },
  {
    pattern: /^An inbound call begins with what the caller says\.$/,
    text: '수신 통화는 상대방의 말로 시작합니다.',
  },
  {
    pattern: /^The lines of this gateway are simulated.*$/,
    text: '이 게이트웨이의 회선은 시뮬레이션이라 점검할 수 없습니다.',
  },
  {
    pattern: /^The lines of this gateway are simulated\.$/,
    text: '이 게이트웨이의 회선은 시뮬레이션입니다.',
  },
  { pattern: /^These are not its digits\.$/, text: '번호가 일치하지 않습니다.' },
  {
    pattern: /^This number has calls in progress\..*$/,
    text: '진행 중인 통화가 있습니다. 통화가 끝난 뒤에 삭제하세요.',
  },
  {
    pattern: /^This is the only valid token of the role admin.*$/,
    text: '워크스페이스의 마지막 관리자 토큰입니다. 다른 관리자 토큰을 먼저 만드세요.',
  },
  {
    pattern: /^This token may only read\..*$/,
    text: '열람만 할 수 있는 토큰입니다. 변경하려면 관리자 토큰이 필요합니다.',
  },
  { pattern: /^This is no name of a time zone.*$/, text: '시간대 이름이 아닙니다. 예: Asia/Seoul' },
  {
    pattern: /^It wants no calls for (\d+) more seconds\.$/,
    text: '회선이 $1초 동안 전화를 보내지 말라고 했습니다.',
  },
  {
    pattern: /^A prefix begins with \+ and the country code.*$/,
    text: '앞자리는 +와 국가 번호로 시작해야 합니다. 예: +8210',
  },
  { pattern: /^None of its addresses answers\.$/, text: '응답하는 주소가 없습니다.' },
  { pattern: /^An address is listed twice\.$/, text: '같은 주소가 두 번 있습니다.' },
  {
    pattern: /^This is no final status from 300 on.*$/,
    text: '403이나 5xx처럼 300 이상의 응답 코드를 입력하세요.',
  },
  {
    pattern: /^Too many calls fit this search to find them in time\..*$/,
    text: '조건에 맞는 통화가 너무 많아 시간 안에 찾지 못했습니다. 단어나 숫자, 날짜를 더 입력하세요.',
  },
  {
    pattern: /^Search for one to (\d+) words, or for digits\.$/,
    text: '단어 1~$1개 또는 숫자로 검색하세요.',
  },
  { pattern: /^Codecs are (.*)\.$/, text: '사용할 수 있는 코덱은 $1입니다.' },
  { pattern: /^The trunk is not enabled\.$/, text: '사용하지 않는 회선입니다.' },
  ...deliveryFailures,
  ...serverAdvice,
];
