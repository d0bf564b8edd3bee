/**
 * Services of the gateway for the HTTP API. Every function may throw a `Refusal`, which becomes the client's problem
 * document; any other error is a bug and becomes a 500.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AuthenticatedAdmin } from '#src/administration/admin-authentication.ts';
import type { Engines } from '#src/administration/choose-speech.ts';
import type { Directory } from '#src/administration/directory.ts';
import type { FleetCounts } from '#src/domain/fleet-counts.ts';
import type { ChartName } from '#src/domain/chart-name.ts';
import type { AuthenticateNumber } from '#src/calls/live/number-authentication.ts';
import type { RepeatedRequests } from '#src/calls/setup/repeated-requests.ts';
import type { ReadFleetHistory } from '#src/calls/fleet-history.ts';
import type { CallRecord, StoredCalls } from '#src/calls/stored-calls.ts';
import type { WatchedState } from '#src/calls/live/chart-watch.ts';
import type { CallControl } from '#src/calls/call-control.ts';
import type { Admission } from '#src/calls/setup/admission.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { AgentTrial, TrialRequest } from '#src/domain/agent-trial.ts';
import type { PolicySettings } from '#src/domain/call-policy.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallStatus, EndReason } from '#src/domain/end-reasons.ts';
import type { CountedRequests } from '#src/domain/counted-requests.ts';
import type { GatewayLoad } from '#src/domain/gateway-condition.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { RehearsalRun } from '#src/domain/rehearsal.ts';
import type {
  ListedCallee,
  Script,
  ScriptProgress,
  ScriptRehearsal,
  SimulatedCallee,
} from '#src/domain/simulated-callee.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import type { TrunkCheckStep, TrunkRoute, TrunkStatus } from '#src/domain/trunk.ts';
import type { Endpoints } from '#src/events/endpoints.ts';
import type { WebhookTest } from '#src/events/test-event.ts';
import type { VoiceSamples } from '#src/domain/voice.ts';
import type { AnsweredRequest } from './http/access-log.ts';
import type { ReadBrowser } from './http/browser.ts';
import type { ClientAddress } from './http/client-address.ts';
import type { StreamPermits } from './http/stream-permits.ts';

export type ApiServices = {
  calls: CallServices;
  directory: DirectoryServices;
  events: EventServices;
  operation: OperationServices;
};

/** Counts of all gateways that were reached, and their number. */
export type ClusterCounts = FleetCounts & { gateways: number };

/**
 * Calls back at once, and later whenever the counts have changed. `json` is the counts as JSON, which is created once for
 * all watchers of the workspace. The returned function unsubscribes.
 */
export type WatchFleet = (
  workspaceId: string,
  onCounts: (counts: ClusterCounts, json: string) => void,
) => () => void;

/** Calls of this gateway, and calls of other gateways as they are stored in the database. */
export type CallServices = Pick<
  CallControl,
  | 'placeCall'
  | 'requestHangup'
  | 'requestCancel'
  | 'pressKeys'
  | 'say'
  | 'collectKeys'
  | 'transfer'
  | 'cancelTransfer'
  | 'pauseRecording'
  | 'resumeRecording'
> & {
  approach: Admission['approach'];
  /** Returns the refusal of a request that begins a call; `null` if this gateway has capacity. */
  refusal: Admission['refusal'];
  repeatedRequests: RepeatedRequests;
  storedCalls: StoredCalls;
  recordings: Recordings;
  /**
   * SIP messages of calls: their retention in days, and whether the lines are simulated and therefore have no messages.
   */
  sipTrace: { days: number; isSimulated: boolean };
  /** Subscribes to the call facts that this gateway has written. */
  watchFacts: (callId: string, onFact: () => void) => () => void;
  /**
   * Subscribes to the states of a call on any gateway until the call ends. Emits the known state immediately, and later
   * each state when there may be a new fact. The returned function unsubscribes.
   */
  watchCall: (
    callId: string,
    onNews: { onState: (state: WatchedState) => void; onFact: () => void },
  ) => () => void;
  /** Subscribes to the numbers of a workspace's calls by state, at all gateways. */
  watchFleet: WatchFleet;
  /** Returns where the workspace's calls of the last minutes went. */
  fleetHistory: ReadFleetHistory;
  /** Whether this gateway runs the call now. */
  isHeldHere: (callId: string) => boolean;
  /** Permits for open event streams of calls. */
  streams: StreamPermits;
  /** The simulated line; `null` if it is not running. Its endpoints then respond with 404. */
  simulator: Simulator | null;
  rehearsals: Rehearsals;
};

