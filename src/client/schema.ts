// Made from the OpenAPI document by `npm run generate-client`.

export type CreateCall = {
  /** The number to call, in domestic format; hyphens and spaces are removed. The international form of a domestic number (`+82…`) is refused with `invalid_to`; a foreign number is `+` and its country code, and is refused as well unless `destinations` of the policy allow it. */
  to: string;
  /** The task of this call. May be omitted if the agent knows its task already. */
  instruction?: string | null | undefined;
  /** The language of this call, BCP 47: the agent's, and that of recognition, synthesis and the gateway's own sentences. When omitted, the language of the number applies. Texts that are set for the number are spoken as they are; its voice speaks only its own language. */
  language?: 'ko' | 'en' | 'ja' | undefined;
  /** Seconds from the answer, at most the maximum of the policy of the number. When omitted, the stored policy applies. */
  max_duration_sec?: number | undefined;
  /** Your own data to find the call by: it is returned with every read of the call, in its events and records. The agent does not receive it. At most 20 keys, values of at most 500 characters. */
  metadata?: Record<string, string> | undefined;
  /** Headers for the INVITE, at most 10. Only those that a trunk of the number lists in its `headers_out`; the call uses only trunks that list all of them. */
  sip_headers?: Record<string, string> | undefined;
};

/** `ringing`: still ringing; `active`: answered and in conversation; `completed`: ended normally; `no_answer`: not answered; `failed`: connection failure or error. */
export type CallStatus = 'ringing' | 'active' | 'completed' | 'no_answer' | 'failed';

export type BargeIn = {
  /** `pause`: the agent pauses at the onset of a voice, and resumes if it was noise, a cough or a backchannel. `stop`: the agent continues until speech is recognized. `off`: the agent finishes, then answers. */
  mode: 'pause' | 'stop' | 'off';
  /** For `pause`: a voice of this length is an onset. Milliseconds. */
  onset_ms?: number | undefined;
  /** For `pause`: speech of this length is an interruption even if its words are not known yet. Milliseconds. */
  speech_ms?: number | undefined;
  /** For `pause`: after this silence following an onset without words the agent resumes. Milliseconds. */
  resume_ms?: number | undefined;
};

export type TurnEnd = {
  /** `pause`: the silence after the words, short when they sound complete and long when they do not. `recognizer`: the end-of-turn event of the recognizer, if it has one (`deepgram`, `deepgram-flux`). `model`: a speech model provided by the operator (`GW_TURN_MODEL`). A mode that this gateway lacks is refused; if it fails later, `pause` applies. */
  mode: 'pause' | 'recognizer' | 'model';
  /** A turn does not end before this silence. Milliseconds. */
  min_silence_ms?: number | undefined;
  /** A turn with words ends after this silence in every mode. Milliseconds. */
  max_silence_ms?: number | undefined;
};

export type Retention = {
  /** Days after the end of a call; 0: calls are not recorded; null: for ever. */
  recordings?: number | null | undefined;
  /** Days after the end of a call for which the transcript, the instruction, the summary and DTMF digits are kept; 0: no transcript and no summary is written, and the rest is deleted at the end; null: for ever. */
  words?: number | null | undefined;
};

export type Consent = {
  /** Said first, before any recording and before the agent is asked; it cannot be interrupted. Null: no announcement. */
  announce: string | null;
  /** `none`: the announcement is enough; `speech`: the other party must say yes; `key`: it must press 1. Without a clear answer the question is repeated once; without consent the gateway says goodbye, and the call ends with `consent_refused`. */
  require?: 'none' | 'speech' | 'key' | undefined;
};

/** The first cause of the end. */
export type EndReason =
  | 'agent_hangup'
  | 'counterparty_hangup'
  | 'max_duration'
  | 'silence_timeout'
  | 'transfer_completed'
  | 'transfer_failed'
  | 'consent_refused'
  | 'no_answer'
  | 'busy'
  | 'declined'
  | 'cancelled'
  | 'invalid_number'
  | 'trunk_error'
  | 'media_error'
  | 'agent_error'
  | 'no_agent_endpoint'
  | 'caller_rejected'
  | 'system_error';

/** Behaviour of a simulated person, step by step; each step is an object with one member. */
export type Script = {
  /** Waits for the person's turn, then says this. */
  say?: unknown;
  /** Waits until the agent is speaking, then says this over its voice. `{text, after_ms}`: this long after it began to talk. */
  interrupt?: unknown;
  /** The same for a murmur such as "네" that does not take the turn. */
  backchannel?: unknown;
  /** Waits for one whole reply of the agent (`true`). */
  listen?: unknown;
  /** Waits until the agent has said this since the person last spoke or heard something: a text that must occur, or a regular expression between slashes. */
  hear?: unknown;
  /** Does nothing for this many seconds. */
  wait_sec?: unknown;
  /** Makes noise without words for this many seconds. */
  noise_sec?: unknown;
  /** Puts the call on hold for this many seconds. */
  hold_sec?: unknown;
  /** Presses these keys: 0–9, *, #, A–D. */
  digits?: unknown;
  /** Waits until the agent has sent these DTMF digits. */
  await_digits?: unknown;
  /** Says this at once, even over other speech, as an answering machine does. */
  announce?: unknown;
  /** Beeps like an answering machine that takes a message (`true`). */
  beep?: unknown;
  /** Hangs up at once (`true`). */
  hang_up?: unknown;
  /** Only as the last step: the language model of the gateway plays a person, `{description, goal, max_turns}`, who speaks at most `max_turns` times and hangs up when the goal is reached or given up. */
  persona?: unknown;
  /** First step of a callee: answers after this many seconds. */
  answer_after_sec?: unknown;
  /** Only step of a callee: does not answer (`true`). */
  no_answer?: unknown;
  /** Only step of a callee: is busy (`true`). */
  busy?: unknown;
  /** Only step of a callee: declines (`true`). */
  decline?: unknown;
  /** Only step of a callee: the trunk fails (`true`). */
  trunk_error?: unknown;
}[];

/** The script is watched: `GET …/simulator/calls/{call_id}` reports its progress. */
export type ScriptRehearsal = {
  /** A step that does not complete within this many seconds on the line ends the script: the person hangs up. So does a person whose script is over, if the call has not ended after the same time. */
  step_timeout_sec: number;
  /** The behaviour of persons to whom this call may be transferred, by their numbers in domestic format; beside `01000000011` to `01000000014`. */
  people?: Record<string, 'accepts' | 'declines' | 'busy' | 'no_answer'> | undefined;
};

export type FieldError = {
  /** Dotted path of the field; empty for the whole value. */
  path: string;
  message: string;
};

export type CallPage = {
  calls: CallListItem[];
  /** For the next page; null on the last one. */
  next_cursor: string | null;
};

export type CallListItem = {
  id: string;
  /** The number that the call belongs to. */
  number_id: string;
  direction: 'inbound' | 'outbound';
  /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
  counterparty: string;
  status: CallStatus;
  /** Null while the call is in progress. */
  end_reason: EndReason | null;
  /** The task given when the call was created. */
  instruction: string | null;
  /** Null until the call was summarized. */
  summary: string | null;
  /** The metadata given when the call was placed; absent if there was none. */
  metadata?: Record<string, string> | undefined;
  /** The last transfer; null if there was none. */
  transfer: CallTransfer | null;
  /** Whether the other party consented; absent without an announcement, and until it is known. */
  consent?: CallConsent | undefined;
  /** Time at which the transcript, instruction and summary of the call were erased; absent while they are kept. */
  words_erased_at?: string | undefined;
  /** Time at which personal data of the call was erased, except the last two digits of the number. Absent otherwise. */
  erased_at?: string | undefined;
  /** Time at which dialing started, or the caller rang. */
  started_at: string;
  ended_at: string | null;
};

export type CallTransfer = {
  id: string;
  /** Domestic format. */
  to: string;
  mode: 'cold' | 'warm';
  /** `requested`: the other party hears the words said before the transfer; `ringing`: the person is being called; `briefing`: the person hears the briefing; `connected`: the other party and the person are connected, or were; `failed`: not connected, for `reason`; `returned`: cancelled. */
  status: 'requested' | 'ringing' | 'briefing' | 'connected' | 'failed' | 'returned';
  /** Why it failed; `call_ended`: the call ended before. Otherwise null. */
  reason:
    | 'no_answer'
    | 'busy'
    | 'declined'
    | 'cancelled'
    | 'invalid_number'
    | 'trunk_error'
    | 'media_error'
    | 'not_accepted'
    | 'call_ended'
    | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  started_at: string;
  connected_at: string | null;
  /** The SIP result of the person's leg, if it failed; absent without SIP. */
  sip?:
    | {
        status: number | null;
        reason: string | null;
        call_id: string | null;
        /** Why the call ended, from the header `Reason` of the refusal, the CANCEL or the BYE of the other side; at most four, each with a text of up to 200 characters. Absent if there is none. */
        reasons?:
          | {
              /** Usually `SIP` or `Q.850`. */
              protocol: string;
              /** A SIP status, or a cause of the telephone network (ITU-T Q.850). */
              cause: number | null;
              text: string | null;
            }[]
          | undefined;
        /** Web addresses from the header `Call-Info` of a refusal, at which a blocked call can be disputed. Absent if there are none. */
        call_info?: string[] | undefined;
      }
    | undefined;
};

export type CallConsent = {
  /** Whether the call could continue. */
  given: boolean;
  /** `announcement`: the announcement was enough; `speech`: by its words; `key`: by a key; `silence`: it did not answer. */
  how: 'announcement' | 'speech' | 'key' | 'silence';
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  at: string;
};

export type Call = {
  /** The same as `id`. */
  call_id: string;
  id: string;
  /** The number that the call belongs to. */
  number_id: string;
  direction: 'inbound' | 'outbound';
  /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
  counterparty: string;
  status: CallStatus;
  /** Null while the call is in progress. */
  end_reason: EndReason | null;
  /** The task given when the call was created. */
  instruction: string | null;
  /** Null until the call was summarized. */
  summary: string | null;
  /** The metadata given when the call was placed; absent if there was none. */
  metadata?: Record<string, string> | undefined;
  /** The last transfer; null if there was none. */
  transfer: CallTransfer | null;
  /** Whether the other party consented; absent without an announcement, and until it is known. */
  consent?: CallConsent | undefined;
  /** Time at which the transcript, instruction and summary of the call were erased; absent while they are kept. */
  words_erased_at?: string | undefined;
  /** Time at which personal data of the call was erased, except the last two digits of the number. Absent otherwise. */
  erased_at?: string | undefined;
  /** Time at which dialing started, or the caller rang. */
  started_at: string;
  ended_at: string | null;
  /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
  from: string;
  /** The caller's display name. Null if absent or withheld. */
  from_name: string | null;
  /** The numbers that an inbound call was meant for before it was forwarded, the last one first: from `Diversion`, else `History-Info`. */
  diversions: {
    /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
    number: string;
    reason: string | null;
  }[];
  /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
  to: string;
  /** BCP 47. */
  language: string;
  /** The options in force; empty before the answer. */
  options: {
    max_duration_sec?: number | undefined;
    recording?: boolean | undefined;
  };
  /** Options that are accepted and not yet in force; empty from the answer on. */
  options_pending: {
    max_duration_sec?: number | undefined;
    recording?: boolean | undefined;
  };
  /** Connected time, from the answer to the end. Null while the call is in progress or if unknown; 0 if the call was never answered. */
  duration_sec: number | null;
  answered_at: string | null;
  /** Kind of answer to an outbound call: a person, an answering machine or announcement, a menu that lists digits, or call screening (until a person or a machine follows). Detected during the call; null while it is unclear. */
  answered_by: 'human' | 'machine' | 'screening' | 'menu' | null;
  recording: {
    status: 'none' | 'pending' | 'completed' | 'failed' | 'erased';
    /** Whether the recording is paused. False once the call has ended. */
    paused: boolean;
    /** A part is missing, because its gateway ended while it recorded, or is unavailable: the file is then made again when that gateway is back. The rest can be played. */
    truncated: boolean;
    /** `audio/mpeg` or `audio/ogg`. */
    content_type?: string | undefined;
    duration_sec?: number | undefined;
  };
  /** SIP data of the call; nulls without SIP. */
  sip: {
    status: number | null;
    reason: string | null;
    call_id: string | null;
    /** Why the call ended, from the header `Reason` of the refusal, the CANCEL or the BYE of the other side; at most four, each with a text of up to 200 characters. Absent if there is none. */
    reasons?:
      | {
          /** Usually `SIP` or `Q.850`. */
          protocol: string;
          /** A SIP status, or a cause of the telephone network (ITU-T Q.850). */
          cause: number | null;
          text: string | null;
        }[]
      | undefined;
    /** Web addresses from the header `Call-Info` of a refusal, at which a blocked call can be disputed. Absent if there are none. */
    call_info?: string[] | undefined;
    /** Headers `X-…` of the INVITE: of an inbound call those that the trunk lists in `headers_in`, of an outbound call the requested ones. Absent if there are none. */
    headers?: Record<string, string> | undefined;
  };
  /** For outbound calls: from the INVITE until the callee rang or answered. Null if neither happened, and without SIP. */
  post_dial_delay_ms: number | null;
  sound: CallSound;
  /** How long the other party waited for replies, so far. Absent without a measured turn, and in exports. */
  latency?: LatencySummary | undefined;
};

/** Audio statistics. Filled when the call has ended, except `one_way`; unknown values are null, and all are null if no packets are sent. */
export type CallSound = {
  codec: string | null;
  /** Received from the other party. */
  received: {
    packets: number | null;
    /** The share of lost packets, 0 to 1. */
    loss: number | null;
    jitter_ms: number | null;
    /** Mean opinion score, 1 to 4.5, by the E-model (ITU-T G.107). */
    mos: number | null;
  };
  /** Sent to the other party; its arrival is known if the other side reports it (RTCP). */
  sent: {
    packets: number | null;
    /** The share of lost packets, 0 to 1. */
    loss: number | null;
    jitter_ms: number | null;
    /** Mean opinion score, 1 to 4.5, by the E-model (ITU-T G.107). */
    mos: number | null;
  };
  /** Transmission of DTMF digits: as RTP events (RFC 4733), by SIP INFO, as tones in the audio, or not at all. Digits by INFO are always accepted. */
  dtmf: {
    sent: 'rfc4733' | 'info' | 'none';
    received: 'rfc4733' | 'inband';
  } | null;
  round_trip_ms: number | null;
  /** `nothing_received`: no audio arrived from the other party for a while; `nothing_delivered`: its reports say that none of ours arrived. Reported during the call by the event `sound.one_way`. Null if both were heard, and if it is unknown. */
  one_way: 'nothing_received' | 'nothing_delivered' | null;
};

export type LatencySummary = {
  /** Number of measured turns: turns of the agent that answer speech and were heard. With fewer than 10, `p90` is the slowest turn; with fewer than 100, `p99` is. */
  turns: number;
  /** Number of calls with such a turn. */
  calls: number;
  /** From the end of speech of the other party to the first audible sound of the reply. Milliseconds. */
  wait_ms: {
    p50: number;
    p90: number;
    p99: number;
  };
  /** From the end of speech to the decision that the turn is over. */
  endpointing_ms: {
    p50: number;
    p90: number;
    p99: number;
  };
  /** From the request for the reply to its first text. */
  first_token_ms: {
    p50: number;
    p90: number;
    p99: number;
  };
  /** From the request to the first sentence that can be spoken. */
  first_sentence_ms: {
    p50: number;
    p90: number;
    p99: number;
  };
  /** From the request to the first audible sound. */
  first_audio_ms: {
    p50: number;
    p90: number;
    p99: number;
  };
  /** Parts of the median wait, in proportion to the average parts of the fifth of the turns around the median. */
  share: {
    /** The median wait. The other values add up to it. */
    wait_ms: number;
    /** Share of the detection of the end of speech. */
    endpointing_ms: number;
    /** Share of the gateway, from that decision to the request. */
    gateway_ms: number;
    /** Share of the agent, from the request to its first sentence. */
    agent_ms: number;
    /** Share of the synthesizer, from the first sentence to its first sound. */
    voice_ms: number;
  };
};

export type TranscriptTurn = {
  role: 'assistant' | 'user';
  sequence: number;
  /** Seconds from the answer. */
  t_offset_sec: number;
  text: string;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  timestamp: string;
};

export type CallEvent = {
  /** Numbers the events of the call. */
  sequence: number;
  /** Such as `call.answered`, `call.answered_by`, `call.taken_over`, `call.consent`, `turn.spoken`, `turn.digit`, `agent.paused`, `agent.resumed`, `keys.pressed`, `keys.failed`, `say.requested`, `collect.requested`, `language.changed`, `call.transfer_requested`, `call.transfer_ringing`, `call.transfer_answered`, `call.transfer_connected`, `call.transfer_failed`, `call.transfer_returned`, `call.held`, `call.resumed`, `sound.one_way`, `reply.failed`, `call.hangup_requested`, `call.hangup_cancelled`, `call.ended`, `recording.paused`, `recording.resumed`, `recording.completed`, `recording.failed`, `call.summarized`. There may be more in time. */
  type: string;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  at: string;
  /** Seconds from the answer; null before it, and for unanswered calls. */
  t_offset_sec: number | null;
  /** The data of the event. For `turn.spoken`: `turn` (its `sequence` in the transcript), `role`, `text`, `whole` (false if it was cut short), `ended_at`, and for a reply of the agent `latency` with `agent` (its kind) and the known values of `endpointing_ms` (from the last sound of the other party to the end of its turn), `queued_ms` (from then to the request for the reply), and from the request `first_token_ms`, `first_sentence_ms` and `first_audio_ms`; the wait is the sum of the first, the second and the last. For `call.answered_by`: `by`, and `latency` with `answered_by_ms`, the time from the answer to this verdict (missing after a take-over). */
  data: Record<string, unknown>;
};

