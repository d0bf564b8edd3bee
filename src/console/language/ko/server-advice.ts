/**
 * Korean translations of connection failures to a customer's server, with advice (src/outgoing/request-advice.ts,
 * src/events/delivery-advice.ts).
 */
import type { Saying } from '../explain.ts';

export const serverAdvice: readonly Saying[] = [
  {
    pattern: /^Servers on this machine are switched off here: .*$/,
    text: '이 컴퓨터의 서버로는 요청을 보내지 않습니다. 운영자가 GW_AGENT_ALLOW_LOOPBACK=1로 허용할 수 있습니다.',
  },
  {
    pattern: /^Begin the URL with https:\/\/\.(?: Plain http .*)?$/,
    text: 'URL을 https://로 시작하세요. http는 GW_AGENT_ALLOW_LOOPBACK=1일 때 이 컴퓨터에만 쓸 수 있습니다.',
  },
  {
    pattern: /^(\S+) is in a private network\. .*$/,
    text: '$1은(는) 사설 네트워크에 있습니다. 운영자가 GW_AGENT_ALLOWED_HOSTS=$1로 허용할 수 있습니다(https만). 사설 인증 기관의 인증서는 GW_AGENT_CA_FILE로 지정하고 게이트웨이를 다시 시작하세요. 이 컴퓨터를 가리키는 이름이면 GW_AGENT_ALLOW_LOOPBACK=1로도 됩니다.',
  },
  {
    pattern: /^Nothing listens at (\S+)\. Start .*$/,
    text: '$1에서 연결을 받는 서버가 없습니다. 서버를 시작하거나 URL의 호스트와 포트를 고치세요.',
  },
  {
    pattern: /^The name (\S+) is not known\. .*$/,
    text: '$1이라는 이름을 찾을 수 없습니다. URL의 호스트나 이 컴퓨터의 DNS 설정을 고치세요.',
  },
  {
    pattern: /^The name (\S+) has no address\. .*$/,
    text: '$1에 등록된 주소가 없습니다. DNS 레코드를 고치세요.',
  },
  {
    pattern: /^The name servers of (\S+) do not answer\. .*$/,
    text: '$1의 네임 서버가 응답하지 않습니다. 네임 서버를 확인하세요.',
  },
  {
    pattern: /^From this machine there is no way to (\S+)\. .*$/,
    text: '이 컴퓨터에서 $1로 가는 경로가 없습니다. 네트워크를 확인하거나 URL을 고치세요.',
  },
  {
    pattern: /^The server broke the connection in the middle .*$/,
    text: '서버가 응답 도중에 연결을 끊었습니다. 원인은 서버의 로그에서 확인하세요.',
  },
  {
    pattern: /^The answer cannot be read\. .*$/,
    text: '응답을 읽을 수 없습니다. 원인은 서버의 로그에서 확인하세요.',
  },
  {
    pattern: /^(\S+) closed the connection without an answer\. .*$/,
    text: '$1이(가) 응답 없이 연결을 끊었습니다. TLS를 쓰는 포트라면 URL을 https://로 시작하고, 아니라면 서버의 로그에서 원인을 확인하세요.',
  },
  {
    pattern: /^The certificate of (\S+) has expired\. .*$/,
    text: '$1의 인증서가 만료되었습니다. 인증서를 갱신하세요.',
  },
  {
    pattern: /^The certificate of (\S+) is not valid yet\. .*$/,
    text: '$1의 인증서가 아직 유효하지 않습니다. 인증서의 날짜와 이 컴퓨터의 시계를 확인하세요.',
  },
  {
    pattern: /^The certificate of (\S+) is for another name\. .*, or give the server one for (\S+)\.$/,
    text: '$1의 인증서는 다른 이름으로 발급되었습니다. 인증서에 있는 이름을 URL에 쓰거나, 서버에 $2의 인증서를 설치하세요.',
  },
  {
    pattern: /^The certificate of (\S+) is of an authority that is not known here \((\w+)\)\. .*$/,
    text: '$1의 인증서를 발급한 기관을 알 수 없습니다($2). 서버가 중간 인증서도 보내게 하세요. 사설 인증 기관이면 운영자가 GW_AGENT_CA_FILE에 PEM 파일을 지정하면 됩니다.',
  },
  {
    pattern: /^(\S+) does not speak TLS\. .*$/,
    text: '$1은(는) TLS를 쓰지 않습니다. 포트를 고치세요. 이 컴퓨터의 서버는 http://로 부를 수 있습니다.',
  },
  {
    pattern: /^The TLS connection to (\S+) failed with (\w+)\. .*$/,
    text: '$1과의 TLS 연결에 실패했습니다($2). 서버의 인증서와 TLS 버전을 확인하세요.',
  },
  {
    pattern: /^(\S+) takes no connection in time\. .*$/,
    text: '$1이(가) 제한 시간 안에 연결을 받지 않습니다. 방화벽이 막고 있거나 URL의 호스트 또는 포트가 잘못되었을 수 있습니다.',
  },
  {
    pattern: /^(\S+) answers, but not in HTTP\. .*$/,
    text: '$1이(가) HTTP가 아닌 것으로 응답합니다. URL의 포트를 고치세요. TLS를 쓰는 포트라면 URL을 https://로 시작하세요.',
  },
  {
    pattern: /^The answer is compressed in a way that cannot be read\. .*$/,
    text: '읽을 수 없는 방식으로 압축된 응답입니다. 이 주소의 압축을 끄거나 Content-Encoding 헤더를 바로잡으세요.',
  },
  {
    pattern: /^The URL answers with a redirect \(HTTP (\d+)\) that does not say .*$/,
    text: 'URL이 목적지 없는 리디렉션(HTTP $1)으로 응답합니다. URL이나 리디렉션을 고치세요.',
  },
  {
    pattern: /^The URL answers with a redirect \(HTTP (\d+)\) to (\S+), .* It is a page to log in: .*$/,
    text: 'URL이 로그인 페이지 $2(으)로 리디렉션(HTTP $1)합니다. 게이트웨이는 리디렉션을 따라가지 않습니다. 이 주소에서 로그인 없이 요청을 받게 하세요.',
  },
  {
    pattern: /^The URL answers with a redirect \(HTTP (\d+)\) to (\S+), .*$/,
    text: 'URL이 $2(으)로 리디렉션(HTTP $1)합니다. 게이트웨이는 리디렉션을 따라가지 않으니 그 주소를 URL로 쓰세요.',
  },
  {
    pattern: /^Too many trials of this workspace are under way\. .*$/,
    text: '이 워크스페이스에서 진행 중인 테스트가 너무 많습니다. 끝난 뒤에 다시 시도하세요.',
  },
  {
    pattern: /^The server has not answered lately, .*$/,
    text: '서버가 최근에 응답하지 않아 요청을 보내지 않았습니다. 서버를 시작하고 잠시 뒤에 다시 시도하세요.',
  },
  {
    pattern: /^The server took the request and did not answer within (\d+) s\. .*$/,
    text: '서버가 요청을 받고 $1초 안에 응답하지 않았습니다. 먼저 응답하고 이벤트는 그 뒤에 처리하세요.',
  },
  {
    pattern: /^A protection against robots \(Cloudflare\) stands in front of (\S+) .*$/,
    text: '$1 앞에 있는 봇 차단(Cloudflare)이 브라우저를 요구합니다. 이 경로, 게이트웨이의 주소, 또는 사용자 에이전트 "Trunkline"의 요청을 통과시키는 규칙을 만드세요.',
  },
  {
    pattern: /^A firewall in front of (\S+) blocks the request\. .*$/,
    text: '$1 앞의 방화벽이 요청을 막습니다. 이 경로나 사용자 에이전트 "Trunkline"의 요청을 통과시키는 규칙을 만드세요.',
  },
  {
    pattern: /^The server wants a login \(HTTP 401\)\. .*$/,
    text: '서버가 로그인을 요구합니다(HTTP 401). 이벤트에는 토큰이 아니라 서명(Standard Webhooks)이 있습니다. 서명 비밀 키로 서명을 확인하고, 이 경로는 로그인 없이 받게 하세요.',
  },
  {
    pattern: /^The server does not let this request in \(HTTP 403\)\. .*$/,
    text: '서버가 요청을 거부합니다(HTTP 403). 이벤트에는 토큰이 아니라 서명(Standard Webhooks)이 있습니다. 서명 비밀 키로 서명을 확인하고, 이 경로는 로그인 없이 받게 하세요. 이미 서명을 확인하고 있다면 서명 비밀 키와 서버의 시계를 확인하세요.',
  },
  {
    pattern: /^There is nothing at this path of (\S+)\. .*$/,
    text: '$1의 이 경로에는 아무것도 없습니다(HTTP 404). URL의 경로를 고치세요.',
  },
  {
    pattern: /^This address takes no POST\. .*$/,
    text: '이 주소는 POST 요청을 받지 않습니다(HTTP 405). URL의 경로를 고치세요.',
  },
  {
    pattern: /^The server did not wait for the whole request\. .*$/,
    text: '서버가 요청을 끝까지 기다리지 않았습니다(HTTP 408). 서버의 요청 제한 시간을 늘리세요.',
  },
  {
    pattern: /^This path of (\S+) was removed for good\. .*$/,
    text: '$1의 이 경로는 영구히 없어졌습니다(HTTP 410). 서버 담당자에게 새 주소를 확인하세요.',
  },
  {
    pattern: /^A proxy in front of the server wants another framing .*$/,
    text: '서버 앞의 프록시가 다른 방식의 요청 본문을 요구합니다(HTTP 411). 프록시의 요청 본문 제한을 확인하세요.',
  },
  {
    pattern: /^The server finds the request too large\. .*$/,
    text: '서버가 받기에는 요청이 너무 큽니다(HTTP 413). 서버의 요청 본문 제한을 늘리세요.',
  },
  {
    pattern: /^The server does not take JSON at this address .*$/,
    text: '이 주소의 서버는 JSON을 받지 않습니다(HTTP 415). application/json을 읽게 하거나 URL의 경로를 고치세요.',
  },
  {
    pattern: /^This address wants another protocol, .*$/,
    text: '이 주소는 웹소켓 같은 다른 프로토콜을 요구합니다(HTTP 426). URL의 경로나 포트를 고치세요.',
  },
  {
    pattern: /^The server limits how often it may be asked .*$/,
    text: '서버가 요청 횟수를 제한합니다(HTTP 429). 제한을 늘리거나 잠시 뒤에 다시 시도하세요.',
  },
  {
    pattern: /^The proxy in front of the .* behind it does not \(HTTP (\d+)\)\. .*$/,
    text: '앞에 있는 프록시는 응답하지만 그 뒤의 서버가 응답하지 않습니다(HTTP $1). 서버를 시작하거나 프록시가 넘겨줄 주소를 고치세요. 504와 524는 서버가 너무 느렸다는 뜻입니다.',
  },
  {
    pattern: /^The server says that it cannot answer now \(HTTP 503\): .*$/,
    text: '서버가 지금은 응답할 수 없다고 합니다(HTTP 503). 시작하는 중이거나 과부하 또는 점검 중입니다. 원인은 서버의 로그에서 확인하세요.',
  },
  {
    pattern: /^The server itself failed \(HTTP (\d+)\)\. .*$/,
    text: '서버 내부에서 오류가 났습니다(HTTP $1). 원인은 서버의 로그에서 확인하세요.',
  },
  {
    pattern: /^The server refuses the event \(HTTP (\d+)\)\. .*$/,
    text: '서버가 이벤트를 거부합니다(HTTP $1). 200~299로 응답해야 받은 것으로 봅니다. 원인은 서버의 로그에서 확인하세요.',
  },
];
