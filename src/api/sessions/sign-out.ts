import { finishSessionsOf } from '#src/administration/console-sessions.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { cookieOf } from '../http/browser.ts';
import { defineRoute } from '../http/route.ts';
import { refuseOtherPages } from './refuse-other-pages.ts';

export const signOut = defineRoute({
  method: 'delete',
  path: '/console/session',
  operationId: 'signOut',
  tag: 'Console',
  summary: 'Sign this browser out',
  description: 'Ends its session and removes the cookie. Idempotent.',
  auth: 'none',
  responses: { 204: { description: 'Signed out.' } },
  refusals: ['not_from_console', 'service_unavailable'],
}).handledBy(async ({ browser }, services) => {
  refuseOtherPages(browser);
  if (browser.session !== undefined) await services.directory.finishSession(browser.session);
  return { status: 204, headers: { 'Set-Cookie': cookieOf(null, 0, browser) } };
});

export const signOutEverywhere = defineRoute({
  method: 'delete',
  path: '/console/sessions',
  operationId: 'signOutEverywhere',
  tag: 'Console',
  summary: 'Sign every browser out',
  description:
    "Ends all sessions that were started with the same admin token as this browser's. The token itself stays valid.",
  auth: 'none',
  responses: { 204: { description: 'The sessions have ended.' } },
  refusals: ['unauthorized', 'not_from_console', 'rate_limited', 'service_unavailable'],
}).handledBy(async ({ browser, countFailure }, services) => {
  refuseOtherPages(browser);
  const admin = browser.session && (await services.directory.authenticateSession(browser.session));
  if (!admin) {
    await countFailure();
    throw new Refusal('unauthorized', 'Nobody is signed in here.');
  }
  await finishSessionsOf(services.directory.administrator(admin), admin.id);
  return { status: 204, headers: { 'Set-Cookie': cookieOf(null, 0, browser) } };
});
