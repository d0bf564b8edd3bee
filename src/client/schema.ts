// Made from the OpenAPI document by `npm run generate-client`.

export type CreateCall = {
  /** The number to call, in domestic format; hyphens and spaces are removed. The international form of a number of this country (`+82…`) is refused with `invalid_to`; another country's number is `+` and its country code, and refused so as well unless `destinations` of the policy allow it. */
  to: string;
  /** The task of this call. May be omitted if the agent knows its task already. */
  instruction?: string | null | undefined;
  /** Seconds from the answer, at most the maximum of the policy of the number. When omitted, the stored policy applies. */
  max_duration_sec?: number | undefined;
  /** Yours to find the call by: it comes back with every read of the call, in its events and records. The agent is not told of it. At most 20 keys, values of at most 500 characters. */
  metadata?: Record<string, string> | undefined;
  /** Headers for the INVITE, at most 10. Only those that a trunk of the number names in its `headers_out`, and the call goes by trunks alone that name all of them. */
  sip_headers?: Record<string, string> | undefined;
};

/** `ringing`: still ringing; `active`: answered and in conversation; `completed`: ended normally; `no_answer`: not answered; `failed`: connection failure or error. */
export type CallStatus = 'ringing' | 'active' | 'completed' | 'no_answer' | 'failed';

export type BargeIn = {
  /** `pause`: the agent falls silent at the onset of a voice, and goes on where it stopped when that was noise, a cough or a backchannel. `stop`: it speaks until real speech is heard. `off`: it finishes, and answers then. */
  mode: 'pause' | 'stop' | 'off';
  /** Of `pause`: so long a voice is an onset. Milliseconds. */
  onset_ms?: number | undefined;
  /** Of `pause`: so long a voice that sounds like speech is an interruption, where its words are not known yet. Milliseconds. */
  speech_ms?: number | undefined;
  /** Of `pause`: after so much silence behind an onset without words the agent goes on. Milliseconds. */
  resume_ms?: number | undefined;
};

export type TurnEnd = {
  /** `pause`: the silence behind the words, short when they sound finished and long when they want to go on. `recognizer`: the recognizer, where it tells the end of a turn itself (`deepgram`, `deepgram-flux`). `model`: a model of speech, which the operator brings (`GW_TURN_MODEL`). What cannot be on this gateway is refused; where it fails later, pauses decide. */
  mode: 'pause' | 'recognizer' | 'model';
  /** Before so much silence no turn is over. Milliseconds. */
  min_silence_ms?: number | undefined;
  /** After so much silence one that has words is over, whoever decides. Milliseconds. */
  max_silence_ms?: number | undefined;
};

export type Retention = {
  /** Days after the end of a call; 0: calls are not recorded; null: for ever. */
  recordings?: number | null | undefined;
  /** Days after the end of a call for the transcript, the instruction, the summary and keys that were pressed; 0: no transcript and no summary is ever written, and the rest goes with the end; null: for ever. */
  words?: number | null | undefined;
};

