/** Requests to a trunk outside of calls: REGISTER (RFC 3261 section 10) and OPTIONS (section 11). */
import type Srf from 'drachtio-srf';
import type { Clock } from '#src/domain/clock.ts';
import type { Trunk, TrunkAddress } from '#src/domain/trunk.ts';
import { digestClientFor, isUnsupportedChallenge } from '../digest/digest-client.ts';
import type { Credentials } from '../digest/digest-response.ts';
import { type Headers, headerOf } from '../headers/header-values.ts';
import { nameAddressesIn, uriIn } from '../headers/name-addresses.ts';
import { credentialsOf, transportIn, trunkDomain, trunkUri, userInUri } from './addressing.ts';
import type { Ladder } from './ladder.ts';
import { type Repetition, repetitionAfter } from './repeat-request.ts';

// Reads the granted lifetime of a registration. The response to a REGISTER lists all contacts of the account, each with
// its own expiry (RFC 3261 section 10.2.4); only our contact counts.

/** Parses a whole number of seconds; returns undefined for other text. */
const secondsIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;

/** Returns the parts of an address that distinguish contacts, with the host in lower case and the port as a number. */
const partsOf = (uri: string): { user: string; address: string } => {
  const [, scheme = '', user = '', host = '', port] =
    /^(sips?):(?:([^@]*)@)?(\[[^\]]*\]|[^:;?]*)(?::(\d{1,5}))?/i.exec(uri) ?? [];
  const isTls = scheme.toLowerCase() === 'sips' || /;transport=tls(?:;|$)/i.test(uri);
  return { user, address: `${host.toLowerCase()}:${Number(port ?? (isTls ? 5061 : 5060))}` };
};

/**
 * Returns the seconds granted for our contact; undefined if the response does not contain it. A registrar may replace
 * our address by the address that it has seen; then all contacts of our user count, with the earliest expiry. Contacts
 * of other users are ignored, except a single contact, which must be ours.
 */
export const registeredSec = (response: Headers, contact: string): number | undefined => {
  const ours = partsOf(contact);
  const all = nameAddressesIn(headerOf(response, 'Contact')).map(({ uri, parameters }) => ({
    ...partsOf(uri),
    seconds: secondsIn(parameters.get('expires')),
  }));
  const ofUser = all.filter(({ user }) => user === ours.user);
  const exact = ofUser.filter(({ address }) => address === ours.address);
  const candidates = exact.length > 0 ? exact : ofUser.length > 0 ? ofUser : all.length === 1 ? all : [];
  const seconds = candidates.flatMap((one) => one.seconds ?? []);
  return seconds.length > 0 ? Math.min(...seconds) : secondsIn(headerOf(response, 'Expires'));
};

/**
 * Requests to a trunk. All methods reject with an error whose message is a plain sentence for the operator. `at` is
 * wall-clock milliseconds.
 */
export type OutOfDialogRequests = {
  register(trunk: Trunk, signal: AbortSignal, ladder?: Ladder): Promise<{ at: number; expiresSec: number }>;
  /** Removes this gateway's registration. */
  unregister(trunk: Trunk): Promise<void>;
  /** Sends OPTIONS. Any response proves reachability, except a server error or a time-out. */
  check(
    trunk: Trunk,
    signal: AbortSignal,
    asked?: { ladder?: Ladder; address?: TrunkAddress },
  ): Promise<{ at: number }>;
};