export type PhoneNumber = {
  id: string;
  /** Domestic format. */
  number: string;
  /** The spoken language, BCP 47. */
  language: 'ko' | 'en' | 'ja';
  /** The maximum duration of a call. Seconds. */
  max_duration_sec: number | null;
  /** The default duration of a call. Seconds. */
  default_duration_sec: number | null;
  /** The silence of both parties after which the agent asks, and later the call ends. Seconds. */
  silence_timeout_sec: number | null;
  /** Maximum ringing time. Seconds. */
  ring_timeout_sec: number | null;
  /** Concurrent calls. */
  max_concurrent_calls: number | null;
  /** Whether calls are recorded. */
  recording_enabled: boolean | null;
  barge_in: BargeInOutput | null;
  turn_end: TurnEndOutput | null;
  retention_days: RetentionOutput | null;
  consent: ConsentOutput | null;
  /** Permitted destinations of calls. A number can restrict the destinations of its workspace, but not extend them. */
  destinations: {
    /** Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind. */
    kinds: (
      | 'mobile'
      | 'fixed_line'
      | 'toll_free'
      | 'shared_cost'
      | 'voip'
      | 'personal'
      | 'uan'
      | 'pager'
      | 'voicemail'
      | 'premium'
      | 'international'
    )[];
    /** Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins. */
    allowed_prefixes: string[];
    /** Numbers with these prefixes may not be called, whatever their kind. */
    denied_prefixes: string[];
  } | null;
  /** Total minutes of the outbound calls of one day; then `daily_limit_reached`. The day is that of the workspace's time zone. */
  daily_minutes: number | null;
  /** First words that a caller hears; null for the default of the agent. */
  greeting: string | null;
  /** Behaviour when a machine answers an outbound call: the agent talks to it, the call is hung up, or a message is left after its beep and the call is hung up. */
  voicemail: 'talk' | 'hang_up' | 'leave_message';
  /** The message of `leave_message`; null for a default in the language of the number, which does not mention the purpose of the call. */
  voicemail_message: string | null;
  /** Behaviour when call screening answers an outbound call, an assistant of the telephone that asks for the caller's name and reason: it hears `caller_name` and the first sentence of the instruction, and the call waits for a person up to a minute (`answer`), or the call is hung up. */
  screening: 'answer' | 'hang_up';
  /** The caller's name for call screening; null for an automated call without a name. */
  caller_name: string | null;
  /** Behaviour when a menu answers an outbound call: the agent hears it and may press keys (`talk`), or the call is hung up. */
  menu: 'talk' | 'hang_up';
  /** Allowed transfer targets: whole numbers in domestic format, or prefixes that end in `*`; null for none. A prefix allows mobile, fixed-line, toll-free, VoIP, personal and UAN numbers; others, such as premium-rate ones, must be listed in full. */
  transfer_to: string[] | null;
  /** Whether the recording continues after a transfer. False: it contains silence from then on. */
  record_transfers: boolean;
  /** The maximum duration of a transferred call, between the other party and the person. Seconds. */
  transfer_max_duration_sec: number;
  /** Whether admins may listen to live calls: never (`off`), after an announcement to the other party (`announced`), or without one (`silent`), where your law allows that. */
  listen_in: 'off' | 'announced' | 'silent';
  /** The only trunk for its outbound calls; null for those of the workspace. */
  trunk_id: string | null;
  /** The first recognizer, one of `GW_RECOGNIZERS`; null for their order. */
  recognizer: string | null;
  /** The first synthesizer, one of `GW_SYNTHESIZERS`; null for their order. */
  synthesizer: string | null;
  /** The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its default. It is reset when the synthesizer changes. */
  voice: string | null;
  agents: {
    inbound: AgentBinding;
    outbound: AgentBinding;
  };
  inbound_auth: {
    method: 'none' | 'handshake';
    url: string | null;
  };
  /** Null if no key was issued. */
  key: {
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    issued_at: string;
    recoverable: boolean;
    /** Its last four characters, to recognize it; null for a key that an earlier version issued. */
    tail: string | null;
  } | null;
  /** The call that began last; null before the first one. */
  last_call: {
    id: string;
    direction: 'inbound' | 'outbound';
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    started_at: string;
  } | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
};

export type AgentBinding = {
  agent: 'builtin' | 'endpoint';
  agent_type: 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra' | null;
  chat_url: string | null;
  /** Stored for `langgraph` only. */
  assistant_id: string | null;
  /** Stored for outbound `mastra` only. */
  agent_id: string | null;
  /** `inline`: marks in replies such as `<hangup/>` are executed and not spoken. `off`: they are ordinary text. */
  controls: 'off' | 'inline';
  /** Model of the built-in agent, one of the operator's (`language_models` of the engines); null for the first. Stored for `builtin` only. */
  model: string | null;
  /** Instructions for the built-in agent's model, added to the gateway's own: who it is, what it knows, what it may promise. Null: only the gateway's. Stored for `builtin` only. */
  prompt: string | null;
  /** Actions that the model of the built-in agent may take: end the call, send DTMF digits, collect digits of the other party, transfer the call (to `transfer_to` only). Null: all, also those of later versions; an empty list: it only talks. Stored for `builtin` only. */
  tools: ('hang_up' | 'press_keys' | 'collect_keys' | 'transfer_call')[] | null;
  /** Whether a token is stored; tokens are never shown. */
  token_configured: boolean;
  /** Your own headers, by their names in lower case; their values are never shown. */
  headers: Record<
    string,
    {
      configured: true;
    }
  >;
};

export type AgentTrial = {
  /** The id of the trial, which belongs to no call; the session is named after it. */
  call_id: string;
  agent_type: 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra' | 'builtin';
  direction: 'inbound' | 'outbound';
  language: string;
  /** Whether every turn got a reply with words or actions. */
  ok: boolean;
  /** Given fields that are not used. */
  notes: string[];
  /** Up to the first failed turn. */
  turns: {
    turn: number;
    /** The other party's words, or the kickoff. */
    message: string;
    exchanges: AgentExchange[];
    /** Text that a call would speak, and the time at which it was ready for synthesis. */
    spoken: {
      text: string;
      /** Milliseconds since the turn began. */
      at_ms: number;
    }[];
    /** The agent's actions, where `controls` is `inline`. */
    controls: {
      act: 'hang_up' | 'press_keys' | 'collect_keys' | 'transfer' | 'change_language';
      /** For `press_keys`. */
      keys?: string | undefined;
      /** For `collect_keys`. */
      wanted?:
        | {
            digits: number | null;
            finish: string | null;
            timeout_sec: number;
            secret: boolean;
          }
        | undefined;
      /** For `transfer`. Whether the number may be called is decided only in a call, by `transfer_to` of its number. */
      transfer?:
        | {
            to: string;
            mode: 'cold' | 'warm';
            say: string | null;
            briefing: string | null;
            accept_key: string | null;
            ring_timeout_sec: number;
            on_failure: 'resume' | 'hang_up';
          }
        | undefined;
      /** For `change_language` (BCP 47). */
      language?: string | undefined;
      /** Milliseconds since the turn began. */
      at_ms: number;
    }[];
    first_byte_ms: number | null;
    first_sentence_ms: number | null;
    /** Milliseconds since the turn began. */
    end_ms: number;
    /** Warnings that a call would log about an accepted reply. */
    remarks: string[];
    failure: {
      kind: string;
      detail: string;
      /** The server's own error text. */
      server_says: string | null;
    } | null;
    /** Recommended change. */
    advice: string | null;
  }[];
};

export type AgentExchange = {
  sent: {
    /** Milliseconds since the turn began. */
    at_ms: number;
    method: 'POST';
    url: string;
    /** The bearer token and the values of your own headers are masked. */
    headers: Record<string, string>;
    body: string;
  };
  /** Null when there was no response. */
  received: {
    status: number;
    headers: Record<string, string>;
    first_byte_ms: number | null;
    end_ms: number | null;
    bytes: number;
    /** The first 4 kB. */
    body: string;
  } | null;
  /** Why there was no response, or why it broke off. */
  error: string | null;
};

export type RecognizerWithLanguages = {
  name: string;
  /** The supported languages, among those of numbers. Absent if it may support all of them. A call in a language without a recognizer is not understood. */
  languages?: ('ko' | 'en' | 'ja')[] | undefined;
};

export type SynthesizerWithVoices = {
  name: string;
  /** Its languages, among those of the gateway; null if the engine does not list them. It may have others. */
  voices: Voice[] | null;
};

export type Voice = {
  /** For `voice` of a number. */
  name: string;
  /** BCP 47. */
  language: string;
  /** Pages for people. */
  title: string;
};

export type NumberKey = {
  /** Keep it secret: it places calls that cost money. */
  key: string;
};

export type WorkspaceCallPage = {
  calls: WorkspaceCallListItem[];
  /** For the next page; null on the last one. */
  next_cursor: string | null;
};

export type WorkspaceCallListItem = {
  id: string;
  /** The number that the call belongs to. */
  number_id: string;
  direction: 'inbound' | 'outbound';
  /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
  counterparty: string;
  status: CallStatus;
  /** Null while the call is in progress. */
  end_reason: EndReason | null;
  /** The task given when the call was created. */
  instruction: string | null;
  /** Null until the call was summarized. */
  summary: string | null;
  /** The metadata given when the call was placed; absent if there was none. */
  metadata?: Record<string, string> | undefined;
  /** The last transfer; null if there was none. */
  transfer: CallTransfer | null;
  /** Whether the other party consented; absent without an announcement, and until it is known. */
  consent?: CallConsent | undefined;
  /** Time at which the transcript, instruction and summary of the call were erased; absent while they are kept. */
  words_erased_at?: string | undefined;
  /** Time at which personal data of the call was erased, except the last two digits of the number. Absent otherwise. */
  erased_at?: string | undefined;
  /** Time at which dialing started, or the caller rang. */
  started_at: string;
  ended_at: string | null;
  /** The number that the call belongs to. */
  number: string;
  /** Connected time. */
  duration_sec: number | null;
  /** Waiting time of the other party for the agent, from the last sound of its words to the first sound of the reply: 95th percentile of the turns. Null without measurements. */
  turn_latency_p95_ms: number | null;
  /** The turn of the transcript in which most words of `q` were found. Null without a search by words, and if they are not in the transcript. */
  excerpt: {
    role: 'assistant' | 'user';
    /** Part of what was said: the text around the first word that was found. */
    text: string;
  } | null;
};

export type CallCount = {
  /** At most 10000. */
  calls: number;
  /** Whether there are more calls than that. */
  has_more: boolean;
};

export type WorkspaceCall = {
  /** The same as `id`. */
  call_id: string;
  id: string;
  /** The number that the call belongs to. */
  number_id: string;
  direction: 'inbound' | 'outbound';
  /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
  counterparty: string;
  status: CallStatus;
  /** Null while the call is in progress. */
  end_reason: EndReason | null;
  /** The task given when the call was created. */
  instruction: string | null;
  /** Null until the call was summarized. */
  summary: string | null;
  /** The metadata given when the call was placed; absent if there was none. */
  metadata?: Record<string, string> | undefined;
  /** The last transfer; null if there was none. */
  transfer: CallTransfer | null;
  /** Whether the other party consented; absent without an announcement, and until it is known. */
  consent?: CallConsent | undefined;
  /** Time at which the transcript, instruction and summary of the call were erased; absent while they are kept. */
  words_erased_at?: string | undefined;
  /** Time at which personal data of the call was erased, except the last two digits of the number. Absent otherwise. */
  erased_at?: string | undefined;
  /** Time at which dialing started, or the caller rang. */
  started_at: string;
  ended_at: string | null;
  /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
  from: string;
  /** The caller's display name. Null if absent or withheld. */
  from_name: string | null;
  /** The numbers that an inbound call was meant for before it was forwarded, the last one first: from `Diversion`, else `History-Info`. */
  diversions: {
    /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
    number: string;
    reason: string | null;
  }[];
  /** Domestic format: digits only. A foreign caller is `+` and the number with its country code, a withheld number `anonymous`. */
  to: string;
  /** BCP 47. */
  language: string;
  /** The options in force; empty before the answer. */
  options: {
    max_duration_sec?: number | undefined;
    recording?: boolean | undefined;
  };
  /** Options that are accepted and not yet in force; empty from the answer on. */
  options_pending: {
    max_duration_sec?: number | undefined;
    recording?: boolean | undefined;
  };
  /** Connected time, from the answer to the end. Null while the call is in progress or if unknown; 0 if the call was never answered. */
  duration_sec: number | null;
  answered_at: string | null;
  /** Kind of answer to an outbound call: a person, an answering machine or announcement, a menu that lists digits, or call screening (until a person or a machine follows). Detected during the call; null while it is unclear. */
  answered_by: 'human' | 'machine' | 'screening' | 'menu' | null;
  recording: {
    status: 'none' | 'pending' | 'completed' | 'failed' | 'erased';
    /** Whether the recording is paused. False once the call has ended. */
    paused: boolean;
    /** A part is missing, because its gateway ended while it recorded, or is unavailable: the file is then made again when that gateway is back. The rest can be played. */
    truncated: boolean;
    /** `audio/mpeg` or `audio/ogg`. */
    content_type?: string | undefined;
    duration_sec?: number | undefined;
  };
  /** SIP data of the call; nulls without SIP. */
  sip: {
    status: number | null;
    reason: string | null;
    call_id: string | null;
    /** Why the call ended, from the header `Reason` of the refusal, the CANCEL or the BYE of the other side; at most four, each with a text of up to 200 characters. Absent if there is none. */
    reasons?:
      | {
          /** Usually `SIP` or `Q.850`. */
          protocol: string;
          /** A SIP status, or a cause of the telephone network (ITU-T Q.850). */
          cause: number | null;
          text: string | null;
        }[]
      | undefined;
    /** Web addresses from the header `Call-Info` of a refusal, at which a blocked call can be disputed. Absent if there are none. */
    call_info?: string[] | undefined;
    /** Headers `X-…` of the INVITE: of an inbound call those that the trunk lists in `headers_in`, of an outbound call the requested ones. Absent if there are none. */
    headers?: Record<string, string> | undefined;
  };
  /** For outbound calls: from the INVITE until the callee rang or answered. Null if neither happened, and without SIP. */
  post_dial_delay_ms: number | null;
  sound: CallSound;
  /** How long the other party waited for replies, so far. Absent without a measured turn, and in exports. */
  latency?: LatencySummary | undefined;
  /** The trunk of the call, the last one that was tried; null if there is none. */
  trunk: {
    /** `configured` for the trunk of the gateway itself. */
    id: string;
    name: string;
  } | null;
  /** Ids of the trunks that were tried before and failed. */
  failed_trunks: string[];
  /** `address:port` of SIP and of RTP on both sides; null if unknown. */
  addresses: {
    local_signalling: string | null;
    remote_signalling: string | null;
    local_media: string | null;
    remote_media: string | null;
  };
};

export type ReplayStep = {
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  at: string;
  /** The event of the transition, such as `line.answered`. `(begin)` is the first state, `(time)` an elapsed delay. Events without a transition have their own type. */
  event: string;
  /** The `sequence` of the corresponding event of the call. */
  fact: number | null;
  /** The state of the chart `call` afterwards. */
  call: string;
  /** The state of the chart `conversation`; null if it is not running. */
  conversation: string | null;
  /** The state of the chart `voicemail`; null unless a message is being left on a machine. */
  voicemail: string | null;
};

export type SipLadder = {
  call_id: string;
  messages: SipMessage[];
  /** Why there are none: the call was simulated, the gateway stores none, they have expired, or none was seen. Null if there are some. */
  empty_because: 'simulated' | 'switched_off' | 'too_old' | 'none' | null;
};

export type SipMessage = {
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  at: string;
  /** Time since the first message of the call. */
  elapsed_ms: number;
  /** `out`: sent by this gateway. */
  direction: 'in' | 'out';
  transport: 'udp' | 'tcp' | 'tls' | 'ws' | 'wss';
  /** The gateway’s address. Host and port; an IPv6 address is in brackets. */
  local: string;
  /** The trunk’s address: a name until something was received from it. Host and port; an IPv6 address is in brackets. */
  remote: string;
  /** Its `Call-ID`: a different one for each trunk that is tried. */
  sip_call_id: string;
  start_line: string;
  /** The whole message, up to 16,384 characters, with its secrets masked. */
  text: string;
  /** Number of messages between the previous one and this one that were not stored. */
  left_out: number;
};

export type CallFile = {
  format: 'trunkline.call';
  version: 1;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  exported_at: string;
  /** Whether words, names and digits are replaced by their length, and telephone numbers shortened. */
  masked: boolean;
  call: WorkspaceCall;
  /** The events of the call. */
  facts: CallEvent[];
  /** The transitions of the call's charts, as they were stored. */
  transitions: {
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    at: string;
    chart: 'call' | 'conversation' | 'voicemail';
    chart_version: string;
    /** Null for the first state. */
    from: string | null;
    /** The event's name in XState. */
    event: string;
    to: string;
    /** Number of events before it. */
    facts_before: number;
  }[];
  /** The charts of the transitions. */
  charts: {
    name: 'call' | 'conversation' | 'voicemail';
    /** Version of the definition. Transitions of an older gateway have another one. */
    version: string;
    /** As returned by `getChartDefinition`. */
    definition: Record<string, unknown>;
  }[];
  /** The replay, as returned by `getCallReplay`. */
  steps: ReplayStep[];
  /** The transcript. */
  turns: {
    role: 'assistant' | 'user';
    sequence: number;
    /** Seconds from the answer. */
    t_offset_sec: number;
    text: string;
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    timestamp: string;
    /** False if the turn was cut short. */
    whole: boolean;
    /** Latency of a reply of the agent; null if it was not measured. */
    latency: {
      endpointing_ms?: number | undefined;
      queued_ms?: number | undefined;
      first_token_ms?: number | undefined;
      first_sentence_ms?: number | undefined;
      first_audio_ms?: number | undefined;
    } | null;
  }[];
  sip: SipLadder;
  /** Lists that were too long, of which only the first entries are here. */
  truncated: ('facts' | 'transitions' | 'turns' | 'steps')[];
  /** Why there is no audio; null if there is some. `too_large`: over 32 MiB; download the recording itself. */
  audio_left_out: 'not_requested' | 'masked' | 'none' | 'not_available' | 'too_large' | null;
  /** The last field of the file; absent without audio. */
  audio?:
    | {
        content_type: string;
        /** The recording. */
        base64: string;
      }
    | undefined;
};

export type AuditEntry = {
  id: number;
  /** The actor: `admin:` and the id of the token. */
  actor: string;
  /** The action, such as `number_key.revealed`. */
  action: string;
  /** The target, such as `number:` and its id. */
  subject: string;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  at: string;
  /** Details; never a secret. */
  detail: Record<string, unknown>;
};

