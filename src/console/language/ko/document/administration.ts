/** Admin operations other than those of calls. */
export const administration: Readonly<Record<string, string>> = {
  Numbers: '번호',
  'Numbers, their agents and their keys.': '번호와 그 에이전트, 키입니다.',
  'Days after the end of a call; 0: calls are not recorded; null: for ever.':
    '통화가 끝난 뒤의 일수. 0: 통화를 녹음하지 않습니다. null: 계속 보관합니다.',
  'Days after the end of a call for which the transcript, the instruction, the summary and DTMF digits are kept; 0: no transcript and no summary is written, and the rest is deleted at the end; null: for ever.':
    '대화 내용, 지시, 요약, 누른 버튼을 통화가 끝난 뒤 보관하는 일수. 0: 대화 내용과 요약을 아예 저장하지 않고, 나머지는 통화가 끝나면 사라집니다. null: 계속 보관합니다.',
  Trunks: '회선',
  'SIP trunks to the telephone network, and their states.': '전화망으로 가는 회선과 그 상태입니다.',
  Workspace: '워크스페이스',
  'Settings, tokens, calls of all numbers, and the audit log.':
    '설정, 토큰, 모든 번호의 통화, 그리고 누가 무엇을 바꿨는지 보여 줍니다.',
  Webhooks: '웹훅',
  'Webhook endpoints and their deliveries.': '이벤트를 보내는 곳과 그 결과입니다.',
  Simulator: '시뮬레이터',
  'The simulated telephone line, if it is enabled.':
    '시뮬레이션 전화 회선이 실행되는 곳에서만 쓸 수 있습니다.',
  'List the numbers': '번호 목록',
  'All numbers of the workspace, oldest first.': '워크스페이스의 모든 번호를 오래된 것부터 보여 줍니다.',
  'Add a number': '번호 추가',
  'Both directions start with the built-in agent. Issue a key to place calls from the number.':
    '수신과 발신 모두 내장 에이전트로 시작합니다. 이 번호로 전화를 걸려면 키를 발급하세요.',
  'Read a number': '번호 읽기',
  'Its settings, its agents and whether it has a key; no secrets.':
    '설정, 에이전트, 키가 있는지를 보여 줍니다. 비밀 값은 없습니다.',
  'Change a number': '번호 변경',
  'Changes the given fields. A policy field that is null falls back to the workspace, then to the platform. Calls in progress keep their settings.':
    '준 것만 바꿉니다. null인 정책 항목은 워크스페이스, 그다음 플랫폼의 값을 따릅니다. 진행 중인 통화는 시작할 때의 값을 유지합니다.',
  'Delete a number': '번호 삭제',
  'Removes its key and its agents at once; its digits may be added again. Its calls, transcripts, recordings, call records and audit entries remain. A webhook endpoint bound to it receives outstanding events, and none after that. Refused while a call is in progress.':
    '키와 에이전트가 바로 사라지고, 같은 번호를 다시 추가할 수 있습니다. 통화, 대화 내용, 녹음, 통화 기록, 감사 기록은 남습니다. 이 번호에 묶인 웹훅은 남은 이벤트까지만 받습니다. 통화가 진행 중이면 거절됩니다.',
  'Connect an agent': '에이전트 연결',
  'Replaces the binding of one direction. Only the fields of the agent type are stored. Calls in progress keep the agent that they began with.':
    '한 방향의 연결을 바꿉니다. 에이전트 유형이 저장하는 값만 보관합니다. 진행 중인 통화는 시작할 때의 에이전트를 유지합니다.',
  'Decide how callers are let in': '수신 인증 정하기',
  '`none` accepts every caller. `handshake` asks `url` about each caller before the call is answered; `200 {session_token}` accepts the caller, and the token is sent with every request to the inbound agent endpoint. The request is signed like events, with the `secret` that is shown once, when the handshake is enabled.':
    '`none`은 모두 받습니다. `handshake`는 전화를 받기 전에 `url`에 발신자를 물어봅니다. `200 {session_token}`이면 받고, 그 토큰을 수신 에이전트에 보내는 모든 요청에 넣습니다. 이 물음은 이벤트처럼 서명되며, 서명에 쓰는 `secret`은 handshake를 켤 때 한 번만 보여 줍니다.',
  'Try an agent': '에이전트 테스트',
  'Talks to an agent endpoint, or to the built-in agent, without a call: with the same requests, limits and sentences as in a call. Returns what was sent, what came back, what would be spoken and when, and advice if something is wrong. Takes at most a minute.':
    '전화 없이 에이전트 엔드포인트나 내장 에이전트와 대화합니다. 요청, 제한, 문장은 통화와 같습니다. 무엇을 보냈고 무엇이 왔는지, 무엇을 언제 말하게 되는지, 잘못된 점이 있으면 무엇을 바꿔야 하는지 알려 줍니다. 길어야 1분 걸립니다.',
  'List speech engines, voices and models': '음성 엔진, 목소리, 모델 목록',
  'Possible values of `recognizer`, `synthesizer` and `voice` of a number: the engines of `GW_RECOGNIZERS` and `GW_SYNTHESIZERS` in order, with voices if the engine lists them; and of `model` of a built-in agent.':
    '번호의 `recognizer`, `synthesizer`, `voice`에 쓸 수 있는 값입니다. `GW_RECOGNIZERS`와 `GW_SYNTHESIZERS`의 엔진을 그 순서대로 알려 주고, 엔진이 알려 주면 목소리도 함께 보여 줍니다. 내장 에이전트의 `model`에 쓸 수 있는 값도 알려 줍니다.',
  'Listen to a voice': '목소리 들어 보기',
  'Speaks a short text with one synthesizer, without failover to another one. At most two run at once; more are refused with `over_capacity`.':
    '목소리를 고를 때 짧은 글을 음성 합성 엔진으로 들어 봅니다. 다른 엔진이 대신하지 않습니다. 한 번에 두 개까지 만들고, 그 이상은 `over_capacity`로 거절합니다.',
  'Issue the key of a number': '번호 키 발급',
  'A number has one key. Issuing a new one invalidates the old one at once.':
    '번호의 키는 하나입니다. 다시 발급하면 이전 키는 바로 무효가 됩니다.',
  'Show the key of a number again': '번호 키 다시 보기',
  'Does not change the key. Each reveal is in the audit log.':
    '키를 바꾸지 않습니다. 볼 때마다 감사 기록에 남습니다.',
  'The audit log as CSV': '감사 기록 CSV',
  'The entries of `listAudit` with the same query, in UTF-8 with a byte order mark for spreadsheets; text that looks like a formula begins with an apostrophe. `detail` is JSON. A response that breaks off is incomplete: repeat the request.':
    '같은 조건으로 `listAudit`이 보여 주는 모든 기록입니다. 스프레드시트를 위해 바이트 순서 표시가 있는 UTF-8이며, 수식으로 읽힐 수 있는 글 앞에는 작은따옴표를 붙입니다. `detail`은 JSON입니다. 끝까지 오지 않고 끊긴 응답은 전체가 아니므로 다시 요청하세요.',
  'Read the audit log': '누가 무엇을 했는지',
  'Every change made by this API and every reveal of a key, newest first.':
    '이 API로 한 모든 변경과 키를 본 기록을 최근 것부터 보여 줍니다.',
  'Read the workspace of this token': '이 토큰의 워크스페이스 읽기',
  'Its time zone, its call policy and its limits: its own settings (null falls back to the platform), and the resulting values.':
    '시간대, 통화 정책, 제한입니다. 직접 정한 값(null이면 플랫폼의 값)과 실제로 적용되는 값을 보여 줍니다.',
  'Change the workspace of this token': '이 토큰의 워크스페이스 변경',
  'Changes the given fields for calls that begin from now on; a policy field that is null falls back to the platform. Policies of numbers are unchanged.':
    '준 것만 바꾸며, 지금부터 시작하는 통화에 적용됩니다. null인 정책 항목은 플랫폼의 값을 따릅니다. 번호가 직접 정한 정책은 그대로입니다.',
  'Read the minutes of outbound calls of this day': '오늘의 발신 통화 시간 읽기',
  'Total duration of the outbound calls that began on this day of the workspace, in all and by number, with the limits (`daily_minutes`).':
    '워크스페이스의 오늘 시작한 발신 통화 시간을 전체와 번호별로, 한도(`daily_minutes`)와 함께 보여 줍니다.',
  'Read the overview': '통화 현황 읽기',
  'Read how long callers wait for replies': '대답을 기다린 시간 읽기',
  'Percentiles of the waits for replies and of their stages over the last day or week, and of the one before, of one number or of all numbers: over the turns of the 300 newest answered calls of each, for all gateways.':
    '지난 하루나 한 주와 그 이전 같은 기간에 대답을 기다린 시간과 그 단계의 백분위수를 번호 하나나 모든 번호에 대해 알려 줍니다. 기간마다 받은 통화 가운데 최근 300개의 차례로 계산하며 모든 게이트웨이를 합친 값입니다.',
  '`day`: the last 24 hours; `week`: the last 7 days.': '`day`는 지난 24시간, `week`는 지난 7일입니다.',
  "Calls and answers by day, end reasons, turn latency of today and yesterday, and failing agents, trunks and webhooks, over the last days in the workspace's time zone, for all gateways. A call belongs to the day on which it started.":
    '워크스페이스의 최근 며칠 동안의 일별 통화와 응답, 종료 사유, 오늘과 어제의 응답 지연, 실패하는 에이전트와 회선과 웹훅을 모든 게이트웨이에 걸쳐 보여 줍니다. 날짜는 워크스페이스의 시간대를 따르며, 통화는 시작한 날에 속합니다.',
  'Count calls by state': '상태별 통화 수',
  "As JSON: where the workspace's calls of the last minutes went through their charts, for all gateways, from their stored transitions. At most the 1,000 newest calls are read. A result is returned again while it is younger than `max_age_sec`, or than fifty times the duration of its statement; `until` is the time of the read. With `Accept: text/event-stream`: the numbers of the calls in progress by state, at all gateways, as `event: counts`, once at the beginning and at most once a second when they have changed. `gateways` is the number of gateways that they are from. The stream ends when the gateway shuts down, and within a few seconds after its token is revoked or expired.":
    'JSON이면 워크스페이스의 최근 통화가 차트를 어떻게 지나갔는지, 저장된 전이로 모든 게이트웨이에 걸쳐 보여 줍니다. 최근 통화 1,000건까지 읽습니다. 읽은 지 `max_age_sec`초가 지나지 않았거나 그 질의에 걸린 시간의 50배가 지나지 않은 결과는 다시 보내며, `until`은 읽은 시각입니다. `Accept: text/event-stream`이면 모든 게이트웨이에서 진행 중인 통화 수를 상태별로 `event: counts`로 보냅니다. 처음에 한 번, 그 뒤로는 바뀌었을 때 최대 1초에 한 번 보냅니다. `gateways`는 수를 알려 준 게이트웨이의 수입니다. 게이트웨이가 종료될 때, 그리고 토큰이 폐기되거나 만료되면 몇 초 안에 스트림이 끝납니다.',
  'List the gateways': '게이트웨이 목록',
  "The gateways that share the database, by name, with the workspace's calls that each owns. Calls move when a gateway dies or hands them over.":
    '데이터베이스를 함께 쓰는 게이트웨이와 각각이 맡은 워크스페이스의 통화를 이름순으로 보여 줍니다. 게이트웨이가 죽거나 통화를 넘기면 통화가 옮겨 갑니다.',
  'The gateway of this request': '이 요청에 응답한 게이트웨이',
  'Its version, and the parts with which it was started.': '버전과, 어떤 기능을 켜고 시작했는지 알려 줍니다.',
  'List the admin tokens': '관리자 토큰 목록',
  'Valid tokens of the workspace, oldest first, with role, expiry and last use. The tokens themselves are not stored.':
    '워크스페이스에서 폐기되지 않은 토큰을 오래된 것부터 보여 줍니다. 누가 무엇을 언제까지 할 수 있고 언제 마지막으로 썼는지 알 수 있습니다. 토큰 자체는 보관하지 않습니다.',
  'Create an admin token': '관리자 토큰 만들기',
  'For a person or a program, with its own role. Only a fingerprint is stored: this response is the only one that contains the token.':
    '사람이나 프로그램이 쓸, 역할이 정해진 토큰입니다. 지문만 보관하므로 토큰은 이 응답에만 있습니다.',
  'The token of this request': '이 요청의 토큰',
  'Its role and its expiry.': '무엇을 언제까지 할 수 있는지 보여 줍니다.',
  'Revoke an admin token': '관리자 토큰 폐기',
  'Invalidates the token; requests in progress complete. A token may revoke itself, but a workspace keeps at least one valid token of the role `admin`.':
    '지금부터 쓸 수 없습니다. 이미 응답 중인 것은 끝까지 이어집니다. 토큰은 스스로를 폐기할 수 있지만, 워크스페이스에는 역할이 `admin`인 유효한 토큰이 하나는 남아야 합니다.',
  'List the trunks': '회선 목록',
  'All trunks of the workspace, oldest first, with their states; no passwords.':
    '워크스페이스의 모든 회선을 오래된 것부터 상태와 함께 보여 줍니다. 비밀번호는 없습니다.',
  'Add a trunk': '회선 추가',
  'Outbound calls of the workspace use its enabled trunks: the lowest priority first, then by weight. The next trunk is used when one fails or is full, never because the callee is busy.':
    '워크스페이스의 발신 통화는 사용 중인 회선으로 나갑니다. 우선순위 값이 낮은 회선부터, 같으면 가중치에 따라 고릅니다. 회선이 실패하거나 가득 차면 다음 회선으로 가며, 상대방이 통화 중이라는 이유로는 넘어가지 않습니다.',
  'Read a trunk': '회선 읽기',
  'Its settings and its state; no password.': '설정과 현재 상태입니다. 비밀번호는 없습니다.',
  'Change a trunk': '회선 변경',
  'Changes the given fields for new calls; calls in progress are unchanged.':
    '준 것만 바꾸며, 지금부터의 통화에 적용됩니다. 진행 중인 통화는 그대로입니다.',
  'Remove a trunk': '회선 삭제',
  'Numbers bound to it use the other trunks of the workspace. Calls in progress continue.':
    '이 회선에 묶인 번호는 워크스페이스의 다른 회선을 씁니다. 진행 중인 통화는 계속됩니다.',
  'Test a trunk': '회선 점검',
  'Registers, sends OPTIONS, and places a call that ends as soon as it rings. Without `to` a number of the workspace calls itself through the trunk, so no other telephone rings and inbound calls are tested as well.':
    '등록하고, OPTIONS를 보내고, 벨이 울리면 바로 끝나는 전화를 겁니다. `to`가 없으면 워크스페이스의 번호가 이 회선으로 자기 자신에게 전화하므로 아무도 방해하지 않고 전화가 돌아오는지 볼 수 있습니다.',
  'Read statistics of trunks': '회선별 통화 결과',
  "ASR, ACD, PDD and MOS of each trunk, over the workspace's calls that started within the given time, for all gateways. Null without data. Deleted trunks are included as long as their calls exist.":
    '주어진 시간에 시작한 워크스페이스의 통화를 모든 게이트웨이에 걸쳐 모은 회선별 ASR, ACD, PDD, MOS입니다. 값을 낸 통화가 없으면 null입니다. 삭제된 회선도 통화가 남아 있는 동안은 나옵니다.',
  'List the trunks for a number': '통화가 쓸 회선 보기',
  'The trunks that a call to this number would try now, in order, and those that are excluded, without calling. Trunks of the same priority are ordered at random for each call.':
    '이 번호로 지금 전화를 걸면 시도할 회선을 순서대로, 그리고 제외되는 회선을 보여 줍니다. 실제로 전화를 걸지는 않습니다. 우선순위가 같은 회선 중에서는 통화마다 무작위로 고릅니다.',
  'List the webhook endpoints': '웹훅 목록',
  'All endpoints of the workspace, oldest first; no secrets.':
    '워크스페이스의 모든 웹훅을 오래된 것부터 보여 줍니다. 비밀 값은 없습니다.',
  'Add a webhook endpoint': '웹훅 추가',
  'Events are delivered at least once, in order for each call, signed according to Standard Webhooks.':
    '이벤트는 적어도 한 번 전달되고, 한 통화의 이벤트는 순서대로 전달되며, Standard Webhooks 규격에 따라 서명됩니다.',
  'Read a webhook endpoint': '웹훅 읽기',
  'Its settings and its state; no secrets.': '설정과 상태입니다. 비밀 값은 없습니다.',
  'Change, pause or resume a webhook endpoint': '웹훅 변경, 중지, 재개',
  'Changes the given fields. Events of a paused endpoint are delivered when it is active again.':
    '준 것만 바꿉니다. 중지된 동안 일어난 일은 다시 켜면 전달됩니다.',
  'Remove a webhook endpoint': '웹훅 삭제',
  'Deletes the endpoint with its deliveries, including those in progress.':
    '진행 중인 것을 포함해 전달 기록도 함께 삭제합니다.',
  'Replace the secret of a webhook endpoint': '웹훅 비밀 값 교체',
  'Both secrets sign for 24 hours, so the receiver can switch at any time.':
    '24시간 동안 두 비밀 값이 모두 서명하므로, 받는 쪽에서 편한 때에 바꿀 수 있습니다.',
  'Test a webhook endpoint': '웹훅 테스트',
  'Sends one event of the type `webhook.test` at once and returns the result, with advice if it was not delivered.':
    '`webhook.test` 유형의 이벤트를 바로 하나 보내고 결과를 알려 줍니다. 전달하지 못했으면 무엇을 바꿀지도 알려 줍니다.',
  'List the deliveries of a webhook endpoint': '웹훅 전달 목록',
  'Newest first, each with its attempts.': '최근 것부터, 시도 기록과 함께 보여 줍니다.',
  'Read a delivery with its body': '전달과 본문 읽기',
  'Its state, its attempts, and the event as it is sent.': '상태와 시도 기록, 보내는 이벤트의 내용입니다.',
  'The delivery.': '전달입니다.',
  'Deliver again': '다시 전달',
  'Tries a delivery at once and restarts its schedule, whatever its state; a running attempt is not interrupted. The event keeps its id.':
    '결과가 어땠든 바로 전달을 시도하고 재시도 일정을 새로 시작합니다. 진행 중인 전달은 그대로 둡니다. 이벤트의 id는 바뀌지 않습니다.',
  'Call one of the numbers': '내 번호로 전화 걸기',
  'Places an inbound call on the simulated line. It is answered, or rejected, like a real one.':
    '시뮬레이션 회선으로 수신 통화가 들어옵니다. 실제 전화처럼 받거나 거절합니다.',
  'Count the listed calls': '목록의 통화 수 세기',
  'The number of calls of `listWorkspaceCalls` with the same query, counted up to 10000.':
    '같은 조건의 `listWorkspaceCalls`에 나오는 통화 수입니다. 10000건까지 셉니다.',
  'The number of calls.': '통화 수입니다.',
  'List the callees': '수신자 목록',
  'Who answers the calls of the workspace on the simulated line, by number: the callees that every gateway knows, and up to 200 with a script. Any other number rings on the web phones of the workspace.':
    '시뮬레이션 회선에서 워크스페이스의 전화를 받는 수신자를 번호순으로 보여 줍니다. 모든 게이트웨이에 있는 수신자와 시나리오가 있는 수신자 200개까지입니다. 다른 번호는 워크스페이스의 웹 전화로 연결됩니다.',
  'The callees.': '수신자 목록입니다.',
  'Set the script of a callee': '수신자의 행동 정하기',
  'Calls of the workspace to this number follow this script from now on. They may be placed at any gateway with the same database.':
    '지금부터 워크스페이스에서 이 번호로 거는 전화는 이 시나리오가 받습니다. 같은 데이터베이스를 쓰는 어느 게이트웨이에서 걸어도 됩니다.',
  'Read the script of a callee': '수신자의 행동 보기',
  'The script stored for this number.': '이 번호에 저장된 시나리오입니다.',
  'Remove the script of a callee': '수신자의 행동 삭제',
  'The next calls to this number reach the known telephone of that number, or the web phones of the workspace. Calls in progress keep the script.':
    '이 번호로 거는 다음 전화부터는 그 번호에 정해진 전화나 워크스페이스의 웹 전화로 연결됩니다. 진행 중인 통화는 시나리오를 그대로 따릅니다.',
  'Read the progress of a script': '통화의 시나리오가 어디까지 진행됐는지 보기',
  'For a call whose caller or callee plays a script with a `rehearsal`. Available for the last thousand such calls of the gateway that carries the call, until that gateway ends.':
    '발신자나 수신자가 `rehearsal`이 있는 시나리오를 따르는 통화에만 있습니다. 통화를 맡은 게이트웨이가 종료될 때까지 그 게이트웨이의 최근 1,000건을 기억합니다.',
};
