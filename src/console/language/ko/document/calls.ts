/** Operations for the calls of one number and of all numbers. */
export const calls: Readonly<Record<string, string>> = {
  Calls: '통화',
  'Placing, reading and ending the calls of a number.': '번호의 통화를 걸고, 읽고, 끝냅니다.',
  'Place a call': '전화 걸기',
  'Dials `to` from the number of the key and responds as soon as dialing has started. Real calls cost real money. When the other party answers, the agent speaks first.':
    '키의 번호로 `to`에 전화를 걸고, 걸기 시작하면 바로 응답합니다. 실제 통화에는 실제 요금이 듭니다. 상대방이 받으면 에이전트가 먼저 말합니다.',
  'List the calls of the number': '번호의 통화 목록',
  'Newest first by `started_at`, then by `id`. Follow `next_cursor` until it is null.':
    '`started_at`이 최근인 순서이며, 같으면 `id` 순서입니다. `next_cursor`가 null이 될 때까지 따라가세요.',
  'Read a call': '통화 읽기',
  'The call as it is now. `ended_at - started_at` includes the ringing; `duration_sec` does not.':
    '통화의 현재 상태입니다. `ended_at - started_at`에는 벨이 울린 시간이 포함되고, `duration_sec`에는 포함되지 않습니다.',
  'Read the transcript': '대화 내용 읽기',
  'The words that were heard, turn by turn. For a call in progress: the turns so far.':
    '실제로 들린 말을 차례대로 보여 줍니다. 진행 중인 통화는 지금까지의 대화입니다.',
  'Read or stream the events of a call': '통화에서 일어난 일과 일어나는 일',
  'The journal of the call: its events, in order. With `Accept: text/event-stream` as Server-Sent Events: first the past ones, then new ones live. `event: fact` is an event with its `sequence` as `id`, so `Last-Event-ID` resumes after an interruption. `event: state` has the current states of the call\'s charts and the current words of both sides (`{"call": "active.talking.conversing", "conversation": "replying.speaking", "voicemail": null, "saying": "Good morning.", "hearing": null}`): `saying` is what was heard of the agent\'s turn, and the sentence being spoken; `hearing` is what the other party has said so far in its turn, preliminary, not stored, at most five times a second, and only if the recognizer has words before the end of a sentence; `line-life`, `outbound-leg`, `inbound-leg` and `second-leg` are there while the line and its legs have them; it is sent as long as this gateway owns the call or can reach its owner. `event: end` is the last one. The stream may end without it when the gateway shuts down: connect again. It also ends within a few seconds after its key or token is revoked, reissued or expired.':
    '통화의 기록으로, 일어난 일을 순서대로 보여 줍니다. `Accept: text/event-stream`이면 같은 내용을 Server-Sent Events로 보냅니다. 먼저 지난 일을, 이어서 일어나는 일을 그때그때 보냅니다. `event: fact`는 목록의 한 항목이며 `sequence`가 `id`이므로, 연결이 끊겨도 `Last-Event-ID`로 이어 받을 수 있습니다. `event: state`는 통화의 차트가 지금 어느 상태인지와 양쪽이 지금 하는 말을 알려 줍니다(`{"call": "active.talking.conversing", "conversation": "replying.speaking", "voicemail": null, "saying": "Good morning.", "hearing": null}`, 회선과 레그의 차트가 있는 동안에는 `line-life`, `outbound-leg`, `inbound-leg`, `second-leg`도 포함). `saying`은 에이전트의 차례에 이미 들린 말과 지금 말하는 문장이고, `hearing`은 상대방이 그 차례에 지금까지 한 말입니다. `hearing`은 확정 전의 말이라 저장하지 않으며, 음성 인식기가 문장이 끝나기 전에 말을 알려 줄 때에만 초당 최대 다섯 번 보냅니다. `event: state`는 통화를 맡은 게이트웨이가 이 게이트웨이이거나 여기에서 연결할 수 있을 때만 보냅니다. `event: end`가 마지막이며 그 뒤에는 아무것도 오지 않습니다. 게이트웨이가 종료될 때는 `event: end` 없이 끝날 수 있으니 다시 연결하세요. 키나 토큰이 폐기되거나 재발급되거나 만료되어도 몇 초 안에 끝납니다.',
  'Download the recording': '녹음 내려받기',
  'The audio file, available shortly after the call. Wait for the event `recording.completed`, or repeat the request while `reason` is `pending`.':
    '저장이 끝난 음성 파일입니다. 통화 뒤 저장까지 잠시 걸릴 수 있습니다. `recording.completed` 이벤트를 기다리거나, `reason`이 `pending`인 동안 다시 요청하세요.',
  'Pause the recording': '녹음 일시 중지',
  'For confidential content, such as a card number. From the response on, the recording contains silence for both parties until it is resumed or the call ends; positions in the recording still match the transcript, which continues. Idempotent.':
    '카드 번호처럼 남기면 안 되는 말을 위한 작업입니다. 이 요청에 응답한 때부터 다시 시작하거나 통화가 끝날 때까지 양쪽 모두 무음으로 녹음됩니다. 녹음의 위치는 대화 내용의 위치와 그대로 맞고, 대화 내용은 계속 기록됩니다. 이미 일시 중지된 녹음은 그대로입니다.',
  'Resume the recording': '녹음 다시 시작',
  'Records both parties again. The first moment stays silent, because audio in transit was spoken before the request. Idempotent.':
    '양쪽을 다시 녹음합니다. 요청이 왔을 때 전달되고 있던 소리는 요청 전에 말한 것이므로 처음 한순간은 무음입니다. 일시 중지되지 않은 녹음은 그대로 계속됩니다.',
  'Send DTMF digits': '전화기 버튼 누르기',
  'For a recorded menu or an extension: the other party gets the digits at once, whatever is being said. The events of the call have `keys.pressed` when they were sent, or `keys.failed` if the other party refused them.':
    '음성 안내 메뉴나 내선 번호를 위한 작업입니다. 누가 말하고 있든 상대방에게 버튼 신호가 바로 갑니다. 신호를 보내면 통화 이벤트에 `keys.pressed`로, 상대방이 받지 않으면 `keys.failed`로 남습니다.',
  'Collect DTMF digits of the other party': '상대방이 누르는 버튼 받기',
  'The digits that the other party presses reach the agent as one turn, `[keys] 1234`, when the requested number is reached, at the finishing digit, or after a while without one; `[keys]` alone if none was pressed. The turn is in the transcript. A new request replaces this one.':
    '상대방이 누른 버튼을 `[keys] 1234`와 같은 한 차례의 말로 에이전트에 전달합니다. 원하는 개수만큼 눌렀을 때, 끝내는 버튼을 눌렀을 때, 또는 한동안 누르지 않았을 때 전달하며, 아무것도 누르지 않았으면 `[keys]`만 전달합니다. 대화 내용에 남습니다. 새로 요청하면 이 요청을 대신합니다.',
  'Say something as the agent': '에이전트 대신 말하기',
  "The words are said as soon as the floor is free: after the agent's current reply, and after its answer to what the other party is saying. The other party can interrupt them. The part that was heard is an assistant turn in the transcript and known to the agent; the request is `say.requested` in the events of the call.":
    '말할 차례가 비는 대로 말합니다. 에이전트의 응답 다음이며, 상대방이 말하는 중이면 그 말에 에이전트가 답한 다음입니다. 상대방은 에이전트의 말처럼 이 말도 끊을 수 있습니다. 실제로 들린 부분은 대화 내용에 assistant의 차례로 남고 에이전트도 압니다. 요청한 사실은 통화 이벤트에 `say.requested`로 남습니다.',
  'Transfer a call to a person': '사람에게 통화 넘기기',
  'Calls a person and connects them with the other party when they answer; meanwhile the agent is silent, and afterwards it has left the call. Only targets allowed by the setting `transfer_to` of the number are called. The result follows in the events of the call: `call.transfer_connected`, `call.transfer_failed` or `call.transfer_returned`.':
    '다른 사람에게 전화를 걸고, 받으면 상대방과 연결합니다. 그동안 에이전트는 말하지 않으며, 연결된 뒤에는 통화에서 빠집니다. 번호의 `transfer_to` 설정이 허용하는 사람에게만 걸 수 있습니다. 성공을 보장하지는 않습니다. 결과는 통화 이벤트에 `call.transfer_connected`, `call.transfer_failed`, `call.transfer_returned` 중 하나로 남습니다.',
  'Cancel a transfer': '넘기기 취소',
  'Before the person is connected: the person is no longer called, and the agent continues. A person who answers at the same moment may still be connected. A transfer performed by the trunk (REFER) cannot be cancelled: `transfer_not_cancellable`.':
    '아직 연결되기 전이면 더 이상 전화를 걸지 않고 에이전트가 이어서 통화합니다. 같은 순간에 받은 사람은 그대로 연결됩니다. 회선이 직접 하는 넘기기(REFER)는 취소할 수 없습니다: `transfer_not_cancellable`.',
  'Ask a call to hang up': '통화 끊기 요청',
  'The call ends after the farewell was heard, and continues if the other party speaks during it. Say the farewell before or while requesting. The event `call.ended` with `end_reason` `agent_hangup` reports the end. On any error the call continues.':
    '바로 끊는다는 보장은 없습니다. 작별 인사가 다 들리면 통화가 끝나고, 상대방이 그 사이에 말하면 통화가 계속됩니다. 작별 인사는 요청하기 전이나 요청하는 동안 하세요. 끝난 것은 `end_reason`이 `agent_hangup`인 `call.ended` 이벤트로 알 수 있습니다. 오류가 나면 통화는 계속됩니다.',
  'Use the calls from another agent': '다른 에이전트에서 통화 다루기',
  'One message of the Model Context Protocol (streamable HTTP, stateless), whose tools place, follow and end the calls of the number: `place_call`, `wait_for_call`, `get_call`, `get_transcript`, `list_calls`, `hang_up` and `transfer_call`. MCP clients send it; configure them with this address and the key.':
    '모델 컨텍스트 프로토콜(MCP)의 메시지 하나입니다(세션 없는 스트리밍 HTTP). 도구 `place_call`, `wait_for_call`, `get_call`, `get_transcript`, `list_calls`, `hang_up`, `transfer_call`로 번호의 통화를 걸고, 지켜보고, 끝냅니다. MCP 클라이언트가 보내므로, 클라이언트에 이 주소와 키를 알려 주면 됩니다.',
  'The protocol version agreed on by `initialize`.': '`initialize`에서 양쪽이 정한 프로토콜 버전입니다.',
  'The session that the response to `initialize` named.': '`initialize`의 응답이 알려 준 세션 이름입니다.',
  'A message of JSON-RPC 2.0; one at a time.': 'JSON-RPC 2.0 메시지. 한 번에 하나씩 보냅니다.',
  'The response, after the requested progress messages.': '요청한 진행 상황 뒤에 오는 응답입니다.',
  'Accepted; there is no response to it.': '받았습니다. 이 메시지에는 응답이 없습니다.',
  'Cancel a ringing call': '걸고 있는 전화 취소',
  'Ends a call that is still ringing; it becomes `no_answer` with `end_reason` `cancelled`. An answered call is hung up instead.':
    '아직 벨이 울리는 통화를 끝냅니다. 통화는 `no_answer`가 되고 `end_reason`은 `cancelled`입니다. 이미 받은 통화는 끊기를 요청하세요.',
  'List and search the calls of all numbers': '모든 번호의 통화 목록과 검색',
  'Ordered by `started_at`, then by `id`, unless `order` says otherwise. Follow `next_cursor` until it is null, with the same query.':
    '`order`가 다르게 정하지 않으면 `started_at` 순서이며, 같으면 `id` 순서입니다. 같은 조건으로 `next_cursor`가 null이 될 때까지 따라가세요.',
  'Export the listed calls as CSV': '목록의 통화를 CSV로 받기',
  'The calls of `listWorkspaceCalls` with the same query, at most 50000, in UTF-8 with a byte order mark for spreadsheets; text that looks like a formula begins with an apostrophe. If there are more calls, the first cell of the last line says so. A response that breaks off is incomplete: repeat the request.':
    '같은 조건의 `listWorkspaceCalls`가 보여 주는 통화를 50000건까지 보냅니다. 스프레드시트를 위해 BOM이 있는 UTF-8이며, 수식으로 읽힐 수 있는 텍스트는 작은따옴표로 시작합니다. 조건에 맞는 통화가 더 있으면 마지막 줄의 첫 칸에서 알려 줍니다. 응답이 끝까지 오지 않고 끊기면 전체가 아니니 다시 요청하세요.',
  'Read a call of any number': '모든 번호의 통화 읽기',
  'Like `getCall`, for the whole workspace, with the trunk and the addresses of the call.':
    '`getCall`과 같지만 워크스페이스 전체를 대상으로 하며, 통화의 회선과 주소도 보여 줍니다.',
  'Read or stream the events of a call of any number': '모든 번호의 통화에서 일어난 일과 일어나는 일',
  'Replay a call through its charts': '차트로 통화 다시 보기',
  "The transitions of a call's charts, step by step, as stored when they happened, with the events of the call in their places. For calls from before they were stored: only events, with the status of the chart `call`. For a call in progress: the steps so far.":
    '통화의 차트가 거친 단계를 당시 기록대로, 통화 이벤트와 함께 차례로 보여 줍니다. 이 기록이 생기기 전의 통화는 이벤트와 `call` 차트의 상태만 보여 줍니다. 진행 중인 통화는 지금까지 일어난 일입니다.',
  'The SIP messages of a call': '통화의 SIP 메시지',
  'The messages between the gateway and its trunks for this call, in order, as reported by drachtio-server: without 100 Trying, the ACK of a refusal, and retransmissions. Credentials, SRTP keys and DTMF digits are masked. Stored for `GW_SIP_TRACE_DAYS` days. As JSON; as text; or as a capture file for Wireshark, in which each message is a UDP datagram.':
    '이 통화를 위해 게이트웨이와 회선이 주고받은 메시지를 drachtio-server가 보여 주는 만큼 순서대로 보여 줍니다. 100 Trying, 거절에 대한 ACK, 다시 보낸 메시지는 없습니다. 비밀번호의 증명, SRTP 키, 전화기 버튼은 가려집니다. `GW_SIP_TRACE_DAYS`의 날수만큼 보관합니다. JSON, 텍스트, 또는 메시지마다 UDP 데이터그램 하나인 Wireshark 캡처 파일로 받을 수 있습니다.',
  'Export a call as a file': '통화를 파일로 내보내기',
  'Everything that is stored of the call, in one JSON document: the record, the events, the transitions of its charts with their definitions, the replay, the turns with latency, and the SIP messages. The console opens such a file without the gateway of the call, and replays it beside another call. Audited. For a call in progress: what is known so far.':
    '통화에 대해 저장된 것을 모두 JSON 문서 하나로 보냅니다. 통화 기록, 이벤트, 차트의 전이와 정의, 재생, 지연이 있는 대화 내용, SIP 메시지가 들어 있습니다. 콘솔은 이 파일을 통화의 게이트웨이 없이 열어 다른 통화와 나란히 재생합니다. 감사 기록에 남습니다. 진행 중인 통화는 지금까지 알려진 내용입니다.',
  'Export call detail records': '통화 상세 기록 파일',
  'All calls of the workspace that started within the given time, in order of their start, including calls in progress. As CSV with a header line, where text that looks like a formula begins with an apostrophe; or as JSON lines, each like a response of `getWorkspaceCall`. A response that breaks off is incomplete: repeat the request.':
    '주어진 시간에 시작한 워크스페이스의 모든 통화를 시작한 순서대로 보냅니다. 진행 중인 통화는 지금까지 알려진 내용입니다. 이름 줄이 있는 CSV이면 수식으로 읽힐 수 있는 텍스트가 작은따옴표로 시작하고, JSON lines이면 한 줄이 `getWorkspaceCall`의 응답과 같습니다. 응답이 끝까지 오지 않고 끊기면 전체가 아니니 다시 요청하세요.',
  'Read the transcript of a call of any number': '모든 번호의 통화 대화 내용 읽기',
  'Download the recording of a call of any number': '모든 번호의 통화 녹음 내려받기',
  'Like `getRecording`, for the whole workspace.':
    '`getRecording`과 같지만 워크스페이스 전체를 대상으로 합니다.',
  'Read the picture of a chart': '차트 그림',
  'As SVG without colours. Each state has `data-state`: its dotted path, as in the `state` events of a call.':
    '색이 없는 SVG입니다. 각 상태의 `data-state`는 점으로 이은 경로이며, 통화의 `state` 이벤트가 쓰는 이름과 같습니다.',
  'Read the definition of a chart': '차트 정의',
  "JSON that Stately Studio imports and XState's `createMachine` accepts: states, transitions, and the names of actions, guards, delays and actors. Values computed at run time are left out. `version` is that of the chart.":
    'Stately Studio에서 가져오고 XState의 `createMachine`에 넣을 수 있는 JSON입니다. 상태, 전이, 그리고 액션, 가드, 지연, 액터의 이름이 들어 있습니다. 실행 중에 계산되는 것은 없습니다. `version`은 차트의 버전입니다.',
  'The definition.': '정의입니다.',
  'Erase a call': '통화 지우기',
  'Deletes personal data at once, for good: the transcript, the recording, the instruction, the summary, the metadata, names, DTMF digits, SIP headers and messages. The last two digits of the number remain, as do times, durations, the end reason and statistics. Undelivered events of the call are delivered without the data. `call.erased` is sent. The file of the recording is removed within seconds, or as soon as its store is available. Backups are unchanged. Idempotent.':
    '상대방을 알 수 있는 내용을 바로, 영구히 지웁니다. 대화 내용, 녹음, 지시, 요약, 메타데이터, 이름, 누른 버튼, SIP 헤더와 메시지가 사라집니다. 번호는 마지막 두 자리만 남고, 시각, 통화 시간, 종료 사유, 지표도 남습니다. 아직 전달되지 않은 통화 이벤트는 이 내용 없이 전달됩니다. `call.erased`를 보냅니다. 녹음 파일은 몇 초 안에, 또는 저장소가 다시 연결되는 대로 지웁니다. 백업은 그대로입니다. 이미 지운 통화는 그대로입니다.',
};