export type Consent = {
  /** Said first of all, before anything is recorded and before the agent is asked; it cannot be interrupted. Null: nothing. */
  announce: string | null;
  /** `none`: being told is enough; `speech`: the other party has to say yes; `key`: it has to press 1. Who gives no clear answer is asked once more; who does not agree then is said goodbye, and the call ends with `consent_refused`. */
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

/** What a simulated person does, step by step; each step is an object with one member. */
export type Script = {
  /** Waits for the person's turn, then says this. */
  say?: unknown;
  /** Waits until the agent is well under way, then says this over its voice. `{text, after_ms}`: so long after it has begun to talk. */
  interrupt?: unknown;
  /** The same for a murmur such as "네" that does not take the floor. */
  backchannel?: unknown;
  /** Waits for one whole reply of the agent (`true`). */
  listen?: unknown;
  /** Waits until the agent has said this since the person last spoke or heard something: a text that must occur, or a regular expression between slashes. */
  hear?: unknown;
  /** Does nothing for so many seconds. */
  wait_sec?: unknown;
  /** Makes noise without words for so many seconds. */
  noise_sec?: unknown;
  /** Puts the call on hold for so many seconds. */
  hold_sec?: unknown;
  /** Presses these keys: 0–9, *, #, A–D. */
  digits?: unknown;
  /** Waits until the agent has pressed these keys. */
  await_digits?: unknown;
  /** Says this at once, whoever is talking, as an answering machine does. */
  announce?: unknown;
  /** Beeps, as an answering machine does that takes a message (`true`). */
  beep?: unknown;
  /** Hangs up at once (`true`). */
  hang_up?: unknown;
  /** First step of a callee: takes the call after so many seconds. */
  answer_after_sec?: unknown;
  /** Only step of a callee: lets it ring (`true`). */
  no_answer?: unknown;
  /** Only step of a callee: is busy (`true`). */
  busy?: unknown;
  /** Only step of a callee: declines (`true`). */
  decline?: unknown;
  /** Only step of a callee: the line to it fails (`true`). */
  trunk_error?: unknown;
}[];

/** The script is watched: `GET …/simulator/calls/{call_id}` tells how far it has come. */
export type ScriptRehearsal = {
  /** A step that does not come about within so many seconds on the line ends the script: the person hangs up. So does one whose script is over, when the call has not ended for as long. */
  step_timeout_sec: number;
  /** What those do to whom this call may be transferred, by their numbers in domestic format; beside `01000000011` to `01000000014`. */
  people?: Record<string, 'accepts' | 'declines' | 'busy' | 'no_answer'> | undefined;
};

export type FieldError = {
  /** Dotted path of the field; empty for the whole. */
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
  /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
  counterparty: string;
  status: CallStatus;
  /** Null while the call is in progress. */
  end_reason: EndReason | null;
  /** The task given when the call was created. */
  instruction: string | null;
  /** Null until the call was summarized. */
  summary: string | null;
  /** What who placed the call said of it; absent where nothing was said. */
  metadata?: Record<string, string> | undefined;
  /** The last one that was asked for; null where none was. */
  transfer: CallTransfer | null;
  /** Whether the other party agreed to what it was told first; absent where it was told nothing, and until that is known. */
  consent?: CallConsent | undefined;
  /** When its transcript, its instruction and its summary were erased; absent while they are kept. */
  words_erased_at?: string | undefined;
  /** When all that tells of the other party was erased: of its number the last two digits are left. Absent while it is kept. */
  erased_at?: string | undefined;
  /** When dialing started, or the caller rang. */
  started_at: string;
  ended_at: string | null;
};

export type CallTransfer = {
  id: string;
  /** Domestic format. */
  to: string;
  mode: 'cold' | 'warm';
  /** `requested`: the other party hears what is said before; `ringing`: the person is rung; `briefing`: the person hears what the call is about; `connected`: the other party talks with the person, or did; `failed`: nobody was connected, for `reason`; `returned`: it was taken back. */
  status: 'requested' | 'ringing' | 'briefing' | 'connected' | 'failed' | 'returned';
  /** Why it has failed; `call_ended`: the call was over before. Else null. */
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
  /** What the telephone line said of the person where it has failed; absent where there is no SIP. */
  sip?:
    | {
        status: number | null;
        reason: string | null;
        call_id: string | null;
        /** Why the call ended, by the header `Reason` of the refusal, the CANCEL or the BYE of the other side; four at most, each with a text of up to 200 characters. Absent where there is none. */
        reasons?:
          | {
              /** Usually `SIP` or `Q.850`. */
              protocol: string;
              /** A status of SIP, or a cause of the telephone network (ITU-T Q.850). */
              cause: number | null;
              text: string | null;
            }[]
          | undefined;
        /** Web addresses in the header `Call-Info` of a refusal, where a blocked call can be complained of. Absent where there are none. */
        call_info?: string[] | undefined;
      }
    | undefined;
};

export type CallConsent = {
  /** Whether the call could go on. */
  given: boolean;
  /** `announcement`: it was told, and no answer was wanted; `speech`: by its words; `key`: by a key; `silence`: it gave no answer. */
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
  /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
  counterparty: string;
  status: CallStatus;
  /** Null while the call is in progress. */
  end_reason: EndReason | null;
  /** The task given when the call was created. */
  instruction: string | null;
  /** Null until the call was summarized. */
  summary: string | null;
  /** What who placed the call said of it; absent where nothing was said. */
  metadata?: Record<string, string> | undefined;
  /** The last one that was asked for; null where none was. */
  transfer: CallTransfer | null;
  /** Whether the other party agreed to what it was told first; absent where it was told nothing, and until that is known. */
  consent?: CallConsent | undefined;
  /** When its transcript, its instruction and its summary were erased; absent while they are kept. */
  words_erased_at?: string | undefined;
  /** When all that tells of the other party was erased: of its number the last two digits are left. Absent while it is kept. */
  erased_at?: string | undefined;
  /** When dialing started, or the caller rang. */
  started_at: string;
  ended_at: string | null;
  /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
  from: string;
  /** What the network of a caller, or the caller, calls itself. Null where it says nothing, or withholds who it is. */
  from_name: string | null;
  /** For whom the call of a caller was meant before it was sent on, who sent it on last first: by `Diversion`, else `History-Info`. */
  diversions: {
    /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
    number: string;
    reason: string | null;
  }[];
  /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
  to: string;
  /** BCP 47. */
  language: string;
  /** The options in force; empty before the answer. */
  options: {
    max_duration_sec?: number | undefined;
    recording?: boolean | undefined;
  };
  /** The options accepted and not yet in force; empty from the answer on. */
  options_pending: {
    max_duration_sec?: number | undefined;
    recording?: boolean | undefined;
  };
  /** Connected time, from the answer to the end. Null while the call is in progress or when it is not known; 0 when the call was never answered. */
  duration_sec: number | null;
  answered_at: string | null;
  /** Who has picked up an outbound call: a person, an answering machine or announcement, a menu that lists keys, or call screening, as long as nobody else has come behind it. Found out while the call goes on; null as long as, and where, it is not clear. */
  answered_by: 'human' | 'machine' | 'screening' | 'menu' | null;
  recording: {
    status: 'none' | 'pending' | 'completed' | 'failed' | 'erased';
    /** Nothing that is said now is recorded. False once the call has ended. */
    paused: boolean;
    /** Its end is missing: the gateway ended while it was written. What there is can be played. */
    truncated: boolean;
    /** `audio/mpeg` or `audio/ogg`. */
    content_type?: string | undefined;
    duration_sec?: number | undefined;
  };
  /** What the telephone line said; nulls where there is no SIP. */
  sip: {
    status: number | null;
    reason: string | null;
    call_id: string | null;
    /** Why the call ended, by the header `Reason` of the refusal, the CANCEL or the BYE of the other side; four at most, each with a text of up to 200 characters. Absent where there is none. */
    reasons?:
      | {
          /** Usually `SIP` or `Q.850`. */
          protocol: string;
          /** A status of SIP, or a cause of the telephone network (ITU-T Q.850). */
          cause: number | null;
          text: string | null;
        }[]
      | undefined;
    /** Web addresses in the header `Call-Info` of a refusal, where a blocked call can be complained of. Absent where there are none. */
    call_info?: string[] | undefined;
    /** Headers `X-…` of the INVITE: of a caller those that the trunk names in `headers_in`, of an outbound call those that were asked for. Absent where there are none. */
    headers?: Record<string, string> | undefined;
  };
  /** Of an outbound call: from the INVITE until the callee rang or answered. Null where neither happened, and where there is no SIP. */
  post_dial_delay_ms: number | null;
  sound: CallSound;
};

/** How the sound was carried, and how well. Filled when the call has ended, but for `one_way`; null is what nobody knows, and all of it where no packets are sent. */
export type CallSound = {
  codec: string | null;
  /** What came in from the other party. */
  received: {
    packets: number | null;
    /** The share of packets that did not arrive, 0 to 1. */
    loss: number | null;
    jitter_ms: number | null;
    /** Mean opinion score, 1 to 4.5, as the E-model (ITU-T G.107) has it. */
    mos: number | null;
  };
  /** What went out; how it arrives is known where the other side reports it (RTCP). */
  sent: {
    packets: number | null;
    /** The share of packets that did not arrive, 0 to 1. */
    loss: number | null;
    jitter_ms: number | null;
    /** Mean opinion score, 1 to 4.5, as the E-model (ITU-T G.107) has it. */
    mos: number | null;
  };
  /** How keys of the telephone go out and come in: as events of RTP (RFC 4733), by SIP INFO, as tones in the sound, or not at all. Keys by INFO are always taken in. */
  dtmf: {
    sent: 'rfc4733' | 'info' | 'none';
    received: 'rfc4733' | 'inband';
  } | null;
  round_trip_ms: number | null;
  /** `nothing_received`: for a while nothing came in from the other party; `nothing_delivered`: its reports say that nothing arrived there. Told while the call goes on by the event `sound.one_way`. Null where both have heard each other, and where it is not known. */
  one_way: 'nothing_received' | 'nothing_delivered' | null;
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
  /** Counts the events of the call. */
  sequence: number;
  /** Such as `call.answered`, `call.answered_by`, `call.taken_over`, `call.consent`, `turn.spoken`, `turn.digit`, `agent.paused`, `agent.resumed`, `keys.pressed`, `keys.failed`, `say.requested`, `collect.requested`, `language.changed`, `call.transfer_requested`, `call.transfer_ringing`, `call.transfer_answered`, `call.transfer_connected`, `call.transfer_failed`, `call.transfer_returned`, `call.held`, `call.resumed`, `sound.one_way`, `reply.failed`, `call.hangup_requested`, `call.hangup_cancelled`, `call.ended`, `recording.paused`, `recording.resumed`, `recording.completed`, `recording.failed`, `call.summarized`. There may be more in time. */
  type: string;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  at: string;
  /** Seconds from the answer; null before it, and where nobody answered. */
  t_offset_sec: number | null;
  /** What belongs to the event. Of `turn.spoken`: `turn` (its `sequence` in the transcript), `role`, `text`, `whole` (false where it was cut short), `ended_at`, and for a reply of the agent `latency` with those of `endpointing_ms`, `first_token_ms`, `first_sentence_ms` and `first_audio_ms` that are known. The first is the time from the last sound of the other party to its words; the others count from then on. Of `call.answered_by`: `by`, and `latency` with `answered_by_ms`, the time from the answer to this verdict (missing after a take-over). */
  data: Record<string, unknown>;
};

export type PhoneNumber = {
  id: string;
  /** Domestic format. */
  number: string;
  /** The language that is spoken, BCP 47. */
  language: 'ko' | 'en' | 'ja';
  /** The longest duration that a call may be given. Seconds. */
  max_duration_sec: number | null;
  /** The duration of a call that is given none. Seconds. */
  default_duration_sec: number | null;
  /** How long nobody may speak. Seconds. */
  silence_timeout_sec: number | null;
  /** How long it may ring. Seconds. */
  ring_timeout_sec: number | null;
  /** Calls in progress at once. */
  max_concurrent_calls: number | null;
  /** Whether calls are recorded. */
  recording_enabled: boolean | null;
  barge_in: BargeInOutput | null;
  turn_end: TurnEndOutput | null;
  retention_days: RetentionOutput | null;
  consent: ConsentOutput | null;
  /** Where calls may go. What a number says narrows what its workspace allows, and widens nothing. */
  destinations: {
    /** Kinds of numbers that may be called. `international` is whatever belongs to another country, which has to be of an allowed kind besides. */
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
    /** What begins so may be called, whatever its kind. Domestic format, or `+` and the country code; of several that fit the longest counts. */
    allowed_prefixes: string[];
    /** What begins so may not be called, whatever its kind. */
    denied_prefixes: string[];
  } | null;
  /** Minutes that outbound calls of one day may last together; then `daily_limit_reached`. The day is that of the time zone of the workspace. */
  daily_minutes: number | null;
  /** What is said first to a caller; null for the default of the agent. */
  greeting: string | null;
  /** What becomes of an outbound call that a machine answers: the agent talks to it, it is hung up on, or a message is left after its beep and the call is hung up. */
  voicemail: 'talk' | 'hang_up' | 'leave_message';
  /** What `leave_message` says; null for a sentence in the language of the number, which does not tell what the call is about. */
  voicemail_message: string | null;
  /** What becomes of an outbound call that call screening answers, an assistant of the telephone that asks who calls and why: it is told once, with `caller_name` and the first sentence of the instruction, and a person is waited for up to a minute (`answer`), or it is hung up on. */
  screening: 'answer' | 'hang_up';
  /** Who calls, as call screening is told; null for an automated call without a name. */
  caller_name: string | null;
  /** What becomes of an outbound call that a menu answers, which lists keys: the agent hears it and may press keys (`talk`), or it is hung up on. */
  menu: 'talk' | 'hang_up';
  /** Where its calls may be transferred: whole numbers in domestic format, or prefixes that end in `*`; null for nowhere. Numbers that cost extra are to be named in full. */
  transfer_to: string[] | null;
  /** Whether a recorded call is recorded when it was transferred, too. False: the recording holds silence from then on. */
  record_transfers: boolean;
  /** How long the other party and the person of a transfer may talk with each other. Seconds. */
  transfer_max_duration_sec: number;
  /** Whether admins may listen to its calls in progress: nobody (`off`), only when the other party was told so first (`announced`), or without a word (`silent`), where your law allows that. */
  listen_in: 'off' | 'announced' | 'silent';
  /** The trunk that alone carries its outbound calls; null for those of the workspace. */
  trunk_id: string | null;
  /** The engine that hears first, one of `GW_RECOGNIZERS`; null for their order. */
  recognizer: string | null;
  /** The engine that speaks first, one of `GW_SYNTHESIZERS`; null for their order. */
  synthesizer: string | null;
  /** The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its usual one. Another synthesizer forgets it. */
  voice: string | null;
  agents: {
    inbound: AgentBinding;
    outbound: AgentBinding;
  };
  inbound_auth: {
    method: 'none' | 'handshake';
    url: string | null;
  };
  /** Null when no key was issued. */
  key: {
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    issued_at: string;
    recoverable: boolean;
  } | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
};

export type AgentBinding = {
  agent: 'builtin' | 'endpoint';
  agent_type: 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra' | null;
  chat_url: string | null;
  /** Kept for `langgraph` only. */
  assistant_id: string | null;
  /** Kept for outbound `mastra` only. */
  agent_id: string | null;
  /** `inline`: marks in its replies such as `<hangup/>` are acts and are not spoken. `off`: they are text like any other. */
  controls: 'off' | 'inline';
  /** Whether there is a token; it is never shown. */
  token_configured: boolean;
  /** The headers of your own, by their names in lower case; their values are never shown. */
  headers: Record<
    string,
    {
      configured: true;
    }
  >;
};

export type AgentTrial = {
  /** Of no call; the session was named with it. */
  call_id: string;
  agent_type: 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra' | 'builtin';
  direction: 'inbound' | 'outbound';
  language: string;
  /** Whether every turn got a reply that would be spoken, or acts. */
  ok: boolean;
  /** What was given and is not used. */
  notes: string[];
  /** Up to the first one that failed. */
  turns: {
    turn: number;
    /** What the other party said, or the kickoff. */
    message: string;
    exchanges: AgentExchange[];
    /** What a call would speak, and when it was ready for the voice. */
    spoken: {
      text: string;
      /** Milliseconds since the turn began. */
      at_ms: number;
    }[];
    /** What the agent would do, where `controls` is `inline`. */
    controls: {
      act: 'hang_up' | 'press_keys' | 'collect_keys' | 'transfer' | 'change_language';
      /** Of `press_keys`. */
      keys?: string | undefined;
      /** Of `collect_keys`. */
      wanted?:
        | {
            digits: number | null;
            finish: string | null;
            timeout_sec: number;
            secret: boolean;
          }
        | undefined;
      /** Of `transfer`. Whether the number may be rung is known in a call alone, by `transfer_to` of its number. */
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
      /** Of `change_language` (BCP 47). */
      language?: string | undefined;
      /** Milliseconds since the turn began. */
      at_ms: number;
    }[];
    first_byte_ms: number | null;
    first_sentence_ms: number | null;
    /** Milliseconds since the turn began. */
    end_ms: number;
    /** What a call would log of a reply that stands. */
    remarks: string[];
    failure: {
      kind: string;
      detail: string;
      /** The server's own words about it. */
      server_says: string | null;
    } | null;
    /** What to change. */
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
    /** The first 4 kB of it. */
    body: string;
  } | null;
  /** Why there was none, or why it broke off. */
  error: string | null;
};

export type RecognizerWithLanguages = {
  name: string;
  /** Those that it understands, of the languages of numbers. Absent where it may understand all of them. A call in a language that no recognizer understands is not heard. */
  languages?: ('ko' | 'en' | 'ja')[] | undefined;
};

export type SynthesizerWithVoices = {
  name: string;
  /** Those of the languages that the gateway speaks; null where the engine does not tell. It may have others. */
  voices: Voice[] | null;
};

export type Voice = {
  /** For `voice` of a number. */
  name: string;
  /** BCP 47. */
  language: string;
  /** For people. */
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
  /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
  counterparty: string;
  status: CallStatus;
  /** Null while the call is in progress. */
  end_reason: EndReason | null;
  /** The task given when the call was created. */
  instruction: string | null;
  /** Null until the call was summarized. */
  summary: string | null;
  /** What who placed the call said of it; absent where nothing was said. */
  metadata?: Record<string, string> | undefined;
  /** The last one that was asked for; null where none was. */
  transfer: CallTransfer | null;
  /** Whether the other party agreed to what it was told first; absent where it was told nothing, and until that is known. */
  consent?: CallConsent | undefined;
  /** When its transcript, its instruction and its summary were erased; absent while they are kept. */
  words_erased_at?: string | undefined;
  /** When all that tells of the other party was erased: of its number the last two digits are left. Absent while it is kept. */
  erased_at?: string | undefined;
  /** When dialing started, or the caller rang. */
  started_at: string;
  ended_at: string | null;
  /** The number that the call belongs to. */
  number: string;
  /** Connected time. */
  duration_sec: number | null;
  /** How long the other party waited for the agent, from the last sound of its words to the first sound of the reply: 95 % of the turns kept this. Null where it was measured of none. */
  turn_latency_p95_ms: number | null;
};

export type WorkspaceCall = {
  /** The same as `id`. */
  call_id: string;
  id: string;
  /** The number that the call belongs to. */
  number_id: string;
  direction: 'inbound' | 'outbound';
  /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
  counterparty: string;
  status: CallStatus;
  /** Null while the call is in progress. */
  end_reason: EndReason | null;
  /** The task given when the call was created. */
  instruction: string | null;
  /** Null until the call was summarized. */
  summary: string | null;
  /** What who placed the call said of it; absent where nothing was said. */
  metadata?: Record<string, string> | undefined;
  /** The last one that was asked for; null where none was. */
  transfer: CallTransfer | null;
  /** Whether the other party agreed to what it was told first; absent where it was told nothing, and until that is known. */
  consent?: CallConsent | undefined;
  /** When its transcript, its instruction and its summary were erased; absent while they are kept. */
  words_erased_at?: string | undefined;
  /** When all that tells of the other party was erased: of its number the last two digits are left. Absent while it is kept. */
  erased_at?: string | undefined;
  /** When dialing started, or the caller rang. */
  started_at: string;
  ended_at: string | null;
  /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
  from: string;
  /** What the network of a caller, or the caller, calls itself. Null where it says nothing, or withholds who it is. */
  from_name: string | null;
  /** For whom the call of a caller was meant before it was sent on, who sent it on last first: by `Diversion`, else `History-Info`. */
  diversions: {
    /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
    number: string;
    reason: string | null;
  }[];
  /** Domestic format: digits alone. A caller from abroad is `+` and the number with its country code, one who withholds the number `anonymous`. */
  to: string;
  /** BCP 47. */
  language: string;
  /** The options in force; empty before the answer. */
  options: {
    max_duration_sec?: number | undefined;
    recording?: boolean | undefined;
  };
  /** The options accepted and not yet in force; empty from the answer on. */
  options_pending: {
    max_duration_sec?: number | undefined;
    recording?: boolean | undefined;
  };
  /** Connected time, from the answer to the end. Null while the call is in progress or when it is not known; 0 when the call was never answered. */
  duration_sec: number | null;
  answered_at: string | null;
  /** Who has picked up an outbound call: a person, an answering machine or announcement, a menu that lists keys, or call screening, as long as nobody else has come behind it. Found out while the call goes on; null as long as, and where, it is not clear. */
  answered_by: 'human' | 'machine' | 'screening' | 'menu' | null;
  recording: {
    status: 'none' | 'pending' | 'completed' | 'failed' | 'erased';
    /** Nothing that is said now is recorded. False once the call has ended. */
    paused: boolean;
    /** Its end is missing: the gateway ended while it was written. What there is can be played. */
    truncated: boolean;
    /** `audio/mpeg` or `audio/ogg`. */
    content_type?: string | undefined;
    duration_sec?: number | undefined;
  };
  /** What the telephone line said; nulls where there is no SIP. */
  sip: {
    status: number | null;
    reason: string | null;
    call_id: string | null;
    /** Why the call ended, by the header `Reason` of the refusal, the CANCEL or the BYE of the other side; four at most, each with a text of up to 200 characters. Absent where there is none. */
    reasons?:
      | {
          /** Usually `SIP` or `Q.850`. */
          protocol: string;
          /** A status of SIP, or a cause of the telephone network (ITU-T Q.850). */
          cause: number | null;
          text: string | null;
        }[]
      | undefined;
    /** Web addresses in the header `Call-Info` of a refusal, where a blocked call can be complained of. Absent where there are none. */
    call_info?: string[] | undefined;
    /** Headers `X-…` of the INVITE: of a caller those that the trunk names in `headers_in`, of an outbound call those that were asked for. Absent where there are none. */
    headers?: Record<string, string> | undefined;
  };
  /** Of an outbound call: from the INVITE until the callee rang or answered. Null where neither happened, and where there is no SIP. */
  post_dial_delay_ms: number | null;
  sound: CallSound;
  /** By which the call went or came, the last that was tried; null where there is none. */
  trunk: {
    /** `configured` for the trunk of the gateway itself. */
    id: string;
    name: string;
  } | null;
  /** Ids of the trunks that the call went to before, and that have failed it. */
  failed_trunks: string[];
  /** `address:port` of SIP and of RTP on both sides; null where nobody knows. */
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
  /** What moved the charts, such as `line.answered`. `(begin)` is the first state, `(time)` a time that was up. What moved no chart goes by the type of its event. */
  event: string;
  /** The `sequence` of the event of the call that tells of it. */
  fact: number | null;
  /** Where the chart `call` is then. */
  call: string;
  /** Where the chart `conversation` is; null while there is none. */
  conversation: string | null;
  /** Where the chart `voicemail` is; null while no machine is left a message. */
  voicemail: string | null;
};

export type SipLadder = {
  call_id: string;
  messages: SipMessage[];
  /** Why there are none: the call was simulated, the gateway keeps none, they were deleted because of their age, or none was seen. Null where there are some. */
  empty_because: 'simulated' | 'switched_off' | 'too_old' | 'none' | null;
};

export type SipMessage = {
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  at: string;
  /** Since the first message of the call. */
  elapsed_ms: number;
  /** `out`: sent by this gateway. */
  direction: 'in' | 'out';
  transport: 'udp' | 'tcp' | 'tls' | 'ws' | 'wss';
  /** The gateway’s end. Host and port; an IPv6 address stands in brackets. */
  local: string;
  /** The trunk’s end: a name where nothing came from there yet. Host and port; an IPv6 address stands in brackets. */
  remote: string;
  /** Its `Call-ID`: another one for each trunk that is tried. */
  sip_call_id: string;
  start_line: string;
  /** The whole message, up to 16,384 characters of it, with its secrets masked. */
  text: string;
  /** How many messages between the one before and this one were not kept. */
  left_out: number;
};

export type AuditEntry = {
  id: number;
  /** Who: `admin:` and the id of the token. */
  actor: string;
  /** What was done, such as `number_key.revealed`. */
  action: string;
  /** To what, such as `number:` and its id. */
  subject: string;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  at: string;
  /** What belongs to it; never a secret. */
  detail: Record<string, unknown>;
};

export type Workspace = {
  id: string;
  name: string;
  /** IANA name. Timestamps of the workspace are written in it. */
  time_zone: string;
  /** The longest duration that a call may be given. Seconds. */
  max_duration_sec: number | null;
  /** The duration of a call that is given none. Seconds. */
  default_duration_sec: number | null;
  /** How long nobody may speak. Seconds. */
  silence_timeout_sec: number | null;
  /** How long it may ring. Seconds. */
  ring_timeout_sec: number | null;
  /** Calls in progress at once. */
  max_concurrent_calls: number | null;
  /** Whether calls are recorded. */
  recording_enabled: boolean | null;
  barge_in: BargeInOutput | null;
  turn_end: TurnEndOutput | null;
  retention_days: RetentionOutput | null;
  consent: ConsentOutput | null;
  /** Where calls may go. What a number says narrows what its workspace allows, and widens nothing. */
  destinations: {
    /** Kinds of numbers that may be called. `international` is whatever belongs to another country, which has to be of an allowed kind besides. */
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
    /** What begins so may be called, whatever its kind. Domestic format, or `+` and the country code; of several that fit the longest counts. */
    allowed_prefixes: string[];
    /** What begins so may not be called, whatever its kind. */
    denied_prefixes: string[];
  } | null;
  /** Calls in progress at once, over all numbers. */
  max_calls_in_progress: number | null;
  /** Minutes that outbound calls of one day may last together; then `daily_limit_reached`. The day is that of the time zone of the workspace. */
  daily_minutes: number | null;
  /** What holds for a number that sets nothing itself: the workspace, then the platform. */
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
      /** Kinds of numbers that may be called. `international` is whatever belongs to another country, which has to be of an allowed kind besides. */
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
      /** What begins so may be called, whatever its kind. Domestic format, or `+` and the country code; of several that fit the longest counts. */
      allowed_prefixes: string[];
      /** What begins so may not be called, whatever its kind. */
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
  /** When the next day of the workspace begins. */
  until: string;
  workspace: {
    /** Minutes a day; null for no limit. */
    limit: number | null;
    /** Of conversation by now. */
    talked_minutes: number;
    /** The same, with calls in progress as long as they may last: what is over of the limit may be given to the next call. */
    held_minutes: number;
  };
  numbers: {
    number_id: string;
    number: string;
    /** Minutes a day; null for no limit. */
    limit: number | null;
    /** Of conversation by now. */
    talked_minutes: number;
    /** The same, with calls in progress as long as they may last: what is over of the limit may be given to the next call. */
    held_minutes: number;
  }[];
};

export type Overview = {
  /** In order; the last one is today. */
  days: {
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    from: string;
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    until: string;
    /** That ring no more. */
    calls: number;
    answered: number;
  }[];
  /** Of the calls of these days that are over, the most frequent first. */
  end_reasons: {
    end_reason: EndReason;
    calls: number;
  }[];
  /** How long the other party waited for the agent, from the last sound of its words to the first sound of the reply: over the turns of the 300 newest answered calls of each day. */
  latency: {
    today: {
      /** In milliseconds; null where it was measured of none. */
      p50: number | null;
      p95: number | null;
      /** How many were measured. */
      turns: number;
    };
    yesterday: {
      /** In milliseconds; null where it was measured of none. */
      p50: number | null;
      p95: number | null;
      /** How many were measured. */
      turns: number;
    };
  };
  /** Agents that have failed calls of these days. */
  agents: {
    number_id: string;
    number: string;
    direction: 'inbound' | 'outbound';
    /** `agent_error` or `no_agent_endpoint`. */
    end_reason: EndReason;
    /** That ring no more. */
    calls: number;
    /** Of those, the ones that it failed. */
    failed: number;
  }[];
  /** Trunks with calls of these days that ended with `trunk_error`. */
  trunks: {
    /** `configured` for the trunk of the gateway itself. */
    trunk_id: string;
    name: string;
    /** That ring no more. */
    calls: number;
    /** Of those, the ones that it failed. */
    failed: number;
  }[];
  /** Endpoints that are disabled, that are failing, or to which events were given up. */
  webhooks: {
    id: string;
    url: string;
    state: 'active' | 'paused' | 'disabled';
    /** When the first attempt failed after the last one that succeeded. */
    failing_since: string | null;
    /** Events that were given up. */
    dead: number;
  }[];
};

export type Gateway = {
  /** Its name among those that share the database. */
  name: string;
  /** `silent`: it does not reach the database, or has died a moment ago. `lost`: the others found it dead, and go on with its calls. */
  state: 'running' | 'silent' | 'lost';
  /** When it last said that it lives. */
  seen_at: string;
  /** Whether calls of another gateway that ends, or has died, may go on here. */
  takes_calls: boolean;
  /** Calls of the workspace that it holds. */
  calls: {
    ringing: number;
    active: number;
    /** Those of them that began at another gateway, or before its last start. */
    taken_over: number;
  };
  /** Whether it has answered this request. */
  is_current: boolean;
};

export type AdminToken = {
  id: string;
  /** Who or what it is for. */
  name: string;
  /** `viewer` reads everything but keys; `admin` changes things as well. */
  role: 'admin' | 'viewer';
  state: 'active' | 'expired';
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  /** Null: valid until it is revoked. */
  expires_at: string | null;
  /** To the minute; null when it was never used. */
  last_used_at: string | null;
  /** The gateway (`GW_NODE`) that made it for its `dev-credentials.json`; null for others. */
  gateway: string | null;
  /** Whether this request was sent with it. */
  is_current: boolean;
};

export type AdminTokenWithSecret = {
  id: string;
  /** Who or what it is for. */
  name: string;
  /** `viewer` reads everything but keys; `admin` changes things as well. */
  role: 'admin' | 'viewer';
  state: 'active' | 'expired';
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  /** Null: valid until it is revoked. */
  expires_at: string | null;
  /** To the minute; null when it was never used. */
  last_used_at: string | null;
  /** The gateway (`GW_NODE`) that made it for its `dev-credentials.json`; null for others. */
  gateway: string | null;
  /** Whether this request was sent with it. */
  is_current: boolean;
  /** Shown this once. */
  token: string;
};

export type Trunk = {
  id: string;
  /** Unique in the workspace. */
  name: string;
  /** A host name or an IP address. */
  host: string;
  /** Null: as DNS says (SRV), else 5060, or 5061 for tls. */
  port: number | null;
  transport: 'udp' | 'tcp' | 'tls';
  /** Where calls and OPTIONS go in place of `host` and `port`, which stay the registrar and the domain: the lowest `priority` first, among equals by `weight`. One that is `drained` gets no new calls. Empty: `host` alone. */
  addresses: {
    host: string;
    port: number | null;
    priority: number;
    weight: number;
    drained: boolean;
  }[];
  /** For digest authentication and registration. */
  username: string | null;
  /** Whether the gateway registers at the trunk. */
  register: boolean;
  /** What callers are challenged with; null for `trunkline`. */
  realm: string | null;
  /** Behind the number in From; null for the trunk's host. */
  from_domain: string | null;
  /** `01012345678`, `+821012345678` or `821012345678`. */
  number_format: 'domestic' | 'e164' | 'e164_without_plus';
  /** The header that carries the number. With another one than `from`, From carries the user name. */
  caller_id: 'from' | 'p-asserted-identity' | 'p-preferred-identity';
  /** Whether the called party is not to see the number. */
  privacy: boolean;
  /** Offered and taken in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus. */
  codecs: ('PCMU' | 'PCMA' | 'G722' | 'opus')[] | null;
  /** `required`: sound is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted where the other side does so, too (RFC 8643); FreeSWITCH offers it in clear, and takes encrypted offers. The keys travel in SIP (RFC 4568): use it with the transport `tls`. */
  srtp: 'off' | 'optional' | 'required';
  /** Who carries the sound: `freeswitch`; `direct`, the gateway itself by RTP or SRTP, PCMU and PCMA, which costs a fraction of the processor time; `auto`, the gateway itself where that can be, else FreeSWITCH. What cannot be carried so is refused with 488. */
  media: 'freeswitch' | 'auto' | 'direct';
  /** Of the numbers that it serves, in E.164. The longest prefix that fits goes first, before any priority; trunks without prefixes serve all numbers, behind it. */
  prefixes: string[];
  /** The lowest goes first. */
  priority: number;
  /** The share of calls among trunks of the same priority. */
  weight: number;
  /** Calls at once in both directions; null for no limit. */
  max_channels: number | null;
  /** New outbound calls a second; null for no limit. */
  calls_per_second: number | null;
  /** Final statuses after which a call that no telephone has rung for goes on to the next trunk; `5xx` is a whole class. A network that says more (`Reason`) is believed before the status. A `Retry-After` with one of them leaves the trunk alone until then, an hour at most. */
  failover_statuses: string[];
  /** Whether a call follows a redirect (302 and the like): to no other place, to the hosts of the trunk alone, or to any. The order is that of `q`; five redirects a call at most, none twice; the number that stands there must be one that may be called. */
  redirects: 'refused' | 'same_host' | 'any';
  /** Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here once they are connected. A trunk that refuses REFER has its calls transferred as any other. */
  refer: boolean;
  /** Whether a REFER of the other party in a call is done, as a transfer to the number that it names and only where `transfer_to` of the number allows that. It is declined (603) otherwise. */
  accept_refer: boolean;
  /** Where its calls come from: addresses and CIDR blocks. */
  inbound_addresses: string[];
  /** `digest`: callers prove that they know user name and password, from the addresses above or, where there are none, from any. */
  inbound_auth: 'none' | 'digest';
  /** Headers that are taken from the INVITE of a caller and stand in `sip.headers` of the call and its events; names begin with `X-`, and small letters are as good as capitals. One of more than 255 bytes, or with control characters, is left out. */
  headers_in: string[];
  /** Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers goes by trunks alone that name all of them. */
  headers_out: string[];
  /** Whether OPTIONS asks the trunk if it is there. Switch it off for a trunk that never answers. */
  health_check: boolean;
  /** No new call goes out, and one that comes in gets 503; those that stand go on, and the trunk stays registered. */
  drained: boolean;
  enabled: boolean;
  password_configured: boolean;
  /** On the gateway that answers. `registering`, `registered`, `unregistered` for a trunk that registers, `ready` for one that does not; `unreachable`: OPTIONS is not answered; `resting`: it has asked to be left alone; `draining`, `drained`: it takes no new calls, and some still stand, or none; `unused`: the lines are simulated. */
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
  /** Why it is so, where there is something to say. */
  detail: string | null;
  /** When it last answered. */
  last_seen_at: string | null;
  /** No call goes there until then (`Retry-After`). A change of its settings ends it. */
  rests_until: string | null;
  /** Calls that go this way now, in both directions. */
  channels_in_use: number;
  /** Of each of its `addresses`, on the gateway that answers. */
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
    /** Calls that went out there. */
    channels_in_use: number;
  }[];
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
};

