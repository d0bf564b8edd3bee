/**
 * Translates error messages of the API, which are in English. English readers see the original, except for a few terse
 * messages. Other readers see translations of frequent messages, and the original of all others.
 */
import { deliveryFailures } from './delivery-failures.ts';
import { inCallRefusals } from './in-call-refusals.ts';
import { serverAdvice } from './server-advice.ts';
import { trialRemarks } from './trial-remarks.ts';
import type { ConsoleLanguage } from './texts.ts';

type Saying = { pattern: RegExp; en?: string; ko: string };

const sayings: readonly Saying[] = [
  {
    pattern: /^Too small: expected number to be >=(\d+)$/,
    en: 'This must be at least $1.',
    ko: '$1 이상이어야 합니다.',
  },
  {
    pattern: /^Too big: expected number to be <=(\d+)$/,
    en: 'This must be at most $1.',
    ko: '$1 이하여야 합니다.',
  },
  { pattern: /^Too small: expected string .*$/, en: 'This is required.', ko: '필수 항목입니다.' },
  {
    pattern: /^Too big: expected string to have <=(\d+) characters$/,
    en: 'This must have at most $1 characters.',
    ko: '$1자까지 입력할 수 있습니다.',
  },
  { pattern: /^Invalid input: .*$/, en: 'This is not valid.', ko: '올바르지 않은 값입니다.' },
  { pattern: /^This is required\.$/, ko: '필수 항목입니다.' },
  {
    pattern: /^(?:Give the|This is no telephone) number in domestic format: write (\d+) in place of (\S+)\.$/,
    ko: '국내 형식의 전화번호를 입력하세요. $2 대신 $1을(를) 쓰세요.',
  },
  {
    pattern: /^(?:Give the|This is no telephone) number in domestic format: leave out (\S+)\.$/,
    ko: '국내 형식의 전화번호를 입력하세요. 앞의 $1을(를) 빼세요.',
  },
  {
    pattern: /^(?:Give the|This is no telephone) number in domestic format: write (\d+) before it\.$/,
    ko: '국내 형식의 전화번호를 입력하세요. 앞에 $1을(를) 붙이세요.',
  },
  {
    pattern: /^(?:Give the|This is no telephone) number in domestic format: write digits alone, .*$/,
    ko: '전화번호는 숫자로 입력하세요. 하이픈과 공백은 넣어도 됩니다.',
  },
  {
    pattern: /^This is no telephone number in domestic format.*$/,
    ko: '국내 형식의 전화번호가 아닙니다. 예: 010-0000-0001',
  },
  { pattern: /^This number exists on this gateway already\.$/, ko: '이미 등록된 번호입니다.' },
  {
    pattern: /^Too big: expected array to have <=(\d+) items$/,
    en: 'There may be up to $1 entries.',
    ko: '$1개까지 입력할 수 있습니다.',
  },
  {
    pattern: /^This is neither a number in domestic format nor .*$/,
    ko: '국내 형식의 전화번호나 *로 끝나는 앞자리(3자리 이상)가 아닙니다. 예: 0212345678, 0212345*',
  },
  { pattern: /^Write a name, "(.)" and what it says\.$/, ko: '이름, "$1", 값 순서로 입력하세요.' },
  { pattern: /^This name is listed twice\.$/, ko: '같은 이름이 두 번 있습니다.' },
  { pattern: /^A header is listed twice\.$/, ko: '같은 헤더가 두 번 있습니다.' },
  {
    pattern: /^A key has 1 to (\d+) letters of ASCII, .*$/,
    ko: '이름은 1~$1자의 영문자, 숫자, 밑줄, 점, 하이픈으로 이루어집니다.',
  },
  { pattern: /^There may be up to (\d+) (?:keys|headers)\.$/, ko: '$1개까지 입력할 수 있습니다.' },
  {
    pattern: /^The name of a header is X- and .*$/,
    ko: '헤더 이름은 X-로 시작하고, 그 뒤에 영문자, 숫자, 하이픈, 점, 밑줄이 1~60자 옵니다.',
  },
  {
    pattern: /^A header has 1 to (\d+) bytes, .*$/,
    ko: '헤더 값은 1~$1바이트이고, 앞뒤 공백과 줄바꿈 등 제어 문자가 없어야 합니다.',
  },
  {
    pattern: /^The name of a header is 1 to (\d+) letters .*$/,
    ko: '헤더 이름은 1~$1자의 영문자, 숫자, 하이픈으로 이루어집니다.',
  },
  {
    pattern: /^This header belongs to the connection or to the gateway .*$/,
    ko: '연결이나 게이트웨이가 쓰는 헤더라 정할 수 없습니다.',
  },
  {
    pattern: /^A header has up to (\d+) printable characters .*$/,
    ko: '헤더 값은 $1자까지의 인쇄 가능한 ASCII 문자이고, 앞뒤 공백이 없어야 합니다.',
  },
  { pattern: /^An agent has up to (\d+) headers.*$/, ko: '헤더는 저장된 것을 포함해 $1개까지입니다.' },
  {
    pattern: /^The operator offers no such model \(GW_LLM_MODELS\); there is (.*)\.$/,
    ko: '운영자가 허용하지 않은 모델입니다. 쓸 수 있는 모델: $1',
  },
  { pattern: /^Enter a whole number\.$/, ko: '정수를 입력하세요.' },
  { pattern: /^The URL must begin with https:\/\/\.$/, ko: 'https://로 시작하는 주소만 사용할 수 있습니다.' },
  { pattern: /^This is not a URL\..*$/, ko: 'URL이 아닙니다. 예: https://agent.example.com/chat' },
  {
    pattern: /^The URL points into a private network.*$/,
    ko: '사설 네트워크를 가리키는 URL입니다. 이 게이트웨이는 그곳으로 요청을 보내지 않습니다.',
  },
  {
    pattern: /^The URL must not contain a user name.*$/,
    ko: 'URL에 사용자 이름이나 비밀번호를 넣을 수 없습니다.',
  },
  { pattern: /^The URL must not contain a fragment.*$/, ko: 'URL에 # 뒤의 부분을 넣을 수 없습니다.' },
  {
    pattern: /^The operator of this gateway does not allow its address\.$/,
    ko: '이 게이트웨이의 운영자가 허용하지 않는 주소입니다.',
  },
  {
    pattern: /^This gateway sends no SIP to this address\..*$/,
    ko: '이 게이트웨이가 SIP를 보내지 않는 주소입니다. 운영자가 GW_TRUNK_ADDRESSES로 정합니다.',
  },
  {
    pattern: /^Give the number in domestic format.*$/,
    ko: '국내 형식의 번호를 입력하세요. 예: 010-0000-0001',
  },
  {
    pattern: /^This number may not call abroad\..*$/,
    ko: '이 번호로는 국제전화를 걸 수 없습니다. 국내 형식의 번호를 입력하세요. 예: 010-0000-0001',
  },
  {
    pattern: /^Numbers of this kind may not be called\..*$/,
    ko: '이런 종류의 번호로는 걸 수 없습니다. 관리자가 발신 허용 범위에서 허용할 수 있습니다.',
  },
  {
    pattern: /^Numbers that begin so may not be called\..*$/,
    ko: '차단된 접두 번호입니다. 관리자가 발신 허용 범위에서 허용할 수 있습니다.',
  },
  {
    pattern: /^Numbers of satellites and international networks.*$/,
    ko: '위성 및 국제 네트워크 번호는 접두 번호로 허용한 경우에만 걸 수 있습니다.',
  },
  {
    pattern: /^This is no beginning of a number.*$/,
    ko: '번호의 앞부분이 아닙니다. 예: 0505, +1242',
  },
  {
    pattern: /^(?:The workspace|This number) has used its (\d+) minutes .*$/,
    ko: '하루 발신 통화 시간 $1분을 모두 사용했습니다. 진행 중인 통화가 쓸 시간도 포함됩니다.',
  },
  { pattern: /^max_duration_sec must be a whole number.*$/, ko: '60에서 1800 사이의 정수여야 합니다.' },
  {
    pattern: /^The outbound agent of this number has no agent type.*$/,
    ko: '이 번호의 발신 에이전트에 유형이나 채팅 URL이 없어 전화를 걸지 않았습니다.',
  },
  { pattern: /^This call is not in progress\.$/, ko: '진행 중인 통화가 아닙니다.' },
  ...inCallRefusals,
  ...trialRemarks,
  {
    pattern: /^This gateway is shutting down.*$/,
    ko: '게이트웨이가 종료되는 중이라 새 통화를 받지 않습니다.',
  },
  { pattern: /^No key was issued for this number yet\.$/, ko: '이 번호에는 아직 발급된 키가 없습니다.' },
  { pattern: /^A token is made of visible ASCII characters\.$/, ko: '토큰에는 ASCII 문자만 쓸 수 있습니다.' },
  { pattern: /^The method "handshake" needs a URL to ask\.$/, ko: '핸드셰이크에는 인증 URL이 필요합니다.' },
  {
    pattern: /^This is neither a host name nor an IP address.*$/,
    ko: '호스트 이름이나 IP 주소가 아닙니다. 포트는 따로 입력하세요.',
  },
  {
    pattern: /^This is neither an IP address nor a block.*$/,
    ko: 'IP 주소나 대역이 아닙니다. 예: 203.0.113.0/24',
  },
  { pattern: /^The workspace has a trunk of this name already\.$/, ko: '같은 이름의 회선이 이미 있습니다.' },
  {
    pattern: /^A trunk that is registered at needs a user name\.$/,
    ko: '등록하려면 사용자 이름이 필요합니다.',
  },
  { pattern: /^A password needs a user name\.$/, ko: '비밀번호에는 사용자 이름이 필요합니다.' },
  {
    pattern: /^Callers can be authenticated only where .*$/,
    ko: '사용자 이름과 비밀번호가 있어야 수신 인증을 할 수 있습니다.',
  },
  {
    pattern: /^A name is made of letters, .*$/,
    ko: '이름에는 글자, 숫자, 공백, 점, 하이픈, 밑줄만 쓸 수 있습니다.',
  },
  {
    pattern: /^An inbound call begins with what the caller says\.$/,
    ko: '수신 통화는 상대방의 말로 시작합니다.',
  },
  {
    pattern: /^The lines of this gateway are simulated.*$/,
    ko: '이 게이트웨이의 회선은 시뮬레이션이라 점검할 수 없습니다.',
  },
  {
    pattern: /^The lines of this gateway are simulated\.$/,
    ko: '이 게이트웨이의 회선은 시뮬레이션입니다.',
  },
  { pattern: /^These are not its digits\.$/, ko: '번호가 일치하지 않습니다.' },
  {
    pattern: /^This number has calls in progress\..*$/,
    ko: '진행 중인 통화가 있습니다. 통화가 끝난 뒤에 삭제하세요.',
  },
  {
    pattern: /^This is the only valid token of the role admin.*$/,
    ko: '워크스페이스의 마지막 관리자 토큰입니다. 다른 관리자 토큰을 먼저 만드세요.',
  },
  {
    pattern: /^This token may only read\..*$/,
    ko: '열람만 할 수 있는 토큰입니다. 변경하려면 관리자 토큰이 필요합니다.',
  },
  { pattern: /^This is no name of a time zone.*$/, ko: '시간대 이름이 아닙니다. 예: Asia/Seoul' },
  {
    pattern: /^It wants no calls for (\d+) more seconds\.$/,
    ko: '회선이 $1초 동안 전화를 보내지 말라고 했습니다.',
  },
  {
    pattern: /^A prefix begins with \+ and the country code.*$/,
    ko: '앞자리는 +와 국가 번호로 시작해야 합니다. 예: +8210',
  },
  { pattern: /^None of its addresses answers\.$/, ko: '응답하는 주소가 없습니다.' },
  { pattern: /^An address is listed twice\.$/, ko: '같은 주소가 두 번 있습니다.' },
  {
    pattern: /^This is no final status from 300 on.*$/,
    ko: '403이나 5xx처럼 300 이상의 응답 코드를 입력하세요.',
  },
  {
    pattern: /^Too many calls fit this search to find them in time\..*$/,
    ko: '조건에 맞는 통화가 너무 많아 시간 안에 찾지 못했습니다. 단어나 숫자, 날짜를 더 입력하세요.',
  },
  { pattern: /^Search for one to (\d+) words, or for digits\.$/, ko: '단어 1~$1개 또는 숫자로 검색하세요.' },
  { pattern: /^Codecs are (.*)\.$/, ko: '사용할 수 있는 코덱은 $1입니다.' },
  { pattern: /^The trunk is not enabled\.$/, ko: '사용하지 않는 회선입니다.' },
  ...deliveryFailures,
  ...serverAdvice,
];

export const explain = (words: string, language: ConsoleLanguage): string => {
  for (const { pattern, ...saying } of sayings) {
    const instead = saying[language];
    if (instead !== undefined && pattern.test(words)) return words.replace(pattern, instead);
  }
  return words;
};
