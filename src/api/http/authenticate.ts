/** Authentication of requests (guides/design/wire.md, "Authentication"). */
import type { AuthenticatedAdmin } from '#src/administration/admin-authentication.ts';
import type { CallableNumber } from '#src/calls/live/number-authentication.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { ApiContext } from './context.ts';
import { createCounter, createLimit, type Counter } from './rate-limit.ts';
import { refuseOtherPages } from '../sessions/refuse-other-pages.ts';
import type { ApiServices } from '../api-services.ts';

/**
 * Clients that a route may require: the key of a number, an admin token of the role `admin`, or an admin token of any
 * role. Routes that change data or show a secret require `admin`.
 */
export type CallerOf = {
  number: CallableNumber;
  admin: AuthenticatedAdmin;
  viewer: AuthenticatedAdmin;
  none: null;
};

export type Auth = keyof CallerOf;

/** Requirements of a route that affect authentication. */
export type RouteNeeds = {
  /**
   * Whether the route works without the database. While the database is down, a key is accepted if it was valid at the
   * last check for a call on this gateway.
   */
  needsNoDatabase: boolean;
};

/** Functions that authenticate a client, or throw a Refusal with 401, 403 or 429. */
export type Authenticators = { [A in Auth]: (ctx: ApiContext, needs: RouteNeeds) => Promise<CallerOf[A]> };

export type Authentication = Authenticators & {
  /**
   * Whether the key or token of an authenticated client is still valid. A negative result does not count as a failed
   * authentication.
   */
  isStillValid: (ctx: ApiContext, auth: Auth) => Promise<boolean>;
  /** Counts one failed authentication. Throws a Refusal with 429 beyond the limit of the client's address. */
  countFailure: (ctx: ApiContext) => Promise<void>;
};

/** Creates the authentication. `failureCounter` counts failed authentications by client address. */
export const createAuthentication = (services: ApiServices, failureCounter: Counter): Authentication => {
  const { authenticateNumber } = services.directory;
  const { clientAddress, limits } = services.operation;
  const findAdmin = createAdminSearch(services);
  const perKey = createLimit(createCounter('key', limits.perKey, services));
  const failures = createLimit(failureCounter);
  /**
   * Checks the failure limit only for invalid keys: failures of other clients at the same address never delay a valid
   * key.
   */
  const countFailure = (ctx: ApiContext): Promise<void> => failures(ctx, clientAddress(ctx.req));
  const refuseUnauthenticated = async (ctx: ApiContext): Promise<never> => {
    await countFailure(ctx);
    throw new Refusal('unauthorized', 'Send a valid key in the header "Authorization: Bearer …".', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  };
  const viewer = async (ctx: ApiContext): Promise<AuthenticatedAdmin> => {
    const admin = await findAdmin(ctx);
    if (admin === undefined) return refuseUnauthenticated(ctx);
    await perKey(ctx, `admin ${admin.id}`);
    return admin;
  };
  return {
    async number(ctx, needs) {
      const key = bearerOf(ctx);
      const number = key === undefined ? undefined : await authenticateNumber(key, needs);
      if (number === undefined) return refuseUnauthenticated(ctx);
      await perKey(ctx, `number ${number.id}`);
      refuseOtherNumber(ctx.get('X-Number-Id'), number);
      return number;
    },
    viewer,
    async admin(ctx) {
      const admin = await viewer(ctx);
      if (admin.role === 'admin') return admin;
      throw new Refusal(
        'forbidden',
        'This token may only read. Changing things and seeing keys takes an admin.',
      );
    },
    none: () => Promise.resolve(null),
    async isStillValid(ctx, auth) {
      if (auth === 'none') return true;
      if (auth !== 'number') return (await findAdmin(ctx)) !== undefined;
      const key = bearerOf(ctx);
      return key !== undefined && (await authenticateNumber(key, { needsNoDatabase: false })) !== undefined;
    },
    countFailure,
  };
};

/**
 * Authenticates by the token of a request, or by the browser's session if there is no token. Throws a Refusal with 403
 * for a session if the page belongs to another origin.
 */
const createAdminSearch = (
  services: ApiServices,
): ((ctx: ApiContext) => Promise<AuthenticatedAdmin | undefined>) => {
  const { authenticateToken, authenticateSession } = services.directory;
  return async (ctx) => {
    const token = bearerOf(ctx);
    if (token !== undefined) return authenticateToken(token);
    const browser = services.operation.readBrowser(ctx.req);
    if (browser.session === undefined || ctx.get('Authorization') !== '') return undefined;
    refuseOtherPages(browser);
    ctx.state.isFromConsole = true;
    return authenticateSession(browser.session);
  };
};

const bearerOf = (ctx: ApiContext): string | undefined =>
  /^Bearer +([\w.~+/-]{1,200}=*) *$/i.exec(ctx.get('Authorization'))?.[1];

/**
 * Refuses an `X-Number-Id` that names another number than the key's own. An absent or empty header and `null` mean the
 * key's own number.
 */
const refuseOtherNumber = (named: string, number: CallableNumber): void => {
  const id = named.trim().toLowerCase();
  if (id === '' || id === 'null' || id === number.id) return;
  throw new Refusal('number_mismatch', 'X-Number-Id names another number than the one this key belongs to.');
};