/** Thrown when the trunk responded with an error. */
export class TrunkRefusal extends Error {
  override readonly name = 'TrunkRefusal';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

type Request = {
  method: 'REGISTER' | 'OPTIONS';
  headers: Record<string, string>;
  credentials: Credentials | undefined;
};

/** The final response and its request. */
type Answered = { response: Srf.SrfResponse; request: Srf.SrfRequest };

const sentence = (response: Srf.SrfResponse): string => {
  const { status, reason } = response;
  if (isUnsupportedChallenge(response))
    return `The trunk asks for credentials in a way that is not supported (${status} ${reason}).`;
  if (status === 401 || status === 403 || status === 407)
    return `The trunk refuses the user name or the password (${status} ${reason}).`;
  if (status === 408) return 'The trunk does not answer.';
  return `The trunk answers ${status} ${reason}.`;
};

const numberIn = (response: Srf.SrfResponse, header: string): number | undefined =>
  secondsIn(headerOf(response, header));

export type OutOfDialogOptions = {
  srf: Srf;
  /** Returns why there is no connection to drachtio-server; `null` with a connection. */
  problem: () => string | null;
  /** Time limit for a response. */
  answerMs: number;
  /** Requested lifetime of a registration. */
  registrationSec: number;
  clock: Clock;
};

type Asking = { signal?: AbortSignal | undefined; ladder?: Ladder | undefined };

/** Sends a request outside of any dialog. Resolves with the final response, even if it is a challenge. */
const sendOnce = (
  { srf, clock, answerMs, problem }: OutOfDialogOptions,
  uri: string,
  { repetition, ...request }: Pick<Request, 'method' | 'headers'> & { repetition: Repetition | null },
  { signal, ladder }: Asking,
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (message: string, cause?: unknown): void => {
      end();
      reject(new Error(message, { cause }));
    };
    const abort = (): void => fail('The request was cancelled.');
    const timer = clock.setTimeout(
      () => fail(`The trunk does not answer (${request.method}, ${answerMs / 1_000} s).`),
      answerMs,
    );
    signal?.addEventListener('abort', abort);
    const why = problem();
    if (why !== null) return fail(why);
    const sending = {
      ...request,
      ...repetition,
      headers: { ...request.headers, ...repetition?.headers },
    };
    const onSent = (error: unknown, sent?: Srf.SrfRequest): void => {
      if (sent === undefined) return fail('The request could not be sent to the trunk.', error);
      ladder?.follow(sent);
      sent.on('response', (response) => {
        if (response === undefined || response.status < 200) return;
        end();
        resolve({ response, request: sent });
      });
    };
    // The called form of `request` is missing in the types of drachtio-srf.
    Reflect.apply(srf.request, srf, [uri, sending, onSent]);
    return undefined;
  });

/** Sends a request like `sendOnce`, but answers a challenge if there are credentials. */
const send = async (
  options: OutOfDialogOptions,
  uri: string,
  { credentials, ...request }: Request,
  asking: Asking,
): Promise<Answered> => {
  const authorizing = digestClientFor(credentials).begin();
  let repetition: Repetition | null = null;
  for (;;) {
    const answered = await sendOnce(options, uri, { ...request, repetition }, asking);
    repetition = repetitionAfter(answered.response, answered.request, authorizing);
    if (repetition === null) return answered;
  }
};

const registerRequest = (trunk: Trunk, expiresSec: number): Request => {
  const user = userInUri(trunk.username ?? '');
  const account = `<sip:${user}@${trunkDomain(trunk)}>`;
  return {
    method: 'REGISTER',
    headers: {
      From: account,
      To: account,
      // drachtio-server replaces `localhost` by its own address.
      Contact: `<sip:${user}@localhost${transportIn(trunk)}>`,
      Expires: String(expiresSec),
    },
    credentials: credentialsOf(trunk),
  };
};

export const createOutOfDialogRequests = (options: OutOfDialogOptions): OutOfDialogRequests => {
  const { clock } = options;

  const sendRegister = (trunk: Trunk, expiresSec: number, asking: Asking): Promise<Answered> =>
    send(options, trunkUri(trunk), registerRequest(trunk, expiresSec), asking);

  return {
    async register(trunk, signal, ladder) {
      let requestedSec = options.registrationSec;
      let answered = await sendRegister(trunk, requestedSec, { signal, ladder });
      const leastSec =
        answered.response.status === 423 ? numberIn(answered.response, 'Min-Expires') : undefined;
      if (leastSec !== undefined) {
        requestedSec = leastSec;
        answered = await sendRegister(trunk, requestedSec, { signal, ladder });
      }
      const { response, request } = answered;
      if (response.status >= 300) throw new TrunkRefusal(sentence(response), response.status);
      const expiresSec = registeredSec(response, uriIn(headerOf(request, 'Contact'))) ?? requestedSec;
      return { at: clock.now(), expiresSec };
    },
    async unregister(trunk) {
      const { response } = await sendRegister(trunk, 0, {});
      if (response.status >= 300) throw new TrunkRefusal(sentence(response), response.status);
    },
    async check(trunk, signal, { ladder, address } = {}) {
      const domain = trunkDomain(trunk);
      const headers = { From: '<sip:trunkline@localhost>', To: `<sip:${domain}>`, Accept: 'application/sdp' };
      const { response } = await send(
        options,
        trunkUri(trunk, undefined, address),
        { method: 'OPTIONS', headers, credentials: credentialsOf(trunk) },
        { signal, ladder },
      );
      const { status } = response;
      if (status === 408 || (status >= 500 && status !== 501))
        throw new TrunkRefusal(sentence(response), response.status);
      return { at: clock.now() };
    },
  };
};
