/** Requests to a trunk outside of calls: REGISTER (RFC 3261 section 10) and OPTIONS (section 11). */
import type Srf from 'drachtio-srf';
import type { Clock } from '#src/domain/clock.ts';
import type { Trunk, TrunkAddress } from '#src/domain/trunk.ts';
import type { Ladder } from './ladder.ts';
import { credentialsOf, transportIn, trunkDomain, trunkUri, userInUri } from './addressing.ts';

/** All reject with an error whose message is a plain sentence for the operator. `at` is wall-clock milliseconds. */
export type AskTrunk = {
  register(trunk: Trunk, signal: AbortSignal, ladder?: Ladder): Promise<{ at: number; expiresSec: number }>;
  /** The trunk shall forget where this gateway is. */
  unregister(trunk: Trunk): Promise<void>;
  /** Whatever it answers, it is there; but for a server error or a time-out. */
  check(
    trunk: Trunk,
    signal: AbortSignal,
    asked?: { ladder?: Ladder; address?: TrunkAddress },
  ): Promise<{ at: number }>;
};

/** The trunk has answered, and it is no good. */
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
  auth?: { username: string; password: string };
};

/** A request as drachtio-srf takes it; its types say something else. */
type Send = (uri: string, request: Request, sent: (error: unknown, request?: Srf.SrfRequest) => void) => void;

const sentence = ({ status, reason }: Srf.SrfResponse): string => {
  if (status === 401 || status === 403 || status === 407)
    return `The trunk refuses the user name or the password (${status} ${reason}).`;
  if (status === 408) return 'The trunk does not answer.';
  return `The trunk answers ${status} ${reason}.`;
};

const numberIn = (response: Srf.SrfResponse, header: string): number | undefined => {
  const text = response.has(header) ? response.get(header) : '';
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
};

/** The seconds that a registration holds: what stands behind our contact, else in Expires, else what was asked for. */
const expiresIn = (response: Srf.SrfResponse, askedSec: number): number => {
  const [, inContact] =
    /;\s*expires\s*=\s*"?(\d{1,9})/i.exec(response.has('Contact') ? response.get('Contact') : '') ?? [];
  return inContact === undefined ? (numberIn(response, 'Expires') ?? askedSec) : Number(inContact);
};

export type AskTrunkOptions = {
  srf: Srf;
  /** Why there is no connection to drachtio-server; `null` when there is one. */
  problem: () => string | null;
  /** A trunk that says nothing for so long does not answer. */
  answerMs: number;
  /** How long a registration is asked for. */
  registrationSec: number;
  clock: Clock;
};

type Asking = { signal?: AbortSignal | undefined; ladder?: Ladder | undefined };

/** Sends a request outside of any dialog; resolves with the final answer. */
const send = (
  { srf, clock, answerMs, problem }: AskTrunkOptions,
  uri: string,
  request: Request,
  { signal, ladder }: Asking,
): Promise<Srf.SrfResponse> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (message: string, cause?: unknown): void => {
      end();
      reject(new Error(message, { cause }));
    };
    const abort = (): void => fail('It was given up.');
    const timer = clock.setTimeout(
      () => fail(`The trunk does not answer (${request.method}, ${answerMs / 1_000} s).`),
      answerMs,
    );
    signal?.addEventListener('abort', abort);
    const why = problem();
    if (why !== null) return fail(why);
    const sendRequest = srf.request.bind(srf) as unknown as Send;
    sendRequest(uri, request, (error, sent) => {
      if (sent === undefined) return fail('The request could not be sent to the trunk.', error);
      ladder?.follow(sent);
      sent.on('response', (response) => {
        if (response === undefined || response.status < 200) return;
        end();
        resolve(response);
      });
      return undefined;
    });
    return undefined;
  });

const registerRequest = (trunk: Trunk, expiresSec: number): Request => {
  const user = userInUri(trunk.username ?? '');
  const account = `<sip:${user}@${trunkDomain(trunk)}>`;
  return {
    method: 'REGISTER',
    headers: {
      From: account,
      To: account,
      // drachtio-server puts its own address where `localhost` stands.
      Contact: `<sip:${user}@localhost${transportIn(trunk)}>`,
      Expires: String(expiresSec),
    },
    ...credentialsOf(trunk),
  };
};

export const createAskTrunk = (options: AskTrunkOptions): AskTrunk => {
  const { clock } = options;

  const sendRegister = (trunk: Trunk, expiresSec: number, asking: Asking): Promise<Srf.SrfResponse> =>
    send(options, trunkUri(trunk), registerRequest(trunk, expiresSec), asking);

  return {
    async register(trunk, signal, ladder) {
      let askedSec = options.registrationSec;
      let response = await sendRegister(trunk, askedSec, { signal, ladder });
      const leastSec = response.status === 423 ? numberIn(response, 'Min-Expires') : undefined;
      if (leastSec !== undefined) {
        askedSec = leastSec;
        response = await sendRegister(trunk, askedSec, { signal, ladder });
      }
      if (response.status >= 300) throw new TrunkRefusal(sentence(response), response.status);
      return { at: clock.now(), expiresSec: expiresIn(response, askedSec) };
    },
    async unregister(trunk) {
      const response = await sendRegister(trunk, 0, {});
      if (response.status >= 300) throw new TrunkRefusal(sentence(response), response.status);
    },
    async check(trunk, signal, { ladder, address } = {}) {
      const domain = trunkDomain(trunk);
      const headers = { From: '<sip:trunkline@localhost>', To: `<sip:${domain}>`, Accept: 'application/sdp' };
      const response = await send(
        options,
        trunkUri(trunk, undefined, address),
        { method: 'OPTIONS', headers },
        { signal, ladder },
      );
      const { status } = response;
      if (status === 408 || (status >= 500 && status !== 501))
        throw new TrunkRefusal(sentence(response), response.status);
      return { at: clock.now() };
    },
  };
};
