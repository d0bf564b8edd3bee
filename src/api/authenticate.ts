/** Authentication of requests (guides/design/wire.md, "Authentication"). */
import {
  createAdminAuthentication,
  type AuthenticatedAdmin,
} from '#src/administration/admin-authentication.ts';
import { createSessionAuthentication } from '#src/administration/console-sessions.ts';
import type { CallableNumber } from '#src/calls/live/number-authentication.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { ApiContext } from './context.ts';
import { createCounter, createLimit, type Counter } from './rate-limit.ts';
import { refuseOtherPages } from './sessions/refuse-other-pages.ts';
import type { ApiServices } from './api-services.ts';

/**
 * The callers that a route may ask for: the key of a number, an admin token of the role `admin`, or one of any role.
 * Whatever changes something or shows a secret is for `admin`.
 */
export type CallerOf = {
  number: CallableNumber;
  admin: AuthenticatedAdmin;
  viewer: AuthenticatedAdmin;
  none: null;
};

export type Auth = keyof CallerOf;

/** Needs of a route that change who is believed. */
export type RouteNeeds = {
  /**
   * It can be done without the database. While that does not answer, a key is then believed that was good for a call
   * held here when the database was last asked.
   */
  needsNoDatabase: boolean;
};

/** Lets a caller in, or refuses with 401, 403 or 429. */
export type Authenticators = { [A in Auth]: (ctx: ApiContext, needs: RouteNeeds) => Promise<CallerOf[A]> };

export type Authentication = Authenticators & {
  /** Whether the key or token of somebody who was let in is still good. Counts nothing. */
  isStillValid: (ctx: ApiContext, auth: Auth) => Promise<boolean>;
  /** One more token of nobody; refuses with 429 beyond the limit of its address. */
  countFailure: (ctx: ApiContext) => Promise<void>;
};

/** `failureCounter` counts tokens of nobody, by the address that they come from. */
export const createAuthentication = (services: ApiServices, failureCounter: Counter): Authentication => {
  const { authenticateNumber, clientAddress, limits } = services;
  const findAdmin = createAdminSearch(services);
  const perKey = createLimit(createCounter('key', limits.perKey, services));
  const failures = createLimit(failureCounter);
  /** A valid key is never held up by somebody else's failures behind the same address. */
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
 * By the token that a request brings; where it brings none, by the session of its browser. Refuses with 403 a session
 * that another page makes use of.
 */
const createAdminSearch = (
  services: ApiServices,
): ((ctx: ApiContext) => Promise<AuthenticatedAdmin | undefined>) => {
  const byToken = createAdminAuthentication(services);
  const bySession = createSessionAuthentication(services);
  return async (ctx) => {
    const token = bearerOf(ctx);
    if (token !== undefined) return byToken(token);
    const browser = services.readBrowser(ctx.req);
    if (browser.session === undefined || ctx.get('Authorization') !== '') return undefined;
    refuseOtherPages(browser);
    return bySession(browser.session);
  };
};

const bearerOf = (ctx: ApiContext): string | undefined =>
  /^Bearer +([\w.~+/-]{1,200}=*) *$/i.exec(ctx.get('Authorization'))?.[1];

/** Absent, empty and `null` mean the key's own number. */
const refuseOtherNumber = (named: string, number: CallableNumber): void => {
  const id = named.trim().toLowerCase();
  if (id === '' || id === 'null' || id === number.id) return;
  throw new Refusal('number_mismatch', 'X-Number-Id names another number than the one this key belongs to.');
};