/** Workspaces, numbers, trunks and agents. */
export type DirectoryServices = Directory & {
  authenticateNumber: AuthenticateNumber;
  /** Country whose domestic numbers are accepted. */
  country: Country;
  /** Platform defaults for settings that a workspace does not set. */
  platform: PolicySettings & { maxCallsInProgress: number; dailyMinutes: number | null };
  engines: Engines;
  voiceSamples: VoiceSamples;
  /**
   * Resolves to why a customer's URL (chat, handshake, webhook) is unusable, as a plain sentence; `undefined` for a
   * usable URL. A URL must use https and must not have a private target, except for targets that the operator allows
   * (guides/design/agents.md, "Targets").
   */
  urlProblem: (url: string) => Promise<string | undefined>;
  /** Returns why a trunk must not have this host, as a plain sentence; `undefined` for an allowed one. */
  trunkHostProblem: (host: string) => Promise<string | undefined>;
  /** Tests a trunk by registration, OPTIONS and a call; undefined without a real line, or for a disabled trunk. */
  tryTrunk: (trunkId: string, numbers: { from: string; to: string }) => Promise<TrunkCheckStep[] | undefined>;
  /**
   * Returns the trunks that a call to this number (domestic, or `+…`) would use now; undefined without a real line.
   * `trunkId` is the trunk of the calling number; null if the number is not bound to a trunk.
   */
  routeTo: (owner: { workspaceId: string; trunkId: string | null }, to: string) => TrunkRoute | undefined;
  /** Returns the state of a trunk on this gateway. */
  trunkStatus: (trunk: { id: string; enabled: boolean }) => TrunkStatus;
  /** Runs an agent trial without a call. External errors are a part of the trial, so a rejection is a bug. */
  tryAgent: (request: TrialRequest, workspaceId: string) => Promise<AgentTrial>;
};

/** Events for customers and their delivery. */
export type EventServices = {
  endpoints: Endpoints;
  webhookTests: WebhookTests;
};

/** Operation of this gateway: health, limits and drawings. */
export type OperationServices = {
  /** The name of this gateway among those that share the database. */
  node: string;
  /** Version of the gateway. */
  version: string;
  /** Returns the current load of this gateway: shares from 0 to 1, and the delay of its timers. */
  load: () => GatewayLoad;
  logger: Logger;
  clock: Clock;
  limits: RequestLimits;
  /** Counts one more request together with those of other gateways within the period; null for a single gateway. */
  countWithOthers: (perSeconds: number) => (key: string) => Promise<CountedRequests | null>;
  clientAddress: ClientAddress;
  readBrowser: ReadBrowser;
  health: Health;
  /** Whether this error of the database is transient, so that a retry may succeed. */
  isPassing: (error: unknown) => boolean;
  metrics: Registry;
  /** Called for each request after its response was sent. */
  onAnswered: (request: AnsweredRequest) => void;
  /** Whether calls can be observed in the Stately inspector. */
  inspects: boolean;
  /** Returns the image of a chart as SVG. */
  charts: (name: ChartName) => Promise<string>;
  /** Returns the definition of a chart as JSON. */
  chartDefinitions: (name: ChartName) => string;
};

/** Maximum requests per period; `points: 0` disables the limit. */
export type RequestLimit = { points: number; perSeconds: number };

/** Timings of the event stream of a call. */
type EventStreamTimes = {
  /** Idle time after which a comment keeps the connection open. */
  keepAliveMs: number;
  /** Time after which a reader that reads no data is disconnected. */
  slowReaderMs: number;
  /** Polling interval for a call of another gateway. */
  pollMs: number;
  /** Interval of checks that the reader's key or token is still valid. */
  revalidateMs: number;
  /** Maximum wait for recording and summary after the end of a call. */
  lateFactsMs: number;
  /** Reconnection delay of a client after a broken connection. */
  retryMs: number;
};

export type RequestLimits = {
  /** Limits per number key and per admin token. */
  perKey: RequestLimit;
  /** Limit of failed authentications per address. */
  failuresPerAddress: RequestLimit;
  /** Maximum size of a request body in bytes. A larger body is refused with 413. */
  bodyBytes: number;
  eventStream: EventStreamTimes;
  /** Response time beyond which the database is not ready for calls. */
  readinessMs: number;
  countingMs: number;
};

