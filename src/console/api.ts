/** All requests of the console in one place, with the client generated from the API document. */
import { createClient, type CallNews, type Operations } from '#src/client/client.ts';
import type { ChartName } from '#src/domain/chart-name.ts';
import type {
  AdminToken,
  AgentBinding,
  AgentTrial,
  Call,
  CallEvent,
  Delivery,
  Direction,
  Fleet,
  FleetCounts,
  Gateway,
  ListedCallee,
  Overview,
  PhoneNumber,
  RehearsalResults,
  ReplayStep,
  SipLadder,
  Trunk,
  TrunkStatistics,
  TrunkCheckStep,
  Turn,
  Webhook,
  Usage,
  Workspace,
} from './api/records.ts';
import { request } from './api/request.ts';

const client = createClient({ baseUrl: '', fetch: request });

type RequestOf<Id extends keyof Operations> = NonNullable<Operations[Id]['request']>;
type BodyOf<Id extends 'updateNumber' | 'updateWorkspace' | 'createTrunk' | 'createWebhook' | 'tryAgent'> =
  RequestOf<Id>['body'];

/** Omits empty values. The page's address may contain any other value; the gateway validates it. */
const given = <Query extends object>(query: { [Name in keyof Query]?: unknown }): Query =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '' && value !== null)) as Query;

type CallQuery = RequestOf<'listWorkspaceCalls'>;

type CallFilter = Exclude<keyof RequestOf<'exportCalls'>, 'since' | 'until'>;

/** Filters of the list of calls, as in the page's address. A filter that is not set is empty or absent. */
export type CallFilters = Partial<Record<CallFilter, string>>;

/** Splits a metadata filter such as `order=A-1042` into the client's parameter. */
const withMetadata = ({ metadata = '', ...query }: CallFilters) => {
  const [key = '', ...value] = metadata.split('=');
  return key === '' ? query : { ...query, metadata: { [key]: value.join('=') } };
};

export const listCalls = (query: CallFilters & { cursor?: string | null; limit?: number }) =>
  client.listWorkspaceCalls(given<CallQuery>(withMetadata(query)));

/** Returns the number of listed calls, and whether there are more. */
export const countCalls = (filters: CallFilters) =>
  client.countWorkspaceCalls(
    given<RequestOf<'countWorkspaceCalls'>>(withMetadata({ ...filters, order: '' })),
  );

/** Returns the listed calls as a spreadsheet file. */
export const exportCalls = async (filters: CallFilters): Promise<Blob> =>
  (await client.exportCalls(given<RequestOf<'exportCalls'>>(withMetadata(filters)))).blob();

export const getCall = (id: string): Promise<Call> => client.getWorkspaceCall({ call_id: id });

export const getTranscript = async (id: string): Promise<Turn[]> =>
  (await client.getWorkspaceTranscript({ call_id: id })).transcript;

/**
 * Returns the journal of a call. The data fields of an entry have the journal's names (see `CallEvent` in the API
 * document).
 */
export const getCallEvents = async (id: string): Promise<CallEvent[]> =>
  (await client.getWorkspaceCallEvents({ call_id: id })).events;

/** Returns the steps of the call through its charts. */
export const getReplay = async (id: string): Promise<ReplayStep[]> =>
  (await client.getCallReplay({ call_id: id })).steps;

/** Returns the SIP messages of the call. */
export const getSipLadder = async (id: string): Promise<SipLadder> => {
  const ladder = await client.getCallSip({ call_id: id });
  if (ladder instanceof Response) throw new Error('The gateway answered with a file that nobody asked for.');
  return ladder;
};

/** Returns a call as a file, with its recording unless the file is masked. */
export const exportCall = async (id: string, isMasked: boolean): Promise<Blob> => {
  const choice = isMasked ? ({ masked: '1' } as const) : ({ audio: '1' } as const);
  return (await client.exportCall({ call_id: id, ...choice })).blob();
};

/** Returns the SIP messages as a file for other programs. */
export const getSipFile = async (id: string, format: 'text' | 'pcap'): Promise<Blob> => {
  const file = await client.getCallSip({ call_id: id, format });
  if (file instanceof Response) return file.blob();
  throw new Error('The gateway answered with no file.');
};