export type Workspace = {
  id: string;
  name: string;
  /** IANA name, for the timestamps of the workspace. */
  time_zone: string;
  /** The maximum duration of a call. Seconds. */
  max_duration_sec: number | null;
  /** The default duration of a call. Seconds. */
  default_duration_sec: number | null;
  /** The silence of both parties after which the agent asks, and later the call ends. Seconds. */
  silence_timeout_sec: number | null;
  /** Maximum ringing time. Seconds. */
  ring_timeout_sec: number | null;
  /** Concurrent calls. */
  max_concurrent_calls: number | null;
  /** Whether calls are recorded. */
  recording_enabled: boolean | null;
  barge_in: BargeInOutput | null;
  turn_end: TurnEndOutput | null;
  retention_days: RetentionOutput | null;
  consent: ConsentOutput | null;
  /** Permitted destinations of calls. A number can restrict the destinations of its workspace, but not extend them. */
  destinations: {
    /** Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind. */
    kinds: (
      | 'mobile'
      | 'fixed_line'
      | 'toll_free'
      | 'shared_cost'
      | 'voip'
      | 'personal'
      | 'uan'
      | 'pager'
      | 'voicemail'
      | 'premium'
      | 'international'
    )[];
    /** Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins. */
    allowed_prefixes: string[];
    /** Numbers with these prefixes may not be called, whatever their kind. */
    denied_prefixes: string[];
  } | null;
  /** Concurrent calls of all numbers. */
  max_calls_in_progress: number | null;
  /** Total minutes of the outbound calls of one day; then `daily_limit_reached`. The day is that of the workspace's time zone. */
  daily_minutes: number | null;
  /** Values that apply to a number without its own settings: the workspace's, then the platform's. */
  effective: {
    max_duration_sec: number;
    default_duration_sec: number;
    silence_timeout_sec: number;
    ring_timeout_sec: number;
    max_concurrent_calls: number;
    recording_enabled: boolean;
    barge_in: BargeInOutput;
    turn_end: TurnEndOutput;
    retention_days: RetentionOutput;
    consent: ConsentOutput;
    destinations: {
      /** Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind. */
      kinds: (
        | 'mobile'
        | 'fixed_line'
        | 'toll_free'
        | 'shared_cost'
        | 'voip'
        | 'personal'
        | 'uan'
        | 'pager'
        | 'voicemail'
        | 'premium'
        | 'international'
      )[];
      /** Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins. */
      allowed_prefixes: string[];
      /** Numbers with these prefixes may not be called, whatever their kind. */
      denied_prefixes: string[];
    };
    max_calls_in_progress: number;
    daily_minutes: number | null;
  };
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
};

export type Usage = {
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  from: string;
  /** Start of the next day of the workspace. */
  until: string;
  workspace: {
    /** Minutes a day; null for no limit. */
    limit: number | null;
    /** Talked so far. */
    talked_minutes: number;
    /** The same, with calls in progress at their maximum duration: what exceeds the limit is available to later calls. */
    held_minutes: number;
  };
  numbers: {
    number_id: string;
    number: string;
    /** Minutes a day; null for no limit. */
    limit: number | null;
    /** Talked so far. */
    talked_minutes: number;
    /** The same, with calls in progress at their maximum duration: what exceeds the limit is available to later calls. */
    held_minutes: number;
  }[];
};

export type Overview = {
  /** Days in order; the last one is today. */
  days: {
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    from: string;
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    until: string;
    /** Answered calls. */
    calls: number;
    answered: number;
  }[];
  /** Reasons of the calls that ended in these days, most frequent first. */
  end_reasons: {
    end_reason: EndReason;
    calls: number;
  }[];
  /** Waiting time of the other party for the agent, from the last sound of its words to the first sound of the reply: over the turns of the 300 newest answered calls of each day. */
  latency: {
    today: {
      /** Milliseconds; null without measurements. */
      p50: number | null;
      p95: number | null;
      /** Number of measurements. */
      turns: number;
    };
    yesterday: {
      /** Milliseconds; null without measurements. */
      p50: number | null;
      p95: number | null;
      /** Number of measurements. */
      turns: number;
    };
  };
  /** Agents that failed calls of these days. */
  agents: {
    number_id: string;
    number: string;
    direction: 'inbound' | 'outbound';
    /** `agent_error` or `no_agent_endpoint`. */
    end_reason: EndReason;
    /** Answered calls. */
    calls: number;
    /** Number of those that failed because of it. */
    failed: number;
  }[];
  /** Trunks with calls of these days that ended with `trunk_error`. */
  trunks: {
    /** `configured` for the trunk of the gateway itself. */
    trunk_id: string;
    name: string;
    /** Answered calls. */
    calls: number;
    /** Number of those that failed because of it. */
    failed: number;
  }[];
  /** Endpoints that are disabled or failing, or whose events were given up. */
  webhooks: {
    id: string;
    url: string;
    state: 'active' | 'paused' | 'disabled';
    /** The first failed attempt since the last success. */
    failing_since: string | null;
    /** Events that were given up. */
    dead: number;
  }[];
};

export type Fleet = {
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  since: string;
  /** Time of the read. */
  until: string;
  /** Number of calls that were read. */
  calls: number;
  /** False if more calls started since: then only the newest ones were read. */
  is_whole: boolean;
  states: {
    /** The name of the chart. */
    chart: 'call' | 'conversation' | 'voicemail';
    state: string;
    /** How often a call entered it. */
    entries: number;
    /** Median time in the state, in milliseconds, to within about 5 percent; null if no call has left it. */
    median_ms: number | null;
    /** Number of calls that failed in this state. */
    failed: number;
  }[];
  transitions: {
    /** The name of the chart. */
    chart: 'call' | 'conversation' | 'voicemail';
    /** Null for the beginning of the chart. */
    from: string | null;
    to: string;
    count: number;
  }[];
};

export type LatencyReport = {
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  from: string;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  until: string;
  /** Calls that started in this time; null without a measured turn. */
  current: LatencySummary | null;
  /** Calls of the same length of time before `from`. */
  before: LatencySummary | null;
  /** The current values by kind of agent, the most turns first. */
  agents: {
    /** `builtin`, or the type of the endpoint. */
    agent: 'builtin' | 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra';
    latency: LatencySummary;
  }[];
};

export type Gateway = {
  /** Its name among the gateways that share the database. */
  name: string;
  /** `silent`: it does not reach the database, or has just died. `lost`: the others found it dead, and take its calls over. */
  state: 'running' | 'silent' | 'lost';
  /** Its last heartbeat. */
  seen_at: string;
  /** Whether this gateway may take over calls of another one. */
  takes_calls: boolean;
  /** Calls of the workspace that it owns. */
  calls: {
    ringing: number;
    active: number;
    /** Active calls that began at another gateway, or before the last start of this one. */
    taken_over: number;
  };
  /** Its version; null for versions that do not tell it. */
  version: string | null;
  /** Its load, at most a few seconds old; null for a gateway that is not running, and for versions that do not tell it. */
  load: {
    /** Share of the time in which its main thread was busy, from 0 to 1. */
    utilization: number;
    /** Share of its memory that is in use, from 0 to 1. */
    memory: number;
    /** How late its timers are, because it is busy. Milliseconds. */
    delay_ms: number;
  } | null;
  /** Whether this gateway answered the request. */
  is_current: boolean;
};

export type AdminToken = {
  id: string;
  /** Its user or purpose. */
  name: string;
  /** `viewer` reads everything except keys; `admin` may also change things. */
  role: 'admin' | 'viewer';
  state: 'active' | 'expired';
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  /** Null: valid until it is revoked. */
  expires_at: string | null;
  /** To the minute; null if it was never used. */
  last_used_at: string | null;
  /** The gateway (`GW_NODE`) that created it for its `dev-credentials.json`; null for others. */
  gateway: string | null;
  /** Whether this request was sent with this token. */
  is_current: boolean;
};

export type AdminTokenWithSecret = {
  id: string;
  /** Its user or purpose. */
  name: string;
  /** `viewer` reads everything except keys; `admin` may also change things. */
  role: 'admin' | 'viewer';
  state: 'active' | 'expired';
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  /** Null: valid until it is revoked. */
  expires_at: string | null;
  /** To the minute; null if it was never used. */
  last_used_at: string | null;
  /** The gateway (`GW_NODE`) that created it for its `dev-credentials.json`; null for others. */
  gateway: string | null;
  /** Whether this request was sent with this token. */
  is_current: boolean;
  /** Shown only once. */
  token: string;
};

export type Trunk = {
  id: string;
  /** Unique in the workspace. */
  name: string;
  /** A host name or an IP address. */
  host: string;
  /** Null: from DNS (SRV), else 5060, or 5061 for tls. */
  port: number | null;
  transport: 'udp' | 'tcp' | 'tls';
  /** Hosts for calls and OPTIONS instead of `host` and `port`, which remain the registrar and the domain: the lowest `priority` first, equal ones by `weight`. A `drained` one gets no new calls. Empty: only `host`. */
  addresses: {
    host: string;
    port: number | null;
    priority: number;
    weight: number;
    drained: boolean;
  }[];
  /** For digest authentication and registration. */
  username: string | null;
  /** Whether the gateway registers with the trunk. */
  register: boolean;
  /** The realm of challenges to callers; null for `trunkline`. */
  realm: string | null;
  /** The domain in From; null for the trunk's host. */
  from_domain: string | null;
  /** `01012345678`, `+821012345678` or `821012345678`. */
  number_format: 'domestic' | 'e164' | 'e164_without_plus';
  /** The header with the caller's number. For all but `from`, From has the user name. */
  caller_id: 'from' | 'p-asserted-identity' | 'p-preferred-identity';
  /** Whether the caller's number is withheld from the called party. */
  privacy: boolean;
  /** Offered and accepted in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus. */
  codecs: ('PCMU' | 'PCMA' | 'G722' | 'opus')[] | null;
  /** `required`: audio is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted if the other side supports it (RFC 8643); FreeSWITCH offers it unencrypted, and accepts encrypted offers. The keys are in the SIP messages (RFC 4568): use the transport `tls`. */
  srtp: 'off' | 'optional' | 'required';
  /** Carrier of a call's audio, decided once when the call is set up: `freeswitch`; `direct`, the gateway itself by RTP or SRTP with PCMU and PCMA, at a fraction of the processor time; `auto`, the gateway itself where possible, else FreeSWITCH. An offer that the carrier does not support gets 488, also within a call, which then stays as it was. */
  media: 'freeswitch' | 'auto' | 'direct';
  /** Prefixes of the numbers that it serves, in E.164. The longest match wins over any priority; trunks without prefixes serve all numbers, after it. */
  prefixes: string[];
  /** The lowest is used first. */
  priority: number;
  /** The share of calls among trunks of the same priority. */
  weight: number;
  /** Concurrent calls in both directions; null for no limit. */
  max_channels: number | null;
  /** New outbound calls per second; null for no limit. */
  calls_per_second: number | null;
  /** Final statuses after which an unanswered call moves to the next trunk, unless a telephone has rung; `5xx` is a whole class. A `Reason` of the network takes precedence over the status. A `Retry-After` with one of them stops calls to the trunk until then, for an hour at most. */
  failover_statuses: string[];
  /** Whether calls follow redirects (302 and others): never, only to hosts of the trunk, or anywhere. In order of `q`; at most five for each trunk of a call, each target once; the new number must be allowed. */
  redirects: 'refused' | 'same_host' | 'any';
  /** Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here after they are connected. If a trunk refuses REFER, the gateway calls the person. */
  refer: boolean;
  /** Whether a REFER of the other party is accepted, as a transfer to the number that it names, if `transfer_to` of the number allows it. It is declined (603) otherwise. */
  accept_refer: boolean;
  /** Source addresses of its calls: addresses and CIDR blocks. */
  inbound_addresses: string[];
  /** `digest`: callers authenticate with user name and password, from the addresses above or, without any, from all. */
  inbound_auth: 'none' | 'digest';
  /** Headers accepted from a caller's INVITE, stored in `sip.headers` of the call and its events; names begin with `X-` and are case-insensitive. Values of more than 255 bytes, or with control characters, are dropped. */
  headers_in: string[];
  /** Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers uses only trunks that list all of them. */
  headers_out: string[];
  /** Whether OPTIONS checks the trunk's health. Disable it for a trunk that never answers. */
  health_check: boolean;
  /** Stops new calls: none are sent, and inbound ones get 503. Active calls continue, and the trunk stays registered. */
  drained: boolean;
  enabled: boolean;
  password_configured: boolean;
  /** At the responding gateway. `registering`, `registered`, `unregistered` for a trunk that registers, `ready` for one that does not; `unreachable`: OPTIONS is not answered; `resting`: it asked for a pause; `draining`, `drained`: it takes no new calls, and some are still active, or none; `unused`: the lines are simulated. */
  state:
    | 'disabled'
    | 'registering'
    | 'registered'
    | 'unregistered'
    | 'ready'
    | 'unreachable'
    | 'resting'
    | 'draining'
    | 'drained'
    | 'unused';
  /** The reason, if there is one. */
  detail: string | null;
  /** Its last answer. */
  last_seen_at: string | null;
  /** No calls until then (`Retry-After`). A change of its settings ends it. */
  rests_until: string | null;
  /** Its current calls, in both directions. */
  channels_in_use: number;
  /** The state of each of its `addresses`, at the responding gateway. */
  address_states: {
    address: string;
    state:
      | 'disabled'
      | 'registering'
      | 'registered'
      | 'unregistered'
      | 'ready'
      | 'unreachable'
      | 'resting'
      | 'draining'
      | 'drained'
      | 'unused';
    detail: string | null;
    last_seen_at: string | null;
    rests_until: string | null;
    /** Outbound calls on it. */
    channels_in_use: number;
  }[];
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
};

export type TrunkCheckStep = {
  step: 'registration' | 'options' | 'call';
  result: 'ok' | 'failed' | 'skipped';
  /** The meaning, and advice. */
  sentence: string;
  /** The SIP messages of this step. */
  ladder: {
    at_ms: number;
    direction: 'out' | 'in';
    message: string;
  }[];
};

export type TrunkStatistics = {
  /** `configured` for the trunk of the gateway itself. */
  trunk_id: string;
  name: string;
  /** Ended outbound calls on it. */
  outbound_calls: number;
  outbound_answered: number;
  /** Calls that it failed and another trunk took. */
  outbound_failed_over: number;
  inbound_calls: number;
  inbound_answered: number;
  /** ASR, 0 to 1: the share of its outbound calls that was answered, including those it failed. */
  answer_seizure_ratio: number | null;
  /** ACD, over answered calls of both directions. */
  average_call_duration_sec: number | null;
  /** Average PDD: from the INVITE until the callee rings or answers. */
  post_dial_delay_ms: number | null;
  /** Average mean opinion score of received audio. */
  mos: number | null;
  /** Calls in which one party heard nothing. */
  one_way_calls: number;
};

export type Webhook = {
  id: string;
  url: string;
  /** Event types to deliver; null for all types. */
  events:
    | (
        | 'call.ringing'
        | 'call.answered'
        | 'call.answered_by'
        | 'call.consent'
        | 'call.hangup_requested'
        | 'call.hangup_cancelled'
        | 'call.transfer_requested'
        | 'call.transfer_connected'
        | 'call.transfer_failed'
        | 'call.transfer_returned'
        | 'call.ended'
        | 'recording.completed'
        | 'recording.failed'
        | 'call.summarized'
        | 'call.erased'
      )[]
    | null;
  /** Only events of this number; null for all numbers. */
  number_id: string | null;
  /** Events wait while an endpoint is paused. An endpoint that answered 410 is disabled. */
  state: 'active' | 'paused' | 'disabled';
  disabled_reason: string | null;
  /** The first failed attempt since the last success; null if there is none. Events wait meanwhile, some without an attempt of their own. */
  failing_since: string | null;
  /** Failure of the last attempt; null unless the endpoint is failing. */
  last_failure: string | null;
  /** A stable code of the cause of that failure; null if it is unknown. */
  last_failure_code:
    | 'loopback_refused'
    | 'private_address'
    | 'https_required'
    | 'unusable_url'
    | 'name_unknown'
    | 'name_without_address'
    | 'name_servers_silent'
    | 'connection_refused'
    | 'unreachable'
    | 'connection_closed'
    | 'connection_broken'
    | 'no_connection_in_time'
    | 'certificate_expired'
    | 'certificate_not_yet_valid'
    | 'certificate_of_other_name'
    | 'certificate_not_trusted'
    | 'no_tls'
    | 'tls_failed'
    | 'redirect'
    | 'redirect_to_sign_in'
    | 'redirect_to_nowhere'
    | 'not_http'
    | 'unreadable_compression'
    | 'over_capacity'
    | 'not_answering_lately'
    | 'no_answer_in_time'
    | 'robot_protection'
    | 'firewall'
    | 'unauthorized'
    | 'forbidden'
    | 'not_found'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'gone'
    | 'length_required'
    | 'too_large'
    | 'wrong_content_type'
    | 'other_protocol'
    | 'too_many_requests'
    | 'nothing_behind_proxy'
    | 'unavailable'
    | 'server_error'
    | 'refused'
    | null;
  /** The cause of that failure in a sentence, with advice; null if it is unknown. */
  last_failure_advice: string | null;
  /** The last delivered event of this URL, to within ten seconds; null if none was delivered. */
  last_success_at: string | null;
  /** The next attempt to deliver an event, never in the past; null if no event waits, and while the endpoint is not active. An endpoint that does not answer is tried less often. */
  next_attempt_at: string | null;
  /** Time until which the previous secret signs as well. */
  previous_secret_until: string | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
};

