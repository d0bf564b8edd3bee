/** Fields of responses. */
export const fieldsAnswered: Readonly<Record<string, string>> = {
  'The number that calls, in domestic format.': '전화를 거는 번호이며 국내 형식입니다.',
  'For the next page; null on the last one.': '다음 페이지를 위한 값이며 마지막 페이지에서는 null입니다.',
  'The number in the form that is compared with prefixes.': '앞부분과 비교하는 형식입니다.',
  'The matching prefix; empty: the trunk serves all numbers.':
    '맞는 앞부분입니다. 비어 있으면 모든 번호를 맡습니다.',
  'Why no trunk would carry the call.': '통화를 나를 회선이 없는 이유입니다.',
  'Null without a response.': '응답이 없으면 null입니다.',
  'Null when it was delivered.': '전달되었으면 null입니다.',
  'A stable code of the cause. Null when it was delivered.':
    '전달을 막은 원인을 나타내는 코드이며 바뀌지 않습니다. 전달되었으면 null입니다.',
  'The cause in a sentence, with advice. Null when it was delivered.':
    '같은 원인과 해결 방법을 설명하는 문장입니다. 전달되었으면 null입니다.',
  'The number that the call belongs to.': '통화가 속한 번호입니다.',
  'Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`.':
    '국내 형식이며 숫자뿐입니다. 해외 발신자는 `+`와 국가 번호가 붙은 번호이고, 번호를 숨긴 발신자는 `anonymous`입니다.',
  'Null while the call is in progress.': '통화가 진행 중이면 null입니다.',
  'The task given when the call was created.': '통화를 만들 때 준 지시입니다.',
  'Null until the call was summarized.': '통화가 요약될 때까지 null입니다.',
  'The metadata given when the call was placed; absent if there was none.':
    '전화를 건 쪽이 붙인 값이며 없으면 나오지 않습니다.',
  'The last transfer; null if there was none.': '마지막으로 요청한 넘기기이며 없으면 null입니다.',
  'Time at which the transcript, instruction and summary of the call were erased; absent while they are kept.':
    '대화 내용, 지시, 요약을 지운 시각입니다. 남아 있으면 나오지 않습니다.',
  'Time at which personal data of the call was erased, except the last two digits of the number. Absent otherwise.':
    '상대방을 알 수 있는 모든 것을 지운 시각이며 번호는 마지막 두 자리만 남습니다. 남아 있으면 나오지 않습니다.',
  'Time at which dialing started, or the caller rang.':
    '전화를 걸기 시작했거나 발신자의 전화가 울린 시각입니다.',
  'Domestic format.': '국내 형식입니다.',
  'Why it failed; `call_ended`: the call ended before. Otherwise null.':
    '실패한 이유이며 `call_ended`는 통화가 먼저 끝난 것입니다. 그 밖에는 null입니다.',
  "The SIP result of the person's leg, if it failed; absent without SIP.":
    '실패했을 때 전화 회선이 그 사람에 대해 알려 준 내용입니다. SIP가 없으면 나오지 않습니다.',
  'The same as `id`.': '`id`와 같습니다.',
  "The caller's display name. Null if absent or withheld.":
    '발신자의 망이나 발신자가 밝힌 이름입니다. 밝히지 않거나 숨기면 null입니다.',
  'The numbers that an inbound call was meant for before it was forwarded, the last one first: from `Diversion`, else `History-Info`.':
    '착신 전환되기 전에 발신자가 걸었던 곳이며, 마지막으로 전환한 곳이 먼저입니다. `Diversion`, 없으면 `History-Info`를 따릅니다.',
  'BCP 47.': 'BCP 47 언어 태그입니다.',
  'The options in force; empty before the answer.': '적용 중인 옵션이며 받기 전에는 비어 있습니다.',
  'Options that are accepted and not yet in force; empty from the answer on.':
    '받아들였지만 아직 적용되지 않은 옵션이며 받은 뒤에는 비어 있습니다.',
  'Connected time, from the answer to the end. Null while the call is in progress or if unknown; 0 if the call was never answered.':
    '받은 때부터 끝까지 연결된 시간입니다. 진행 중이거나 알 수 없으면 null이고, 받지 않았으면 0입니다.',
  'Kind of answer to an outbound call: a person, an answering machine or announcement, a menu that lists digits, or call screening (until a person or a machine follows). Detected during the call; null while it is unclear.':
    '발신 통화를 누가 받았는지 알려 줍니다. 사람이거나 자동응답기 또는 안내 방송, 번호를 누르라는 ARS 메뉴이며, 통화 스크리닝은 그 뒤에 다른 이가 나오기 전까지입니다. 통화 중에 알아내며 분명하지 않으면 null입니다.',
  'Whether the recording is paused. False once the call has ended.':
    '지금 하는 말은 녹음되지 않습니다. 통화가 끝나면 false입니다.',
  'A part is missing, because its gateway ended while it recorded, or is unavailable: the file is then made again when that gateway is back. The rest can be played.':
    '녹음하던 게이트웨이가 멈췄거나 연결되지 않아 일부가 없습니다. 그 게이트웨이가 돌아오면 파일을 다시 만듭니다. 있는 부분은 재생할 수 있습니다.',
  '`audio/mpeg` or `audio/ogg`.': '`audio/mpeg` 또는 `audio/ogg`입니다.',
  'Headers `X-…` of the INVITE: of an inbound call those that the trunk lists in `headers_in`, of an outbound call the requested ones. Absent if there are none.':
    'INVITE의 `X-…` 헤더입니다. 수신이면 회선이 `headers_in`에 적은 것, 발신이면 요청한 것입니다. 없으면 나오지 않습니다.',
  'Why the call ended, from the header `Reason` of the refusal, the CANCEL or the BYE of the other side; at most four, each with a text of up to 200 characters. Absent if there is none.':
    '통화가 끝난 이유이며 상대 쪽의 거절, CANCEL 또는 BYE의 `Reason` 헤더에서 가져옵니다. 최대 네 개이고 글은 각각 200자까지입니다. 없으면 나오지 않습니다.',
  'Usually `SIP` or `Q.850`.': '보통 `SIP` 또는 `Q.850`입니다.',
  'A SIP status, or a cause of the telephone network (ITU-T Q.850).':
    'SIP 상태 코드 또는 전화망의 원인 코드(ITU-T Q.850)입니다.',
  'Web addresses from the header `Call-Info` of a refusal, at which a blocked call can be disputed. Absent if there are none.':
    '거절의 `Call-Info` 헤더에 있는 웹 주소이며 차단된 통화에 이의를 제기할 수 있는 곳입니다. 없으면 나오지 않습니다.',
  'SIP data of the call; nulls without SIP.': '전화 회선이 알려 준 내용이며 SIP가 없으면 null입니다.',
  'For outbound calls: from the INVITE until the callee rang or answered. Null if neither happened, and without SIP.':
    '발신 통화에서 INVITE부터 상대방의 전화가 울리거나 받을 때까지의 시간입니다. 그런 일이 없었거나 SIP가 없으면 null입니다.',
  'The share of lost packets, 0 to 1.': '도착하지 않은 패킷의 비율이며 0에서 1 사이입니다.',
  'Transmission of DTMF digits: as RTP events (RFC 4733), by SIP INFO, as tones in the audio, or not at all. Digits by INFO are always accepted.':
    '전화 버튼 신호가 나가고 들어오는 방식입니다. RTP 이벤트(RFC 4733), SIP INFO, 소리 속의 톤 가운데 하나이거나 없습니다. INFO로 오는 버튼은 언제나 받습니다.',
  'Mean opinion score, 1 to 4.5, by the E-model (ITU-T G.107).':
    'E-model(ITU-T G.107)에 따른 평균 의견 점수이며 1에서 4.5 사이입니다.',
  'Received from the other party.': '상대방에게서 들어온 소리입니다.',
  'Sent to the other party; its arrival is known if the other side reports it (RTCP).':
    '나간 소리입니다. 어떻게 도착했는지는 상대가 보고할 때(RTCP)만 알 수 있습니다.',
  'Audio statistics. Filled when the call has ended, except `one_way`; unknown values are null, and all are null if no packets are sent.':
    '소리를 어떻게, 얼마나 잘 날랐는지 알려 줍니다. `one_way`를 빼고는 통화가 끝난 뒤에 채워집니다. 알 수 없는 값은 null이며, 패킷을 보내지 않으면 모두 null입니다.',
  'How long the other party waited for replies, so far. Absent without a measured turn, and in exports.':
    '지금까지 상대방이 대답을 기다린 시간입니다. 측정한 차례가 없거나 내보낸 파일이면 나오지 않습니다.',
  'Number of measured turns: turns of the agent that answer speech and were heard. With fewer than 10, `p90` is the slowest turn; with fewer than 100, `p99` is.':
    '측정한 차례의 수입니다. 상대방의 말에 대답했고 상대방이 들은 에이전트의 차례만 셉니다. 10개보다 적으면 `p90`이, 100개보다 적으면 `p99`가 가장 느린 차례입니다.',
  'Number of calls with such a turn.': '그런 차례가 있는 통화의 수입니다.',
  'From the end of speech of the other party to the first audible sound of the reply. Milliseconds.':
    '상대방의 말이 끝난 때부터 대답이 처음 들린 때까지입니다. 밀리초입니다.',
  'From the end of speech to the decision that the turn is over.':
    '말이 끝난 때부터 차례가 끝났다고 판단할 때까지입니다.',
  'From the request for the reply to its first text.': '응답을 요청한 때부터 첫 글자가 올 때까지입니다.',
  'From the request to the first sentence that can be spoken.':
    '요청한 때부터 말할 수 있는 첫 문장이 올 때까지입니다.',
  'From the request to the first audible sound.': '요청한 때부터 첫 소리가 들릴 때까지입니다.',
  'Parts of the median wait, in proportion to the average parts of the fifth of the turns around the median.':
    '기다린 시간의 중앙값을 나눈 것입니다. 중앙값 주변 5분의 1에 드는 차례들의 평균 비율로 나눕니다.',
  'The median wait. The other values add up to it.': '기다린 시간의 중앙값이며 나머지 값의 합과 같습니다.',
  'Share of the detection of the end of speech.': '말이 끝났는지 판단하는 데 걸린 몫입니다.',
  'Share of the gateway, from that decision to the request.':
    '판단한 뒤 요청할 때까지 게이트웨이의 몫입니다.',
  'Share of the agent, from the request to its first sentence.': '요청부터 첫 문장까지 에이전트의 몫입니다.',
  'Share of the synthesizer, from the first sentence to its first sound.':
    '첫 문장부터 첫 소리까지 음성 합성의 몫입니다.',
  'Calls that started in this time; null without a measured turn.':
    '이 기간에 시작한 통화이며 측정한 차례가 없으면 null입니다.',
  'Calls of the same length of time before `from`.': '`from` 이전 같은 길이의 기간에 시작한 통화입니다.',
  '`builtin`, or the type of the endpoint.': '`builtin`이거나 엔드포인트의 종류입니다.',
  'The current values by kind of agent, the most turns first.':
    '현재 기간의 값을 에이전트 종류별로 나눈 것이며 차례가 많은 것부터 나옵니다.',
  'The latency.': '지연입니다.',
  'Seconds from the answer.': '받은 때부터의 초입니다.',
  'Numbers the events of the call.': '통화 이벤트의 순번입니다.',
  'Such as `call.answered`, `call.answered_by`, `call.taken_over`, `call.consent`, `turn.spoken`, `turn.digit`, `agent.paused`, `agent.resumed`, `keys.pressed`, `keys.failed`, `say.requested`, `collect.requested`, `language.changed`, `call.transfer_requested`, `call.transfer_ringing`, `call.transfer_answered`, `call.transfer_connected`, `call.transfer_failed`, `call.transfer_returned`, `call.held`, `call.resumed`, `sound.one_way`, `reply.failed`, `call.hangup_requested`, `call.hangup_cancelled`, `call.ended`, `recording.paused`, `recording.resumed`, `recording.completed`, `recording.failed`, `call.summarized`. There may be more in time.':
    '`call.answered`, `call.answered_by`, `call.taken_over`, `call.consent`, `turn.spoken`, `turn.digit`, `agent.paused`, `agent.resumed`, `keys.pressed`, `keys.failed`, `say.requested`, `collect.requested`, `language.changed`, `call.transfer_requested`, `call.transfer_ringing`, `call.transfer_answered`, `call.transfer_connected`, `call.transfer_failed`, `call.transfer_returned`, `call.held`, `call.resumed`, `sound.one_way`, `reply.failed`, `call.hangup_requested`, `call.hangup_cancelled`, `call.ended`, `recording.paused`, `recording.resumed`, `recording.completed`, `recording.failed`, `call.summarized` 등입니다. 앞으로 더 늘 수 있습니다.',
  'Seconds from the answer; null before it, and for unanswered calls.':
    '받은 때부터의 초입니다. 받기 전이거나 아무도 받지 않았으면 null입니다.',
  'The data of the event. For `turn.spoken`: `turn` (its `sequence` in the transcript), `role`, `text`, `whole` (false if it was cut short), `ended_at`, and for a reply of the agent `latency` with `agent` (its kind) and the known values of `endpointing_ms` (from the last sound of the other party to the end of its turn), `queued_ms` (from then to the request for the reply), and from the request `first_token_ms`, `first_sentence_ms` and `first_audio_ms`; the wait is the sum of the first, the second and the last. For `call.answered_by`: `by`, and `latency` with `answered_by_ms`, the time from the answer to this verdict (missing after a take-over).':
    '이벤트에 딸린 내용입니다. `turn.spoken`이면 `turn`(대화 내용의 `sequence`), `role`, `text`, `whole`(중간에 끊기면 false), `ended_at`이 있고, 에이전트의 응답이면 `latency`에 `agent`(종류)와 알려진 값이 있습니다. `endpointing_ms`는 상대방의 마지막 소리부터 차례가 끝났다고 판단할 때까지, `queued_ms`는 그때부터 응답을 요청할 때까지이고, `first_token_ms`, `first_sentence_ms`, `first_audio_ms`는 요청한 때부터 잽니다. 기다린 시간은 첫째, 둘째, 마지막 값의 합입니다. `call.answered_by`에는 `by`와, 응답부터 이 판정까지 걸린 시간인 `answered_by_ms`를 담은 `latency`가 있습니다(다른 게이트웨이가 이어받은 통화에는 없음).',
  'Null if no key was issued.': '발급된 키가 없으면 null입니다.',
  'Its last four characters, to recognize it; null for a key that an earlier version issued.':
    '키를 알아볼 수 있는 마지막 네 글자입니다. 이전 버전에서 발급한 키는 null입니다.',
  'The call that began last; null before the first one.':
    '가장 최근에 시작한 통화입니다. 통화가 없었으면 null입니다.',
  'Stored for `langgraph` only.': '`langgraph`일 때만 보관합니다.',
  'Stored for outbound `mastra` only.': '발신 `mastra`일 때만 보관합니다.',
  "Model of the built-in agent, one of the operator's (`language_models` of the engines); null for the first. Stored for `builtin` only.":
    '내장 에이전트의 모델입니다. 운영자가 허용한 모델(엔진 목록의 `language_models`) 가운데 하나이며, null이면 첫 번째 모델입니다. `builtin`일 때만 보관합니다.',
  "Instructions for the built-in agent's model, added to the gateway's own: who it is, what it knows, what it may promise. Null: only the gateway's. Stored for `builtin` only.":
    '내장 에이전트의 모델에 주는 지침으로, 게이트웨이의 기본 지침에 더해집니다. 누구인지, 무엇을 아는지, 무엇을 약속해도 되는지 적습니다. null이면 기본 지침만 씁니다. `builtin`일 때만 보관합니다.',
  'Actions that the model of the built-in agent may take: end the call, send DTMF digits, collect digits of the other party, transfer the call (to `transfer_to` only). Null: all, also those of later versions; an empty list: it only talks. Stored for `builtin` only.':
    '내장 에이전트의 모델이 할 수 있는 동작입니다. 전화 끊기, 키 누르기, 상대방의 키 입력 받기, 통화 연결(`transfer_to`에 있는 곳만)이 있습니다. null이면 이후 버전에 생길 동작까지 모두이고, 빈 목록이면 말만 합니다. `builtin`일 때만 보관합니다.',
  'Models that a built-in agent may use (`GW_LLM_MODEL`, `GW_LLM_MODELS`), the default first; empty without a language model.':
    '내장 에이전트가 쓸 수 있는 모델(`GW_LLM_MODEL`, `GW_LLM_MODELS`)이며 첫 번째가 기본값입니다. 언어 모델이 없으면 비어 있습니다.',
  'Whether a token is stored; tokens are never shown.':
    '토큰이 있는지 알려 줍니다. 토큰은 보여 주지 않습니다.',
  'Your own headers, by their names in lower case; their values are never shown.':
    '직접 정한 헤더이며 이름은 소문자입니다. 값은 보여 주지 않습니다.',
  'The id of the trial, which belongs to no call; the session is named after it.':
    '실제 통화의 id가 아니며 세션 이름에 쓰였습니다.',
  'Whether every turn got a reply with words or actions.':
    '모든 차례에 말하거나 행동할 응답이 있었는지 알려 줍니다.',
  'Given fields that are not used.': '받았지만 쓰지 않은 값입니다.',
  "The other party's words, or the kickoff.": '상대방이 한 말이거나 첫 요청입니다.',
  'Milliseconds since the turn began.': '차례가 시작된 뒤의 밀리초입니다.',
  'Text that a call would speak, and the time at which it was ready for synthesis.':
    '통화라면 말할 내용과, 말할 준비가 된 시점입니다.',
  'For `press_keys`.': '`press_keys`에 씁니다.',
  'For `collect_keys`.': '`collect_keys`에 씁니다.',
  'For `change_language` (BCP 47).': '`change_language`일 때 바꿀 언어입니다(BCP 47).',
  'For `transfer`. Whether the number may be called is decided only in a call, by `transfer_to` of its number.':
    '`transfer`일 때의 값입니다. 이 번호로 연결해도 되는지는 통화에서만 알 수 있으며, 통화하는 번호의 `transfer_to`가 정합니다.',
  "The agent's actions, where `controls` is `inline`.":
    '`controls`가 `inline`일 때 에이전트가 할 행동입니다.',
  'Warnings that a call would log about an accepted reply.':
    '유효한 응답에 대해 통화가 로그에 남길 내용입니다.',
  "The server's own error text.": '서버가 직접 알려 준 말입니다.',
  'Recommended change.': '바꿔야 할 것입니다.',
  'Up to the first failed turn.': '처음 실패한 것까지입니다.',
  'The bearer token and the values of your own headers are masked.':
    'bearer 토큰과 직접 정한 헤더의 값은 가려집니다.',
  'The first 4 kB.': '처음 4kB입니다.',
  'Null when there was no response.': '응답이 없었으면 null입니다.',
  'Why there was no response, or why it broke off.': '응답이 없거나 끊긴 이유입니다.',
  'Keep it secret: it places calls that cost money.':
    '비밀로 보관하세요. 요금이 드는 전화를 걸 수 있는 키입니다.',
  'Connected time.': '연결된 시간입니다.',
  'Waiting time of the other party for the agent, from the last sound of its words to the first sound of the reply: 95th percentile of the turns. Null without measurements.':
    '상대방이 말을 마친 마지막 소리부터 응답의 첫 소리까지 기다린 시간이며, 차례의 95%가 이 안에 있습니다. 잰 차례가 없으면 null입니다.',
  'The turn of the transcript in which most words of `q` were found. Null without a search by words, and if they are not in the transcript.':
    '`q`의 단어가 가장 많이 나온 대화의 차례입니다. 단어로 검색하지 않았거나 대화에 없는 단어이면 null입니다.',
  'Part of what was said: the text around the first word that was found.': '찾은 첫 단어 앞뒤의 말입니다.',
  '`configured` for the trunk of the gateway itself.': '게이트웨이 자체의 회선이면 `configured`입니다.',
  'The trunk of the call, the last one that was tried; null if there is none.':
    '통화가 나가거나 들어온 회선이며 마지막으로 시도한 것입니다. 없으면 null입니다.',
  'Ids of the trunks that were tried before and failed.': '앞서 시도했다가 실패한 회선의 id입니다.',
  '`address:port` of SIP and of RTP on both sides; null if unknown.':
    '양쪽의 SIP와 RTP의 `address:port`이며 알 수 없으면 null입니다.',
  'The event of the transition, such as `line.answered`. `(begin)` is the first state, `(time)` an elapsed delay. Events without a transition have their own type.':
    '`line.answered`처럼 차트를 움직인 것입니다. `(begin)`은 첫 상태, `(time)`은 시간이 다 된 것입니다. 차트를 움직이지 않은 것은 이벤트 유형으로 나옵니다.',
  'The `sequence` of the corresponding event of the call.':
    '이것을 알려 주는 통화 이벤트의 `sequence`입니다.',
  'The state of the chart `call` afterwards.': '그때 `call` 차트의 상태입니다.',
  'The state of the chart `conversation`; null if it is not running.':
    '`conversation` 차트의 상태이며 없으면 null입니다.',
  'The state of the chart `voicemail`; null unless a message is being left on a machine.':
    '`voicemail` 차트의 상태이며 메시지를 남기지 않으면 null입니다.',
  'Why there are none: the call was simulated, the gateway stores none, they have expired, or none was seen. Null if there are some.':
    '메시지가 없는 이유입니다. 시뮬레이션 통화이거나, 게이트웨이가 보관하지 않거나, 오래되어 지웠거나, 보지 못한 것입니다. 있으면 null입니다.',
  'Time since the first message of the call.': '통화의 첫 메시지부터 지난 시간입니다.',
  'The gateway’s address. Host and port; an IPv6 address is in brackets.':
    '게이트웨이 쪽의 호스트와 포트이며 IPv6 주소는 대괄호로 묶습니다.',
  'The trunk’s address: a name until something was received from it. Host and port; an IPv6 address is in brackets.':
    '회선 쪽의 호스트와 포트입니다. 아직 아무것도 오지 않았으면 이름이며 IPv6 주소는 대괄호로 묶습니다.',
  'Its `Call-ID`: a different one for each trunk that is tried.':
    '메시지의 `Call-ID`이며 시도하는 회선마다 다릅니다.',
  'The whole message, up to 16,384 characters, with its secrets masked.':
    '비밀 값을 가린 메시지 전체이며 16,384자까지입니다.',
  'Number of messages between the previous one and this one that were not stored.':
    '앞 메시지와 이 메시지 사이에 보관하지 않은 메시지 수입니다.',
  'The actor: `admin:` and the id of the token.': '누가 했는지이며 `admin:`과 토큰의 id입니다.',
  'The action, such as `number_key.revealed`.': '`number_key.revealed`처럼 무엇을 했는지입니다.',
  'The target, such as `number:` and its id.': '`number:`와 id처럼 무엇에 했는지입니다.',
  'Details; never a secret.': '딸린 내용이며 비밀 값은 없습니다.',
  "Values that apply to a number without its own settings: the workspace's, then the platform's.":
    '직접 정하지 않은 번호에 적용되는 값이며 워크스페이스, 그다음 플랫폼의 값입니다.',
  'Start of the next day of the workspace.': '워크스페이스의 다음 날이 시작하는 시각입니다.',
  'Minutes a day; null for no limit.': '하루의 분이며 null이면 제한이 없습니다.',
  'Talked so far.': '지금까지의 대화 시간입니다.',
  'The same, with calls in progress at their maximum duration: what exceeds the limit is available to later calls.':
    '진행 중인 통화가 쓸 수 있는 시간까지 더한 값입니다. 한도에서 남는 시간을 다음 통화에 쓸 수 있습니다.',
  'Answered calls.': '더 이상 울리지 않는 통화입니다.',
  'Days in order; the last one is today.': '순서대로이며 마지막이 오늘입니다.',
  'Reasons of the calls that ended in these days, most frequent first.':
    '이 기간에 끝난 통화의 종료 사유이며 가장 많은 것부터입니다.',
  'Milliseconds; null without measurements.': '밀리초이며 잰 것이 없으면 null입니다.',
  'Number of measurements.': '잰 개수입니다.',
  'Waiting time of the other party for the agent, from the last sound of its words to the first sound of the reply: over the turns of the 300 newest answered calls of each day.':
    '상대방이 말을 마친 마지막 소리부터 응답의 첫 소리까지 기다린 시간이며, 날마다 최근에 받은 통화 300건의 차례를 봅니다.',
  '`agent_error` or `no_agent_endpoint`.': '`agent_error` 또는 `no_agent_endpoint`입니다.',
  'Whether the other party consented; absent without an announcement, and until it is known.':
    '처음에 안내한 내용에 상대방이 동의했는지입니다. 안내하지 않았거나 아직 알 수 없으면 없습니다.',
  'Whether the call could continue.': '통화를 이어 갈 수 있었는지입니다.',
  '`announcement`: the announcement was enough; `speech`: by its words; `key`: by a key; `silence`: it did not answer.':
    '`announcement`: 안내만 하고 대답을 받지 않음, `speech`: 말로 답함, `key`: 키로 답함, `silence`: 대답하지 않음.',
  'Number of those that failed because of it.': '그중 실패한 통화입니다.',
  'Agents that failed calls of these days.': '이 기간에 통화를 실패한 에이전트입니다.',
  'Trunks with calls of these days that ended with `trunk_error`.':
    '이 기간에 `trunk_error`로 끝난 통화가 있는 회선입니다.',
  'Events that were given up.': '전달을 포기한 이벤트입니다.',
  'The supported languages, among those of numbers. Absent if it may support all of them. A call in a language without a recognizer is not understood.':
    '번호에 쓸 수 있는 언어 중 알아듣는 언어입니다. 모두 알아들을 수 있으면 없습니다. 어떤 음성 인식 엔진도 알아듣지 못하는 언어의 통화에서는 상대방 말을 듣지 못합니다.',
  'Endpoints that are disabled or failing, or whose events were given up.':
    '비활성화되었거나 전달에 실패하고 있거나 전달을 포기한 이벤트가 있는 웹훅입니다.',
  'Its languages, among those of the gateway; null if the engine does not list them. It may have others.':
    '게이트웨이가 말하는 언어의 음성입니다. 엔진이 알려 주지 않으면 null이며, 다른 음성이 더 있을 수 있습니다.',
  'For `voice` of a number.': '번호의 `voice`에 쓰는 값입니다.',
};
