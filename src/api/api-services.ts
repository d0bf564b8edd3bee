/**
 * Services of the gateway that the HTTP API needs. Every function may throw a `Refusal`, which becomes the caller's
 * problem document; anything else it throws is an accident and becomes a 500.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AdministrationServices } from '#src/administration/administrator.ts';
import type { Engines } from '#src/administration/choose-speech.ts';
import type { ChartName } from '#src/domain/chart-name.ts';
import type { AuthenticateNumber } from '#src/calls/live/number-authentication.ts';
import type { RepeatedRequests } from '#src/calls/setup/repeated-requests.ts';
import type { StoredCalls } from '#src/calls/stored-calls.ts';
import type { WatchedState } from '#src/calls/live/chart-watch.ts';
import type { CallControl } from '#src/calls/call-control.ts';
import type { Admission } from '#src/calls/setup/admission.ts';
import type { FactNews } from '#src/calls/journal/fact-news.ts';
import type { AgentTrial, TrialRequest } from '#src/domain/agent-trial.ts';
import type { PolicySettings } from '#src/domain/call-policy.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallStatus, EndReason } from '#src/domain/end-reasons.ts';
import type { CountedRequests } from '#src/domain/counted-requests.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import type { TrunkCheckStep, TrunkRoute, TrunkStatus } from '#src/domain/trunk.ts';
import type { WebhookTest } from '#src/events/test-event.ts';
import type { VoiceSamples } from '#src/domain/voice.ts';
import type { AnsweredRequest } from './access-log.ts';
import type { ReadBrowser } from './browser.ts';
import type { ClientAddress } from './client-address.ts';
import type { StreamPermits } from './stream-permits.ts';

/** The services below, and what the API works with itself. */
export type ApiServices = Pick<
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
> &
  AdministrationServices & {
    approach: Admission['approach'];
    /** The name of this gateway among those that share the database. */
    node: string;
    logger: Logger;
    clock: Clock;
    authenticateNumber: AuthenticateNumber;
    repeatedRequests: RepeatedRequests;
    storedCalls: StoredCalls;
    /** Whose domestic numbers are accepted. */
    country: Country;
    limits: RequestLimits;
    /** Counts one more request with those that came to other gateways within so long; null while this one is alone. */
    countWithOthers: (perSeconds: number) => (key: string) => Promise<CountedRequests | null>;
    clientAddress: ClientAddress;
    readBrowser: ReadBrowser;
    /** What a workspace falls back to where it sets nothing itself. */
    platform: PolicySettings & { maxCallsInProgress: number; dailyMinutes: number | null };
    recordings: Recordings;
    /** For how many days SIP messages of calls are kept, and whether the lines have none because they are simulated. */
    sipTrace: { days: number; isSimulated: boolean };
    /** Calls back after each fact of a call that this gateway has written. */
    watchFacts: FactNews['watch'];
    /**
     * Calls back with the states of a call, at once where one is known, and whenever there may be a new fact, whichever
     * gateway holds it, until it is over; the returned function ends it.
     */
    watchCall: (
      callId: string,
      onNews: { onState: (state: WatchedState) => void; onFact: () => void },
    ) => () => void;
    /** Whether this gateway holds the call now. */
    isHeldHere: (callId: string) => boolean;
    /** The picture of a chart, as SVG. */
    charts: (name: ChartName) => Promise<string>;
    /** What a chart is made of, as JSON. */
    chartDefinitions: (name: ChartName) => string;
    streams: StreamPermits;
    /** `null` where the simulated line does not run: its endpoints answer 404. */
    simulator: Simulator | null;
    /**
     * Says why a customer's URL (chat, handshake, webhook) cannot be used, as a plain sentence; `undefined` when it can.
     * https only, no private target, but for what the operator allows (guides/design/agents.md, "Targets").
     */
    urlProblem: (url: string) => Promise<string | undefined>;
    /** Says why a trunk may not have this host, as a plain sentence; `undefined` when it may. */
    trunkHostProblem: (host: string) => Promise<string | undefined>;
    webhookTests: WebhookTests;
    engines: Engines;
    voiceSamples: VoiceSamples;
    /** Registers, asks, and calls; undefined where there is no real line, or the trunk is not enabled. */
    tryTrunk: (
      trunkId: string,
      numbers: { from: string; to: string },
    ) => Promise<TrunkCheckStep[] | undefined>;
    /**
     * Which trunks a call to this number (domestic, or `+…`) would take now; undefined where there is no real line.
     * `trunkId`: of the number that calls, null where it is bound to none.
     */
    routeTo: (owner: { workspaceId: string; trunkId: string | null }, to: string) => TrunkRoute | undefined;
    /** What a trunk is doing on this gateway. */
    trunkStatus: (trunk: { id: string; enabled: boolean }) => TrunkStatus;
    /** Talks to an agent endpoint without a call. Rejects only by accident: what goes wrong out there is in the trial. */
    tryAgent: (request: TrialRequest, workspaceId: string) => Promise<AgentTrial>;
    /** Whether calls can be watched in the Stately inspector. */
    inspects: boolean;
    health: Health;
    /** Whether this error passes with the recovery of the database, so that the same may succeed later. */
    isPassing: (error: unknown) => boolean;
    metrics: Registry;
    /** Is told of each request when its answer is over. */
    onAnswered: (request: AnsweredRequest) => void;
    /** Of the gateway, for the OpenAPI document. */
    version: string;
  };