export type WebhookWithSecret = {
  id: string;
  url: string;
  /** Event types to deliver; null for all types. */
  events:
    | (
        | 'call.ringing'
        | 'call.answered'
        | 'call.answered_by'
        | 'call.consent'
        | 'call.hangup_requested'
        | 'call.hangup_cancelled'
        | 'call.transfer_requested'
        | 'call.transfer_connected'
        | 'call.transfer_failed'
        | 'call.transfer_returned'
        | 'call.ended'
        | 'recording.completed'
        | 'recording.failed'
        | 'call.summarized'
        | 'call.erased'
      )[]
    | null;
  /** Only events of this number; null for all numbers. */
  number_id: string | null;
  /** Events wait while an endpoint is paused. An endpoint that answered 410 is disabled. */
  state: 'active' | 'paused' | 'disabled';
  disabled_reason: string | null;
  /** The first failed attempt since the last success; null if there is none. Events wait meanwhile, some without an attempt of their own. */
  failing_since: string | null;
  /** Failure of the last attempt; null unless the endpoint is failing. */
  last_failure: string | null;
  /** A stable code of the cause of that failure; null if it is unknown. */
  last_failure_code:
    | 'loopback_refused'
    | 'private_address'
    | 'https_required'
    | 'unusable_url'
    | 'name_unknown'
    | 'name_without_address'
    | 'name_servers_silent'
    | 'connection_refused'
    | 'unreachable'
    | 'connection_closed'
    | 'connection_broken'
    | 'no_connection_in_time'
    | 'certificate_expired'
    | 'certificate_not_yet_valid'
    | 'certificate_of_other_name'
    | 'certificate_not_trusted'
    | 'no_tls'
    | 'tls_failed'
    | 'redirect'
    | 'redirect_to_sign_in'
    | 'redirect_to_nowhere'
    | 'not_http'
    | 'unreadable_compression'
    | 'over_capacity'
    | 'not_answering_lately'
    | 'no_answer_in_time'
    | 'robot_protection'
    | 'firewall'
    | 'unauthorized'
    | 'forbidden'
    | 'not_found'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'gone'
    | 'length_required'
    | 'too_large'
    | 'wrong_content_type'
    | 'other_protocol'
    | 'too_many_requests'
    | 'nothing_behind_proxy'
    | 'unavailable'
    | 'server_error'
    | 'refused'
    | null;
  /** The cause of that failure in a sentence, with advice; null if it is unknown. */
  last_failure_advice: string | null;
  /** The last delivered event of this URL, to within ten seconds; null if none was delivered. */
  last_success_at: string | null;
  /** The next attempt to deliver an event, never in the past; null if no event waits, and while the endpoint is not active. An endpoint that does not answer is tried less often. */
  next_attempt_at: string | null;
  /** Time until which the previous secret signs as well. */
  previous_secret_until: string | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  /** Signs the events (Standard Webhooks). Shown only once. */
  secret: string;
};

export type Delivery = {
  id: string;
  webhook_id: string;
  event_id: string;
  type:
    | 'call.ringing'
    | 'call.answered'
    | 'call.answered_by'
    | 'call.consent'
    | 'call.hangup_requested'
    | 'call.hangup_cancelled'
    | 'call.transfer_requested'
    | 'call.transfer_connected'
    | 'call.transfer_failed'
    | 'call.transfer_returned'
    | 'call.ended'
    | 'recording.completed'
    | 'recording.failed'
    | 'call.summarized'
    | 'call.erased';
  call_id: string;
  /** `dead`: not retried, unless it is replayed. */
  state: 'pending' | 'delivered' | 'dead';
  /** The next attempt, never in the past; null when it is finished, and while the endpoint is not active. */
  next_attempt_at: string | null;
  /** Why a pending delivery has not been sent: its receiver refuses events for now, its endpoint is paused, or an earlier event of the same call is not delivered yet. Null for a delivery that follows its own schedule. */
  waits_for: 'receiver' | 'resumption' | 'earlier_event' | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  finished_at: string | null;
  attempts: {
    /** Number of the attempt, from 1. */
    attempt: number;
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    at: string;
    duration_ms: number;
    /** Null without a response. */
    http_status: number | null;
    /** Null when it was delivered. */
    error: string | null;
    /** A stable code of the cause; null when it was delivered or the cause is unknown. */
    code:
      | 'loopback_refused'
      | 'private_address'
      | 'https_required'
      | 'unusable_url'
      | 'name_unknown'
      | 'name_without_address'
      | 'name_servers_silent'
      | 'connection_refused'
      | 'unreachable'
      | 'connection_closed'
      | 'connection_broken'
      | 'no_connection_in_time'
      | 'certificate_expired'
      | 'certificate_not_yet_valid'
      | 'certificate_of_other_name'
      | 'certificate_not_trusted'
      | 'no_tls'
      | 'tls_failed'
      | 'redirect'
      | 'redirect_to_sign_in'
      | 'redirect_to_nowhere'
      | 'not_http'
      | 'unreadable_compression'
      | 'over_capacity'
      | 'not_answering_lately'
      | 'no_answer_in_time'
      | 'robot_protection'
      | 'firewall'
      | 'unauthorized'
      | 'forbidden'
      | 'not_found'
      | 'method_not_allowed'
      | 'request_timeout'
      | 'gone'
      | 'length_required'
      | 'too_large'
      | 'wrong_content_type'
      | 'other_protocol'
      | 'too_many_requests'
      | 'nothing_behind_proxy'
      | 'unavailable'
      | 'server_error'
      | 'refused'
      | null;
    /** The cause in a sentence, with advice; null when it was delivered or the cause is unknown. */
    advice: string | null;
  }[];
};

export type DeliveryWithPayload = {
  id: string;
  webhook_id: string;
  event_id: string;
  type:
    | 'call.ringing'
    | 'call.answered'
    | 'call.answered_by'
    | 'call.consent'
    | 'call.hangup_requested'
    | 'call.hangup_cancelled'
    | 'call.transfer_requested'
    | 'call.transfer_connected'
    | 'call.transfer_failed'
    | 'call.transfer_returned'
    | 'call.ended'
    | 'recording.completed'
    | 'recording.failed'
    | 'call.summarized'
    | 'call.erased';
  call_id: string;
  /** `dead`: not retried, unless it is replayed. */
  state: 'pending' | 'delivered' | 'dead';
  /** The next attempt, never in the past; null when it is finished, and while the endpoint is not active. */
  next_attempt_at: string | null;
  /** Why a pending delivery has not been sent: its receiver refuses events for now, its endpoint is paused, or an earlier event of the same call is not delivered yet. Null for a delivery that follows its own schedule. */
  waits_for: 'receiver' | 'resumption' | 'earlier_event' | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  finished_at: string | null;
  attempts: {
    /** Number of the attempt, from 1. */
    attempt: number;
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    at: string;
    duration_ms: number;
    /** Null without a response. */
    http_status: number | null;
    /** Null when it was delivered. */
    error: string | null;
    /** A stable code of the cause; null when it was delivered or the cause is unknown. */
    code:
      | 'loopback_refused'
      | 'private_address'
      | 'https_required'
      | 'unusable_url'
      | 'name_unknown'
      | 'name_without_address'
      | 'name_servers_silent'
      | 'connection_refused'
      | 'unreachable'
      | 'connection_closed'
      | 'connection_broken'
      | 'no_connection_in_time'
      | 'certificate_expired'
      | 'certificate_not_yet_valid'
      | 'certificate_of_other_name'
      | 'certificate_not_trusted'
      | 'no_tls'
      | 'tls_failed'
      | 'redirect'
      | 'redirect_to_sign_in'
      | 'redirect_to_nowhere'
      | 'not_http'
      | 'unreadable_compression'
      | 'over_capacity'
      | 'not_answering_lately'
      | 'no_answer_in_time'
      | 'robot_protection'
      | 'firewall'
      | 'unauthorized'
      | 'forbidden'
      | 'not_found'
      | 'method_not_allowed'
      | 'request_timeout'
      | 'gone'
      | 'length_required'
      | 'too_large'
      | 'wrong_content_type'
      | 'other_protocol'
      | 'too_many_requests'
      | 'nothing_behind_proxy'
      | 'unavailable'
      | 'server_error'
      | 'refused'
      | null;
    /** The cause in a sentence, with advice; null when it was delivered or the cause is unknown. */
    advice: string | null;
  }[];
  /** The body that is sent, as JSON; its first 16000 characters. */
  payload: string;
  /** Whether the body is longer. */
  payload_truncated: boolean;
};

export type ListedCallee = {
  /** Domestic format. */
  number: string;
  /** `script`: it has a script; the others are there without setup. */
  behaviour:
    | 'polite'
    | 'no_answer'
    | 'busy'
    | 'declines'
    | 'one_more_thing'
    | 'silent'
    | 'hangs_up'
    | 'interrupts'
    | 'trunk_error'
    | 'script';
  /** The behaviour in words. */
  description: string;
  /** Number of steps of the script; null without a script. */
  steps: number | null;
};

export type SimulatedCallee = {
  number: string;
  script: Script;
};

export type RehearsalResults = {
  id: string;
  /** The name of the suite, by which runs are compared. */
  suite: string;
  /** The number whose agent was rehearsed. */
  number: string;
  number_id: string;
  /** `queued`: another run uses the number. `interrupted`: the gateway of the run ended before the run did. */
  status: 'queued' | 'running' | 'passed' | 'failed' | 'cancelled' | 'interrupted';
  /** Why the run ended early; null for a run to its end. */
  problem: string | null;
  /** Calls of each case. */
  repeat: number;
  /** Calls at once. */
  parallel: number;
  /** Calls of the whole run. */
  calls: number;
  /** Calls that have ended. */
  calls_done: number;
  /** Finished cases by outcome. */
  cases: {
    passed: number;
    flaky: number;
    failed: number;
  };
  /** The admin token that started the run: `admin:` and the id of the token. */
  started_by: string;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** The suite, in YAML. */
  source: string;
  /** Finished cases, in the order of the suite. */
  results: {
    name: string;
    /** `flaky`: some of its calls passed. */
    outcome: 'passed' | 'flaky' | 'failed';
    /** Calls that passed. */
    passed: number;
    /** Duration of all of its calls, in seconds. */
    took_sec: number;
    runs: {
      /** The call, whose transcript has the words; null if it was refused. */
      call_id: string | null;
      /** Expectations that failed; empty if the call passed. */
      failures: {
        message: string;
        /** Index of the turn in the transcript, from 0; null if it concerns no turn. */
        turn: number | null;
      }[];
      /** How the persona of the case ended; null without one, or if the agent hung up. */
      persona: {
        outcome: 'reached' | 'given_up' | 'turn_limit' | 'model_failed';
        reason: string;
      } | null;
      /** Verdicts of the language model, which the suite asks for. */
      verdicts: {
        statement: string;
        holds: boolean;
        reason: string;
      }[];
    }[];
  }[];
  /** States and transitions of the charts that the calls visited. */
  coverage: {
    chart: 'call' | 'conversation';
    states: {
      visited: number;
      all: number;
      /** Those never visited. */
      never: string[];
    };
    transitions: {
      visited: number;
      all: number;
      /** Those never visited. */
      never: string[];
    };
  }[];
  /** Differences to the previous run of the suite on this number; null without one, and before the end. */
  changes:
    | {
        verdict: 'better' | 'worse' | 'new' | 'gone';
        what: string;
      }[]
    | null;
};

export type Rehearsal = {
  id: string;
  /** The name of the suite, by which runs are compared. */
  suite: string;
  /** The number whose agent was rehearsed. */
  number: string;
  number_id: string;
  /** `queued`: another run uses the number. `interrupted`: the gateway of the run ended before the run did. */
  status: 'queued' | 'running' | 'passed' | 'failed' | 'cancelled' | 'interrupted';
  /** Why the run ended early; null for a run to its end. */
  problem: string | null;
  /** Calls of each case. */
  repeat: number;
  /** Calls at once. */
  parallel: number;
  /** Calls of the whole run. */
  calls: number;
  /** Calls that have ended. */
  calls_done: number;
  /** Finished cases by outcome. */
  cases: {
    passed: number;
    flaky: number;
    failed: number;
  };
  /** The admin token that started the run: `admin:` and the id of the token. */
  started_by: string;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
};

export type BargeInOutput = {
  /** `pause`: the agent pauses at the onset of a voice, and resumes if it was noise, a cough or a backchannel. `stop`: the agent continues until speech is recognized. `off`: the agent finishes, then answers. */
  mode: 'pause' | 'stop' | 'off';
  /** For `pause`: a voice of this length is an onset. Milliseconds. */
  onset_ms: number;
  /** For `pause`: speech of this length is an interruption even if its words are not known yet. Milliseconds. */
  speech_ms: number;
  /** For `pause`: after this silence following an onset without words the agent resumes. Milliseconds. */
  resume_ms: number;
};

export type TurnEndOutput = {
  /** `pause`: the silence after the words, short when they sound complete and long when they do not. `recognizer`: the end-of-turn event of the recognizer, if it has one (`deepgram`, `deepgram-flux`). `model`: a speech model provided by the operator (`GW_TURN_MODEL`). A mode that this gateway lacks is refused; if it fails later, `pause` applies. */
  mode: 'pause' | 'recognizer' | 'model';
  /** A turn does not end before this silence. Milliseconds. */
  min_silence_ms: number;
  /** A turn with words ends after this silence in every mode. Milliseconds. */
  max_silence_ms: number;
};

export type RetentionOutput = {
  /** Days after the end of a call; 0: calls are not recorded; null: for ever. */
  recordings: number | null;
  /** Days after the end of a call for which the transcript, the instruction, the summary and DTMF digits are kept; 0: no transcript and no summary is written, and the rest is deleted at the end; null: for ever. */
  words: number | null;
};

export type ConsentOutput = {
  /** Said first, before any recording and before the agent is asked; it cannot be interrupted. Null: no announcement. */
  announce: string | null;
  /** `none`: the announcement is enough; `speech`: the other party must say yes; `key`: it must press 1. Without a clear answer the question is repeated once; without consent the gateway says goodbye, and the call ends with `consent_refused`. */
  require: 'none' | 'speech' | 'key';
};

/** Codes of problems. */
export type ProblemCode =
  | 'invalid_request'
  | 'invalid_to'
  | 'invalid_max_duration_sec'
  | 'max_duration_exceeds_policy'
  | 'unauthorized'
  | 'number_key_given'
  | 'forbidden'
  | 'destination_not_allowed'
  | 'transfer_not_allowed'
  | 'not_from_console'
  | 'not_on_this_machine'
  | 'number_mismatch'
  | 'not_found'
  | 'call_not_found'
  | 'number_not_found'
  | 'keys_not_available'
  | 'recording_not_available'
  | 'call_active'
  | 'call_not_active'
  | 'transfer_in_progress'
  | 'transfer_not_cancellable'
  | 'room_unknown'
  | 'idempotency_in_progress'
  | 'number_taken'
  | 'number_in_use'
  | 'last_admin_token'
  | 'key_not_recoverable'
  | 'sign_in_link_used'
  | 'sign_in_link_expired'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'no_agent_endpoint'
  | 'search_too_broad'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'concurrency_limit'
  | 'daily_limit_reached'
  | 'stream_limit'
  | 'queue_full'
  | 'internal_error'
  | 'hangup_failed'
  | 'hangup_unavailable'
  | 'draining'
  | 'over_capacity'
  | 'service_unavailable'
  | 'outcome_unknown'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'headers_too_large';

