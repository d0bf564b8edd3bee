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
  'Null: valid until it is revoked.': 'null이면 취소할 때까지 유효합니다.',
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
  'Time until which the previous secret signs as well.': '이때까지 교체 전의 비밀 값도 함께 서명합니다.',
  'Signs the events (Standard Webhooks). Shown only once.':
    '이벤트에 서명하는 값(Standard Webhooks)이며 지금 한 번만 보여 줍니다.',
  'Null when it is finished.': '끝났으면 null입니다.',
  'Number of the attempt, from 1.': '1부터 셉니다.',
};