export type TrunkCheckStep = {
  step: 'registration' | 'options' | 'call';
  result: 'ok' | 'failed' | 'skipped';
  /** What it means, and what to do. */
  sentence: string;
  /** The SIP messages of this step. */
  ladder: {
    at_ms: number;
    direction: 'out' | 'in';
    message: string;
  }[];
};

export type TrunkFigures = {
  /** `configured` for the trunk of the gateway itself. */
  trunk_id: string;
  name: string;
  /** That went out by it, and ring no more. */
  outbound_calls: number;
  outbound_answered: number;
  /** That it failed, and that went on to another trunk. */
  outbound_failed_over: number;
  inbound_calls: number;
  inbound_answered: number;
  /** ASR, 0 to 1: of the outbound calls that went to it, those it failed included, the share that was answered. */
  answer_seizure_ratio: number | null;
  /** ACD, over answered calls of both directions. */
  average_call_duration_sec: number | null;
  /** PDD: on the average, from the INVITE until the callee rings or answers. */
  post_dial_delay_ms: number | null;
  /** Mean opinion score of what came in, on the average. */
  mos: number | null;
  /** In which one of both heard nothing. */
  one_way_calls: number;
};

export type Webhook = {
  id: string;
  url: string;
  /** Which types to deliver; null for all of them. */
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
  /** Events wait for a paused endpoint. An endpoint that answered 410 is disabled. */
  state: 'active' | 'paused' | 'disabled';
  disabled_reason: string | null;
  /** When the first attempt failed after the last one that succeeded; null while none has. Events wait meanwhile, some without an attempt of their own. */
  failing_since: string | null;
  /** How the last attempt failed; null while it is not failing. */
  last_failure: string | null;
  /** Until then the secret before the last rotation signs as well. */
  previous_secret_until: string | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
};

