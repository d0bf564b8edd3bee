/** What the API answers with, as far as the console shows it. */
import type { AgentType } from '#src/domain/agent-binding.ts';
import type { CallStatus, EndReason } from '#src/domain/end-reasons.ts';
import type { EventType } from '#src/domain/event-types.ts';
import type { Language } from '#src/domain/language.ts';
import type { TrunkState } from '#src/domain/trunk.ts';
import type { VoicemailPolicy } from '#src/domain/voicemail.ts';

export type Direction = 'inbound' | 'outbound';

/** ISO 8601 with the offset of the workspace. */
export type Timestamp = string;

export type CallListItem = {
  id: string;
  number_id: string;
  direction: Direction;
  counterparty: string;
  status: CallStatus;
  end_reason: EndReason | null;
  instruction: string | null;
  summary: string | null;
  started_at: Timestamp;
  ended_at: Timestamp | null;
};

type CallOptions = { max_duration_sec?: number; recording?: boolean };

export type Call = CallListItem & {
  from: string;
  to: string;
  language: string;
  options: CallOptions;
  options_pending: CallOptions;
  duration_sec: number | null;
  answered_at: Timestamp | null;
  recording: { status: 'none' | 'pending' | 'completed' | 'failed'; duration_sec?: number };
  sip: { status: number | null; reason: string | null; call_id: string | null };
};

export type Turn = {
  role: 'assistant' | 'user';
  sequence: number;
  t_offset_sec: number;
  text: string;
  timestamp: Timestamp;
};

/** One fact of the journal of a call. */
export type CallEvent = {
  sequence: number;
  type: string;
  at: Timestamp;
  data: {
    /** Of `turn.spoken`: its sequence in the transcript. */
    turn?: number;
    role?: 'assistant' | 'user';
    latency?: Latency;
    digit?: string;
    keys?: string;
  };
};

/** Milliseconds; but for the first, counted from the words of the other party on. */
export type Latency = {
  endpointing_ms?: number;
  first_token_ms?: number;
  first_sentence_ms?: number;
  first_audio_ms?: number;
};

/** Where the charts of a call are, as dotted paths. */
export type ChartState = { call: string; conversation: string | null };

/** One event of a finished call, and where it led; `fact` is the sequence of the fact that tells of it. */
export type ReplayStep = ChartState & { at: Timestamp; event: string; fact: number | null };

export type AgentBinding = {
  agent: 'builtin' | 'endpoint';
  agent_type: AgentType | null;
  chat_url: string | null;
  assistant_id: string | null;
  agent_id: string | null;
  token_configured: boolean;
};

export type NumberPolicy = {
  max_duration_sec: number | null;
  default_duration_sec: number | null;
  silence_timeout_sec: number | null;
  ring_timeout_sec: number | null;
  max_concurrent_calls: number | null;
  recording_enabled: boolean | null;
};

export type PhoneNumber = NumberPolicy & {
  id: string;
  number: string;
  language: Language;
  greeting: string | null;
  voicemail: VoicemailPolicy;
  voicemail_message: string | null;
  recognizer: string | null;
  synthesizer: string | null;
  voice: string | null;
  trunk_id: string | null;
  agents: Record<Direction, AgentBinding>;
  inbound_auth: { method: 'none' | 'handshake'; url: string | null };
  key: { issued_at: Timestamp; recoverable: boolean } | null;
  created_at: Timestamp;
};

export type Webhook = {
  id: string;
  url: string;
  events: EventType[] | null;
  number_id: string | null;
  state: 'active' | 'paused' | 'disabled';
  disabled_reason: string | null;
  previous_secret_until: Timestamp | null;
  created_at: Timestamp;
};

export type Delivery = {
  id: string;
  event_id: string;
  type: EventType;
  call_id: string;
  state: 'pending' | 'delivered' | 'dead';
  next_attempt_at: Timestamp | null;
  created_at: Timestamp;
  finished_at: Timestamp | null;
  attempts: {
    attempt: number;
    at: Timestamp;
    duration_ms: number;
    http_status: number | null;
    error: string | null;
  }[];
};

export type TrunkSettings = {
  name: string;
  host: string;
  port: number | null;
  transport: 'udp' | 'tcp' | 'tls';
  username: string | null;
  register: boolean;
  realm: string | null;
  from_domain: string | null;
  number_format: 'domestic' | 'e164';
  caller_id: 'from' | 'p-asserted-identity' | 'p-preferred-identity';
  srtp: 'off' | 'required';
  privacy: boolean;
  priority: number;
  weight: number;
  max_channels: number | null;
  calls_per_second: number | null;
  inbound_addresses: string[];
  inbound_auth: 'none' | 'digest';
  health_check: boolean;
  enabled: boolean;
};

export type Trunk = TrunkSettings & {
  id: string;
  password_configured: boolean;
  state: TrunkState;
  detail: string | null;
  last_seen_at: Timestamp | null;
};

export type TrunkCheckStep = {
  step: 'registration' | 'options' | 'call';
  result: 'ok' | 'failed' | 'skipped';
  sentence: string;
  ladder: { at_ms: number; direction: 'out' | 'in'; message: string }[];
};

export type AuditEntry = {
  id: number;
  actor: string;
  action: string;
  subject: string;
  at: Timestamp;
  detail: Record<string, unknown>;
};

export type AgentExchange = {
  sent: { method: string; url: string; headers: Record<string, string>; body: string };
  received: { status: number; headers: Record<string, string>; body: string; bytes: number } | null;
  error: string | null;
};

export type AgentTrial = {
  ok: boolean;
  notes: string[];
  turns: {
    turn: number;
    message: string;
    exchanges: AgentExchange[];
    spoken: { text: string; at_ms: number }[];
    first_byte_ms: number | null;
    first_sentence_ms: number | null;
    end_ms: number;
    remarks: string[];
    failure: { kind: string; detail: string; server_says: string | null } | null;
    advice: string | null;
  }[];
};