/** Requests in a stretch of time; `points: 0` switches the limit off. */
export type RequestLimit = { points: number; perSeconds: number };

/** Times of the events of a call, read as a stream. */
type EventStreamTimes = {
  /** A comment after so much silence keeps the connection open. */
  keepAliveMs: number;
  /** A reader that takes nothing for so long is dropped. */
  slowReaderMs: number;
  /** Between two looks for a call of another gateway. */
  pollMs: number;
  /** How often it is asked whether the reader's key or token is still good. */
  revalidateMs: number;
  /** How long after the end of a call its recording and its summary are waited for. */
  lateFactsMs: number;
  /** When a client comes back whose connection broke. */
  retryMs: number;
};

export type RequestLimits = {
  /** What each number key and each admin token may do. */
  perKey: RequestLimit;
  /** How often one address may fail to authenticate. */
  failuresPerAddress: RequestLimit;
  /** A request body beyond this is refused with 413. */
  bodyBytes: number;
  eventStream: EventStreamTimes;
  /** A database that takes longer than this to answer is not ready for calls. */
  readinessMs: number;
  countingMs: number;
};

export interface Recordings {
  /**
   * Opens a completed recording's file, here or at the gateway `node` that wrote it; `undefined` when it is not where
   * it should be. Refuses with `service_unavailable` while the place where it is kept does not answer, as reading it
   * does.
   */
  open(recording: {
    callId: string;
    file: string;
    node: string;
  }): Promise<OpenRecording<Readable> | undefined>;
}

/**
 * The simulated telephone network (guides/design/start.md, "The simulated line"). A script is a list of steps; what a
 * step is, it decides.
 */
export interface Simulator {
  /** What is wrong with a script, by step, counted from 0; empty when it can be played. */
  checkScript(
    script: Script,
    role: 'caller' | 'callee',
  ): Promise<readonly { step: number; message: string }[]>;
  /** An inbound call arrives; its script was checked. Refuses with `number_not_found` for a number of nobody's here. */
  receiveSimulatedCall(request: {
    workspaceId: string;
    to: string;
    /** Domestic format, `+…` from abroad, or `anonymous`. */
    from: string;
    /** `null` for a polite caller. */
    script: Script | null;
    /** Of its INVITE. */
    sipHeaders?: SipHeaders;
    /** Watches the script. */
    rehearsal?: ScriptRehearsal;
  }): Promise<{ callId: string; status: CallStatus; endReason: EndReason | null }>;
  /** How the callee with this number behaves from now on towards this workspace; the script was checked. */
  defineCallee(
    workspaceId: string,
    number: string,
    script: Script,
    rehearsal: ScriptRehearsal | undefined,
  ): Promise<void>;
  /** `undefined` for a number that nobody of the workspace defined. */
  calleeScript(workspaceId: string, number: string): Script | undefined;
  /** How far the script of a call has come; `undefined` where none is or was lately watched. */
  scriptProgress(
    callId: string,
  ): { steps: number; stepsDone: number; outcome: 'playing' | 'done' | 'timed_out' } | undefined;
}

export type Script = readonly unknown[];

/** How a script is watched; `people` by their numbers. */
export type ScriptRehearsal = {
  stepTimeoutSec: number;
  people?: Readonly<Record<string, 'accepts' | 'declines' | 'busy' | 'no_answer'>> | undefined;
};

export interface WebhookTests {
  /** Sends a `webhook.test` event once, now, and reports how it went. */
  send(endpoint: { id: string; workspaceId: string }): Promise<WebhookTest>;
}

export interface Health {
  isDraining(): boolean;
  /** Why recordings and whatever else is written to the disk get lost; `undefined` when they are kept. */
  dataFolderProblem(): Promise<string | undefined>;
  /** Why the lines cannot carry calls, as a plain sentence; `undefined` when they can. */
  whyLinesAreDown(): string | undefined;
  /** What of the lines is down although they can carry calls. */
  whatIsDown(): string | undefined;
}
