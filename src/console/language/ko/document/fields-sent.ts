/** Fields of requests. */
export const fieldsSent: Readonly<Record<string, string>> = {
  'One or more of `0-9`, `*`, `#` and `A-D`; `w` waits for half a second.':
    '`0-9`, `*`, `#`, `A-D` 중 하나 이상입니다. `w`는 0.5초 기다립니다.',
  'The number of digits.': '이만큼 누르면 끝납니다.',
  'The digit that finishes the input; it is not included.':
    '입력이 끝났음을 알리는 버튼입니다. 입력에는 포함되지 않습니다.',
  'The longest wait for the first digit and each next one, while neither party speaks.':
    '아무도 말하지 않는 동안 첫 버튼과 그다음 버튼마다 이만큼 기다립니다.',
  "Only the agent's endpoint receives the digits. They are hidden from the transcript, the events, listeners, the recording (which pauses by itself) and the built-in agent. Later digits are hidden as well, until digits that are not secret are collected.":
    '에이전트의 서버만 눌린 버튼을 압니다. 대화록, 이벤트, 지켜보는 사람, 저절로 일시 정지되는 녹음에는 남지 않고, 내장 에이전트도 알지 못합니다. 그 뒤에 눌린 버튼도 비밀이 아닌 버튼을 모으기 전까지 가려집니다.',
  'Spoken like a reply, sentence by sentence.': '응답처럼 문장 단위로 말합니다.',
  "Said at once; the agent's current reply is dropped, whether spoken or being generated. An unanswered question of the other party is answered afterwards. The other party is never talked over.":
    '에이전트가 말하거나 준비하던 것을 그만두고 바로 말합니다. 아직 답하지 않은 상대방의 질문에는 그 뒤에 답합니다. 말하고 있는 사람의 말을 덮지는 않습니다.',
  'A domestic telephone number.': '국내 전화번호입니다.',
  'Maximum ringing time. Seconds.': '벨이 울리는 최대 시간(초)입니다.',
  'Behaviour if the person is not connected: the agent is notified and continues, or the call ends with `transfer_failed`.':
    '아무도 연결되지 않았을 때 통화를 어떻게 할지 정합니다. 에이전트에 알리고 이어 가거나, `transfer_failed`로 끝냅니다.',
  'End the call at once, without waiting for the farewell.': '작별 인사를 기다리지 않고 바로 끝냅니다.',
  'Domestic format; hyphens and spaces are removed.': '국내 형식입니다. 하이픈과 공백은 지워집니다.',
  'The spoken language, BCP 47.': '말하는 언어(BCP 47)입니다.',
  'The maximum duration of a call. Seconds.': '통화에 정할 수 있는 가장 긴 시간(초)입니다.',
  'The default duration of a call. Seconds.': '시간을 정하지 않은 통화의 길이(초)입니다.',
  'The silence of both parties after which the agent asks, and later the call ends. Seconds.':
    '아무도 말하지 않아도 되는 시간(초)입니다.',
  'Concurrent calls.': '동시에 진행할 수 있는 통화 수입니다.',
  'Whether calls are recorded.': '통화를 녹음하는지 정합니다.',
  'Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind.':
    '걸 수 있는 번호의 종류입니다. `international`은 다른 나라의 모든 번호이며, 그 번호의 종류도 허용되어야 합니다.',
  'Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins.':
    '이렇게 시작하는 번호는 종류와 관계없이 걸 수 있습니다. 국내 형식이거나 `+`와 국가 번호로 시작합니다. 여럿이 맞으면 가장 긴 것을 따릅니다.',
  'Numbers with these prefixes may not be called, whatever their kind.':
    '이렇게 시작하는 번호는 종류와 관계없이 걸 수 없습니다.',
  'Permitted destinations of calls. A number can restrict the destinations of its workspace, but not extend them.':
    '어디로 걸 수 있는지 정합니다. 번호의 설정은 워크스페이스가 허용한 범위를 좁힐 뿐 넓히지 않습니다.',
  "Total minutes of the outbound calls of one day; then `daily_limit_reached`. The day is that of the workspace's time zone.":
    '하루의 발신 통화를 모두 합친 최대 시간(분)입니다. 넘으면 `daily_limit_reached`입니다. 하루는 워크스페이스의 시간대를 따릅니다.',
  'First words that a caller hears; null for the default of the agent.':
    '발신자에게 처음 하는 말입니다. null이면 에이전트의 기본값입니다.',
  'Behaviour when a machine answers an outbound call: the agent talks to it, the call is hung up, or a message is left after its beep and the call is hung up.':
    '자동응답기가 발신 통화를 받았을 때 어떻게 할지 정합니다. 에이전트가 대화하거나, 끊거나, 신호음 뒤에 메시지를 남기고 끊습니다.',
  "Behaviour when call screening answers an outbound call, an assistant of the telephone that asks for the caller's name and reason: it hears `caller_name` and the first sentence of the instruction, and the call waits for a person up to a minute (`answer`), or the call is hung up.":
    '전화를 대신 받아 누구이고 왜 거는지 묻는 통화 스크리닝이 발신 통화를 받았을 때 어떻게 할지 정합니다. `caller_name`과 지시의 첫 문장을 한 번 말하고 사람을 최대 1분 기다리거나(`answer`), 끊습니다.',
  'Behaviour when a menu answers an outbound call: the agent hears it and may press keys (`talk`), or the call is hung up.':
    '번호를 누르라는 ARS 메뉴가 발신 통화를 받았을 때 어떻게 할지 정합니다. 에이전트가 듣고 번호를 누를 수 있거나(`talk`), 끊습니다.',
  "The caller's name for call screening; null for an automated call without a name.":
    '통화 스크리닝에 말하는 발신자 이름입니다. null이면 이름 없이 자동 전화라고 말합니다.',
  'The message of `leave_message`; null for a default in the language of the number, which does not mention the purpose of the call.':
    '`leave_message`가 남기는 말입니다. null이면 번호의 언어로 된, 용건을 밝히지 않는 문장입니다.',
  'Whether the recording continues after a transfer. False: it contains silence from then on.':
    '녹음하는 통화를 담당자에게 연결한 뒤에도 녹음할지 정합니다. false이면 그때부터 녹음에는 무음이 담깁니다.',
  'Whether admins may listen to live calls: never (`off`), after an announcement to the other party (`announced`), or without one (`silent`), where your law allows that.':
    '관리자가 이 번호의 진행 중인 통화를 들을 수 있는지 정합니다. `off`이면 아무도 듣지 못하고, `announced`이면 상대방에게 먼저 알린 뒤에만, `silent`이면 알리지 않고 듣습니다. `silent`는 법이 허용하는 곳에서만 쓰세요.',
  'The maximum duration of a transferred call, between the other party and the person. Seconds.':
    '상대방과 연결된 담당자가 통화할 수 있는 최대 시간(초)입니다.',
  'Allowed transfer targets: whole numbers in domestic format, or prefixes that end in `*`; null for none. A prefix allows mobile, fixed-line, toll-free, VoIP, personal and UAN numbers; others, such as premium-rate ones, must be listed in full.':
    '통화를 넘길 수 있는 곳입니다. 국내 형식의 전체 번호이거나 `*`로 끝나는 앞부분이며, null이면 넘길 수 없습니다. 앞부분으로는 휴대전화, 유선 전화, 수신자 부담, 인터넷 전화, 개인 번호와 대표 번호가 허용되며, 추가 요금이 드는 번호 같은 다른 번호는 전체를 적어야 합니다.',
  'The only trunk for its outbound calls; null for those of the workspace.':
    '발신 통화가 나가는 유일한 회선입니다. null이면 워크스페이스의 회선을 씁니다.',
  'The first recognizer, one of `GW_RECOGNIZERS`; null for their order.':
    '먼저 쓰는 음성 인식 엔진이며 `GW_RECOGNIZERS` 중 하나입니다. null이면 그 순서를 따릅니다.',
  'The first synthesizer, one of `GW_SYNTHESIZERS`; null for their order.':
    '먼저 쓰는 음성 합성 엔진이며 `GW_SYNTHESIZERS` 중 하나입니다. null이면 그 순서를 따릅니다.',
  'The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its default. It is reset when the synthesizer changes.':
    '선택한 합성 엔진의 음성입니다. 모델(`deepgram-aura`), 이름(`openai-speech`, `espeak-ng`) 또는 id(`elevenlabs`)이며, null이면 평소 음성입니다. 합성 엔진을 바꾸면 지워집니다.',
  '`builtin` needs no server. `endpoint` without a type or a chat URL cannot take calls.':
    '`builtin`은 서버가 필요 없습니다. 유형이나 채팅 URL이 없는 `endpoint`는 통화를 받을 수 없습니다.',
  'https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. Empty is the same as null.':
    'https를 씁니다. http는 GW_AGENT_ALLOW_LOOPBACK으로 허용했을 때 이 컴퓨터에만 쓸 수 있습니다. 비어 있으면 없는 것과 같습니다.',
  'For `langgraph`; dropped for every other type.': '`langgraph`에만 쓰며, 다른 유형에서는 버립니다.',
  'For outbound `mastra`; dropped for everything else.': '발신 `mastra`에만 쓰며, 그 밖에는 버립니다.',
  'Default: `off`.': '없으면 `off`입니다.',
  'Outbound only: sent to the agent endpoint as a bearer token. Never shown again. Absent keeps the stored one; null or empty removes it.':
    '발신에만 씁니다. 에이전트 엔드포인트에 bearer 토큰으로 보내며 다시 보여 주지 않습니다. 없으면 저장된 것을 유지하고, null이거나 비어 있으면 지웁니다.',
  'Your own headers on every request to the agent endpoint, such as an API key: at most 10. Values are never shown again. An absent header is kept, null or empty removes it; null instead of the object removes all. Names are stored in lower case. Not allowed: hop-by-hop headers, `Host`, `Content-*`, `Authorization`, `X-Gw-*` and `traceparent`.':
    '에이전트 엔드포인트에 보내는 모든 요청에 넣을 헤더이며 10개까지입니다. 서버가 헤더로 받는 키 등에 씁니다. 값은 다시 보여 주지 않습니다. 적지 않은 헤더는 유지하고, null이거나 비어 있으면 지웁니다. 객체 대신 null이면 모두 지웁니다. 이름은 소문자로 저장합니다. 홉 단위 헤더와 `Host`, `Content-*`, `Authorization`, `X-Gw-*`, `traceparent`는 쓸 수 없습니다.',
  "Your own headers on every request, as in a binding. A trial for a number also sends the number's stored ones, if `chat_url` is on the server they are stored for; a header given here replaces the stored one, null or empty leaves it out, and null instead of the object leaves out all.":
    '에이전트 연결처럼 모든 요청에 넣을 헤더입니다. 번호의 테스트는 `chat_url`이 저장된 서버와 같을 때 저장된 헤더도 보냅니다. 여기에 적은 것은 저장된 것 대신 보내고, null이거나 비어 있으면 보내지 않습니다. 객체 대신 null이면 아무것도 보내지 않습니다.',
  'Required for `handshake`. https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it.':
    '`handshake`에 필요합니다. https를 씁니다. http는 GW_AGENT_ALLOW_LOOPBACK으로 허용했을 때 이 컴퓨터에만 쓸 수 있습니다.',
  'Signs the handshake. Present only when it was just created.':
    '핸드셰이크에 서명합니다. 새로 만들었을 때만 나옵니다.',
  'https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. Required except for `builtin`.':
    'https를 씁니다. http는 GW_AGENT_ALLOW_LOOPBACK으로 허용했을 때 이 컴퓨터에만 쓸 수 있습니다. `builtin`이 아니면 필수입니다.',
  'For `langgraph`.': '`langgraph`에 씁니다.',
  'For outbound `mastra`.': '발신 `mastra`에 씁니다.',
  'Controls of the agent, as in a binding. Default: `off`.': '에이전트 연결과 같습니다. 없으면 `off`입니다.',
  "Sent as a bearer token. If absent, an outbound trial for a number sends the number's stored token, if `chat_url` is on the server it is stored for; null or empty sends none.":
    'bearer 토큰으로 보냅니다. 없으면 번호의 발신 테스트는 `chat_url`이 저장된 서버와 같을 때 저장된 토큰을 보냅니다. null이거나 비어 있으면 보내지 않습니다.',
  'Number whose digits, language, token and headers are used, and those settings of its built-in agent that are absent here.':
    '번호, 언어, 토큰, 헤더를 가져올 번호입니다. 여기서 주지 않은 내장 에이전트 설정도 이 번호의 것을 씁니다.',
  "Default: the number's, or `ko`.": '없으면 번호의 언어이거나 `ko`입니다.',
  'Outbound only: the task in the kickoff.': '발신에만 씁니다. 첫 요청에 담는 지시입니다.',
  "The other party's words, turn by turn. Outbound, the kickoff comes before them.":
    '상대방이 차례로 하는 말입니다. 발신이면 그 앞에 첫 요청이 옵니다.',
  'Only calls over this trunk.': '이 회선을 거친 통화만 보여 줍니다.',
  'IANA name, for the timestamps of the workspace.':
    'IANA 이름입니다. 워크스페이스의 시각을 이 시간대로 씁니다.',
  'Concurrent calls of all numbers.': '모든 번호를 합쳐 동시에 진행할 수 있는 통화 수입니다.',
  'Its user or purpose.': '누구 또는 무엇을 위한 것인지 적습니다.',
  '`viewer` reads everything except keys; `admin` may also change things.':
    '`viewer`는 키를 뺀 모든 것을 읽고, `admin`은 변경도 합니다.',
  'Its expiry, in the future.': '끝나는 시각이며 미래여야 합니다.',
  'Instead of `expires_at`: lifetime in days. Neither: until it is revoked.':
    '`expires_at` 대신 지금부터의 날수입니다. 둘 다 없으면 폐기할 때까지 유효합니다.',
  'Null: from DNS (SRV), else 5060, or 5061 for tls.':
    'null이면 DNS(SRV)를 따르고, 없으면 5060, tls면 5061입니다.',
  'Hosts for calls and OPTIONS instead of `host` and `port`, which remain the registrar and the domain: the lowest `priority` first, equal ones by `weight`. A `drained` one gets no new calls. Empty: only `host`.':
    '`host`와 `port` 대신 통화와 OPTIONS를 보내는 곳입니다. 등록 서버와 도메인은 그대로 `host`와 `port`입니다. `priority`가 낮은 것부터, 같으면 `weight`에 따라 고릅니다. `drained`인 곳에는 새 통화를 보내지 않습니다. 비어 있으면 `host`만 씁니다.',
  'For digest authentication and registration.': '다이제스트 인증과 등록에 씁니다.',
  'Whether the gateway registers with the trunk.': '게이트웨이가 회선에 등록하는지 정합니다.',
  'The realm of challenges to callers; null for `trunkline`.':
    '발신자에게 인증을 요구할 때 쓰는 realm입니다. null이면 `trunkline`입니다.',
  "The domain in From; null for the trunk's host.":
    'From에서 번호 뒤에 붙는 도메인입니다. null이면 회선의 호스트입니다.',
  '`01012345678`, `+821012345678` or `821012345678`.':
    '`01012345678`, `+821012345678`, `821012345678` 중 하나입니다.',
  "The header with the caller's number. For all but `from`, From has the user name.":
    '번호를 담는 헤더입니다. `from`이 아니면 From에는 사용자 이름이 들어갑니다.',
  "Whether the caller's number is withheld from the called party.": '상대방에게 번호를 숨길지 정합니다.',
  'Offered and accepted in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus.':
    '이 순서로 제안하고 받습니다. null이면 PCMU와 PCMA입니다. G722와 opus에는 mod_spandsp와 mod_opus가 있는 FreeSWITCH가 필요합니다.',
  "Carrier of a call's audio, decided once when the call is set up: `freeswitch`; `direct`, the gateway itself by RTP or SRTP with PCMU and PCMA, at a fraction of the processor time; `auto`, the gateway itself where possible, else FreeSWITCH. An offer that the carrier does not support gets 488, also within a call, which then stays as it was.":
    '통화의 음성을 누가 나르는지 정하며, 통화가 연결될 때 한 번 정해집니다. `freeswitch`, 게이트웨이가 RTP나 SRTP와 PCMU, PCMA로 직접 날라 CPU를 훨씬 적게 쓰는 `direct`, 가능하면 직접 나르고 아니면 FreeSWITCH에 맡기는 `auto`가 있습니다. 나를 수 없는 제안은 488로 거절하며, 통화 중이라면 통화는 그대로 이어집니다.',
  'Prefixes of the numbers that it serves, in E.164. The longest match wins over any priority; trunks without prefixes serve all numbers, after it.':
    '이 회선이 맡는 번호의 앞부분(E.164)입니다. 우선순위보다 먼저 가장 길게 맞는 앞부분을 따르고, 앞부분이 없는 회선은 그 뒤에서 모든 번호를 맡습니다.',
  'The lowest is used first.': '가장 낮은 값이 먼저입니다.',
  'The share of calls among trunks of the same priority.':
    '우선순위가 같은 회선 사이에서 통화를 나누는 비율입니다.',
  'Concurrent calls in both directions; null for no limit.':
    '양방향을 합쳐 동시에 가능한 통화 수입니다. null이면 제한이 없습니다.',
  'New outbound calls per second; null for no limit.':
    '초당 새 발신 통화 수입니다. null이면 제한이 없습니다.',
  'Final statuses after which an unanswered call moves to the next trunk, unless a telephone has rung; `5xx` is a whole class. A `Reason` of the network takes precedence over the status. A `Retry-After` with one of them stops calls to the trunk until then, for an hour at most.':
    '어떤 전화도 울리지 않았을 때 다음 회선으로 넘어가는 최종 응답 코드입니다. `5xx`는 그 범위 전체입니다. 망이 더 자세히 알려 주면(`Reason`) 코드보다 먼저 따릅니다. `Retry-After`가 함께 오면 그때까지, 길어야 한 시간 동안 이 회선을 쓰지 않습니다.',
  'Whether calls follow redirects (302 and others): never, only to hosts of the trunk, or anywhere. In order of `q`; at most five for each trunk of a call, each target once; the new number must be allowed.':
    '통화가 리디렉션(302 등)을 따르는지 정합니다. 따르지 않거나, 회선의 호스트로만, 또는 어디로든 따릅니다. 순서는 `q`를 따르며 한 통화에서 회선마다 최대 다섯 번, 같은 곳은 한 번만 따릅니다. 그곳의 번호도 걸 수 있는 번호여야 합니다.',
  'Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here after they are connected. If a trunk refuses REFER, the gateway calls the person.':
    '이 회선의 통화를 바로 넘길 때(cold) REFER를 쓸지 정합니다. 회선이 직접 사람에게 전화를 걸고, 연결되면 여기서는 통화가 끝납니다. REFER를 거절하는 회선의 통화는 다른 회선처럼 넘깁니다.',
  'Whether a REFER of the other party is accepted, as a transfer to the number that it names, if `transfer_to` of the number allows it. It is declined (603) otherwise.':
    '통화 중에 상대방이 보낸 REFER를 따를지 정합니다. 그 번호로 통화를 넘기며, 번호의 `transfer_to`가 허용할 때만 따릅니다. 그 밖에는 거절합니다(603).',
  'Source addresses of its calls: addresses and CIDR blocks.': '통화가 들어오는 주소와 CIDR 대역입니다.',
  "Headers accepted from a caller's INVITE, stored in `sip.headers` of the call and its events; names begin with `X-` and are case-insensitive. Values of more than 255 bytes, or with control characters, are dropped.":
    '발신자의 INVITE에서 받아 통화와 이벤트의 `sip.headers`에 넣는 헤더입니다. 이름은 `X-`로 시작하며 대소문자를 구별하지 않습니다. 255바이트가 넘거나 제어 문자가 있으면 넣지 않습니다.',
  'Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers uses only trunks that list all of them.':
    '통화의 INVITE에 넣을 수 있는 헤더입니다(`createCall`의 `sip_headers`). 헤더가 있는 통화는 그 헤더를 모두 적은 회선으로만 나갑니다.',
  "Whether OPTIONS checks the trunk's health. Disable it for a trunk that never answers.":
    'OPTIONS로 회선이 살아 있는지 확인하는지 정합니다. 전혀 응답하지 않는 회선이면 끄세요.',
  'Stops new calls: none are sent, and inbound ones get 503. Active calls continue, and the trunk stays registered.':
    '새 통화를 내보내지 않고 들어오는 통화에는 503으로 답합니다. 진행 중인 통화는 계속되고 등록도 유지됩니다.',
  'Never shown again. Absent keeps the stored one; null removes it.':
    '다시 보여 주지 않습니다. 없으면 저장된 것을 유지하고 null이면 지웁니다.',
  'Unique in the workspace.': '워크스페이스에서 하나뿐인 이름입니다.',
  'A host name or an IP address.': '호스트 이름이나 IP 주소입니다.',
  'Domestic format. Its telephone may ring briefly.': '국내 형식입니다. 그 전화가 잠깐 울릴 수 있습니다.',
  'ISO 8601 with the numeric UTC offset of the workspace.':
    '워크스페이스의 UTC 오프셋이 붙은 ISO 8601입니다.',
  'https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it.':
    'https를 씁니다. http는 GW_AGENT_ALLOW_LOOPBACK으로 허용했을 때 이 컴퓨터에만 쓸 수 있습니다.',
  'Event types to deliver; null for all types.': '전달할 이벤트 유형입니다. null이면 모두입니다.',
  'Only events of this number; null for all numbers.':
    '이 번호의 이벤트만 전달합니다. null이면 모든 번호입니다.',
  'A number of the workspace.': '워크스페이스의 번호입니다.',
  'The caller: a domestic number, `+` and a number of another country, or `anonymous` (also: empty) if withheld.':
    '전화를 거는 쪽입니다. 국내 번호, `+`와 다른 나라의 번호, 또는 번호를 숨기면 `anonymous`(빈 값도 같음)입니다.',
  'Headers of its INVITE. Those that a trunk of the number lists in its `headers_in` are accepted, as on a real line.':
    'INVITE의 헤더입니다. 실제 회선처럼 번호의 회선이 `headers_in`에 적은 것만 받습니다.',
  "The caller's script; a polite caller without one.":
    '발신자가 하는 행동입니다. 없으면 예의 바른 발신자입니다.',
  'An admin token.': '관리자 토큰입니다.',
  'The code of a sign-in link, after its last `/`.': '로그인 링크의 마지막 `/` 뒤에 있는 코드입니다.',
  'The number to call, in domestic format; hyphens and spaces are removed. The international form of a domestic number (`+82…`) is refused with `invalid_to`; a foreign number is `+` and its country code, and is refused as well unless `destinations` of the policy allow it.':
    '걸 번호이며 국내 형식입니다. 하이픈과 공백은 지워집니다. 이 나라 번호의 국제 형식(`+82…`)은 `invalid_to`로 거절됩니다. 다른 나라의 번호는 `+`와 국가 번호로 쓰며, 정책의 `destinations`가 허용하지 않으면 마찬가지로 거절됩니다.',
  'The task of this call. May be omitted if the agent knows its task already.':
    '이 통화의 지시입니다. 에이전트가 할 일을 이미 알면 생략할 수 있습니다.',
  "The language of this call, BCP 47: the agent's, and that of recognition, synthesis and the gateway's own sentences. When omitted, the language of the number applies. Texts that are set for the number are spoken as they are; its voice speaks only its own language.":
    '이 통화의 언어(BCP 47)입니다. 에이전트와 음성 인식, 음성 합성, 게이트웨이가 말하는 문장에 적용됩니다. 생략하면 번호의 언어를 따릅니다. 번호에 정한 문구는 그대로 말하며, 번호의 목소리는 그 언어에서만 씁니다.',
  'Seconds from the answer, at most the maximum of the policy of the number. When omitted, the stored policy applies.':
    '받은 때부터의 초이며 번호 정책의 최댓값까지입니다. 생략하면 저장된 정책을 따릅니다.',
  'Your own data to find the call by: it is returned with every read of the call, in its events and records. The agent does not receive it. At most 20 keys, values of at most 500 characters.':
    '통화를 찾는 데 쓰는 값입니다. 통화를 읽을 때, 이벤트와 기록에 함께 나옵니다. 에이전트에는 알리지 않습니다. 키는 20개까지, 값은 500자까지입니다.',
  'Headers for the INVITE, at most 10. Only those that a trunk of the number lists in its `headers_out`; the call uses only trunks that list all of them.':
    'INVITE에 넣을 헤더이며 10개까지입니다. 번호의 회선이 `headers_out`에 적은 것만 되고, 통화는 모두 적은 회선으로만 나갑니다.',
  'Said to the other party before the person is called; it cannot be interrupted.':
    '사람에게 전화를 걸기 전에 상대방에게 하는 말이며 끊을 수 없습니다.',
  "Warm transfers only: text that the person hears before being connected. The default says that an agent has answered so far, followed by a summary of the call by the gateway's language model; without a model, or if the summary is not ready when the person answers, by the last words of the other party.":
    '사람에게 먼저 알리고 넘길 때 그 사람이 듣는 말입니다. 없으면 지금까지 에이전트가 응대했다는 말과, 게이트웨이의 언어 모델이 만든 그때까지의 통화 요약입니다. 언어 모델이 없거나 사람이 받을 때까지 요약이 나오지 않으면 상대방의 마지막 말입니다.',
  'Warm transfers only: the digit with which the person accepts the call; it is announced after the briefing. Without a digit they are connected at its end. A person who has not pressed it 15 seconds later is hung up on (`not_accepted`).':
    '사람에게 먼저 알리고 넘길 때 통화를 받으려고 누르는 버튼이며 용건 뒤에 안내합니다. 없으면 용건이 끝나는 대로 연결합니다. 15초 안에 누르지 않으면 그 사람과의 연결을 끊습니다(`not_accepted`).',
  'One of `GW_SYNTHESIZERS`; null for the first.': '`GW_SYNTHESIZERS` 중 하나이며 null이면 첫 번째입니다.',
  'A voice of this synthesizer; null for its default.': '이 합성 엔진의 음성이며 null이면 평소 음성입니다.',
  'Said first, before any recording and before the agent is asked; it cannot be interrupted. Null: no announcement.':
    '녹음을 시작하고 에이전트를 부르기 전에 가장 먼저 말하며, 끼어들 수 없습니다. null이면 아무것도 안내하지 않습니다.',
  '`none`: the announcement is enough; `speech`: the other party must say yes; `key`: it must press 1. Without a clear answer the question is repeated once; without consent the gateway says goodbye, and the call ends with `consent_refused`.':
    '`none`: 안내만 하면 됩니다. `speech`: 상대방이 말로 동의해야 합니다. `key`: 1번 키를 눌러야 합니다. 대답이 분명하지 않으면 한 번 더 묻고, 그래도 동의하지 않으면 인사한 뒤 `consent_refused`로 통화를 끝냅니다.',
  'Only entries of this actor.': '이 주체가 한 일만 보여 줍니다.',
  'Only entries with this action.': '이 동작만 보여 줍니다.',
  'Only entries about this target, or about all of a kind, such as `number`.':
    '이 대상에 한 일만, 또는 `number`처럼 한 종류의 모든 대상에 한 일만 보여 줍니다.',
  'On this day or later, in the time zone of the workspace.':
    '워크스페이스의 시간대로 이 날이나 그 뒤에 한 일입니다.',
  'On this day or earlier, in the time zone of the workspace.':
    '워크스페이스의 시간대로 이 날이나 그 전에 한 일입니다.',
};
