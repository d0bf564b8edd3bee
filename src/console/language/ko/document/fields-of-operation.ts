/** Response fields of gateways, tokens, trunks and webhooks. */
export const fieldsOfOperation: Readonly<Record<string, string>> = {
  'Its name among the gateways that share the database.':
    '데이터베이스를 함께 쓰는 게이트웨이 가운데 이 게이트웨이의 이름입니다.',
  'Its last heartbeat.': '살아 있다고 마지막으로 알린 시각입니다.',
  'Whether this gateway may take over calls of another one.':
    '종료되거나 죽은 다른 게이트웨이의 통화를 이어받을 수 있는지 알려 줍니다.',
  'Active calls that began at another gateway, or before the last start of this one.':
    '그중 다른 게이트웨이에서, 또는 마지막 시작 전에 시작한 통화입니다.',
  'Calls of the workspace that it owns.': '이 게이트웨이가 맡은 워크스페이스의 통화입니다.',
  'Whether this gateway answered the request.': '이 요청에 응답한 게이트웨이인지 알려 줍니다.',
  'Whether its lines are simulated.': '회선이 시뮬레이션인지 알려 줍니다.',
  'Whether calls can be inspected (`GW_INSPECT=1`).':
    '통화를 인스펙터로 볼 수 있는지 알려 줍니다(`GW_INSPECT=1`).',
  'Null: valid until it is revoked.': 'null이면 폐기할 때까지 유효합니다.',
  'To the minute; null if it was never used.': '분 단위이며 쓴 적이 없으면 null입니다.',
  'The gateway (`GW_NODE`) that created it for its `dev-credentials.json`; null for others.':
    '`dev-credentials.json`을 위해 토큰을 만든 게이트웨이(`GW_NODE`)이며 그 밖에는 null입니다.',
  'Whether this request was sent with this token.': '이 요청에 쓴 토큰인지 알려 줍니다.',
  'Shown only once.': '지금 한 번만 보여 줍니다.',
  'At the responding gateway. `registering`, `registered`, `unregistered` for a trunk that registers, `ready` for one that does not; `unreachable`: OPTIONS is not answered; `resting`: it asked for a pause; `draining`, `drained`: it takes no new calls, and some are still active, or none; `unused`: the lines are simulated.':
    '응답하는 게이트웨이에서 본 상태입니다. 등록하는 회선은 `registering`, `registered`, `unregistered`이고 등록하지 않는 회선은 `ready`입니다. `unreachable`은 OPTIONS에 응답이 없는 것, `resting`은 회선이 보내지 말라고 한 것, `draining`과 `drained`는 새 통화를 받지 않으며 남은 통화가 있거나 없는 것, `unused`는 회선이 시뮬레이션인 것입니다.',
  'The reason, if there is one.': '그런 이유이며 알릴 것이 있을 때만 나옵니다.',
  'Its last answer.': '마지막으로 응답한 시각입니다.',
  'No calls until then (`Retry-After`). A change of its settings ends it.':
    '이때까지 통화를 보내지 않습니다(`Retry-After`). 설정을 바꾸면 끝납니다.',
  'Its current calls, in both directions.': '지금 이 회선을 쓰는 양방향 통화입니다.',
  'Outbound calls on it.': '이곳으로 나간 통화입니다.',
  'The state of each of its `addresses`, at the responding gateway.':
    '응답하는 게이트웨이에서 본 `addresses` 각각의 상태입니다.',
  'The meaning, and advice.': '뜻과 할 일입니다.',
  'The SIP messages of this step.': '이 단계의 SIP 메시지입니다.',
  'Ended outbound calls on it.': '이 회선으로 나가 더 이상 울리지 않는 통화입니다.',
  'Calls that it failed and another trunk took.': '이 회선이 실패해 다른 회선으로 넘어간 통화입니다.',
  'ASR, 0 to 1: the share of its outbound calls that was answered, including those it failed.':
    'ASR이며 0에서 1 사이입니다. 실패한 것을 포함해 이 회선으로 간 발신 통화 중 받은 비율입니다.',
  'ACD, over answered calls of both directions.': '양방향에서 받은 통화의 ACD입니다.',
  'Average PDD: from the INVITE until the callee rings or answers.':
    'PDD이며 INVITE부터 울리거나 받을 때까지의 평균 시간입니다.',
  'Average mean opinion score of received audio.': '들어온 소리의 평균 의견 점수입니다.',
  'Calls in which one party heard nothing.': '한쪽이 아무것도 듣지 못한 통화입니다.',
  'Events wait while an endpoint is paused. An endpoint that answered 410 is disabled.':
    '중지된 웹훅의 이벤트는 기다립니다. 410으로 응답한 웹훅은 비활성화됩니다.',
  'The first failed attempt since the last success; null if there is none. Events wait meanwhile, some without an attempt of their own.':
    '마지막 성공 뒤에 처음 실패한 시각입니다. 실패한 적이 없으면 null입니다. 그동안 이벤트는 기다리며, 일부는 시도하지 않고 기다립니다.',
  'Failure of the last attempt; null unless the endpoint is failing.':
    '마지막 시도가 실패한 이유입니다. 실패하고 있지 않으면 null입니다.',
  'The first failed attempt since the last success.': '마지막 성공 뒤에 처음 실패한 시각입니다.',
  'Only entries with this text in the action, the actor, the target or the details, or about a number, trunk, webhook endpoint or token whose name or URL has it.':
    '한 일, 사람, 대상, 세부 내용에 이 글자가 있거나, 이름이나 URL에 이 글자가 있는 번호, 회선, 웹훅, 토큰에 대한 기록만 찾습니다.',
  'A stable code of the cause of that failure; null if it is unknown.':
    '그 실패의 원인을 나타내는 고정된 코드입니다. 알 수 없으면 null입니다.',
  'The cause of that failure in a sentence, with advice; null if it is unknown.':
    '그 실패의 원인과 해결 방법을 설명하는 문장입니다. 알 수 없으면 null입니다.',
  'The last delivered event of this URL, to within ten seconds; null if none was delivered.':
    '이 URL로 마지막으로 전달한 시각이며 10초까지 이를 수 있습니다. 전달한 적이 없으면 null입니다.',
  'The next attempt to deliver an event, never in the past; null if no event waits, and while the endpoint is not active. An endpoint that does not answer is tried less often.':
    '다음에 전달을 시도할 시각이며 지난 시각이 아닙니다. 기다리는 이벤트가 없거나 웹훅이 꺼져 있으면 null입니다. 응답하지 않는 웹훅은 더 드물게 시도합니다.',
  'Time until which the previous secret signs as well.': '이때까지 교체 전의 비밀 값도 함께 서명합니다.',
  'Signs the events (Standard Webhooks). Shown only once.':
    '이벤트에 서명하는 값(Standard Webhooks)이며 지금 한 번만 보여 줍니다.',
  'The next attempt, never in the past; null when it is finished, and while the endpoint is not active.':
    '다음 시도 시각이며 지난 시각이 아닙니다. 끝났거나 웹훅이 꺼져 있으면 null입니다.',
  'Why a pending delivery has not been sent: its receiver refuses events for now, its endpoint is paused, or an earlier event of the same call is not delivered yet. Null for a delivery that follows its own schedule.':
    '대기 중인 전달이 무엇을 기다리는지 나타냅니다. 수신 서버가 이벤트를 다시 받는 것, 웹훅을 다시 켜는 것, 또는 같은 통화의 앞선 이벤트가 전달되는 것입니다. 자기 일정을 따르면 null입니다.',
  'A stable code of the cause; null when it was delivered or the cause is unknown.':
    '원인을 나타내는 고정된 코드입니다. 전달되었거나 원인을 알 수 없으면 null입니다.',
  'The cause in a sentence, with advice; null when it was delivered or the cause is unknown.':
    '원인과 해결 방법을 설명하는 문장입니다. 전달되었거나 원인을 알 수 없으면 null입니다.',
  'The body that is sent, as JSON; its first 16000 characters.': '보내는 본문(JSON)의 처음 16000자입니다.',
  'Whether the body is longer.': '본문이 더 긴지 나타냅니다.',
  'Number of the attempt, from 1.': '1부터 셉니다.',
  'Its version; null for versions that do not tell it.':
    '버전입니다. 버전을 알리지 않는 버전이면 null입니다.',
  'Its load, at most a few seconds old; null for a gateway that is not running, and for versions that do not tell it.':
    '많아야 몇 초 전의 부하입니다. 실행 중이 아니거나 부하를 알리지 않는 버전이면 null입니다.',
  'Share of the time in which its main thread was busy, from 0 to 1.':
    '주 스레드가 일한 시간의 비율입니다. 0부터 1까지입니다.',
  'Share of its memory that is in use, from 0 to 1.': '사용 중인 메모리의 비율입니다. 0부터 1까지입니다.',
  'How late its timers are, because it is busy. Milliseconds.':
    '바빠서 타이머가 늦어진 시간입니다. 밀리초 단위입니다.',
};
