/** Fields of turn-taking policies and of the scripts of simulated people. */
export const fieldsOfPolicies: Readonly<Record<string, string>> = {
  'For `pause`: a voice of this length is an onset. Milliseconds.':
    '`pause`일 때, 이만큼의 목소리는 말의 시작으로 봅니다(밀리초).',
  'For `pause`: speech of this length is an interruption even if its words are not known yet. Milliseconds.':
    '`pause`일 때, 아직 단어를 모르더라도 말처럼 들리는 목소리가 이만큼 이어지면 끼어든 것으로 봅니다(밀리초).',
  'For `pause`: after this silence following an onset without words the agent resumes. Milliseconds.':
    '`pause`일 때, 단어 없는 시작 뒤에 이만큼 조용하면 에이전트가 이어서 말합니다(밀리초).',
  'A turn does not end before this silence. Milliseconds.':
    '이만큼 조용하기 전에는 차례가 끝나지 않습니다(밀리초).',
  'A turn with words ends after this silence in every mode. Milliseconds.':
    '누가 판단하든 단어가 있는 차례는 이만큼 조용하면 끝납니다(밀리초).',
  "Waits for the person's turn, then says this.": '말할 차례를 기다렸다가 이렇게 말합니다.',
  'Waits until the agent is speaking, then says this over its voice.':
    '에이전트가 한창 말할 때까지 기다렸다가 그 말 위에 이렇게 말합니다.',
  'The same for a murmur such as "네" that does not take the turn.':
    '차례를 가져가지 않는 "네" 같은 맞장구입니다.',
  'Waits for one whole reply of the agent (`true`).': '에이전트의 응답 하나를 끝까지 기다립니다(`true`).',
  'Does nothing for this many seconds.': '이만큼의 초 동안 아무것도 하지 않습니다.',
  'Makes noise without words for this many seconds.': '이만큼의 초 동안 단어 없는 소리를 냅니다.',
  'Puts the call on hold for this many seconds.': '이만큼의 초 동안 통화를 보류합니다.',
  'Presses these keys: 0–9, *, #, A–D.': '이 버튼을 누릅니다: 0–9, *, #, A–D.',
  'Waits until the agent has sent these DTMF digits.': '에이전트가 이 버튼을 누를 때까지 기다립니다.',
  'Says this at once, even over other speech, as an answering machine does.':
    '자동응답기처럼 누가 말하든 바로 이렇게 말합니다.',
  'Beeps like an answering machine that takes a message (`true`).':
    '메시지를 받는 자동응답기처럼 신호음을 냅니다(`true`).',
  'Hangs up at once (`true`).': '바로 끊습니다(`true`).',
  'First step of a callee: answers after this many seconds.': '수신자의 첫 단계: 이만큼의 초 뒤에 받습니다.',
  'Only step of a callee: does not answer (`true`).': '수신자의 유일한 단계: 울리게 둡니다(`true`).',
  'Only step of a callee: is busy (`true`).': '수신자의 유일한 단계: 통화 중입니다(`true`).',
  'Only step of a callee: declines (`true`).': '수신자의 유일한 단계: 거절합니다(`true`).',
  'Only step of a callee: the trunk fails (`true`).': '수신자의 유일한 단계: 회선이 실패합니다(`true`).',
  'Waits until the agent is speaking, then says this over its voice. `{text, after_ms}`: this long after it began to talk.':
    '에이전트가 말하는 도중에 끼어들어 이 말을 합니다. `{text, after_ms}`: 말을 시작하고 이만큼의 밀리초 뒤에 끼어듭니다.',
  'Waits until the agent has said this since the person last spoke or heard something: a text that must occur, or a regular expression between slashes.':
    '이 사람이 마지막으로 말하거나 들은 뒤로 에이전트가 이 말을 할 때까지 기다립니다. 들어 있어야 하는 글이거나, 빗금 사이의 정규식입니다.',
  'The script is watched: `GET …/simulator/calls/{call_id}` reports its progress.':
    '시나리오를 지켜봅니다. `GET …/simulator/calls/{call_id}`에서 어디까지 진행됐는지 볼 수 있습니다.',
  'A step that does not complete within this many seconds on the line ends the script: the person hangs up. So does a person whose script is over, if the call has not ended after the same time.':
    '회선의 시간으로 이만큼의 초 안에 이루어지지 않은 단계가 있으면 시나리오를 끝내고 전화를 끊습니다. 시나리오가 끝난 뒤 이만큼 지나도 통화가 끝나지 않을 때도 끊습니다.',
  'The behaviour of persons to whom this call may be transferred, by their numbers in domestic format; beside `01000000011` to `01000000014`.':
    '이 통화를 돌려받을 사람들이 하는 행동입니다. 국내 형식의 번호별로 정합니다. `01000000011`부터 `01000000014`까지는 따로 있습니다.',
  '`script`: it has a script; the others are there without setup.':
    '`script`는 시나리오가 있는 수신자입니다. 나머지는 따로 준비하지 않아도 있습니다.',
  'At most 10000.': '최대 10000입니다.',
  'Whether there are more calls than that.': '그보다 더 있는지 여부입니다.',
  'The behaviour in words.': '행동을 설명하는 글입니다.',
  'Number of steps of the script; null without a script.':
    '시나리오의 단계 수입니다. 시나리오가 없으면 null입니다.',
  'Number of steps of the script.': '시나리오의 단계 수입니다.',
  'Number of completed steps.': '그중 이루어진 단계 수입니다.',
  '`timed_out`: the next step did not complete in time. `playing` for an ended call: the call ended before the script did.':
    '`timed_out`: 그다음 단계가 제때 이루어지지 않았습니다. 이미 끝난 통화의 `playing`: 시나리오보다 통화가 먼저 끝났습니다.',
  'Behaviour of a simulated person, step by step; each step is an object with one member.':
    '시뮬레이션된 사람이 차례로 하는 행동입니다. 각 단계는 항목이 하나인 객체입니다.',
};