export interface Recordings {
  /**
   * Opens the file of a completed recording, on this gateway or on the gateway `node` that wrote it. Resolves to
   * `undefined` if the file is missing. Rejects with `service_unavailable` while its storage does not respond; reading
   * the file rejects likewise.
   */
  open(recording: {
    callId: string;
    file: string;
    node: string;
  }): Promise<OpenRecording<Readable> | undefined>;
}

/** The simulated telephone network (guides/design/start.md, "The simulated line"). A script is a list of steps. */
export interface Simulator {
  /** Returns the errors of a script by step, counted from 0; empty for a valid script. */
  checkScript(
    script: Script,
    role: 'caller' | 'callee',
  ): Promise<readonly { step: number; message: string }[]>;
  /** Simulates an inbound call with a validated script. Rejects with `number_not_found` for an unknown number. */
  receiveSimulatedCall(request: {
    workspaceId: string;
    to: string;
    /** Number of the caller: domestic, `+…` from abroad, or `anonymous`. */
    from: string;
    /** Script of the caller; `null` for a polite caller, the default. */
    script: Script | null;
    /** Headers of the simulated INVITE. */
    sipHeaders?: SipHeaders;
    /** Whether the progress of the script is recorded. */
    rehearsal?: ScriptRehearsal;
    /** Agent of this call; if absent, the agent of the number. */
    agent?: AgentBinding | undefined;
  }): Promise<{ callId: string; status: CallStatus; endReason: EndReason | null }>;
  /** Sets the behaviour of the callee with this number for this workspace. The script must have been validated. */
  defineCallee(workspaceId: string, number: string, callee: SimulatedCallee): Promise<void>;
  /** Returns the behaviour of a callee; `undefined` for a number that the workspace has not defined. */
  findCallee(workspaceId: string, number: string): Promise<SimulatedCallee | undefined>;
  /**
   * Returns the callees that calls of the workspace reach, by number: those that every gateway knows, and up to two
   * hundred with a script.
   */
  listCallees(workspaceId: string): Promise<readonly ListedCallee[]>;
  /** Removes the behaviour of a callee. Resolves to whether the workspace had defined one. */
  deleteCallee(workspaceId: string, number: string): Promise<boolean>;
  /**
   * Returns the progress of a call's script, from the gateway of the call; `undefined` if the script is not watched or
   * the call ended too long ago. Refuses with `service_unavailable` if that gateway cannot be reached.
   */
  scriptProgress(call: Pick<CallRecord, 'id' | 'node'>): Promise<Readonly<ScriptProgress> | undefined>;
}

/** Runs of suites of simulated callers and callees (guides/rehearsals.md). */
export interface Rehearsals {
  /**
   * Starts a run, or queues it while another one uses the number. Refuses with `invalid_request`, which names line and
   * column in the suite, `number_not_found`, or `concurrency_limit`.
   */
  start(
    admin: AuthenticatedAdmin,
    wanted: {
      name: string;
      source: string;
      /** Number for the run; null for that of the suite, or the first of the workspace. */
      number: string | null;
      repeat: number;
      parallel: number;
    },
  ): Promise<RehearsalRun>;
  list(query: {
    workspaceId: string;
    limit: number;
    after?: { createdAt: Date; id: string } | undefined;
  }): Promise<RehearsalRun[]>;
  /** Returns the run; undefined if the workspace has none with this id. */
  find(wanted: { id: string; workspaceId: string }): Promise<RehearsalRun | undefined>;
  /** Ends a queued or running suite; calls in progress are hung up. Resolves to whether it had not ended. */
  cancel(wanted: { id: string; workspaceId: string }): Promise<boolean>;
}

export interface WebhookTests {
  /** Sends a `webhook.test` event once, immediately, and reports the result. */
  send(endpoint: { id: string; workspaceId: string }): Promise<WebhookTest>;
}

export interface Health {
  isDraining(): boolean;
  /** Returns why recordings and other files cannot be stored on disk; `undefined` if they can. */
  dataFolderProblem(): Promise<string | undefined>;
  /** Returns why the lines cannot carry calls, as a plain sentence; `undefined` if they can. */
  whyLinesAreDown(): string | undefined;
  /** Returns the parts of the lines that are down although calls are possible. */
  whatIsDown(): string | undefined;
}