/** Parameters and responses of each operation. */
export type Operations = {
  /** List the calls of the number. Newest first by `started_at`, then by `id`. Follow `next_cursor` until it is null. */
  listCalls: {
    request:
      | {
          limit?: number | undefined;
          /** The `next_cursor` of the previous page. */
          cursor?: string | undefined;
          status?: CallStatus | undefined;
          direction?: 'inbound' | 'outbound' | undefined;
          /** Calls with exactly this metadata; several parameters must all match. Each is a parameter of its own: `metadata.<key>=<value>`. */
          metadata?: Record<string, string> | undefined;
          /** Calls that started at this time or later. */
          since?: string | undefined;
          /** Calls that started before this time. */
          until?: string | undefined;
          /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
          'x-number-id'?: string | undefined;
        }
      | undefined;
    answer: CallPage;
  };
  /** Place a call. Dials `to` from the number of the key and responds as soon as dialing has started. Real calls cost real money. When the other party answers, the agent speaks first. */
  createCall: {
    request: {
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      /** Up to 255 characters. The same key and body within 24 hours return the same response and place no second call. */
      'idempotency-key'?: string | undefined;
      body: CreateCall;
    };
    answer: {
      call_id: string;
      status: 'ringing';
      /** The number that calls, in domestic format. */
      from: string;
    };
  };
  /** Read a call. The call as it is now. `ended_at - started_at` includes the ringing; `duration_sec` does not. */
  getCall: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: Call;
  };
  /** Read the transcript. The words that were heard, turn by turn. For a call in progress: the turns so far. */
  getTranscript: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      transcript: TranscriptTurn[];
    };
  };
  /** Read or stream the events of a call. The journal of the call: its events, in order. With `Accept: text/event-stream` as Server-Sent Events: first the past ones, then new ones live. `event: fact` is an event with its `sequence` as `id`, so `Last-Event-ID` resumes after an interruption. `event: state` has the current states of the call's charts and the current words of both sides (`{"call": "active.talking.conversing", "conversation": "replying.speaking", "voicemail": null, "saying": "Good morning.", "hearing": null}`): `saying` is what was heard of the agent's turn, and the sentence being spoken; `hearing` is what the other party has said so far in its turn, preliminary, not stored, at most five times a second, and only if the recognizer has words before the end of a sentence; `line-life`, `outbound-leg`, `inbound-leg` and `second-leg` are there while the line and its legs have them; it is sent as long as this gateway owns the call or can reach its owner. `event: end` is the last one. The stream may end without it when the gateway shuts down: connect again. It also ends within a few seconds after its key or token is revoked, reissued or expired. */
  getCallEvents: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      /** The last `id` of an interrupted stream. */
      'last-event-id'?: string | undefined;
    };
    answer: {
      events: CallEvent[];
    };
  };
  /** Download the recording. The audio file, available shortly after the call. Wait for the event `recording.completed`, or repeat the request while `reason` is `pending`. */
  getRecording: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      /** One range of bytes. */
      range?: string | undefined;
      /** ETags: the file is not sent if it matches one of them. */
      'if-none-match'?: string | undefined;
      /** An ETag: `Range` applies only to this file. */
      'if-range'?: string | undefined;
    };
    answer: Response;
  };
  /** Pause the recording. For confidential content, such as a card number. From the response on, the recording contains silence for both parties until it is resumed or the call ends; positions in the recording still match the transcript, which continues. Idempotent. */
  pauseRecording: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      recording: {
        paused: true;
      };
    };
  };
  /** Resume the recording. Records both parties again. The first moment stays silent, because audio in transit was spoken before the request. Idempotent. */
  resumeRecording: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      recording: {
        paused: false;
      };
    };
  };
  /** Send DTMF digits. For a recorded menu or an extension: the other party gets the digits at once, whatever is being said. The events of the call have `keys.pressed` when they were sent, or `keys.failed` if the other party refused them. */
  pressKeys: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      body: {
        /** One or more of `0-9`, `*`, `#` and `A-D`; `w` waits for half a second. */
        keys: string;
      };
    };
    answer: {
      call_id: string;
      status: 'keys_requested';
    };
  };
  /** Collect DTMF digits of the other party. The digits that the other party presses reach the agent as one turn, `[keys] 1234`, when the requested number is reached, at the finishing digit, or after a while without one; `[keys]` alone if none was pressed. The turn is in the transcript. A new request replaces this one. */
  collectKeys: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      body: {
        /** The number of digits. */
        digits?: number | null | undefined;
        /** The digit that finishes the input; it is not included. */
        finish?: string | null | undefined;
        /** The longest wait for the first digit and each next one, while neither party speaks. */
        timeout_sec?: number | undefined;
        /** Only the agent's endpoint receives the digits. They are hidden from the transcript, the events, listeners, the recording (which pauses by itself) and the built-in agent. Later digits are hidden as well, until digits that are not secret are collected. */
        secret?: boolean | undefined;
      };
    };
    answer: {
      call_id: string;
      status: 'collect_requested';
    };
  };
  /** Say something as the agent. The words are said as soon as the floor is free: after the agent's current reply, and after its answer to what the other party is saying. The other party can interrupt them. The part that was heard is an assistant turn in the transcript and known to the agent; the request is `say.requested` in the events of the call. */
  say: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      body: {
        /** Spoken like a reply, sentence by sentence. */
        text: string;
        /** Said at once; the agent's current reply is dropped, whether spoken or being generated. An unanswered question of the other party is answered afterwards. The other party is never talked over. */
        interrupt?: boolean | undefined;
      };
    };
    answer: {
      call_id: string;
      status: 'say_requested';
    };
  };
  /** Transfer a call to a person. Calls a person and connects them with the other party when they answer; meanwhile the agent is silent, and afterwards it has left the call. Only targets allowed by the setting `transfer_to` of the number are called. The result follows in the events of the call: `call.transfer_connected`, `call.transfer_failed` or `call.transfer_returned`. */
  transfer: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      body: {
        /** A domestic telephone number. */
        to: string;
        /** `cold`: the person is connected as soon as they answer. `warm`: the person hears a briefing first, while the other party hears a hold tone. */
        mode?: 'cold' | 'warm' | undefined;
        /** Said to the other party before the person is called; it cannot be interrupted. */
        say?: string | null | undefined;
        /** Warm transfers only: text that the person hears before being connected. The default says that an agent has answered so far, followed by a summary of the call by the gateway's language model; without a model, or if the summary is not ready when the person answers, by the last words of the other party. */
        briefing?: string | null | undefined;
        /** Warm transfers only: the digit with which the person accepts the call; it is announced after the briefing. Without a digit they are connected at its end. A person who has not pressed it 15 seconds later is hung up on (`not_accepted`). */
        accept_key?: string | null | undefined;
        /** Maximum ringing time. Seconds. */
        ring_timeout_sec?: number | undefined;
        /** Behaviour if the person is not connected: the agent is notified and continues, or the call ends with `transfer_failed`. */
        on_failure?: 'resume' | 'hang_up' | undefined;
      };
    };
    answer: {
      call_id: string;
      transfer_id: string;
      status: 'transfer_requested';
    };
  };
  /** Cancel a transfer. Before the person is connected: the person is no longer called, and the agent continues. A person who answers at the same moment may still be connected. A transfer performed by the trunk (REFER) cannot be cancelled: `transfer_not_cancellable`. */
  cancelTransfer: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      status: 'transfer_taken_back';
    };
  };
  /** Ask a call to hang up. The call ends after the farewell was heard, and continues if the other party speaks during it. Say the farewell before or while requesting. The event `call.ended` with `end_reason` `agent_hangup` reports the end. On any error the call continues. */
  hangUp: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      body?:
        | {
            /** End the call at once, without waiting for the farewell. */
            immediate?: boolean | undefined;
          }
        | undefined;
    };
    answer: {
      call_id: string;
      status: 'hangup_requested';
    };
  };
  /** Cancel a ringing call. Ends a call that is still ringing; it becomes `no_answer` with `end_reason` `cancelled`. An answered call is hung up instead. */
  cancelCall: {
    request: {
      /** The call. */
      call_id: string;
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      status: 'cancel_requested';
    };
  };
  /** Use the calls from another agent. One message of the Model Context Protocol (streamable HTTP, stateless), whose tools place, follow and end the calls of the number: `place_call`, `wait_for_call`, `get_call`, `get_transcript`, `list_calls`, `hang_up` and `transfer_call`. MCP clients send it; configure them with this address and the key. */
  postMcp: {
    request: {
      /** The number of the key; absent, empty or `null` means the same. Another number is refused. */
      'x-number-id'?: string | undefined;
      /** The protocol version agreed on by `initialize`. */
      'mcp-protocol-version'?: string | undefined;
      /** The session that the response to `initialize` named. */
      'mcp-session-id'?: string | undefined;
      /** A message of JSON-RPC 2.0; one at a time. */
      body: Record<string, unknown>;
    };
    answer: Response;
  };
  /** List the numbers. All numbers of the workspace, oldest first. */
  listNumbers: {
    request: undefined;
    answer: {
      numbers: PhoneNumber[];
    };
  };
  /** Add a number. Both directions start with the built-in agent. Issue a key to place calls from the number. */
  createNumber: {
    request: {
      body: {
        /** Domestic format; hyphens and spaces are removed. */
        number: string;
        /** The spoken language, BCP 47. */
        language?: 'ko' | 'en' | 'ja' | undefined;
        /** The maximum duration of a call. Seconds. */
        max_duration_sec?: number | null | undefined;
        /** The default duration of a call. Seconds. */
        default_duration_sec?: number | null | undefined;
        /** The silence of both parties after which the agent asks, and later the call ends. Seconds. */
        silence_timeout_sec?: number | null | undefined;
        /** Maximum ringing time. Seconds. */
        ring_timeout_sec?: number | null | undefined;
        /** Concurrent calls. */
        max_concurrent_calls?: number | null | undefined;
        /** Whether calls are recorded. */
        recording_enabled?: boolean | null | undefined;
        barge_in?: BargeIn | null | undefined;
        turn_end?: TurnEnd | null | undefined;
        retention_days?: Retention | null | undefined;
        consent?: Consent | null | undefined;
        /** Permitted destinations of calls. A number can restrict the destinations of its workspace, but not extend them. */
        destinations?:
          | {
              /** Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind. */
              kinds: (
                | 'mobile'
                | 'fixed_line'
                | 'toll_free'
                | 'shared_cost'
                | 'voip'
                | 'personal'
                | 'uan'
                | 'pager'
                | 'voicemail'
                | 'premium'
                | 'international'
              )[];
              /** Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins. */
              allowed_prefixes: string[];
              /** Numbers with these prefixes may not be called, whatever their kind. */
              denied_prefixes: string[];
            }
          | null
          | undefined;
        /** Total minutes of the outbound calls of one day; then `daily_limit_reached`. The day is that of the workspace's time zone. */
        daily_minutes?: number | null | undefined;
        /** First words that a caller hears; null for the default of the agent. */
        greeting?: string | null | undefined;
        /** Behaviour when a machine answers an outbound call: the agent talks to it, the call is hung up, or a message is left after its beep and the call is hung up. */
        voicemail?: 'talk' | 'hang_up' | 'leave_message' | undefined;
        /** The message of `leave_message`; null for a default in the language of the number, which does not mention the purpose of the call. */
        voicemail_message?: string | null | undefined;
        /** Behaviour when call screening answers an outbound call, an assistant of the telephone that asks for the caller's name and reason: it hears `caller_name` and the first sentence of the instruction, and the call waits for a person up to a minute (`answer`), or the call is hung up. */
        screening?: 'answer' | 'hang_up' | undefined;
        /** The caller's name for call screening; null for an automated call without a name. */
        caller_name?: string | null | undefined;
        /** Behaviour when a menu answers an outbound call: the agent hears it and may press keys (`talk`), or the call is hung up. */
        menu?: 'talk' | 'hang_up' | undefined;
        /** Allowed transfer targets: whole numbers in domestic format, or prefixes that end in `*`; null for none. A prefix allows mobile, fixed-line, toll-free, VoIP, personal and UAN numbers; others, such as premium-rate ones, must be listed in full. */
        transfer_to?: string[] | null | undefined;
        /** Whether the recording continues after a transfer. False: it contains silence from then on. */
        record_transfers?: boolean | undefined;
        /** The maximum duration of a transferred call, between the other party and the person. Seconds. */
        transfer_max_duration_sec?: number | undefined;
        /** Whether admins may listen to live calls: never (`off`), after an announcement to the other party (`announced`), or without one (`silent`), where your law allows that. */
        listen_in?: 'off' | 'announced' | 'silent' | undefined;
        /** The only trunk for its outbound calls; null for those of the workspace. */
        trunk_id?: string | null | undefined;
        /** The first recognizer, one of `GW_RECOGNIZERS`; null for their order. */
        recognizer?: string | null | undefined;
        /** The first synthesizer, one of `GW_SYNTHESIZERS`; null for their order. */
        synthesizer?: string | null | undefined;
        /** The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its default. It is reset when the synthesizer changes. */
        voice?: string | null | undefined;
      };
    };
    answer: PhoneNumber;
  };
  /** Read a number. Its settings, its agents and whether it has a key; no secrets. */
  getNumber: {
    request: {
      /** The number. */
      id: string;
    };
    answer: PhoneNumber;
  };
  /** Change a number. Changes the given fields. A policy field that is null falls back to the workspace, then to the platform. Calls in progress keep their settings. */
  updateNumber: {
    request: {
      /** The number. */
      id: string;
      body: {
        /** The spoken language, BCP 47. */
        language?: 'ko' | 'en' | 'ja' | undefined;
        /** The maximum duration of a call. Seconds. */
        max_duration_sec?: number | null | undefined;
        /** The default duration of a call. Seconds. */
        default_duration_sec?: number | null | undefined;
        /** The silence of both parties after which the agent asks, and later the call ends. Seconds. */
        silence_timeout_sec?: number | null | undefined;
        /** Maximum ringing time. Seconds. */
        ring_timeout_sec?: number | null | undefined;
        /** Concurrent calls. */
        max_concurrent_calls?: number | null | undefined;
        /** Whether calls are recorded. */
        recording_enabled?: boolean | null | undefined;
        barge_in?: BargeIn | null | undefined;
        turn_end?: TurnEnd | null | undefined;
        retention_days?: Retention | null | undefined;
        consent?: Consent | null | undefined;
        /** Permitted destinations of calls. A number can restrict the destinations of its workspace, but not extend them. */
        destinations?:
          | {
              /** Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind. */
              kinds: (
                | 'mobile'
                | 'fixed_line'
                | 'toll_free'
                | 'shared_cost'
                | 'voip'
                | 'personal'
                | 'uan'
                | 'pager'
                | 'voicemail'
                | 'premium'
                | 'international'
              )[];
              /** Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins. */
              allowed_prefixes: string[];
              /** Numbers with these prefixes may not be called, whatever their kind. */
              denied_prefixes: string[];
            }
          | null
          | undefined;
        /** Total minutes of the outbound calls of one day; then `daily_limit_reached`. The day is that of the workspace's time zone. */
        daily_minutes?: number | null | undefined;
        /** First words that a caller hears; null for the default of the agent. */
        greeting?: string | null | undefined;
        /** Behaviour when a machine answers an outbound call: the agent talks to it, the call is hung up, or a message is left after its beep and the call is hung up. */
        voicemail?: 'talk' | 'hang_up' | 'leave_message' | undefined;
        /** The message of `leave_message`; null for a default in the language of the number, which does not mention the purpose of the call. */
        voicemail_message?: string | null | undefined;
        /** Behaviour when call screening answers an outbound call, an assistant of the telephone that asks for the caller's name and reason: it hears `caller_name` and the first sentence of the instruction, and the call waits for a person up to a minute (`answer`), or the call is hung up. */
        screening?: 'answer' | 'hang_up' | undefined;
        /** The caller's name for call screening; null for an automated call without a name. */
        caller_name?: string | null | undefined;
        /** Behaviour when a menu answers an outbound call: the agent hears it and may press keys (`talk`), or the call is hung up. */
        menu?: 'talk' | 'hang_up' | undefined;
        /** Allowed transfer targets: whole numbers in domestic format, or prefixes that end in `*`; null for none. A prefix allows mobile, fixed-line, toll-free, VoIP, personal and UAN numbers; others, such as premium-rate ones, must be listed in full. */
        transfer_to?: string[] | null | undefined;
        /** Whether the recording continues after a transfer. False: it contains silence from then on. */
        record_transfers?: boolean | undefined;
        /** The maximum duration of a transferred call, between the other party and the person. Seconds. */
        transfer_max_duration_sec?: number | undefined;
        /** Whether admins may listen to live calls: never (`off`), after an announcement to the other party (`announced`), or without one (`silent`), where your law allows that. */
        listen_in?: 'off' | 'announced' | 'silent' | undefined;
        /** The only trunk for its outbound calls; null for those of the workspace. */
        trunk_id?: string | null | undefined;
        /** The first recognizer, one of `GW_RECOGNIZERS`; null for their order. */
        recognizer?: string | null | undefined;
        /** The first synthesizer, one of `GW_SYNTHESIZERS`; null for their order. */
        synthesizer?: string | null | undefined;
        /** The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its default. It is reset when the synthesizer changes. */
        voice?: string | null | undefined;
      };
    };
    answer: PhoneNumber;
  };
  /** Delete a number. Removes its key and its agents at once; its digits may be added again. Its calls, transcripts, recordings, call records and audit entries remain. A webhook endpoint bound to it receives outstanding events, and none after that. Refused while a call is in progress. */
  deleteNumber: {
    request: {
      /** The number. */
      id: string;
    };
    answer: undefined;
  };
  /** Connect an agent. Replaces the binding of one direction. Only the fields of the agent type are stored. Calls in progress keep the agent that they began with. */
  putAgent: {
    request: {
      /** The number. */
      id: string;
      direction: 'inbound' | 'outbound';
      body: {
        /** `builtin` needs no server. `endpoint` without a type or a chat URL cannot take calls. */
        agent: 'builtin' | 'endpoint';
        agent_type?: 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra' | null | undefined;
        /** https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. Empty is the same as null. */
        chat_url?: string | null | undefined;
        /** For `langgraph`; dropped for every other type. */
        assistant_id?: string | null | undefined;
        /** For outbound `mastra`; dropped for everything else. */
        agent_id?: string | null | undefined;
        /** Default: `off`. */
        controls?: 'off' | 'inline' | undefined;
        /** Model of the built-in agent, one of the operator's (`language_models` of the engines); null for the first. Stored for `builtin` only. */
        model?: string | null | undefined;
        /** Instructions for the built-in agent's model, added to the gateway's own: who it is, what it knows, what it may promise. Null: only the gateway's. Stored for `builtin` only. */
        prompt?: string | null | undefined;
        /** Actions that the model of the built-in agent may take: end the call, send DTMF digits, collect digits of the other party, transfer the call (to `transfer_to` only). Null: all, also those of later versions; an empty list: it only talks. Stored for `builtin` only. */
        tools?: ('hang_up' | 'press_keys' | 'collect_keys' | 'transfer_call')[] | null | undefined;
        /** Outbound only: sent to the agent endpoint as a bearer token. Never shown again. Absent keeps the stored one; null or empty removes it. */
        token?: string | null | undefined;
        /** Your own headers on every request to the agent endpoint, such as an API key: at most 10. Values are never shown again. An absent header is kept, null or empty removes it; null instead of the object removes all. Names are stored in lower case. Not allowed: hop-by-hop headers, `Host`, `Content-*`, `Authorization`, `X-Gw-*` and `traceparent`. */
        headers?: Record<string, string | null> | null | undefined;
      };
    };
    answer: AgentBinding;
  };
  /** Decide how callers are let in. `none` accepts every caller. `handshake` asks `url` about each caller before the call is answered; `200 {session_token}` accepts the caller, and the token is sent with every request to the inbound agent endpoint. The request is signed like events, with the `secret` that is shown once, when the handshake is enabled. */
  putInboundAuth: {
    request: {
      /** The number. */
      id: string;
      body: {
        method: 'none' | 'handshake';
        /** Required for `handshake`. https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. */
        url?: string | null | undefined;
      };
    };
    answer: {
      method: 'none' | 'handshake';
      url: string | null;
      /** Signs the handshake. Present only when it was just created. */
      secret?: string | undefined;
    };
  };
  /** Try an agent. Talks to an agent endpoint, or to the built-in agent, without a call: with the same requests, limits and sentences as in a call. Returns what was sent, what came back, what would be spoken and when, and advice if something is wrong. Takes at most a minute. */
  tryAgent: {
    request: {
      body: {
        /** `builtin`: the built-in agent, with the operator's language model if configured. */
        agent_type: 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra' | 'builtin';
        /** https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. Required except for `builtin`. */
        chat_url?: string | null | undefined;
        /** For `langgraph`. */
        assistant_id?: string | null | undefined;
        /** For outbound `mastra`. */
        agent_id?: string | null | undefined;
        /** Controls of the agent, as in a binding. Default: `off`. */
        controls?: 'off' | 'inline' | undefined;
        /** Model of the built-in agent, one of the operator's (`language_models` of the engines); null for the first. Stored for `builtin` only. */
        model?: string | null | undefined;
        /** Instructions for the built-in agent's model, added to the gateway's own: who it is, what it knows, what it may promise. Null: only the gateway's. Stored for `builtin` only. */
        prompt?: string | null | undefined;
        /** Actions that the model of the built-in agent may take: end the call, send DTMF digits, collect digits of the other party, transfer the call (to `transfer_to` only). Null: all, also those of later versions; an empty list: it only talks. Stored for `builtin` only. */
        tools?: ('hang_up' | 'press_keys' | 'collect_keys' | 'transfer_call')[] | null | undefined;
        /** Sent as a bearer token. If absent, an outbound trial for a number sends the number's stored token, if `chat_url` is on the server it is stored for; null or empty sends none. */
        token?: string | null | undefined;
        /** Your own headers on every request, as in a binding. A trial for a number also sends the number's stored ones, if `chat_url` is on the server they are stored for; a header given here replaces the stored one, null or empty leaves it out, and null instead of the object leaves out all. */
        headers?: Record<string, string | null> | null | undefined;
        /** Number whose digits, language, token and headers are used, and those settings of its built-in agent that are absent here. */
        number_id?: string | null | undefined;
        direction?: 'inbound' | 'outbound' | undefined;
        /** Default: the number's, or `ko`. */
        language?: 'ko' | 'en' | 'ja' | undefined;
        /** Outbound only: the task in the kickoff. */
        instruction?: string | null | undefined;
        /** The other party's words, turn by turn. Outbound, the kickoff comes before them. */
        say?: string[] | undefined;
      };
    };
    answer: AgentTrial;
  };
  /** List speech engines, voices and models. Possible values of `recognizer`, `synthesizer` and `voice` of a number: the engines of `GW_RECOGNIZERS` and `GW_SYNTHESIZERS` in order, with voices if the engine lists them; and of `model` of a built-in agent. */
  listEngines: {
    request: undefined;
    answer: {
      recognizers: RecognizerWithLanguages[];
      synthesizers: SynthesizerWithVoices[];
      /** Models that a built-in agent may use (`GW_LLM_MODEL`, `GW_LLM_MODELS`), the default first; empty without a language model. */
      language_models: string[];
    };
  };
  /** Listen to a voice. Speaks a short text with one synthesizer, without failover to another one. At most two run at once; more are refused with `over_capacity`. */
  speakSample: {
    request: {
      body: {
        /** One of `GW_SYNTHESIZERS`; null for the first. */
        synthesizer?: string | null | undefined;
        /** A voice of this synthesizer; null for its default. */
        voice?: string | null | undefined;
        language: 'ko' | 'en' | 'ja';
        text: string;
      };
    };
    answer: Response;
  };
  /** Show the key of a number again. Does not change the key. Each reveal is in the audit log. */
  revealKey: {
    request: {
      /** The number. */
      id: string;
    };
    answer: NumberKey;
  };
  /** Issue the key of a number. A number has one key. Issuing a new one invalidates the old one at once. */
  issueKey: {
    request: {
      /** The number. */
      id: string;
    };
    answer: NumberKey;
  };
  /** List and search the calls of all numbers. Ordered by `started_at`, then by `id`, unless `order` says otherwise. Follow `next_cursor` until it is null, with the same query. */
  listWorkspaceCalls: {
    request:
      | {
          status?: CallStatus | undefined;
          direction?: 'inbound' | 'outbound' | undefined;
          /** Calls with exactly this metadata; several parameters must all match. Each is a parameter of its own: `metadata.<key>=<value>`. */
          metadata?: Record<string, string> | undefined;
          /** Calls that started at this time or later. */
          since?: string | undefined;
          /** Calls that started before this time. */
          until?: string | undefined;
          /** Only calls of this number. */
          number_id?: string | undefined;
          /** Only calls over this trunk. */
          trunk_id?: string | undefined;
          end_reason?: EndReason | undefined;
          /** Calls that started on this day or later, in the time zone of the workspace. */
          first_day?: string | undefined;
          /** Calls that started on this day or earlier, in the time zone of the workspace. */
          last_day?: string | undefined;
          /** Calls in progress that are in this state of a chart, or in one inside of it, as of the last second: the name of the chart and the dotted path. */
          state?: string | undefined;
          /** Calls that are or were in this state of a chart. */
          visited?: string | undefined;
          /** At least four digits of the other party’s number; at least the first eight characters of a call’s id; or up to 8 words of the transcript, the summary, the instruction or a caller’s name, each as a prefix. Words are found after the call is over. */
          q?: string | undefined;
          /** The order of the calls. `longest`: by `duration_sec`, calls without one last. */
          order?: 'newest' | 'oldest' | 'longest' | undefined;
          limit?: number | undefined;
          /** The `next_cursor` of the previous page. */
          cursor?: string | undefined;
        }
      | undefined;
    answer: WorkspaceCallPage;
  };
  /** Export the listed calls as CSV. The calls of `listWorkspaceCalls` with the same query, at most 50000, in UTF-8 with a byte order mark for spreadsheets; text that looks like a formula begins with an apostrophe. If there are more calls, the first cell of the last line says so. A response that breaks off is incomplete: repeat the request. */
  exportCalls: {
    request:
      | {
          status?: CallStatus | undefined;
          direction?: 'inbound' | 'outbound' | undefined;
          /** Calls with exactly this metadata; several parameters must all match. Each is a parameter of its own: `metadata.<key>=<value>`. */
          metadata?: Record<string, string> | undefined;
          /** Calls that started at this time or later. */
          since?: string | undefined;
          /** Calls that started before this time. */
          until?: string | undefined;
          /** Only calls of this number. */
          number_id?: string | undefined;
          /** Only calls over this trunk. */
          trunk_id?: string | undefined;
          end_reason?: EndReason | undefined;
          /** Calls that started on this day or later, in the time zone of the workspace. */
          first_day?: string | undefined;
          /** Calls that started on this day or earlier, in the time zone of the workspace. */
          last_day?: string | undefined;
          /** Calls in progress that are in this state of a chart, or in one inside of it, as of the last second: the name of the chart and the dotted path. */
          state?: string | undefined;
          /** Calls that are or were in this state of a chart. */
          visited?: string | undefined;
          /** At least four digits of the other party’s number; at least the first eight characters of a call’s id; or up to 8 words of the transcript, the summary, the instruction or a caller’s name, each as a prefix. Words are found after the call is over. */
          q?: string | undefined;
          /** The order of the calls. `longest`: by `duration_sec`, calls without one last. */
          order?: 'newest' | 'oldest' | 'longest' | undefined;
        }
      | undefined;
    answer: Response;
  };
  /** Count the listed calls. The number of calls of `listWorkspaceCalls` with the same query, counted up to 10000. */
  countWorkspaceCalls: {
    request:
      | {
          status?: CallStatus | undefined;
          direction?: 'inbound' | 'outbound' | undefined;
          /** Calls with exactly this metadata; several parameters must all match. Each is a parameter of its own: `metadata.<key>=<value>`. */
          metadata?: Record<string, string> | undefined;
          /** Calls that started at this time or later. */
          since?: string | undefined;
          /** Calls that started before this time. */
          until?: string | undefined;
          /** Only calls of this number. */
          number_id?: string | undefined;
          /** Only calls over this trunk. */
          trunk_id?: string | undefined;
          end_reason?: EndReason | undefined;
          /** Calls that started on this day or later, in the time zone of the workspace. */
          first_day?: string | undefined;
          /** Calls that started on this day or earlier, in the time zone of the workspace. */
          last_day?: string | undefined;
          /** Calls in progress that are in this state of a chart, or in one inside of it, as of the last second: the name of the chart and the dotted path. */
          state?: string | undefined;
          /** Calls that are or were in this state of a chart. */
          visited?: string | undefined;
          /** At least four digits of the other party’s number; at least the first eight characters of a call’s id; or up to 8 words of the transcript, the summary, the instruction or a caller’s name, each as a prefix. Words are found after the call is over. */
          q?: string | undefined;
        }
      | undefined;
    answer: CallCount;
  };
  /** Read a call of any number. Like `getCall`, for the whole workspace, with the trunk and the addresses of the call. */
  getWorkspaceCall: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: WorkspaceCall;
  };
  /** Erase a call. Deletes personal data at once, for good: the transcript, the recording, the instruction, the summary, the metadata, names, DTMF digits, SIP headers and messages. The last two digits of the number remain, as do times, durations, the end reason and statistics. Undelivered events of the call are delivered without the data. `call.erased` is sent. The file of the recording is removed within seconds, or as soon as its store is available. Backups are unchanged. Idempotent. */
  eraseCall: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: undefined;
  };
  /** Read or stream the events of a call of any number. The journal of the call: its events, in order. With `Accept: text/event-stream` as Server-Sent Events: first the past ones, then new ones live. `event: fact` is an event with its `sequence` as `id`, so `Last-Event-ID` resumes after an interruption. `event: state` has the current states of the call's charts and the current words of both sides (`{"call": "active.talking.conversing", "conversation": "replying.speaking", "voicemail": null, "saying": "Good morning.", "hearing": null}`): `saying` is what was heard of the agent's turn, and the sentence being spoken; `hearing` is what the other party has said so far in its turn, preliminary, not stored, at most five times a second, and only if the recognizer has words before the end of a sentence; `line-life`, `outbound-leg`, `inbound-leg` and `second-leg` are there while the line and its legs have them; it is sent as long as this gateway owns the call or can reach its owner. `event: end` is the last one. The stream may end without it when the gateway shuts down: connect again. It also ends within a few seconds after its key or token is revoked, reissued or expired. */
  getWorkspaceCallEvents: {
    request: {
      /** The call. */
      call_id: string;
      /** The last `id` of an interrupted stream. */
      'last-event-id'?: string | undefined;
    };
    answer: {
      events: CallEvent[];
    };
  };
  /** Replay a call through its charts. The transitions of a call's charts, step by step, as stored when they happened, with the events of the call in their places. For calls from before they were stored: only events, with the status of the chart `call`. For a call in progress: the steps so far. */
  getCallReplay: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: {
      steps: ReplayStep[];
    };
  };
  /** The SIP messages of a call. The messages between the gateway and its trunks for this call, in order, as reported by drachtio-server: without 100 Trying, the ACK of a refusal, and retransmissions. Credentials, SRTP keys and DTMF digits are masked. Stored for `GW_SIP_TRACE_DAYS` days. As JSON; as text; or as a capture file for Wireshark, in which each message is a UDP datagram. */
  getCallSip: {
    request: {
      /** The call. */
      call_id: string;
      format?: 'json' | 'text' | 'pcap' | undefined;
    };
    answer: SipLadder | Response;
  };
  /** Export a call as a file. Everything that is stored of the call, in one JSON document: the record, the events, the transitions of its charts with their definitions, the replay, the turns with latency, and the SIP messages. The console opens such a file without the gateway of the call, and replays it beside another call. Audited. For a call in progress: what is known so far. */
  exportCall: {
    request: {
      /** The call. */
      call_id: string;
      /** `1`: with the recording, if it is not larger than 32 MiB. */
      audio?: '0' | '1' | undefined;
      /** `1`: words, names, digits and addresses are replaced by their length, telephone numbers are shortened, and there is no audio. */
      masked?: '0' | '1' | undefined;
    };
    answer: Response;
  };
  /** Export call detail records. All calls of the workspace that started within the given time, in order of their start, including calls in progress. As CSV with a header line, where text that looks like a formula begins with an apostrophe; or as JSON lines, each like a response of `getWorkspaceCall`. A response that breaks off is incomplete: repeat the request. */
  exportCallRecords: {
    request:
      | {
          format?: 'csv' | 'jsonl' | undefined;
          /** Calls that started at this time or later. */
          since?: string | undefined;
          /** Calls that started before this time; default: now. */
          until?: string | undefined;
        }
      | undefined;
    answer: Response;
  };
  /** Read the transcript of a call of any number. The words that were heard, turn by turn. For a call in progress: the turns so far. */
  getWorkspaceTranscript: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: {
      call_id: string;
      transcript: TranscriptTurn[];
    };
  };
  /** Download the recording of a call of any number. Like `getRecording`, for the whole workspace. */
  getWorkspaceRecording: {
    request: {
      /** The call. */
      call_id: string;
      /** One range of bytes. */
      range?: string | undefined;
      /** ETags: the file is not sent if it matches one of them. */
      'if-none-match'?: string | undefined;
      /** An ETag: `Range` applies only to this file. */
      'if-range'?: string | undefined;
    };
    answer: Response;
  };
  /** Read the definition of a chart. JSON that Stately Studio imports and XState's `createMachine` accepts: states, transitions, and the names of actions, guards, delays and actors. Values computed at run time are left out. `version` is that of the chart. */
  getChartDefinition: {
    request: {
      name: 'call' | 'conversation' | 'voicemail' | 'line-life' | 'outbound-leg' | 'inbound-leg';
    };
    answer: Record<string, unknown>;
  };
  /** Read the picture of a chart. As SVG without colours. Each state has `data-state`: its dotted path, as in the `state` events of a call. */
  getChart: {
    request: {
      name: 'call' | 'conversation' | 'voicemail' | 'line-life' | 'outbound-leg' | 'inbound-leg';
    };
    answer: Response;
  };
  /** Read the audit log. Every change made by this API and every reveal of a key, newest first. */
  listAudit: {
    request:
      | {
          /** Only entries of this actor. */
          actor?: string | undefined;
          /** Only entries with this action. */
          action?: string | undefined;
          /** Only entries about this target, or about all of a kind, such as `number`. */
          subject?: string | undefined;
          /** Only entries with this text in the action, the actor, the target or the details, or about a number, trunk, webhook endpoint or token whose name or URL has it. */
          q?: string | undefined;
          /** On this day or later, in the time zone of the workspace. */
          first_day?: string | undefined;
          /** On this day or earlier, in the time zone of the workspace. */
          last_day?: string | undefined;
          limit?: number | undefined;
          /** The `next_cursor` of the previous page. */
          cursor?: string | undefined;
        }
      | undefined;
    answer: {
      entries: AuditEntry[];
      /** For the next page; null on the last one. */
      next_cursor: string | null;
    };
  };
  /** The audit log as CSV. The entries of `listAudit` with the same query, in UTF-8 with a byte order mark for spreadsheets; text that looks like a formula begins with an apostrophe. `detail` is JSON. A response that breaks off is incomplete: repeat the request. */
  exportAudit: {
    request:
      | {
          /** Only entries of this actor. */
          actor?: string | undefined;
          /** Only entries with this action. */
          action?: string | undefined;
          /** Only entries about this target, or about all of a kind, such as `number`. */
          subject?: string | undefined;
          /** Only entries with this text in the action, the actor, the target or the details, or about a number, trunk, webhook endpoint or token whose name or URL has it. */
          q?: string | undefined;
          /** On this day or later, in the time zone of the workspace. */
          first_day?: string | undefined;
          /** On this day or earlier, in the time zone of the workspace. */
          last_day?: string | undefined;
        }
      | undefined;
    answer: Response;
  };
  /** Read the workspace of this token. Its time zone, its call policy and its limits: its own settings (null falls back to the platform), and the resulting values. */
  getWorkspace: { request: undefined; answer: Workspace };
  /** Change the workspace of this token. Changes the given fields for calls that begin from now on; a policy field that is null falls back to the platform. Policies of numbers are unchanged. */
  updateWorkspace: {
    request: {
      body: {
        name?: string | undefined;
        /** IANA name, for the timestamps of the workspace. */
        time_zone?: string | undefined;
        /** The maximum duration of a call. Seconds. */
        max_duration_sec?: number | null | undefined;
        /** The default duration of a call. Seconds. */
        default_duration_sec?: number | null | undefined;
        /** The silence of both parties after which the agent asks, and later the call ends. Seconds. */
        silence_timeout_sec?: number | null | undefined;
        /** Maximum ringing time. Seconds. */
        ring_timeout_sec?: number | null | undefined;
        /** Concurrent calls. */
        max_concurrent_calls?: number | null | undefined;
        /** Whether calls are recorded. */
        recording_enabled?: boolean | null | undefined;
        barge_in?: BargeIn | null | undefined;
        turn_end?: TurnEnd | null | undefined;
        retention_days?: Retention | null | undefined;
        consent?: Consent | null | undefined;
        /** Permitted destinations of calls. A number can restrict the destinations of its workspace, but not extend them. */
        destinations?:
          | {
              /** Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind. */
              kinds: (
                | 'mobile'
                | 'fixed_line'
                | 'toll_free'
                | 'shared_cost'
                | 'voip'
                | 'personal'
                | 'uan'
                | 'pager'
                | 'voicemail'
                | 'premium'
                | 'international'
              )[];
              /** Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins. */
              allowed_prefixes: string[];
              /** Numbers with these prefixes may not be called, whatever their kind. */
              denied_prefixes: string[];
            }
          | null
          | undefined;
        /** Concurrent calls of all numbers. */
        max_calls_in_progress?: number | null | undefined;
        /** Total minutes of the outbound calls of one day; then `daily_limit_reached`. The day is that of the workspace's time zone. */
        daily_minutes?: number | null | undefined;
      };
    };
    answer: Workspace;
  };
  /** Read the minutes of outbound calls of this day. Total duration of the outbound calls that began on this day of the workspace, in all and by number, with the limits (`daily_minutes`). */
  getUsage: { request: undefined; answer: Usage };
  /** Read the overview. Calls and answers by day, end reasons, turn latency of today and yesterday, and failing agents, trunks and webhooks, over the last days in the workspace's time zone, for all gateways. A call belongs to the day on which it started. */
  getOverview: {
    request:
      | {
          /** Number of days, including today. */
          days?: number | undefined;
        }
      | undefined;
    answer: Overview;
  };
  /** Count calls by state. As JSON: where the workspace's calls of the last minutes went through their charts, for all gateways, from their stored transitions. At most the 1,000 newest calls are read. A result is returned again while it is younger than `max_age_sec`, or than fifty times the duration of its statement; `until` is the time of the read. With `Accept: text/event-stream`: the numbers of the calls in progress by state, at all gateways, as `event: counts`, once at the beginning and at most once a second when they have changed. `gateways` is the number of gateways that they are from. The stream ends when the gateway shuts down, and within a few seconds after its token is revoked or expired. */
  getFleet: {
    request:
      | {
          /** Calls that started in these last minutes. */
          minutes?: number | undefined;
          /** Maximum age of a result that was read before, in seconds. */
          max_age_sec?: number | undefined;
        }
      | undefined;
    answer: Fleet;
  };
  /** Read how long callers wait for replies. Percentiles of the waits for replies and of their stages over the last day or week, and of the one before, of one number or of all numbers: over the turns of the 300 newest answered calls of each, for all gateways. */
  getLatency: {
    request:
      | {
          /** `day`: the last 24 hours; `week`: the last 7 days. */
          period?: 'day' | 'week' | undefined;
          /** Only calls of this number. */
          number_id?: string | undefined;
        }
      | undefined;
    answer: LatencyReport;
  };
  /** List the gateways. The gateways that share the database, by name, with the workspace's calls that each owns. Calls move when a gateway dies or hands them over. */
  listGateways: {
    request: undefined;
    answer: {
      gateways: Gateway[];
    };
  };
  /** The gateway of this request. Its version, and the parts with which it was started. */
  getCurrentGateway: {
    request: undefined;
    answer: {
      /** Its name among the gateways that share the database. */
      name: string;
      version: string;
      /** Whether its lines are simulated. */
      is_simulated: boolean;
      /** Whether calls can be inspected (`GW_INSPECT=1`). */
      has_inspector: boolean;
    };
  };
  /** List the admin tokens. Valid tokens of the workspace, oldest first, with role, expiry and last use. The tokens themselves are not stored. */
  listTokens: {
    request: undefined;
    answer: {
      tokens: AdminToken[];
    };
  };
  /** Create an admin token. For a person or a program, with its own role. Only a fingerprint is stored: this response is the only one that contains the token. */
  createToken: {
    request: {
      body: {
        /** Its user or purpose. */
        name: string;
        /** `viewer` reads everything except keys; `admin` may also change things. */
        role: 'admin' | 'viewer';
        /** Its expiry, in the future. */
        expires_at?: string | null | undefined;
        /** Instead of `expires_at`: lifetime in days. Neither: until it is revoked. */
        expires_in_days?: number | null | undefined;
      };
    };
    answer: AdminTokenWithSecret;
  };
  /** The token of this request. Its role and its expiry. */
  getCurrentToken: { request: undefined; answer: AdminToken };
  /** Revoke an admin token. Invalidates the token; requests in progress complete. A token may revoke itself, but a workspace keeps at least one valid token of the role `admin`. */
  revokeToken: {
    request: {
      /** The admin token. */
      id: string;
    };
    answer: undefined;
  };
  /** List the trunks. All trunks of the workspace, oldest first, with their states; no passwords. */
  listTrunks: {
    request: undefined;
    answer: {
      trunks: Trunk[];
    };
  };
  /** Add a trunk. Outbound calls of the workspace use its enabled trunks: the lowest priority first, then by weight. The next trunk is used when one fails or is full, never because the callee is busy. */
  createTrunk: {
    request: {
      body: {
        /** Null: from DNS (SRV), else 5060, or 5061 for tls. */
        port?: number | null | undefined;
        transport?: 'udp' | 'tcp' | 'tls' | undefined;
        /** Hosts for calls and OPTIONS instead of `host` and `port`, which remain the registrar and the domain: the lowest `priority` first, equal ones by `weight`. A `drained` one gets no new calls. Empty: only `host`. */
        addresses?:
          | {
              host: string;
              port?: number | null | undefined;
              priority?: number | undefined;
              weight?: number | undefined;
              drained?: boolean | undefined;
            }[]
          | undefined;
        /** For digest authentication and registration. */
        username?: string | null | undefined;
        /** Whether the gateway registers with the trunk. */
        register?: boolean | undefined;
        /** The realm of challenges to callers; null for `trunkline`. */
        realm?: string | null | undefined;
        /** The domain in From; null for the trunk's host. */
        from_domain?: string | null | undefined;
        /** `01012345678`, `+821012345678` or `821012345678`. */
        number_format?: 'domestic' | 'e164' | 'e164_without_plus' | undefined;
        /** The header with the caller's number. For all but `from`, From has the user name. */
        caller_id?: 'from' | 'p-asserted-identity' | 'p-preferred-identity' | undefined;
        /** Whether the caller's number is withheld from the called party. */
        privacy?: boolean | undefined;
        /** Offered and accepted in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus. */
        codecs?: ('PCMU' | 'PCMA' | 'G722' | 'opus')[] | null | undefined;
        /** `required`: audio is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted if the other side supports it (RFC 8643); FreeSWITCH offers it unencrypted, and accepts encrypted offers. The keys are in the SIP messages (RFC 4568): use the transport `tls`. */
        srtp?: 'off' | 'optional' | 'required' | undefined;
        /** Carrier of a call's audio, decided once when the call is set up: `freeswitch`; `direct`, the gateway itself by RTP or SRTP with PCMU and PCMA, at a fraction of the processor time; `auto`, the gateway itself where possible, else FreeSWITCH. An offer that the carrier does not support gets 488, also within a call, which then stays as it was. */
        media?: 'freeswitch' | 'auto' | 'direct' | undefined;
        /** Prefixes of the numbers that it serves, in E.164. The longest match wins over any priority; trunks without prefixes serve all numbers, after it. */
        prefixes?: string[] | undefined;
        /** The lowest is used first. */
        priority?: number | undefined;
        /** The share of calls among trunks of the same priority. */
        weight?: number | undefined;
        /** Concurrent calls in both directions; null for no limit. */
        max_channels?: number | null | undefined;
        /** New outbound calls per second; null for no limit. */
        calls_per_second?: number | null | undefined;
        /** Final statuses after which an unanswered call moves to the next trunk, unless a telephone has rung; `5xx` is a whole class. A `Reason` of the network takes precedence over the status. A `Retry-After` with one of them stops calls to the trunk until then, for an hour at most. */
        failover_statuses?: string[] | undefined;
        /** Whether calls follow redirects (302 and others): never, only to hosts of the trunk, or anywhere. In order of `q`; at most five for each trunk of a call, each target once; the new number must be allowed. */
        redirects?: 'refused' | 'same_host' | 'any' | undefined;
        /** Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here after they are connected. If a trunk refuses REFER, the gateway calls the person. */
        refer?: boolean | undefined;
        /** Whether a REFER of the other party is accepted, as a transfer to the number that it names, if `transfer_to` of the number allows it. It is declined (603) otherwise. */
        accept_refer?: boolean | undefined;
        /** Source addresses of its calls: addresses and CIDR blocks. */
        inbound_addresses?: string[] | undefined;
        /** `digest`: callers authenticate with user name and password, from the addresses above or, without any, from all. */
        inbound_auth?: 'none' | 'digest' | undefined;
        /** Headers accepted from a caller's INVITE, stored in `sip.headers` of the call and its events; names begin with `X-` and are case-insensitive. Values of more than 255 bytes, or with control characters, are dropped. */
        headers_in?: string[] | undefined;
        /** Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers uses only trunks that list all of them. */
        headers_out?: string[] | undefined;
        /** Whether OPTIONS checks the trunk's health. Disable it for a trunk that never answers. */
        health_check?: boolean | undefined;
        /** Stops new calls: none are sent, and inbound ones get 503. Active calls continue, and the trunk stays registered. */
        drained?: boolean | undefined;
        enabled?: boolean | undefined;
        /** Never shown again. Absent keeps the stored one; null removes it. */
        password?: string | null | undefined;
        /** Unique in the workspace. */
        name: string;
        /** A host name or an IP address. */
        host: string;
      };
    };
    answer: Trunk;
  };
  /** Read a trunk. Its settings and its state; no password. */
  getTrunk: {
    request: {
      /** The trunk. */
      id: string;
    };
    answer: Trunk;
  };
  /** Change a trunk. Changes the given fields for new calls; calls in progress are unchanged. */
  updateTrunk: {
    request: {
      /** The trunk. */
      id: string;
      body: {
        /** Unique in the workspace. */
        name?: string | undefined;
        /** A host name or an IP address. */
        host?: string | undefined;
        /** Null: from DNS (SRV), else 5060, or 5061 for tls. */
        port?: number | null | undefined;
        transport?: 'udp' | 'tcp' | 'tls' | undefined;
        /** Hosts for calls and OPTIONS instead of `host` and `port`, which remain the registrar and the domain: the lowest `priority` first, equal ones by `weight`. A `drained` one gets no new calls. Empty: only `host`. */
        addresses?:
          | {
              host: string;
              port?: number | null | undefined;
              priority?: number | undefined;
              weight?: number | undefined;
              drained?: boolean | undefined;
            }[]
          | undefined;
        /** For digest authentication and registration. */
        username?: string | null | undefined;
        /** Whether the gateway registers with the trunk. */
        register?: boolean | undefined;
        /** The realm of challenges to callers; null for `trunkline`. */
        realm?: string | null | undefined;
        /** The domain in From; null for the trunk's host. */
        from_domain?: string | null | undefined;
        /** `01012345678`, `+821012345678` or `821012345678`. */
        number_format?: 'domestic' | 'e164' | 'e164_without_plus' | undefined;
        /** The header with the caller's number. For all but `from`, From has the user name. */
        caller_id?: 'from' | 'p-asserted-identity' | 'p-preferred-identity' | undefined;
        /** Whether the caller's number is withheld from the called party. */
        privacy?: boolean | undefined;
        /** Offered and accepted in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus. */
        codecs?: ('PCMU' | 'PCMA' | 'G722' | 'opus')[] | null | undefined;
        /** `required`: audio is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted if the other side supports it (RFC 8643); FreeSWITCH offers it unencrypted, and accepts encrypted offers. The keys are in the SIP messages (RFC 4568): use the transport `tls`. */
        srtp?: 'off' | 'optional' | 'required' | undefined;
        /** Carrier of a call's audio, decided once when the call is set up: `freeswitch`; `direct`, the gateway itself by RTP or SRTP with PCMU and PCMA, at a fraction of the processor time; `auto`, the gateway itself where possible, else FreeSWITCH. An offer that the carrier does not support gets 488, also within a call, which then stays as it was. */
        media?: 'freeswitch' | 'auto' | 'direct' | undefined;
        /** Prefixes of the numbers that it serves, in E.164. The longest match wins over any priority; trunks without prefixes serve all numbers, after it. */
        prefixes?: string[] | undefined;
        /** The lowest is used first. */
        priority?: number | undefined;
        /** The share of calls among trunks of the same priority. */
        weight?: number | undefined;
        /** Concurrent calls in both directions; null for no limit. */
        max_channels?: number | null | undefined;
        /** New outbound calls per second; null for no limit. */
        calls_per_second?: number | null | undefined;
        /** Final statuses after which an unanswered call moves to the next trunk, unless a telephone has rung; `5xx` is a whole class. A `Reason` of the network takes precedence over the status. A `Retry-After` with one of them stops calls to the trunk until then, for an hour at most. */
        failover_statuses?: string[] | undefined;
        /** Whether calls follow redirects (302 and others): never, only to hosts of the trunk, or anywhere. In order of `q`; at most five for each trunk of a call, each target once; the new number must be allowed. */
        redirects?: 'refused' | 'same_host' | 'any' | undefined;
        /** Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here after they are connected. If a trunk refuses REFER, the gateway calls the person. */
        refer?: boolean | undefined;
        /** Whether a REFER of the other party is accepted, as a transfer to the number that it names, if `transfer_to` of the number allows it. It is declined (603) otherwise. */
        accept_refer?: boolean | undefined;
        /** Source addresses of its calls: addresses and CIDR blocks. */
        inbound_addresses?: string[] | undefined;
        /** `digest`: callers authenticate with user name and password, from the addresses above or, without any, from all. */
        inbound_auth?: 'none' | 'digest' | undefined;
        /** Headers accepted from a caller's INVITE, stored in `sip.headers` of the call and its events; names begin with `X-` and are case-insensitive. Values of more than 255 bytes, or with control characters, are dropped. */
        headers_in?: string[] | undefined;
        /** Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers uses only trunks that list all of them. */
        headers_out?: string[] | undefined;
        /** Whether OPTIONS checks the trunk's health. Disable it for a trunk that never answers. */
        health_check?: boolean | undefined;
        /** Stops new calls: none are sent, and inbound ones get 503. Active calls continue, and the trunk stays registered. */
        drained?: boolean | undefined;
        enabled?: boolean | undefined;
        /** Never shown again. Absent keeps the stored one; null removes it. */
        password?: string | null | undefined;
      };
    };
    answer: Trunk;
  };
  /** Remove a trunk. Numbers bound to it use the other trunks of the workspace. Calls in progress continue. */
  deleteTrunk: {
    request: {
      /** The trunk. */
      id: string;
    };
    answer: undefined;
  };
  /** Test a trunk. Registers, sends OPTIONS, and places a call that ends as soon as it rings. Without `to` a number of the workspace calls itself through the trunk, so no other telephone rings and inbound calls are tested as well. */
  checkTrunk: {
    request: {
      /** The trunk. */
      id: string;
      body: {
        /** Domestic format. Its telephone may ring briefly. */
        to?: string | undefined;
      };
    };
    answer: {
      steps: TrunkCheckStep[];
    };
  };
  /** Read statistics of trunks. ASR, ACD, PDD and MOS of each trunk, over the workspace's calls that started within the given time, for all gateways. Null without data. Deleted trunks are included as long as their calls exist. */
  listTrunkFigures: {
    request:
      | {
          /** Calls that started at this time or later; default: 24 hours before `until`. */
          since?: string | undefined;
          /** Calls that started before this time; default: now. */
          until?: string | undefined;
        }
      | undefined;
    answer: {
      /** ISO 8601 with the numeric UTC offset of the workspace. */
      since: string;
      /** ISO 8601 with the numeric UTC offset of the workspace. */
      until: string;
      trunks: TrunkStatistics[];
    };
  };
  /** List the trunks for a number. The trunks that a call to this number would try now, in order, and those that are excluded, without calling. Trunks of the same priority are ordered at random for each call. */
  findRoute: {
    request: {
      /** Domestic, or with + and country code. */
      to: string;
      /** The calling number of the workspace; absent: one that is bound to no trunk. */
      from?: string | undefined;
    };
    answer: {
      /** The number in the form that is compared with prefixes. */
      number: string;
      trunks: {
        trunk_id: string;
        name: string;
        /** The matching prefix; empty: the trunk serves all numbers. */
        prefix: string;
        addresses: string[];
      }[];
      left_out: {
        trunk_id: string;
        name: string;
        because: 'drained' | 'resting' | 'prefixes';
      }[];
      /** Why no trunk would carry the call. */
      sentence: string | null;
    };
  };
  /** List the webhook endpoints. All endpoints of the workspace, oldest first; no secrets. */
  listWebhooks: {
    request: undefined;
    answer: {
      webhooks: Webhook[];
    };
  };
  /** Add a webhook endpoint. Events are delivered at least once, in order for each call, signed according to Standard Webhooks. */
  createWebhook: {
    request: {
      body: {
        /** https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. */
        url: string;
        /** Event types to deliver; null for all types. */
        events?:
          | (
              | 'call.ringing'
              | 'call.answered'
              | 'call.answered_by'
              | 'call.consent'
              | 'call.hangup_requested'
              | 'call.hangup_cancelled'
              | 'call.transfer_requested'
              | 'call.transfer_connected'
              | 'call.transfer_failed'
              | 'call.transfer_returned'
              | 'call.ended'
              | 'recording.completed'
              | 'recording.failed'
              | 'call.summarized'
              | 'call.erased'
            )[]
          | null
          | undefined;
        /** Only events of this number; null for all numbers. */
        number_id?: string | null | undefined;
      };
    };
    answer: WebhookWithSecret;
  };
  /** Read a webhook endpoint. Its settings and its state; no secrets. */
  getWebhook: {
    request: {
      /** The webhook endpoint. */
      id: string;
    };
    answer: Webhook;
  };
  /** Change, pause or resume a webhook endpoint. Changes the given fields. Events of a paused endpoint are delivered when it is active again. */
  updateWebhook: {
    request: {
      /** The webhook endpoint. */
      id: string;
      body: {
        /** https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. */
        url?: string | undefined;
        /** Event types to deliver; null for all types. */
        events?:
          | (
              | 'call.ringing'
              | 'call.answered'
              | 'call.answered_by'
              | 'call.consent'
              | 'call.hangup_requested'
              | 'call.hangup_cancelled'
              | 'call.transfer_requested'
              | 'call.transfer_connected'
              | 'call.transfer_failed'
              | 'call.transfer_returned'
              | 'call.ended'
              | 'recording.completed'
              | 'recording.failed'
              | 'call.summarized'
              | 'call.erased'
            )[]
          | null
          | undefined;
        /** Only events of this number; null for all numbers. */
        number_id?: string | null | undefined;
        state?: 'active' | 'paused' | undefined;
      };
    };
    answer: Webhook;
  };
  /** Remove a webhook endpoint. Deletes the endpoint with its deliveries, including those in progress. */
  deleteWebhook: {
    request: {
      /** The webhook endpoint. */
      id: string;
    };
    answer: undefined;
  };
  /** Replace the secret of a webhook endpoint. Both secrets sign for 24 hours, so the receiver can switch at any time. */
  rotateWebhookSecret: {
    request: {
      /** The webhook endpoint. */
      id: string;
    };
    answer: WebhookWithSecret;
  };
  /** Test a webhook endpoint. Sends one event of the type `webhook.test` at once and returns the result, with advice if it was not delivered. */
  testWebhook: {
    request: {
      /** The webhook endpoint. */
      id: string;
    };
    answer: {
      /** Null without a response. */
      http_status: number | null;
      /** Null when it was delivered. */
      error: string | null;
      duration_ms: number;
      /** A stable code of the cause. Null when it was delivered. */
      code:
        | 'loopback_refused'
        | 'private_address'
        | 'https_required'
        | 'unusable_url'
        | 'name_unknown'
        | 'name_without_address'
        | 'name_servers_silent'
        | 'connection_refused'
        | 'unreachable'
        | 'connection_closed'
        | 'connection_broken'
        | 'no_connection_in_time'
        | 'certificate_expired'
        | 'certificate_not_yet_valid'
        | 'certificate_of_other_name'
        | 'certificate_not_trusted'
        | 'no_tls'
        | 'tls_failed'
        | 'redirect'
        | 'redirect_to_sign_in'
        | 'redirect_to_nowhere'
        | 'not_http'
        | 'unreadable_compression'
        | 'over_capacity'
        | 'not_answering_lately'
        | 'no_answer_in_time'
        | 'robot_protection'
        | 'firewall'
        | 'unauthorized'
        | 'forbidden'
        | 'not_found'
        | 'method_not_allowed'
        | 'request_timeout'
        | 'gone'
        | 'length_required'
        | 'too_large'
        | 'wrong_content_type'
        | 'other_protocol'
        | 'too_many_requests'
        | 'nothing_behind_proxy'
        | 'unavailable'
        | 'server_error'
        | 'refused'
        | null;
      /** The cause in a sentence, with advice. Null when it was delivered. */
      advice: string | null;
    };
  };
  /** List the deliveries of a webhook endpoint. Newest first, each with its attempts. */
  listDeliveries: {
    request: {
      /** The webhook endpoint. */
      id: string;
      limit?: number | undefined;
      /** The `next_cursor` of the previous page. */
      cursor?: string | undefined;
      state?: 'pending' | 'delivered' | 'dead' | undefined;
    };
    answer: {
      deliveries: Delivery[];
      /** For the next page; null on the last one. */
      next_cursor: string | null;
    };
  };
  /** Read a delivery with its body. Its state, its attempts, and the event as it is sent. */
  getDelivery: {
    request: {
      /** The delivery. */
      id: string;
    };
    answer: DeliveryWithPayload;
  };
  /** Deliver again. Tries a delivery at once and restarts its schedule, whatever its state; a running attempt is not interrupted. The event keeps its id. */
  replayDelivery: {
    request: {
      /** The delivery. */
      id: string;
    };
    answer: Delivery;
  };
  /** Call one of the numbers. Places an inbound call on the simulated line. It is answered, or rejected, like a real one. */
  placeSimulatedCall: {
    request: {
      body: {
        /** A number of the workspace. */
        to: string;
        /** The caller: a domestic number, `+` and a number of another country, or `anonymous` (also: empty) if withheld. */
        from: string;
        /** Headers of its INVITE. Those that a trunk of the number lists in its `headers_in` are accepted, as on a real line. */
        sip_headers?: Record<string, string> | undefined;
        /** The caller's script; a polite caller without one. */
        script?: Script | null | undefined;
        rehearsal?: ScriptRehearsal | undefined;
      };
    };
    answer: {
      call_id: string;
      status: CallStatus;
      end_reason: EndReason | null;
    };
  };
  /** Read the progress of a script. For a call whose caller or callee plays a script with a `rehearsal`. Available for the last thousand such calls of the gateway that carries the call, until that gateway ends. */
  getSimulatedCall: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: {
      call_id: string;
      /** Number of steps of the script. */
      steps: number;
      /** Number of completed steps. */
      steps_done: number;
      /** `timed_out`: the next step did not complete in time. `playing` for an ended call: the call ended before the script did. */
      outcome: 'playing' | 'done' | 'timed_out';
      /** How the persona of the script ended; null before, and without a persona. */
      persona: {
        /** `reached`, `given_up`: the goal, as the person sees it. `turn_limit`: the person spoke `max_turns` times. `model_failed`: the language model did not answer. */
        outcome: 'reached' | 'given_up' | 'turn_limit' | 'model_failed';
        reason: string;
      } | null;
    };
  };
  /** List the callees. Who answers the calls of the workspace on the simulated line, by number: the callees that every gateway knows, and up to 200 with a script. Any other number rings on the web phones of the workspace. */
  listCallees: {
    request: undefined;
    answer: {
      callees: ListedCallee[];
    };
  };
  /** Read the script of a callee. The script stored for this number. */
  getCallee: {
    request: {
      /** The number in domestic format. */
      number: string;
    };
    answer: SimulatedCallee;
  };
  /** Set the script of a callee. Calls of the workspace to this number follow this script from now on. They may be placed at any gateway with the same database. */
  putCallee: {
    request: {
      /** The number in domestic format. */
      number: string;
      body: {
        script: Script;
        rehearsal?: ScriptRehearsal | undefined;
      };
    };
    answer: SimulatedCallee;
  };
  /** Remove the script of a callee. The next calls to this number reach the known telephone of that number, or the web phones of the workspace. Calls in progress keep the script. */
  deleteCallee: {
    request: {
      /** The number in domestic format. */
      number: string;
    };
    answer: undefined;
  };
  /** List the runs of suites. Newest first. The last 200 runs of the workspace are stored. */
  listRehearsals: {
    request:
      | {
          limit?: number | undefined;
          /** The `next_cursor` of the previous page. */
          cursor?: string | undefined;
        }
      | undefined;
    answer: {
      rehearsals: Rehearsal[];
      /** For the next page; null on the last one. */
      next_cursor: string | null;
    };
  };
  /** Run a suite of simulated callers. Runs the suite on the simulated line with the agents of the number. It costs what the agent costs; personas and rubrics also make requests to the language model of the gateway. A number has one run at a time, and others wait for it. */
  startRehearsal: {
    request: {
      body: {
        /** The suite in YAML, as `guides/rehearsals.md` describes. */
        suite: string;
        /** A name, by which runs are compared, such as that of the file. Default: `suite`. */
        name?: string | undefined;
        /** The number whose agent is rehearsed, in domestic format. Default: that of the suite, or the first of the workspace. */
        number?: string | undefined;
        /** Calls of each case. Default: 1. */
        repeat?: number | undefined;
        /** Calls at once. Default: 1. */
        parallel?: number | undefined;
      };
    };
    answer: RehearsalResults;
  };
  /** Read the results of a run. Results of the finished cases, also while the run goes on. The words are in the transcripts of the calls. */
  getRehearsal: {
    request: {
      /** The run. */
      id: string;
    };
    answer: RehearsalResults;
  };
  /** Cancel a run. Hangs up its calls and starts no more. A run that has ended stays as it is. */
  cancelRehearsal: {
    request: {
      /** The run. */
      id: string;
    };
    answer: RehearsalResults;
  };
  /** Sign a browser in. With an admin token, or with the code of a one-time sign-in link. The session is a cookie that scripts cannot read, for the pages of this gateway only; it ends after 30 days, after a week without use, and with its token. Programs send the token itself. */
  signIn: {
    request: {
      body:
        | {
            /** An admin token. */
            token: string;
          }
        | {
            /** The code of a sign-in link, after its last `/`. */
            code: string;
          };
    };
    answer: undefined;
  };
  /** Sign this browser out. Ends its session and removes the cookie. Idempotent. */
  signOut: { request: undefined; answer: undefined };
  /** Sign every browser out. Ends all sessions that were started with the same admin token as this browser's. The token itself stays valid. */
  signOutEverywhere: { request: undefined; answer: undefined };
  /** Is the process alive?. Responds as long as the process runs, whatever it depends on. */
  getHealth: {
    request: undefined;
    answer: {
      status: 'alive';
    };
  };
  /** Can calls be placed here?. Checks the database, the data folder and the telephone lines. A gateway that is shutting down is not ready. */
  getReadiness: {
    request: undefined;
    answer: {
      status: 'ready';
      warning?: string | undefined;
    };
  };
  /** Metrics for Prometheus. In the text format of Prometheus. */
  getMetrics: { request: undefined; answer: Response };
  /** The console. For workspace admins, in a browser: numbers and agents, live calls, webhooks, trunks. */
  getHome: { request: undefined; answer: Response };
  /** A file of the console. Scripts, styles and pictures of the console. A file's name changes with its content. */
  getConsoleFile: {
    request: {
      file: string;
    };
    answer: Response;
  };
  /** The reference page. This document for people, with a form to try each operation. */
  getDocs: { request: undefined; answer: Response };
  /** Calls in the Stately inspector. A page that shows the statecharts of calls in progress in the Stately inspector, which it loads from stately.ai. As a websocket (`?token=` an admin token, optional for a browser with a console session; `?call=` one call, or absent for all) this address uses the inspection protocol. Only with `GW_INSPECT=1`. */
  getInspect: { request: undefined; answer: Response };
  /** This document. The OpenAPI 3.1 document of this API, for generators and tools. */
  getOpenApi: { request: undefined; answer: Record<string, unknown> };
};

