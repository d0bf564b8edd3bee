import {
  createSessionAuthentication,
  finishSession,
  finishSessionsOf,
} from '#src/administration/console-sessions.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { administratorOf } from '../audit.ts';
import { cookieOf } from '../browser.ts';
import { defineRoute } from '../route.ts';
import { refuseOtherPages } from './refuse-other-pages.ts';

export const signOut = defineRoute({
  method: 'delete',
  path: '/console/session',
  operationId: 'signOut',
  tag: 'Console',
  summary: 'Sign this browser out',
  description: 'Ends its session, and takes the cookie away. One that is over already is none the worse.',
  auth: 'none',
  responses: { 204: { description: 'Signed out.' } },
  refusals: ['not_from_console', 'service_unavailable'],
}).handledBy(async ({ browser }, services) => {
  refuseOtherPages(browser);
  if (browser.session !== undefined) await finishSession(services, browser.session);
  return { status: 204, headers: { 'Set-Cookie': cookieOf(null, 0, browser) } };
});

export const signOutEverywhere = defineRoute({
  method: 'delete',
  path: '/console/sessions',
  operationId: 'signOutEverywhere',
  tag: 'Console',
  summary: 'Sign every browser out',
  description:
    'Ends every session that was begun with the same admin token as that of this browser. The token itself stays good.',
  auth: 'none',
  responses: { 204: { description: 'They are over.' } },
  refusals: ['unauthorized', 'not_from_console', 'rate_limited', 'service_unavailable'],
}).handledBy(async ({ browser, countFailure }, services) => {
  refuseOtherPages(browser);
  const admin = browser.session && (await createSessionAuthentication(services)(browser.session));
  if (!admin) {
    await countFailure();
    throw new Refusal('unauthorized', 'Nobody is signed in here.');
  }
  await finishSessionsOf(administratorOf(services, admin), admin.id);
  return { status: 204, headers: { 'Set-Cookie': cookieOf(null, 0, browser) } };
});