export type WebhookWithSecret = {
  id: string;
  url: string;
  /** Which types to deliver; null for all of them. */
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
  /** Events wait for a paused endpoint. An endpoint that answered 410 is disabled. */
  state: 'active' | 'paused' | 'disabled';
  disabled_reason: string | null;
  /** When the first attempt failed after the last one that succeeded; null while none has. Events wait meanwhile, some without an attempt of their own. */
  failing_since: string | null;
  /** How the last attempt failed; null while it is not failing. */
  last_failure: string | null;
  /** Until then the secret before the last rotation signs as well. */
  previous_secret_until: string | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  /** Signs the events (Standard Webhooks). Shown this once. */
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
  /** `dead`: not tried again, unless it is replayed. */
  state: 'pending' | 'delivered' | 'dead';
  /** Null when it is finished. */
  next_attempt_at: string | null;
  /** ISO 8601 with the numeric UTC offset of the workspace. */
  created_at: string;
  finished_at: string | null;
  attempts: {
    /** From 1. */
    attempt: number;
    /** ISO 8601 with the numeric UTC offset of the workspace. */
    at: string;
    duration_ms: number;
    /** Null when no answer came. */
    http_status: number | null;
    /** Null when it was delivered. */
    error: string | null;
  }[];
};

export type SimulatedCallee = {
  number: string;
  script: Script;
};

export type BargeInOutput = {
  /** `pause`: the agent falls silent at the onset of a voice, and goes on where it stopped when that was noise, a cough or a backchannel. `stop`: it speaks until real speech is heard. `off`: it finishes, and answers then. */
  mode: 'pause' | 'stop' | 'off';
  /** Of `pause`: so long a voice is an onset. Milliseconds. */
  onset_ms: number;
  /** Of `pause`: so long a voice that sounds like speech is an interruption, where its words are not known yet. Milliseconds. */
  speech_ms: number;
  /** Of `pause`: after so much silence behind an onset without words the agent goes on. Milliseconds. */
  resume_ms: number;
};

export type TurnEndOutput = {
  /** `pause`: the silence behind the words, short when they sound finished and long when they want to go on. `recognizer`: the recognizer, where it tells the end of a turn itself (`deepgram`, `deepgram-flux`). `model`: a model of speech, which the operator brings (`GW_TURN_MODEL`). What cannot be on this gateway is refused; where it fails later, pauses decide. */
  mode: 'pause' | 'recognizer' | 'model';
  /** Before so much silence no turn is over. Milliseconds. */
  min_silence_ms: number;
  /** After so much silence one that has words is over, whoever decides. Milliseconds. */
  max_silence_ms: number;
};

export type RetentionOutput = {
  /** Days after the end of a call; 0: calls are not recorded; null: for ever. */
  recordings: number | null;
  /** Days after the end of a call for the transcript, the instruction, the summary and keys that were pressed; 0: no transcript and no summary is ever written, and the rest goes with the end; null: for ever. */
  words: number | null;
};

export type ConsentOutput = {
  /** Said first of all, before anything is recorded and before the agent is asked; it cannot be interrupted. Null: nothing. */
  announce: string | null;
  /** `none`: being told is enough; `speech`: the other party has to say yes; `key`: it has to press 1. Who gives no clear answer is asked once more; who does not agree then is said goodbye, and the call ends with `consent_refused`. */
  require: 'none' | 'speech' | 'key';
};

/** What a problem can be: its `code`. */
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
  | 'method_not_allowed'
  | 'request_timeout'
  | 'headers_too_large';