/** Methods and paths of the operations. */
export const operations = {
  listCalls: { method: 'GET', path: '/api/v1/calls', headers: ['x-number-id'], answer: 'json' },
  createCall: {
    method: 'POST',
    path: '/api/v1/calls',
    headers: ['x-number-id', 'idempotency-key'],
    answer: 'json',
  },
  getCall: { method: 'GET', path: '/api/v1/calls/{call_id}', headers: ['x-number-id'], answer: 'json' },
  getTranscript: {
    method: 'GET',
    path: '/api/v1/calls/{call_id}/transcript',
    headers: ['x-number-id'],
    answer: 'json',
  },
  getCallEvents: {
    method: 'GET',
    path: '/api/v1/calls/{call_id}/events',
    headers: ['x-number-id', 'last-event-id'],
    answer: 'json',
  },
  getRecording: {
    method: 'GET',
    path: '/api/v1/calls/{call_id}/recording',
    headers: ['x-number-id', 'range', 'if-none-match', 'if-range'],
    answer: 'file',
  },
  pauseRecording: {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/recording/pause',
    headers: ['x-number-id'],
    answer: 'json',
  },
  resumeRecording: {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/recording/resume',
    headers: ['x-number-id'],
    answer: 'json',
  },
  pressKeys: {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/keys',
    headers: ['x-number-id'],
    answer: 'json',
  },
  collectKeys: {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/collect',
    headers: ['x-number-id'],
    answer: 'json',
  },
  say: { method: 'POST', path: '/api/v1/calls/{call_id}/say', headers: ['x-number-id'], answer: 'json' },
  transfer: {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/transfer',
    headers: ['x-number-id'],
    answer: 'json',
  },
  cancelTransfer: {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/transfer/cancel',
    headers: ['x-number-id'],
    answer: 'json',
  },
  hangUp: {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/hangup',
    headers: ['x-number-id'],
    answer: 'json',
  },
  cancelCall: {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/cancel',
    headers: ['x-number-id'],
    answer: 'json',
  },
  postMcp: {
    method: 'POST',
    path: '/mcp',
    headers: ['x-number-id', 'mcp-protocol-version', 'mcp-session-id'],
    answer: 'file',
  },
  listNumbers: { method: 'GET', path: '/api/v1/admin/numbers', headers: [], answer: 'json' },
  createNumber: { method: 'POST', path: '/api/v1/admin/numbers', headers: [], answer: 'json' },
  getNumber: { method: 'GET', path: '/api/v1/admin/numbers/{id}', headers: [], answer: 'json' },
  updateNumber: { method: 'PATCH', path: '/api/v1/admin/numbers/{id}', headers: [], answer: 'json' },
  deleteNumber: { method: 'DELETE', path: '/api/v1/admin/numbers/{id}', headers: [], answer: 'nothing' },
  putAgent: {
    method: 'PUT',
    path: '/api/v1/admin/numbers/{id}/agents/{direction}',
    headers: [],
    answer: 'json',
  },
  putInboundAuth: {
    method: 'PUT',
    path: '/api/v1/admin/numbers/{id}/inbound-auth',
    headers: [],
    answer: 'json',
  },
  tryAgent: { method: 'POST', path: '/api/v1/admin/agents/try', headers: [], answer: 'json' },
  listEngines: { method: 'GET', path: '/api/v1/admin/engines', headers: [], answer: 'json' },
  speakSample: { method: 'POST', path: '/api/v1/admin/engines/sample', headers: [], answer: 'file' },
  revealKey: { method: 'GET', path: '/api/v1/admin/numbers/{id}/key', headers: [], answer: 'json' },
  issueKey: { method: 'POST', path: '/api/v1/admin/numbers/{id}/key', headers: [], answer: 'json' },
  listWorkspaceCalls: { method: 'GET', path: '/api/v1/admin/calls', headers: [], answer: 'json' },
  exportCalls: { method: 'GET', path: '/api/v1/admin/calls.csv', headers: [], answer: 'file' },
  countWorkspaceCalls: { method: 'GET', path: '/api/v1/admin/call-count', headers: [], answer: 'json' },
  getWorkspaceCall: { method: 'GET', path: '/api/v1/admin/calls/{call_id}', headers: [], answer: 'json' },
  eraseCall: { method: 'DELETE', path: '/api/v1/admin/calls/{call_id}', headers: [], answer: 'nothing' },
  getWorkspaceCallEvents: {
    method: 'GET',
    path: '/api/v1/admin/calls/{call_id}/events',
    headers: ['last-event-id'],
    answer: 'json',
  },
  getCallReplay: { method: 'GET', path: '/api/v1/admin/calls/{call_id}/replay', headers: [], answer: 'json' },
  getCallSip: { method: 'GET', path: '/api/v1/admin/calls/{call_id}/sip', headers: [], answer: 'either' },
  exportCall: { method: 'GET', path: '/api/v1/admin/calls/{call_id}/export', headers: [], answer: 'file' },
  exportCallRecords: { method: 'GET', path: '/api/v1/admin/call-records', headers: [], answer: 'file' },
  getWorkspaceTranscript: {
    method: 'GET',
    path: '/api/v1/admin/calls/{call_id}/transcript',
    headers: [],
    answer: 'json',
  },
  getWorkspaceRecording: {
    method: 'GET',
    path: '/api/v1/admin/calls/{call_id}/recording',
    headers: ['range', 'if-none-match', 'if-range'],
    answer: 'file',
  },
  getChartDefinition: {
    method: 'GET',
    path: '/api/v1/admin/charts/{name}.json',
    headers: [],
    answer: 'json',
  },
  getChart: { method: 'GET', path: '/api/v1/admin/charts/{name}', headers: [], answer: 'file' },
  listAudit: { method: 'GET', path: '/api/v1/admin/audit', headers: [], answer: 'json' },
  exportAudit: { method: 'GET', path: '/api/v1/admin/audit.csv', headers: [], answer: 'file' },
  getWorkspace: { method: 'GET', path: '/api/v1/admin/workspace', headers: [], answer: 'json' },
  updateWorkspace: { method: 'PATCH', path: '/api/v1/admin/workspace', headers: [], answer: 'json' },
  getUsage: { method: 'GET', path: '/api/v1/admin/usage', headers: [], answer: 'json' },
  getOverview: { method: 'GET', path: '/api/v1/admin/overview', headers: [], answer: 'json' },
  getFleet: { method: 'GET', path: '/api/v1/admin/fleet', headers: [], answer: 'json' },
  getLatency: { method: 'GET', path: '/api/v1/admin/latency', headers: [], answer: 'json' },
  listGateways: { method: 'GET', path: '/api/v1/admin/gateways', headers: [], answer: 'json' },
  getCurrentGateway: { method: 'GET', path: '/api/v1/admin/gateways/current', headers: [], answer: 'json' },
  listTokens: { method: 'GET', path: '/api/v1/admin/tokens', headers: [], answer: 'json' },
  createToken: { method: 'POST', path: '/api/v1/admin/tokens', headers: [], answer: 'json' },
  getCurrentToken: { method: 'GET', path: '/api/v1/admin/tokens/current', headers: [], answer: 'json' },
  revokeToken: { method: 'DELETE', path: '/api/v1/admin/tokens/{id}', headers: [], answer: 'nothing' },
  listTrunks: { method: 'GET', path: '/api/v1/admin/trunks', headers: [], answer: 'json' },
  createTrunk: { method: 'POST', path: '/api/v1/admin/trunks', headers: [], answer: 'json' },
  getTrunk: { method: 'GET', path: '/api/v1/admin/trunks/{id}', headers: [], answer: 'json' },
  updateTrunk: { method: 'PATCH', path: '/api/v1/admin/trunks/{id}', headers: [], answer: 'json' },
  deleteTrunk: { method: 'DELETE', path: '/api/v1/admin/trunks/{id}', headers: [], answer: 'nothing' },
  checkTrunk: { method: 'POST', path: '/api/v1/admin/trunks/{id}/check', headers: [], answer: 'json' },
  listTrunkFigures: { method: 'GET', path: '/api/v1/admin/trunk-figures', headers: [], answer: 'json' },
  findRoute: { method: 'GET', path: '/api/v1/admin/trunk-route', headers: [], answer: 'json' },
  listWebhooks: { method: 'GET', path: '/api/v1/admin/webhooks', headers: [], answer: 'json' },
  createWebhook: { method: 'POST', path: '/api/v1/admin/webhooks', headers: [], answer: 'json' },
  getWebhook: { method: 'GET', path: '/api/v1/admin/webhooks/{id}', headers: [], answer: 'json' },
  updateWebhook: { method: 'PATCH', path: '/api/v1/admin/webhooks/{id}', headers: [], answer: 'json' },
  deleteWebhook: { method: 'DELETE', path: '/api/v1/admin/webhooks/{id}', headers: [], answer: 'nothing' },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/api/v1/admin/webhooks/{id}/rotate',
    headers: [],
    answer: 'json',
  },
  testWebhook: { method: 'POST', path: '/api/v1/admin/webhooks/{id}/test', headers: [], answer: 'json' },
  listDeliveries: {
    method: 'GET',
    path: '/api/v1/admin/webhooks/{id}/deliveries',
    headers: [],
    answer: 'json',
  },
  getDelivery: { method: 'GET', path: '/api/v1/admin/deliveries/{id}', headers: [], answer: 'json' },
  replayDelivery: {
    method: 'POST',
    path: '/api/v1/admin/deliveries/{id}/replay',
    headers: [],
    answer: 'json',
  },
  placeSimulatedCall: { method: 'POST', path: '/api/v1/admin/simulator/calls', headers: [], answer: 'json' },
  getSimulatedCall: {
    method: 'GET',
    path: '/api/v1/admin/simulator/calls/{call_id}',
    headers: [],
    answer: 'json',
  },
  listCallees: { method: 'GET', path: '/api/v1/admin/simulator/callees', headers: [], answer: 'json' },
  getCallee: { method: 'GET', path: '/api/v1/admin/simulator/callees/{number}', headers: [], answer: 'json' },
  putCallee: { method: 'PUT', path: '/api/v1/admin/simulator/callees/{number}', headers: [], answer: 'json' },
  deleteCallee: {
    method: 'DELETE',
    path: '/api/v1/admin/simulator/callees/{number}',
    headers: [],
    answer: 'nothing',
  },
  listRehearsals: { method: 'GET', path: '/api/v1/admin/rehearsals', headers: [], answer: 'json' },
  startRehearsal: { method: 'POST', path: '/api/v1/admin/rehearsals', headers: [], answer: 'json' },
  getRehearsal: { method: 'GET', path: '/api/v1/admin/rehearsals/{id}', headers: [], answer: 'json' },
  cancelRehearsal: {
    method: 'POST',
    path: '/api/v1/admin/rehearsals/{id}/cancel',
    headers: [],
    answer: 'json',
  },
  signIn: { method: 'POST', path: '/console/session', headers: [], answer: 'nothing' },
  signOut: { method: 'DELETE', path: '/console/session', headers: [], answer: 'nothing' },
  signOutEverywhere: { method: 'DELETE', path: '/console/sessions', headers: [], answer: 'nothing' },
  getHealth: { method: 'GET', path: '/healthz', headers: [], answer: 'json' },
  getReadiness: { method: 'GET', path: '/readyz', headers: [], answer: 'json' },
  getMetrics: { method: 'GET', path: '/metrics', headers: [], answer: 'file' },
  getHome: { method: 'GET', path: '/', headers: [], answer: 'file' },
  getConsoleFile: { method: 'GET', path: '/console/{file}', headers: [], answer: 'file' },
  getDocs: { method: 'GET', path: '/docs', headers: [], answer: 'file' },
  getInspect: { method: 'GET', path: '/inspect', headers: [], answer: 'file' },
  getOpenApi: { method: 'GET', path: '/openapi.json', headers: [], answer: 'json' },
} as const;