/** Returns the parts of this gateway: others are not requested, because browsers log each 404. */
export const getCurrentGateway = () => client.getCurrentGateway();

/** Yields the events of a call as they happen, until the call ends or the stream breaks. */
export const watchCall = (id: string, signal: AbortSignal): AsyncGenerator<CallNews, void, undefined> =>
  client.watchWorkspaceCall({ call_id: id }, { signal, reconnect: false });

/** Returns where the calls of the last minutes went through their charts. */
/** `isNew`: even a result that is seconds old is read again. */
export const getFleet = (minutes: number, isNew: boolean): Promise<Fleet> =>
  client.getFleet({ minutes, ...(isNew ? { max_age_sec: 1 } : {}) });

/** Yields the numbers of the calls in progress by state, whenever they have changed, until the stream breaks. */
export const watchFleet = (signal: AbortSignal): AsyncGenerator<FleetCounts, void, undefined> =>
  client.watchFleet({ signal });

/** Returns the SVG of a chart, whose states have the attribute `data-state`. */
export const getChart = async (name: ChartName): Promise<string> => (await client.getChart({ name })).text();

/** Returns the definition of a chart for other programs. */
export const getChartDefinition = (name: ChartName) => client.getChartDefinition({ name });

/** Returns the waits for replies of a number, or of all numbers. */
export const getLatency = (period: 'day' | 'week', numberId?: string) =>
  client.getLatency({ period, ...(numberId === undefined ? {} : { number_id: numberId }) });

export const getRecording = async (id: string): Promise<ArrayBuffer> =>
  (await client.getWorkspaceRecording({ call_id: id })).arrayBuffer();

/** Places a call by the client API with the number's key. */
export const placeCall = (key: string, call: RequestOf<'createCall'>['body'], idempotencyKey: string) =>
  client.createCall({ body: call, 'idempotency-key': idempotencyKey }, { key });

/** Returns the callees of the simulated line; null on real lines. */
export const listCallees = async (): Promise<ListedCallee[] | null> =>
  (await getCurrentGateway()).is_simulated ? (await client.listCallees()).callees : null;

export const hangUp = (key: string, id: string, immediate: boolean) =>
  client.hangUp({ call_id: id, body: { immediate } }, { key });

export const cancelCall = (key: string, id: string) => client.cancelCall({ call_id: id }, { key });

export const transferCall = (key: string, id: string, body: RequestOf<'transfer'>['body']) =>
  client.transfer({ call_id: id, body }, { key });

export const takeTransferBack = (key: string, id: string) => client.cancelTransfer({ call_id: id }, { key });

export const pressKeys = (key: string, id: string, keys: string) =>
  client.pressKeys({ call_id: id, body: { keys } }, { key });

export const say = (key: string, id: string, body: RequestOf<'say'>['body']) =>
  client.say({ call_id: id, body }, { key });

export const collectKeys = (key: string, id: string, body: RequestOf<'collectKeys'>['body']) =>
  client.collectKeys({ call_id: id, body }, { key });

export const listNumbers = async (): Promise<PhoneNumber[]> => (await client.listNumbers()).numbers;

/** Returns the speech engines, voices and language models that numbers can use. */
export const listEngines = () => client.listEngines();

/** Returns a voice sample as a WAV file. */
export const speakSample = async (body: RequestOf<'speakSample'>['body']): Promise<Blob> =>
  (await client.speakSample({ body })).blob();

export const getNumber = (id: string): Promise<PhoneNumber> => client.getNumber({ id });

export const createNumber = (body: RequestOf<'createNumber'>['body']): Promise<PhoneNumber> =>
  client.createNumber({ body });

export type NumberPatch = BodyOf<'updateNumber'>;

export const updateNumber = (id: string, body: NumberPatch): Promise<PhoneNumber> =>
  client.updateNumber({ id, body });

export type AgentRequest = RequestOf<'putAgent'>['body'];

export const putAgent = (id: string, direction: Direction, body: AgentRequest): Promise<AgentBinding> =>
  client.putAgent({ id, direction, body });

export const putInboundAuth = (id: string, body: RequestOf<'putInboundAuth'>['body']) =>
  client.putInboundAuth({ id, body });