/** What each operation takes, and what it answers. */
export type Operations = {
  /** List the calls of the number. Newest first by `started_at`, then by `id`. Follow `next_cursor` until it is null. */
  listCalls: {
    request:
      | {
          limit?: number | undefined;
          /** The `next_cursor` of the page before. */
          cursor?: string | undefined;
          status?: CallStatus | undefined;
          direction?: 'inbound' | 'outbound' | undefined;
          /** Calls that have this metadata, all of it. Each is a parameter of its own: `metadata.<key>=<value>`. */
          metadata?: Record<string, string> | undefined;
          /** Calls that started at this moment or later. */
          since?: string | undefined;
          /** Calls that started before this moment. */
          until?: string | undefined;
          /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
          'x-number-id'?: string | undefined;
        }
      | undefined;
    answer: CallPage;
  };
  /** Place a call. Dials `to` from the number of the key and answers as soon as dialing has started. Real calls cost real money. When the other party answers, the agent speaks first. */
  createCall: {
    request: {
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
      /** Up to 255 characters. The same key and body within 24 hours give the same answer and place no second call. */
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
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: Call;
  };
  /** Read the transcript. What was really heard, turn by turn. For a call in progress: the turns up to now. */
  getTranscript: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      transcript: TranscriptTurn[];
    };
  };
  /** What happened in a call, and happens. The journal of the call: what happened, in order. With `Accept: text/event-stream` the same as Server-Sent Events: first what was, then what happens, as it happens. `event: fact` is one of the list and has its `sequence` as `id`, so that `Last-Event-ID` goes on where a connection broke; `event: state` says where the charts of the call are now and what the agent is saying, the words of its turn that were heard and the sentence that is being said (`{"call": "active.talking.conversing", "conversation": "replying.speaking", "voicemail": null, "saying": "Good morning."}`), as long as the gateway that holds it is this one, or can be reached by it; `event: end` is the last one: nothing more will come. The stream may end without it, when the gateway shuts down: connect again. It ends within a few seconds as well when its key or token is revoked, reissued or past its end. */
  getCallEvents: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
      /** Of a stream that broke: its last `id`. */
      'last-event-id'?: string | undefined;
    };
    answer: {
      events: CallEvent[];
    };
  };
  /** Download the recording. The audio itself, once the file is saved, which may take a moment after the call. Wait for the event `recording.completed`, or ask again while `reason` is `pending`. */
  getRecording: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
      /** One range of bytes. */
      range?: string | undefined;
      /** ETags: nothing is sent where the file is one of them. */
      'if-none-match'?: string | undefined;
      /** An ETag: `Range` applies only to that very file. */
      'if-range'?: string | undefined;
    };
    answer: Response;
  };
  /** Pause the recording. For what must not be kept, such as the number of a card. From the answer to this request on the recording holds silence for both parties, until it is resumed or the call ends; places in the recording stay places in the transcript, which goes on. A recording that is paused already stays so. */
  pauseRecording: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      recording: {
        paused: true;
      };
    };
  };
  /** Resume the recording. Both parties are recorded again. The first moment stays silent: what was on its way when this request came was said before it. A recording that is not paused goes on as it was. */
  resumeRecording: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      recording: {
        paused: false;
      };
    };
  };
  /** Press keys of the telephone. For a recorded menu or an extension: the other party gets the keys at once, whatever is being said. They stand in the events of the call as `keys.pressed` when they have gone out, and as `keys.failed` where the other party did not take them. */
  pressKeys: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
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
  /** Collect keys of the other party. What the other party presses comes to the agent as one turn, `[keys] 1234`, when there are as many keys as are wanted, at the key that finishes, or when none has come for a while; `[keys]` alone when none was pressed. It stands in the transcript. Another request takes the place of this one. */
  collectKeys: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
      body: {
        /** So many are all. */
        digits?: number | null | undefined;
        /** The key that says that these were all; it is none of them. */
        finish?: string | null | undefined;
        /** So long is waited for the first key, and for each next one, while nobody speaks. */
        timeout_sec?: number | undefined;
        /** The agent's endpoint alone gets the keys: the transcript, the events, whoever looks on and the recording, which pauses by itself, do not, nor does the built-in agent. Keys that follow are hidden as well, until keys that are not secret are collected. */
        secret?: boolean | undefined;
      };
    };
    answer: {
      call_id: string;
      status: 'collect_requested';
    };
  };
  /** Say something in the agent's place. The words are said as soon as the floor is free: behind a reply of the agent, and behind its answer to what the other party is saying. The other party may interrupt them as it may interrupt the agent. What was heard of them is a turn of the assistant in the transcript, and the agent knows it; that they were asked for stands in the events of the call as `say.requested`. */
  say: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
      body: {
        /** Spoken as replies are, sentence by sentence. */
        text: string;
        /** Said at once instead of what the agent is saying or thinking of, which is given up. A question of the other party that is not answered yet is answered afterwards. Nobody who speaks is talked over. */
        interrupt?: boolean | undefined;
      };
    };
    answer: {
      call_id: string;
      status: 'say_requested';
    };
  };
  /** Transfer a call to a person. Somebody is rung, and connected with the other party when they answer; the agent is silent meanwhile and out of the call from then on. Nobody may be rung whom the setting `transfer_to` of the number does not allow. A request, not a promise: what becomes of it stands in the events of the call as `call.transfer_connected`, `call.transfer_failed` or `call.transfer_returned`. */
  transfer: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
      body: {
        /** A domestic telephone number. */
        to: string;
        /** `cold`: the person who answers is connected at once. `warm`: hears first what the call is about, while the other party hears a hold tone. */
        mode?: 'cold' | 'warm' | undefined;
        /** Said to the other party before the person is rung; it cannot be interrupted. */
        say?: string | null | undefined;
        /** Warm transfers only: text that the person hears before being connected. The default says that an agent has answered so far, followed by a summary of the call by the gateway's language model; without a model, or if the summary is not ready when the person answers, by the last words of the other party. */
        briefing?: string | null | undefined;
        /** Of a warm transfer: the key that the person presses to take the call, which is said behind the briefing. Without it they are connected at its end. Who has not pressed it 15 seconds later is let go of (`not_accepted`). */
        accept_key?: string | null | undefined;
        /** How long it may ring. Seconds. */
        ring_timeout_sec?: number | undefined;
        /** What becomes of the call when nobody was connected: the agent is told and goes on, or the call ends with `transfer_failed`. */
        on_failure?: 'resume' | 'hang_up' | undefined;
      };
    };
    answer: {
      call_id: string;
      transfer_id: string;
      status: 'transfer_requested';
    };
  };
  /** Take a transfer back. Before anybody is connected: nobody is rung any more, and the agent goes on. Who has answered in the same moment is connected nevertheless. A transfer that the trunk makes itself (REFER) cannot be taken back: `transfer_not_cancellable`. */
  cancelTransfer: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      status: 'transfer_taken_back';
    };
  };
  /** Ask a call to hang up. A request, not a promise: the call ends when the farewell was heard, and goes on when the other party speaks into it. Say the farewell before or while asking. The end is observed by the event `call.ended` with `end_reason` `agent_hangup`. On any error the call stays alive. */
  hangUp: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
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
  /** Stop ringing. Ends a call that is still ringing; it becomes `no_answer` with `end_reason` `cancelled`. An answered call is hung up instead. */
  cancelCall: {
    request: {
      /** The call. */
      call_id: string;
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
    };
    answer: {
      call_id: string;
      status: 'cancel_requested';
    };
  };
  /** Use the calls from another agent. One message of the Model Context Protocol (streamable HTTP, without sessions), whose tools place, follow and end the calls of the number: `place_call`, `wait_for_call`, `get_call`, `get_transcript`, `list_calls`, `hang_up` and `transfer_call`. Clients of the protocol send it; give them this address and the key. */
  postMcp: {
    request: {
      /** The key's own number; absent, empty or `null` means the same. Another one is refused. */
      'x-number-id'?: string | undefined;
      /** The version of the protocol that both sides have agreed on, behind `initialize`. */
      'mcp-protocol-version'?: string | undefined;
      /** A message of JSON-RPC 2.0; one at a time. */
      body: Record<string, unknown>;
    };
    answer: Response;
  };
  /** List the numbers. All numbers of the workspace, the oldest first. */
  listNumbers: {
    request: undefined;
    answer: {
      numbers: PhoneNumber[];
    };
  };
  /** Add a number. Both directions begin with the built-in agent. Issue a key to place calls from it. */
  createNumber: {
    request: {
      body: {
        /** Domestic format; hyphens and spaces are removed. */
        number: string;
        /** The language that is spoken, BCP 47. */
        language?: 'ko' | 'en' | 'ja' | undefined;
        /** The longest duration that a call may be given. Seconds. */
        max_duration_sec?: number | null | undefined;
        /** The duration of a call that is given none. Seconds. */
        default_duration_sec?: number | null | undefined;
        /** How long nobody may speak. Seconds. */
        silence_timeout_sec?: number | null | undefined;
        /** How long it may ring. Seconds. */
        ring_timeout_sec?: number | null | undefined;
        /** Calls in progress at once. */
        max_concurrent_calls?: number | null | undefined;
        /** Whether calls are recorded. */
        recording_enabled?: boolean | null | undefined;
        barge_in?: BargeIn | null | undefined;
        turn_end?: TurnEnd | null | undefined;
        retention_days?: Retention | null | undefined;
        consent?: Consent | null | undefined;
        /** Where calls may go. What a number says narrows what its workspace allows, and widens nothing. */
        destinations?:
          | {
              /** Kinds of numbers that may be called. `international` is whatever belongs to another country, which has to be of an allowed kind besides. */
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
              /** What begins so may be called, whatever its kind. Domestic format, or `+` and the country code; of several that fit the longest counts. */
              allowed_prefixes: string[];
              /** What begins so may not be called, whatever its kind. */
              denied_prefixes: string[];
            }
          | null
          | undefined;
        /** Minutes that outbound calls of one day may last together; then `daily_limit_reached`. The day is that of the time zone of the workspace. */
        daily_minutes?: number | null | undefined;
        /** What is said first to a caller; null for the default of the agent. */
        greeting?: string | null | undefined;
        /** What becomes of an outbound call that a machine answers: the agent talks to it, it is hung up on, or a message is left after its beep and the call is hung up. */
        voicemail?: 'talk' | 'hang_up' | 'leave_message' | undefined;
        /** What `leave_message` says; null for a sentence in the language of the number, which does not tell what the call is about. */
        voicemail_message?: string | null | undefined;
        /** What becomes of an outbound call that call screening answers, an assistant of the telephone that asks who calls and why: it is told once, with `caller_name` and the first sentence of the instruction, and a person is waited for up to a minute (`answer`), or it is hung up on. */
        screening?: 'answer' | 'hang_up' | undefined;
        /** Who calls, as call screening is told; null for an automated call without a name. */
        caller_name?: string | null | undefined;
        /** What becomes of an outbound call that a menu answers, which lists keys: the agent hears it and may press keys (`talk`), or it is hung up on. */
        menu?: 'talk' | 'hang_up' | undefined;
        /** Where its calls may be transferred: whole numbers in domestic format, or prefixes that end in `*`; null for nowhere. Numbers that cost extra are to be named in full. */
        transfer_to?: string[] | null | undefined;
        /** Whether a recorded call is recorded when it was transferred, too. False: the recording holds silence from then on. */
        record_transfers?: boolean | undefined;
        /** How long the other party and the person of a transfer may talk with each other. Seconds. */
        transfer_max_duration_sec?: number | undefined;
        /** Whether admins may listen to its calls in progress: nobody (`off`), only when the other party was told so first (`announced`), or without a word (`silent`), where your law allows that. */
        listen_in?: 'off' | 'announced' | 'silent' | undefined;
        /** The trunk that alone carries its outbound calls; null for those of the workspace. */
        trunk_id?: string | null | undefined;
        /** The engine that hears first, one of `GW_RECOGNIZERS`; null for their order. */
        recognizer?: string | null | undefined;
        /** The engine that speaks first, one of `GW_SYNTHESIZERS`; null for their order. */
        synthesizer?: string | null | undefined;
        /** The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its usual one. Another synthesizer forgets it. */
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
  /** Change a number. Changes what is given. A policy field that is null falls back to the workspace, then to the platform. Calls in progress keep what they began with. */
  updateNumber: {
    request: {
      /** The number. */
      id: string;
      body: {
        /** The language that is spoken, BCP 47. */
        language?: 'ko' | 'en' | 'ja' | undefined;
        /** The longest duration that a call may be given. Seconds. */
        max_duration_sec?: number | null | undefined;
        /** The duration of a call that is given none. Seconds. */
        default_duration_sec?: number | null | undefined;
        /** How long nobody may speak. Seconds. */
        silence_timeout_sec?: number | null | undefined;
        /** How long it may ring. Seconds. */
        ring_timeout_sec?: number | null | undefined;
        /** Calls in progress at once. */
        max_concurrent_calls?: number | null | undefined;
        /** Whether calls are recorded. */
        recording_enabled?: boolean | null | undefined;
        barge_in?: BargeIn | null | undefined;
        turn_end?: TurnEnd | null | undefined;
        retention_days?: Retention | null | undefined;
        consent?: Consent | null | undefined;
        /** Where calls may go. What a number says narrows what its workspace allows, and widens nothing. */
        destinations?:
          | {
              /** Kinds of numbers that may be called. `international` is whatever belongs to another country, which has to be of an allowed kind besides. */
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
              /** What begins so may be called, whatever its kind. Domestic format, or `+` and the country code; of several that fit the longest counts. */
              allowed_prefixes: string[];
              /** What begins so may not be called, whatever its kind. */
              denied_prefixes: string[];
            }
          | null
          | undefined;
        /** Minutes that outbound calls of one day may last together; then `daily_limit_reached`. The day is that of the time zone of the workspace. */
        daily_minutes?: number | null | undefined;
        /** What is said first to a caller; null for the default of the agent. */
        greeting?: string | null | undefined;
        /** What becomes of an outbound call that a machine answers: the agent talks to it, it is hung up on, or a message is left after its beep and the call is hung up. */
        voicemail?: 'talk' | 'hang_up' | 'leave_message' | undefined;
        /** What `leave_message` says; null for a sentence in the language of the number, which does not tell what the call is about. */
        voicemail_message?: string | null | undefined;
        /** What becomes of an outbound call that call screening answers, an assistant of the telephone that asks who calls and why: it is told once, with `caller_name` and the first sentence of the instruction, and a person is waited for up to a minute (`answer`), or it is hung up on. */
        screening?: 'answer' | 'hang_up' | undefined;
        /** Who calls, as call screening is told; null for an automated call without a name. */
        caller_name?: string | null | undefined;
        /** What becomes of an outbound call that a menu answers, which lists keys: the agent hears it and may press keys (`talk`), or it is hung up on. */
        menu?: 'talk' | 'hang_up' | undefined;
        /** Where its calls may be transferred: whole numbers in domestic format, or prefixes that end in `*`; null for nowhere. Numbers that cost extra are to be named in full. */
        transfer_to?: string[] | null | undefined;
        /** Whether a recorded call is recorded when it was transferred, too. False: the recording holds silence from then on. */
        record_transfers?: boolean | undefined;
        /** How long the other party and the person of a transfer may talk with each other. Seconds. */
        transfer_max_duration_sec?: number | undefined;
        /** Whether admins may listen to its calls in progress: nobody (`off`), only when the other party was told so first (`announced`), or without a word (`silent`), where your law allows that. */
        listen_in?: 'off' | 'announced' | 'silent' | undefined;
        /** The trunk that alone carries its outbound calls; null for those of the workspace. */
        trunk_id?: string | null | undefined;
        /** The engine that hears first, one of `GW_RECOGNIZERS`; null for their order. */
        recognizer?: string | null | undefined;
        /** The engine that speaks first, one of `GW_SYNTHESIZERS`; null for their order. */
        synthesizer?: string | null | undefined;
        /** The voice of the chosen synthesizer: a model (`deepgram-aura`), a name (`openai-speech`, `espeak-ng`) or an id (`elevenlabs`); null for its usual one. Another synthesizer forgets it. */
        voice?: string | null | undefined;
      };
    };
    answer: PhoneNumber;
  };
  /** Delete a number. Its key and its agents are gone at once, and its digits may be added again. Its calls, their transcripts and recordings, the call records and the audit log stay. A webhook endpoint that is bound to it gets what is still outstanding, and nothing after that. Refused while a call is in progress. */
  deleteNumber: {
    request: {
      /** The number. */
      id: string;
    };
    answer: undefined;
  };
  /** Connect an agent. Replaces the binding of one direction. Only what the agent type stores is kept. */
  putAgent: {
    request: {
      /** The number. */
      id: string;
      direction: 'inbound' | 'outbound';
      body: {
        /** `builtin` needs no server. `endpoint` without a type or a chat URL cannot take calls. */
        agent: 'builtin' | 'endpoint';
        agent_type?: 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra' | null | undefined;
        /** https only. Empty is the same as none. */
        chat_url?: string | null | undefined;
        /** For `langgraph`; dropped for every other type. */
        assistant_id?: string | null | undefined;
        /** For outbound `mastra`; dropped for everything else. */
        agent_id?: string | null | undefined;
        /** Absent is `off`. */
        controls?: 'off' | 'inline' | undefined;
        /** Outbound only: sent to the agent endpoint as a bearer token. Never shown again. Absent keeps the stored one; null or empty removes it. */
        token?: string | null | undefined;
        /** Headers of your own on every request to the agent endpoint, such as a key that it wants there: at most 10. Values are never shown again. One that is absent is kept, null or empty removes it; null instead of the object removes all. Names are stored in lower case. Not for hop-by-hop headers, `Host`, `Content-*`, `Authorization`, `X-Gw-*` and `traceparent`. */
        headers?: Record<string, string | null> | null | undefined;
      };
    };
    answer: AgentBinding;
  };
  /** Decide how callers are let in. `none` lets everybody in. `handshake` asks `url` about each caller before the call is answered; `200 {session_token}` lets the caller in, and the token goes with every request to the inbound agent endpoint. The question is signed as events are, with the `secret` that is shown once, when handshake is switched on. */
  putInboundAuth: {
    request: {
      /** The number. */
      id: string;
      body: {
        method: 'none' | 'handshake';
        /** Needed for `handshake`; https only. */
        url?: string | null | undefined;
      };
    };
    answer: {
      method: 'none' | 'handshake';
      url: string | null;
      /** Signs the handshake. Only when it was newly made. */
      secret?: string | undefined;
    };
  };
  /** Try an agent. Talks to an agent endpoint, or to the built-in agent, without a call: the same requests, limits and sentences as in a call. Says what was sent, what came back, what would be spoken and when, and what to change when something is wrong. Takes a minute at most. */
  tryAgent: {
    request: {
      body: {
        /** `builtin`: the built-in agent, with the operator's language model where there is one. */
        agent_type: 'webhook' | 'openai_compatible' | 'n8n' | 'langgraph' | 'mastra' | 'builtin';
        /** https only. Required but for `builtin`. */
        chat_url?: string | null | undefined;
        /** For `langgraph`. */
        assistant_id?: string | null | undefined;
        /** For outbound `mastra`. */
        agent_id?: string | null | undefined;
        /** As of a binding. Absent is `off`. */
        controls?: 'off' | 'inline' | undefined;
        /** Sent as a bearer token. Absent, an outbound trial for a number sends the number's stored token, if `chat_url` is on the server that it is stored for; null or empty sends none. */
        token?: string | null | undefined;
        /** Headers of your own on every request, as in a binding. A trial for a number sends the number's stored ones as well, if `chat_url` is on the server that they are stored for; one that is named here replaces the stored one, null or empty leaves it out, and null instead of the object leaves out all. */
        headers?: Record<string, string | null> | null | undefined;
        /** Number whose digits, language, token and headers are used. */
        number_id?: string | null | undefined;
        direction?: 'inbound' | 'outbound' | undefined;
        /** Default: the number's, or `ko`. */
        language?: 'ko' | 'en' | 'ja' | undefined;
        /** Outbound only: the task in the kickoff. */
        instruction?: string | null | undefined;
        /** What the other party says, turn by turn. Outbound, the kickoff comes before it. */
        say?: string[] | undefined;
      };
    };
    answer: AgentTrial;
  };
  /** List speech engines and voices. What `recognizer`, `synthesizer` and `voice` of a number may be: the engines of `GW_RECOGNIZERS` and `GW_SYNTHESIZERS` in their order, and voices where the engine tells them. */
  listEngines: {
    request: undefined;
    answer: {
      recognizers: RecognizerWithLanguages[];
      synthesizers: SynthesizerWithVoices[];
    };
  };
  /** Hear a voice. Has a synthesizer speak a short text, for who chooses a voice; another engine does not stand in for it. Two are spoken at once, others are refused with `over_capacity`. */
  speakSample: {
    request: {
      body: {
        /** One of `GW_SYNTHESIZERS`; null for the first. */
        synthesizer?: string | null | undefined;
        /** A voice of this synthesizer; null for its usual one. */
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
  /** Issue the key of a number. A number has one key. Issuing again makes the old one invalid at once. */
  issueKey: {
    request: {
      /** The number. */
      id: string;
    };
    answer: NumberKey;
  };
  /** List and search the calls of all numbers. By `started_at`, then by `id`. Follow `next_cursor` until it is null, with the same query. */
  listWorkspaceCalls: {
    request:
      | {
          status?: CallStatus | undefined;
          direction?: 'inbound' | 'outbound' | undefined;
          /** Calls that have this metadata, all of it. Each is a parameter of its own: `metadata.<key>=<value>`. */
          metadata?: Record<string, string> | undefined;
          /** Calls that started at this moment or later. */
          since?: string | undefined;
          /** Calls that started before this moment. */
          until?: string | undefined;
          /** Only calls of this number. */
          number_id?: string | undefined;
          /** Only calls that went over this trunk. */
          trunk_id?: string | undefined;
          end_reason?: EndReason | undefined;
          /** Calls that started on this day, in the time zone of the workspace, or later. */
          first_day?: string | undefined;
          /** Calls that started on this day, in the time zone of the workspace, or earlier. */
          last_day?: string | undefined;
          /** At least four digits of the other party’s number; the first eight characters of a call’s id, or more; or words of the transcript, of the summary, of the instruction or of a caller’s name, each from its beginning, at most 8. Words are found when the call is over. */
          q?: string | undefined;
          /** Which calls come first. */
          order?: 'newest' | 'oldest' | undefined;
          limit?: number | undefined;
          /** The `next_cursor` of the page before. */
          cursor?: string | undefined;
        }
      | undefined;
    answer: WorkspaceCallPage;
  };
  /** The calls that a list shows, as CSV. What `listWorkspaceCalls` lists with the same query, at most 50000 calls, in UTF-8 with a byte order mark for spreadsheets; a text that they would take for a formula begins with an apostrophe. Where more calls fit, the last line says so in its first cell. An answer that breaks off without its end is not whole: ask again. */
  exportCalls: {
    request:
      | {
          status?: CallStatus | undefined;
          direction?: 'inbound' | 'outbound' | undefined;
          /** Calls that have this metadata, all of it. Each is a parameter of its own: `metadata.<key>=<value>`. */
          metadata?: Record<string, string> | undefined;
          /** Calls that started at this moment or later. */
          since?: string | undefined;
          /** Calls that started before this moment. */
          until?: string | undefined;
          /** Only calls of this number. */
          number_id?: string | undefined;
          /** Only calls that went over this trunk. */
          trunk_id?: string | undefined;
          end_reason?: EndReason | undefined;
          /** Calls that started on this day, in the time zone of the workspace, or later. */
          first_day?: string | undefined;
          /** Calls that started on this day, in the time zone of the workspace, or earlier. */
          last_day?: string | undefined;
          /** At least four digits of the other party’s number; the first eight characters of a call’s id, or more; or words of the transcript, of the summary, of the instruction or of a caller’s name, each from its beginning, at most 8. Words are found when the call is over. */
          q?: string | undefined;
          /** Which calls come first. */
          order?: 'newest' | 'oldest' | undefined;
        }
      | undefined;
    answer: Response;
  };
  /** Read a call of any number. As `getCall`, for the whole workspace, with the trunk and the addresses of the call. */
  getWorkspaceCall: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: WorkspaceCall;
  };
  /** Erase a call. What tells of the other party is gone at once, for good: the transcript, the recording, the instruction, the summary, the metadata, names, keys that were pressed, SIP headers and messages. Of the number the last two digits stay; so do times, durations, the end and figures. Events of the call that are not delivered yet are delivered without it. `call.erased` is sent. The file of the recording is removed within seconds, or as soon as its store is back. Backups are not touched. A call that was erased before stays so. */
  eraseCall: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: undefined;
  };
  /** What happened in a call of any number, and happens. The journal of the call: what happened, in order. With `Accept: text/event-stream` the same as Server-Sent Events: first what was, then what happens, as it happens. `event: fact` is one of the list and has its `sequence` as `id`, so that `Last-Event-ID` goes on where a connection broke; `event: state` says where the charts of the call are now and what the agent is saying, the words of its turn that were heard and the sentence that is being said (`{"call": "active.talking.conversing", "conversation": "replying.speaking", "voicemail": null, "saying": "Good morning."}`), as long as the gateway that holds it is this one, or can be reached by it; `event: end` is the last one: nothing more will come. The stream may end without it, when the gateway shuts down: connect again. It ends within a few seconds as well when its key or token is revoked, reissued or past its end. */
  getWorkspaceCallEvents: {
    request: {
      /** The call. */
      call_id: string;
      /** Of a stream that broke: its last `id`. */
      'last-event-id'?: string | undefined;
    };
    answer: {
      events: CallEvent[];
    };
  };
  /** A call once more, through its charts. What the charts of a call did, step by step, as it was kept when it happened, with the events of the call in their places. Of a call that was made before that was kept, only its events, with its status for the chart `call`. Of a call in progress: what happened until now. */
  getCallReplay: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: {
      steps: ReplayStep[];
    };
  };
  /** The SIP messages of a call. What went to and fro between the gateway and its trunks for this call, in order, as far as drachtio-server shows it: not 100 Trying, not the ACK of a refusal, and nothing twice that was sent again. Passwords’ proofs, keys of SRTP and keys of the telephone are masked. Kept for as many days as `GW_SIP_TRACE_DAYS` says. As JSON; as text; or as a capture file for Wireshark, in which each message is a UDP datagram. */
  getCallSip: {
    request: {
      /** The call. */
      call_id: string;
      format?: 'json' | 'text' | 'pcap' | undefined;
    };
    answer: SipLadder | Response;
  };
  /** Call detail records, as a file. Every call of the workspace that started within the given time, in the order in which they started, those in progress with what is known of them. As CSV with a line of names, where a text that a spreadsheet would take for a formula begins with an apostrophe; or as JSON lines, each one the same as `getWorkspaceCall` answers. An answer that breaks off without its end is not whole: ask again. */
  exportCallRecords: {
    request:
      | {
          format?: 'csv' | 'jsonl' | undefined;
          /** Calls that started at this moment or later. */
          since?: string | undefined;
          /** Calls that started before this moment; now, when it is absent. */
          until?: string | undefined;
        }
      | undefined;
    answer: Response;
  };
  /** Read the transcript of a call of any number. What was really heard, turn by turn. For a call in progress: the turns up to now. */
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
  /** Download the recording of a call of any number. As `getRecording`, for the whole workspace. */
  getWorkspaceRecording: {
    request: {
      /** The call. */
      call_id: string;
      /** One range of bytes. */
      range?: string | undefined;
      /** ETags: nothing is sent where the file is one of them. */
      'if-none-match'?: string | undefined;
      /** An ETag: `Range` applies only to that very file. */
      'if-range'?: string | undefined;
    };
    answer: Response;
  };
  /** The definition of a chart. As JSON that Stately Studio imports and `createMachine` of XState takes: states, transitions, and the names of actions, guards, delays and actors. What is computed as it runs is left out. `version` is that of the chart. */
  getChartDefinition: {
    request: {
      name: 'call' | 'conversation' | 'voicemail';
    };
    answer: Record<string, unknown>;
  };
  /** The picture of a chart. As SVG without colours. Each state carries `data-state`: its dotted path, as the `state` events of a call name it. */
  getChart: {
    request: {
      name: 'call' | 'conversation' | 'voicemail';
    };
    answer: Response;
  };
  /** Who did what. Every change made by this API and every reveal of a key, newest first. */
  listAudit: {
    request:
      | {
          /** Only what this one did. */
          actor?: string | undefined;
          /** Only this action. */
          action?: string | undefined;
          /** Only what was done to this, or to all of a kind, such as `number`. */
          subject?: string | undefined;
          /** Done on this day, in the time zone of the workspace, or later. */
          first_day?: string | undefined;
          /** Done on this day, in the time zone of the workspace, or earlier. */
          last_day?: string | undefined;
          limit?: number | undefined;
          /** The `next_cursor` of the page before. */
          cursor?: string | undefined;
        }
      | undefined;
    answer: {
      entries: AuditEntry[];
      /** For the next page; null on the last one. */
      next_cursor: string | null;
    };
  };
  /** The audit log as CSV. All that `listAudit` lists with the same query, in UTF-8 with a byte order mark for spreadsheets; a text that they would take for a formula begins with an apostrophe. `detail` is JSON. An answer that breaks off without its end is not whole: ask again. */
  exportAudit: {
    request:
      | {
          /** Only what this one did. */
          actor?: string | undefined;
          /** Only this action. */
          action?: string | undefined;
          /** Only what was done to this, or to all of a kind, such as `number`. */
          subject?: string | undefined;
          /** Done on this day, in the time zone of the workspace, or later. */
          first_day?: string | undefined;
          /** Done on this day, in the time zone of the workspace, or earlier. */
          last_day?: string | undefined;
        }
      | undefined;
    answer: Response;
  };
  /** Read the workspace of this token. Its time zone, its call policy and its limits: what it sets itself (null falls back to the platform), and what holds. */
  getWorkspace: { request: undefined; answer: Workspace };
  /** Change the workspace of this token. Changes what is given, for calls that begin from now on; a policy field that is null falls back to the platform. A policy that a number sets itself stays. */
  updateWorkspace: {
    request: {
      body: {
        name?: string | undefined;
        /** IANA name. Timestamps of the workspace are written in it. */
        time_zone?: string | undefined;
        /** The longest duration that a call may be given. Seconds. */
        max_duration_sec?: number | null | undefined;
        /** The duration of a call that is given none. Seconds. */
        default_duration_sec?: number | null | undefined;
        /** How long nobody may speak. Seconds. */
        silence_timeout_sec?: number | null | undefined;
        /** How long it may ring. Seconds. */
        ring_timeout_sec?: number | null | undefined;
        /** Calls in progress at once. */
        max_concurrent_calls?: number | null | undefined;
        /** Whether calls are recorded. */
        recording_enabled?: boolean | null | undefined;
        barge_in?: BargeIn | null | undefined;
        turn_end?: TurnEnd | null | undefined;
        retention_days?: Retention | null | undefined;
        consent?: Consent | null | undefined;
        /** Where calls may go. What a number says narrows what its workspace allows, and widens nothing. */
        destinations?:
          | {
              /** Kinds of numbers that may be called. `international` is whatever belongs to another country, which has to be of an allowed kind besides. */
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
              /** What begins so may be called, whatever its kind. Domestic format, or `+` and the country code; of several that fit the longest counts. */
              allowed_prefixes: string[];
              /** What begins so may not be called, whatever its kind. */
              denied_prefixes: string[];
            }
          | null
          | undefined;
        /** Calls in progress at once, over all numbers. */
        max_calls_in_progress?: number | null | undefined;
        /** Minutes that outbound calls of one day may last together; then `daily_limit_reached`. The day is that of the time zone of the workspace. */
        daily_minutes?: number | null | undefined;
      };
    };
    answer: Workspace;
  };
  /** Read the minutes of outbound calls of this day. How long the outbound calls that began on this day of the workspace have lasted, in all and by number, beside the limits (`daily_minutes`). */
  getUsage: { request: undefined; answer: Usage };
  /** Read how calls go. Calls and answers by day, end reasons, the latency of turns today and yesterday, and which agents, trunks and webhooks fail, over the last days of the workspace in its time zone, of all gateways. A call belongs to the day on which it started. */
  getOverview: {
    request:
      | {
          /** How many days, with today. */
          days?: number | undefined;
        }
      | undefined;
    answer: Overview;
  };
  /** List the gateways. Those that share the database, by name, with the calls of the workspace that each holds. When one dies or hands its calls over, they move. */
  listGateways: {
    request: undefined;
    answer: {
      gateways: Gateway[];
    };
  };
  /** List the admin tokens. Those of the workspace that were not revoked, the oldest first: who may do what, until when, and when each was last used. The tokens themselves are not kept. */
  listTokens: {
    request: undefined;
    answer: {
      tokens: AdminToken[];
    };
  };
  /** Make an admin token. For a person or a program, with a role of its own. Only a fingerprint is kept: the token is in this answer and nowhere else. */
  createToken: {
    request: {
      body: {
        /** Who or what it is for. */
        name: string;
        /** `viewer` reads everything but keys; `admin` changes things as well. */
        role: 'admin' | 'viewer';
        /** When it ends; in the future. */
        expires_at?: string | null | undefined;
        /** Instead of `expires_at`: so many days from now on. Neither: until it is revoked. */
        expires_in_days?: number | null | undefined;
      };
    };
    answer: AdminTokenWithSecret;
  };
  /** The token of this request. What it may do, and until when. */
  getCurrentToken: { request: undefined; answer: AdminToken };
  /** Revoke an admin token. It is unknown from now on; what is being answered to it goes on to its end. A token may revoke itself, but a workspace keeps one valid token of the role `admin`. */
  revokeToken: {
    request: {
      /** The admin token. */
      id: string;
    };
    answer: undefined;
  };
  /** List the trunks. All of the workspace, the oldest first, with their states; no passwords. */
  listTrunks: {
    request: undefined;
    answer: {
      trunks: Trunk[];
    };
  };
  /** Add a trunk. Outbound calls of the workspace go to its enabled trunks: the lowest priority first, then by weight; to the next when one fails or is full, never because the callee is busy. */
  createTrunk: {
    request: {
      body: {
        /** Null: as DNS says (SRV), else 5060, or 5061 for tls. */
        port?: number | null | undefined;
        transport?: 'udp' | 'tcp' | 'tls' | undefined;
        /** Where calls and OPTIONS go in place of `host` and `port`, which stay the registrar and the domain: the lowest `priority` first, among equals by `weight`. One that is `drained` gets no new calls. Empty: `host` alone. */
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
        /** Whether the gateway registers at the trunk. */
        register?: boolean | undefined;
        /** What callers are challenged with; null for `trunkline`. */
        realm?: string | null | undefined;
        /** Behind the number in From; null for the trunk's host. */
        from_domain?: string | null | undefined;
        /** `01012345678`, `+821012345678` or `821012345678`. */
        number_format?: 'domestic' | 'e164' | 'e164_without_plus' | undefined;
        /** The header that carries the number. With another one than `from`, From carries the user name. */
        caller_id?: 'from' | 'p-asserted-identity' | 'p-preferred-identity' | undefined;
        /** Whether the called party is not to see the number. */
        privacy?: boolean | undefined;
        /** Offered and taken in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus. */
        codecs?: ('PCMU' | 'PCMA' | 'G722' | 'opus')[] | null | undefined;
        /** `required`: sound is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted where the other side does so, too (RFC 8643); FreeSWITCH offers it in clear, and takes encrypted offers. The keys travel in SIP (RFC 4568): use it with the transport `tls`. */
        srtp?: 'off' | 'optional' | 'required' | undefined;
        /** Who carries the sound: `freeswitch`; `direct`, the gateway itself by RTP or SRTP, PCMU and PCMA, which costs a fraction of the processor time; `auto`, the gateway itself where that can be, else FreeSWITCH. What cannot be carried so is refused with 488. */
        media?: 'freeswitch' | 'auto' | 'direct' | undefined;
        /** Of the numbers that it serves, in E.164. The longest prefix that fits goes first, before any priority; trunks without prefixes serve all numbers, behind it. */
        prefixes?: string[] | undefined;
        /** The lowest goes first. */
        priority?: number | undefined;
        /** The share of calls among trunks of the same priority. */
        weight?: number | undefined;
        /** Calls at once in both directions; null for no limit. */
        max_channels?: number | null | undefined;
        /** New outbound calls a second; null for no limit. */
        calls_per_second?: number | null | undefined;
        /** Final statuses after which a call that no telephone has rung for goes on to the next trunk; `5xx` is a whole class. A network that says more (`Reason`) is believed before the status. A `Retry-After` with one of them leaves the trunk alone until then, an hour at most. */
        failover_statuses?: string[] | undefined;
        /** Whether a call follows a redirect (302 and the like): to no other place, to the hosts of the trunk alone, or to any. The order is that of `q`; five redirects a call at most, none twice; the number that stands there must be one that may be called. */
        redirects?: 'refused' | 'same_host' | 'any' | undefined;
        /** Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here once they are connected. A trunk that refuses REFER has its calls transferred as any other. */
        refer?: boolean | undefined;
        /** Whether a REFER of the other party in a call is done, as a transfer to the number that it names and only where `transfer_to` of the number allows that. It is declined (603) otherwise. */
        accept_refer?: boolean | undefined;
        /** Where its calls come from: addresses and CIDR blocks. */
        inbound_addresses?: string[] | undefined;
        /** `digest`: callers prove that they know user name and password, from the addresses above or, where there are none, from any. */
        inbound_auth?: 'none' | 'digest' | undefined;
        /** Headers that are taken from the INVITE of a caller and stand in `sip.headers` of the call and its events; names begin with `X-`, and small letters are as good as capitals. One of more than 255 bytes, or with control characters, is left out. */
        headers_in?: string[] | undefined;
        /** Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers goes by trunks alone that name all of them. */
        headers_out?: string[] | undefined;
        /** Whether OPTIONS asks the trunk if it is there. Switch it off for a trunk that never answers. */
        health_check?: boolean | undefined;
        /** No new call goes out, and one that comes in gets 503; those that stand go on, and the trunk stays registered. */
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
  /** Read a trunk. Its settings, and what it is doing; no password. */
  getTrunk: {
    request: {
      /** The trunk. */
      id: string;
    };
    answer: Trunk;
  };
  /** Change a trunk. Changes what is given, for calls from now on; those in progress stay as they are. */
  updateTrunk: {
    request: {
      /** The trunk. */
      id: string;
      body: {
        /** Unique in the workspace. */
        name?: string | undefined;
        /** A host name or an IP address. */
        host?: string | undefined;
        /** Null: as DNS says (SRV), else 5060, or 5061 for tls. */
        port?: number | null | undefined;
        transport?: 'udp' | 'tcp' | 'tls' | undefined;
        /** Where calls and OPTIONS go in place of `host` and `port`, which stay the registrar and the domain: the lowest `priority` first, among equals by `weight`. One that is `drained` gets no new calls. Empty: `host` alone. */
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
        /** Whether the gateway registers at the trunk. */
        register?: boolean | undefined;
        /** What callers are challenged with; null for `trunkline`. */
        realm?: string | null | undefined;
        /** Behind the number in From; null for the trunk's host. */
        from_domain?: string | null | undefined;
        /** `01012345678`, `+821012345678` or `821012345678`. */
        number_format?: 'domestic' | 'e164' | 'e164_without_plus' | undefined;
        /** The header that carries the number. With another one than `from`, From carries the user name. */
        caller_id?: 'from' | 'p-asserted-identity' | 'p-preferred-identity' | undefined;
        /** Whether the called party is not to see the number. */
        privacy?: boolean | undefined;
        /** Offered and taken in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus. */
        codecs?: ('PCMU' | 'PCMA' | 'G722' | 'opus')[] | null | undefined;
        /** `required`: sound is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted where the other side does so, too (RFC 8643); FreeSWITCH offers it in clear, and takes encrypted offers. The keys travel in SIP (RFC 4568): use it with the transport `tls`. */
        srtp?: 'off' | 'optional' | 'required' | undefined;
        /** Who carries the sound: `freeswitch`; `direct`, the gateway itself by RTP or SRTP, PCMU and PCMA, which costs a fraction of the processor time; `auto`, the gateway itself where that can be, else FreeSWITCH. What cannot be carried so is refused with 488. */
        media?: 'freeswitch' | 'auto' | 'direct' | undefined;
        /** Of the numbers that it serves, in E.164. The longest prefix that fits goes first, before any priority; trunks without prefixes serve all numbers, behind it. */
        prefixes?: string[] | undefined;
        /** The lowest goes first. */
        priority?: number | undefined;
        /** The share of calls among trunks of the same priority. */
        weight?: number | undefined;
        /** Calls at once in both directions; null for no limit. */
        max_channels?: number | null | undefined;
        /** New outbound calls a second; null for no limit. */
        calls_per_second?: number | null | undefined;
        /** Final statuses after which a call that no telephone has rung for goes on to the next trunk; `5xx` is a whole class. A network that says more (`Reason`) is believed before the status. A `Retry-After` with one of them leaves the trunk alone until then, an hour at most. */
        failover_statuses?: string[] | undefined;
        /** Whether a call follows a redirect (302 and the like): to no other place, to the hosts of the trunk alone, or to any. The order is that of `q`; five redirects a call at most, none twice; the number that stands there must be one that may be called. */
        redirects?: 'refused' | 'same_host' | 'any' | undefined;
        /** Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here once they are connected. A trunk that refuses REFER has its calls transferred as any other. */
        refer?: boolean | undefined;
        /** Whether a REFER of the other party in a call is done, as a transfer to the number that it names and only where `transfer_to` of the number allows that. It is declined (603) otherwise. */
        accept_refer?: boolean | undefined;
        /** Where its calls come from: addresses and CIDR blocks. */
        inbound_addresses?: string[] | undefined;
        /** `digest`: callers prove that they know user name and password, from the addresses above or, where there are none, from any. */
        inbound_auth?: 'none' | 'digest' | undefined;
        /** Headers that are taken from the INVITE of a caller and stand in `sip.headers` of the call and its events; names begin with `X-`, and small letters are as good as capitals. One of more than 255 bytes, or with control characters, is left out. */
        headers_in?: string[] | undefined;
        /** Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers goes by trunks alone that name all of them. */
        headers_out?: string[] | undefined;
        /** Whether OPTIONS asks the trunk if it is there. Switch it off for a trunk that never answers. */
        health_check?: boolean | undefined;
        /** No new call goes out, and one that comes in gets 503; those that stand go on, and the trunk stays registered. */
        drained?: boolean | undefined;
        enabled?: boolean | undefined;
        /** Never shown again. Absent keeps the stored one; null removes it. */
        password?: string | null | undefined;
      };
    };
    answer: Trunk;
  };
  /** Remove a trunk. Numbers bound to it use the other trunks of the workspace. Calls in progress go on. */
  deleteTrunk: {
    request: {
      /** The trunk. */
      id: string;
    };
    answer: undefined;
  };
  /** Try a trunk out. Registers, sends OPTIONS, and places a call that ends as soon as it rings. Without `to` a number of the workspace calls itself through the trunk: nobody is disturbed, and one sees whether calls come back. */
  checkTrunk: {
    request: {
      /** The trunk. */
      id: string;
      body: {
        /** Domestic format. Its telephone may ring for a moment. */
        to?: string | undefined;
      };
    };
    answer: {
      steps: TrunkCheckStep[];
    };
  };
  /** How calls went on each trunk. ASR, ACD, PDD and MOS of each trunk, over the calls of the workspace that started within the given time, of all gateways. Null where no call has brought the figure. Trunks that are deleted are there as long as their calls are. */
  listTrunkFigures: {
    request:
      | {
          /** Calls that started at this moment or later; 24 hours before `until` when absent. */
          since?: string | undefined;
          /** Calls that started before this moment; now, when it is absent. */
          until?: string | undefined;
        }
      | undefined;
    answer: {
      /** ISO 8601 with the numeric UTC offset of the workspace. */
      since: string;
      /** ISO 8601 with the numeric UTC offset of the workspace. */
      until: string;
      trunks: TrunkFigures[];
    };
  };
  /** See which trunks a call would take. The trunks that a call to this number would be tried on now, in their order, and those that are left out; nobody is called. Chance decides among trunks of the same priority, anew for each call. */
  findRoute: {
    request: {
      /** Domestic, or with + and country code. */
      to: string;
      /** A number of the workspace that calls; absent: one that is bound to no trunk. */
      from?: string | undefined;
    };
    answer: {
      /** As it is compared with prefixes. */
      number: string;
      trunks: {
        trunk_id: string;
        name: string;
        /** That fits; empty: it serves all numbers. */
        prefix: string;
        addresses: string[];
      }[];
      left_out: {
        trunk_id: string;
        name: string;
        because: 'drained' | 'resting' | 'prefixes';
      }[];
      /** Why no trunk would carry it. */
      sentence: string | null;
    };
  };
  /** List the webhook endpoints. All of the workspace, the oldest first; no secrets. */
  listWebhooks: {
    request: undefined;
    answer: {
      webhooks: Webhook[];
    };
  };
  /** Add a webhook endpoint. Events are delivered at least once, those of one call in their order, signed by the Standard Webhooks specification. */
  createWebhook: {
    request: {
      body: {
        /** https only. */
        url: string;
        /** Which types to deliver; null for all of them. */
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
  /** Change, pause or wake a webhook endpoint. Changes what is given. What happened while an endpoint was paused is delivered when it is active again. */
  updateWebhook: {
    request: {
      /** The webhook endpoint. */
      id: string;
      body: {
        /** https only. */
        url?: string | undefined;
        /** Which types to deliver; null for all of them. */
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
  /** Remove a webhook endpoint. With its deliveries, those under way included. */
  deleteWebhook: {
    request: {
      /** The webhook endpoint. */
      id: string;
    };
    answer: undefined;
  };
  /** Replace the secret of a webhook endpoint. Both secrets sign for 24 hours, so that the receiver can change in its own time. */
  rotateWebhookSecret: {
    request: {
      /** The webhook endpoint. */
      id: string;
    };
    answer: WebhookWithSecret;
  };
  /** Try a webhook endpoint. Sends one event of the type `webhook.test` at once and says how it went, and what to change when it was not delivered. */
  testWebhook: {
    request: {
      /** The webhook endpoint. */
      id: string;
    };
    answer: {
      /** Null when no answer came. */
      http_status: number | null;
      /** Null when it was delivered. */
      error: string | null;
      duration_ms: number;
      /** What stood in the way, in a word that stays the same. Null when it was delivered. */
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
      /** The same in a sentence, with what to change. Null when it was delivered. */
      advice: string | null;
    };
  };
  /** List the deliveries of a webhook endpoint. Newest first, each with its attempts. */
  listDeliveries: {
    request: {
      /** The webhook endpoint. */
      id: string;
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
      state?: 'pending' | 'delivered' | 'dead' | undefined;
    };
    answer: {
      deliveries: Delivery[];
      /** For the next page; null on the last one. */
      next_cursor: string | null;
    };
  };
  /** Deliver again. Tries a delivery at once and begins its schedule anew, whatever became of it; one that is under way is left to its attempt. The event keeps its id. */
  replayDelivery: {
    request: {
      /** The delivery. */
      id: string;
    };
    answer: Delivery;
  };
  /** Call one of the numbers. An inbound call arrives on the simulated line. It is answered, or rejected, as a real one would be. */
  placeSimulatedCall: {
    request: {
      body: {
        /** A number of the workspace. */
        to: string;
        /** Who calls: a domestic number, `+` and a number of another country, or `anonymous` (also: empty) when withheld. */
        from: string;
        /** Headers of its INVITE. Those that a trunk of the number names in its `headers_in` are taken, as on a real line. */
        sip_headers?: Record<string, string> | undefined;
        /** What the caller does; a polite caller without one. */
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
  /** How far the script of a call has come. Of a call whose caller or callee plays a script with a `rehearsal`. Known of the last thousand, at the gateway that carries the call, until it ends. */
  getSimulatedCall: {
    request: {
      /** The call. */
      call_id: string;
    };
    answer: {
      call_id: string;
      /** How many the script has. */
      steps: number;
      /** How many of them came about. */
      steps_done: number;
      /** `timed_out`: the step behind them did not come about in time. `playing` of a call that has ended: it ended before the script did. */
      outcome: 'playing' | 'done' | 'timed_out';
    };
  };
  /** How a callee behaves. The script that was stored for this number. */
  getCallee: {
    request: {
      /** In domestic format. */
      number: string;
    };
    answer: SimulatedCallee;
  };
  /** Decide how a callee behaves. Calls of the workspace that are placed to this number from now on are taken by this script. It is kept until the gateway ends. */
  putCallee: {
    request: {
      /** In domestic format. */
      number: string;
      body: {
        script: Script;
        rehearsal?: ScriptRehearsal | undefined;
      };
    };
    answer: SimulatedCallee;
  };
  /** Sign a browser in. With an admin token, or with the code of a link that signs in once. The session is a cookie that no script can read, for the pages of this gateway alone; it ends after 30 days, after a week without use, and with its token. Programs send the token itself. */
  signIn: {
    request: {
      body:
        | {
            /** An admin token. */
            token: string;
          }
        | {
            /** Of a sign-in link, behind its last `/`. */
            code: string;
          };
    };
    answer: undefined;
  };
  /** Sign this browser out. Ends its session, and takes the cookie away. One that is over already is none the worse. */
  signOut: { request: undefined; answer: undefined };
  /** Sign every browser out. Ends every session that was begun with the same admin token as that of this browser. The token itself stays good. */
  signOutEverywhere: { request: undefined; answer: undefined };
  /** Is the process alive?. Answers as long as the process runs, whatever it depends on. */
  getHealth: {
    request: undefined;
    answer: {
      status: 'alive';
    };
  };
  /** Can calls be placed here?. Checks the database, the data folder and the telephone lines. While the gateway shuts down it is not ready. */
  getReadiness: {
    request: undefined;
    answer: {
      status: 'ready';
      warning?: string | undefined;
    };
  };
  /** Figures for Prometheus. In the text format of Prometheus. */
  getMetrics: { request: undefined; answer: Response };
  /** The console. For workspace admins, in a browser: numbers and agents, calls as they happen, webhooks, trunks. */
  getHome: { request: undefined; answer: Response };
  /** A part of the console. Scripts, styles and pictures of the console. The name of a file changes with what is in it. */
  getConsoleFile: {
    request: {
      file: string;
    };
    answer: Response;
  };
  /** The reference page. This document for people, who can try each operation. */
  getDocs: { request: undefined; answer: Response };
  /** Calls in the Stately inspector. A page that shows the statecharts of calls in progress in the Stately inspector, which it loads from stately.ai. As a websocket (`?token=` an admin token, which a browser that is signed in to the console need not send, `?call=` one call or none for all) this address speaks the inspection protocol itself. With `GW_INSPECT=1` only. */
  getInspect: { request: undefined; answer: Response };
  /** The script of the inspector page. Joins the websocket and the inspector. */
  getInspectScript: { request: undefined; answer: Response };
  /** The style of the inspector page. How the page looks. */
  getInspectStyle: { request: undefined; answer: Response };
  /** This document. The OpenAPI 3.1 document of this API, for generators and tools. */
  getOpenApi: { request: undefined; answer: Record<string, unknown> };
};

/** How each operation is asked for. */
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
  postMcp: { method: 'POST', path: '/mcp', headers: ['x-number-id', 'mcp-protocol-version'], answer: 'file' },
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
  listGateways: { method: 'GET', path: '/api/v1/admin/gateways', headers: [], answer: 'json' },
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
  getCallee: { method: 'GET', path: '/api/v1/admin/simulator/callees/{number}', headers: [], answer: 'json' },
  putCallee: { method: 'PUT', path: '/api/v1/admin/simulator/callees/{number}', headers: [], answer: 'json' },
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
  getInspectScript: { method: 'GET', path: '/inspect/page.js', headers: [], answer: 'file' },
  getInspectStyle: { method: 'GET', path: '/inspect/page.css', headers: [], answer: 'file' },
  getOpenApi: { method: 'GET', path: '/openapi.json', headers: [], answer: 'json' },
} as const;
