/** Enum fields of the API, with the meaning of each value. */
export const choices: Readonly<Record<string, string>> = {
  '`pause`: the agent pauses at the onset of a voice, and resumes if it was noise, a cough or a backchannel. `stop`: the agent continues until speech is recognized. `off`: the agent finishes, then answers.':
    '`pause`: 목소리가 시작되면 에이전트가 말을 멈추고, 소음이나 기침이나 맞장구였으면 멈춘 곳부터 이어서 말합니다. `stop`: 실제 말이 들릴 때까지 말합니다. `off`: 끝까지 말한 다음 답합니다.',
  '`pause`: the silence after the words, short when they sound complete and long when they do not. `recognizer`: the end-of-turn event of the recognizer, if it has one (`deepgram`, `deepgram-flux`). `model`: a speech model provided by the operator (`GW_TURN_MODEL`). A mode that this gateway lacks is refused; if it fails later, `pause` applies.':
    '`pause`: 말 뒤의 침묵으로 판단하며, 끝난 말처럼 들리면 짧게, 이어질 것 같으면 길게 기다립니다. `recognizer`: 차례의 끝을 직접 알려 주는 인식 엔진(`deepgram`, `deepgram-flux`)을 따릅니다. `model`: 운영자가 준비한 음성 모델(`GW_TURN_MODEL`)을 따릅니다. 이 게이트웨이에서 쓸 수 없는 것은 거절되고, 나중에 실패하면 침묵으로 판단합니다.',
  'Dotted path of the field; empty for the whole value.':
    '점으로 이은 필드의 경로이며, 비어 있으면 전체입니다.',
  '`requested`: the other party hears the words said before the transfer; `ringing`: the person is being called; `briefing`: the person hears the briefing; `connected`: the other party and the person are connected, or were; `failed`: not connected, for `reason`; `returned`: cancelled.':
    '`requested`: 상대방이 먼저 전하는 말을 듣고 있습니다. `ringing`: 사람에게 전화를 거는 중입니다. `briefing`: 그 사람이 통화의 용건을 듣고 있습니다. `connected`: 상대방이 그 사람과 통화하거나 통화했습니다. `failed`: `reason` 때문에 아무도 연결되지 않았습니다. `returned`: 취소했습니다.',
  '`nothing_received`: no audio arrived from the other party for a while; `nothing_delivered`: its reports say that none of ours arrived. Reported during the call by the event `sound.one_way`. Null if both were heard, and if it is unknown.':
    '`nothing_received`: 한동안 상대방에게서 아무 소리도 오지 않았습니다. `nothing_delivered`: 상대의 보고에 따르면 아무것도 도착하지 않았습니다. 통화 중에 `sound.one_way` 이벤트로 알립니다. 서로 들었거나 알 수 없으면 null입니다.',
  '`inline`: marks in replies such as `<hangup/>` are executed and not spoken. `off`: they are ordinary text.':
    '`inline`: 응답의 `<hangup/>` 같은 표시는 말하지 않고 행동으로 옮깁니다. `off`: 다른 글처럼 말합니다.',
  '`out`: sent by this gateway.': '`out`: 이 게이트웨이가 보냈습니다.',
  '`silent`: it does not reach the database, or has just died. `lost`: the others found it dead, and take its calls over.':
    '`silent`: 데이터베이스에 연결하지 못하거나 방금 죽었습니다. `lost`: 다른 게이트웨이가 죽은 것으로 보고 통화를 이어받았습니다.',
  '`required`: audio is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted if the other side supports it (RFC 8643); FreeSWITCH offers it unencrypted, and accepts encrypted offers. The keys are in the SIP messages (RFC 4568): use the transport `tls`.':
    '`required`: 소리를 암호화하며(SRTP, AES_CM_128_HMAC_SHA1_80) 아니면 통화를 거절합니다. `optional`: 상대도 암호화하면 암호화합니다(RFC 8643). FreeSWITCH는 암호화하지 않은 제안을 보내고 암호화된 제안은 받습니다. 키는 SIP로 전달되므로(RFC 4568) 전송 방식 `tls`와 함께 쓰세요.',
  '`digest`: callers authenticate with user name and password, from the addresses above or, without any, from all.':
    '`digest`: 발신자가 사용자 이름과 비밀번호를 안다는 것을 증명해야 합니다. 위의 주소에서, 주소가 없으면 어디서든 받습니다.',
  '`dead`: not retried, unless it is replayed.': '`dead`: 다시 전달을 요청하지 않으면 더 시도하지 않습니다.',
  '`cold`: the person is connected as soon as they answer. `warm`: the person hears a briefing first, while the other party hears a hold tone.':
    '`cold`: 받은 사람을 바로 연결합니다. `warm`: 받은 사람이 먼저 통화의 용건을 듣고, 그동안 상대방은 대기음을 듣습니다.',
  "`builtin`: the built-in agent, with the operator's language model if configured.":
    '`builtin`: 내장 에이전트이며, 운영자의 언어 모델이 있으면 그것을 씁니다.',
};