/** Reveals the key of a number; each reveal is recorded in the audit log. */
export const revealKey = async (id: string): Promise<string> => (await client.revealKey({ id })).key;

export const issueKey = async (id: string): Promise<string> => (await client.issueKey({ id })).key;

export type TrialRequest = BodyOf<'tryAgent'>;

export const tryAgent = (body: TrialRequest): Promise<AgentTrial> => client.tryAgent({ body });

export const listWebhooks = async (): Promise<Webhook[]> => (await client.listWebhooks()).webhooks;

export const getWebhook = (id: string): Promise<Webhook> => client.getWebhook({ id });

export const createWebhook = (body: BodyOf<'createWebhook'>) => client.createWebhook({ body });

export const updateWebhook = (id: string, body: { state: 'active' | 'paused' }): Promise<Webhook> =>
  client.updateWebhook({ id, body });

export const deleteWebhook = (id: string) => client.deleteWebhook({ id });

export const rotateSecret = (id: string) => client.rotateWebhookSecret({ id });

export const testWebhook = (id: string) => client.testWebhook({ id });

export const listDeliveries = (id: string, query: { cursor?: string | null }) =>
  client.listDeliveries({ ...given<{ cursor?: string }>(query), id, limit: 20 });

/** Returns a delivery with its body. */
export const getDelivery = (id: string) => client.getDelivery({ id });

export const replayDelivery = (id: string): Promise<Delivery> => client.replayDelivery({ id });

export const listTrunks = async (): Promise<Trunk[]> => (await client.listTrunks()).trunks;

/** Returns trunk statistics of the last 24 hours. */
export const listTrunkFigures = async (): Promise<TrunkStatistics[]> =>
  (await client.listTrunkFigures()).trunks;

export const getTrunk = (id: string): Promise<Trunk> => client.getTrunk({ id });

export type TrunkRequest = BodyOf<'createTrunk'>;

export const createTrunk = (body: TrunkRequest): Promise<Trunk> => client.createTrunk({ body });

export const updateTrunk = (id: string, body: TrunkRequest): Promise<Trunk> =>
  client.updateTrunk({ id, body });

export const deleteTrunk = (id: string) => client.deleteTrunk({ id });

export const checkTrunk = async (id: string, to: string): Promise<TrunkCheckStep[]> =>
  (await client.checkTrunk({ id, body: to === '' ? {} : { to } })).steps;

export const listRehearsals = (cursor: string | null) =>
  client.listRehearsals(given<RequestOf<'listRehearsals'>>({ cursor }));

/** Returns a run with its results so far. */
export const getRehearsal = (id: string): Promise<RehearsalResults> => client.getRehearsal({ id });

export const startRehearsal = (body: RequestOf<'startRehearsal'>['body']): Promise<RehearsalResults> =>
  client.startRehearsal({ body });

export const cancelRehearsal = (id: string) => client.cancelRehearsal({ id });

export const deleteNumber = (id: string) => client.deleteNumber({ id });

export const getWorkspace = (): Promise<Workspace> => client.getWorkspace();

/** Returns the outbound minutes used today. */
export const getUsage = (): Promise<Usage> => client.getUsage();

/** Returns the overview of the last `days` days, including today. */
export const getOverview = (days: number): Promise<Overview> => client.getOverview({ days });

export const updateWorkspace = (body: BodyOf<'updateWorkspace'>): Promise<Workspace> =>
  client.updateWorkspace({ body });

export const listGateways = async (): Promise<Gateway[]> => (await client.listGateways()).gateways;

export const listTokens = async (): Promise<AdminToken[]> => (await client.listTokens()).tokens;

export const createToken = (body: RequestOf<'createToken'>['body']) => client.createToken({ body });

export const revokeToken = (id: string) => client.revokeToken({ id });

export type AuditFilter = keyof RequestOf<'exportAudit'>;

export const listAudit = (filters: Partial<Record<AuditFilter, string>>, cursor: string | null) =>
  client.listAudit(given<RequestOf<'listAudit'>>({ ...filters, cursor }));

/** Returns the listed audit entries as a spreadsheet file. */
export const exportAudit = async (filters: Partial<Record<AuditFilter, string>>): Promise<Blob> =>
  (await client.exportAudit(given<RequestOf<'exportAudit'>>(filters))).blob();
