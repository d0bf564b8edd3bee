import * as z from 'zod';
import { longestSessionSec } from '#src/administration/console-sessions.ts';
import { numberKeyStart } from '#src/administration/new-key.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { ApiServices } from '../api-services.ts';
import { cookieOf, type Browser } from '../http/browser.ts';
import { defineRoute } from '../http/route.ts';
import { refuseOtherPages } from './refuse-other-pages.ts';

const signInRequest = z.union([
  z.strictObject({
    token: z.string().max(200).meta({ description: 'An admin token.', example: 'gw_admin_…' }),
  }),
  z.strictObject({
    code: z.string().max(100).meta({ description: 'The code of a sign-in link, after its last `/`.' }),
  }),
]);

/** Returns the admin token for a sign-in request; undefined for an invalid token or code. */
const ownerOf = async (
  services: ApiServices,
  request: z.output<typeof signInRequest>,
  { isOnThisMachine }: Browser,
): Promise<{ id: string; workspaceId: string } | undefined> => {
  if ('code' in request) {
    if (isOnThisMachine) return services.directory.openSignInLink(request.code);
    throw new Refusal(
      'not_on_this_machine',
      'A sign-in link can be opened on the machine of the gateway alone, at 127.0.0.1 or localhost. From elsewhere, sign in with an admin token.',
    );
  }
  const admin = await services.directory.authenticateToken(request.token);
  return admin && { id: admin.id, workspaceId: admin.workspace.id };
};

const refusalOf = (request: z.output<typeof signInRequest>): Refusal =>
  'token' in request && request.token.startsWith(numberKeyStart)
    ? new Refusal(
        'number_key_given',
        'This is the key of a number, which places calls. Signing in takes an admin token: it begins with gw_admin_.',
      )
    : new Refusal('unauthorized', 'This token is unknown here, was revoked, or is past its end.');

export const signIn = defineRoute({
  method: 'post',
  path: '/console/session',
  operationId: 'signIn',
  tag: 'Console',
  summary: 'Sign a browser in',
  description:
    'With an admin token, or with the code of a one-time sign-in link. The session is a cookie that scripts cannot read, for the pages of this gateway only; it ends after 30 days, after a week without use, and with its token. Programs send the token itself.',
  auth: 'none',
  body: signInRequest.meta({ example: { token: 'gw_admin_…' } }),
  responses: { 204: { description: 'Signed in; `Set-Cookie` has the session.' } },
  refusals: [
    'unauthorized',
    'number_key_given',
    'not_from_console',
    'not_on_this_machine',
    'sign_in_link_used',
    'sign_in_link_expired',
    'rate_limited',
    'service_unavailable',
  ],
}).handledBy(async ({ body, browser, countFailure }, services) => {
  refuseOtherPages(browser);
  const owner = await ownerOf(services, body, browser).catch(async (error: unknown) => {
    if (error instanceof Refusal) await countFailure();
    throw error;
  });
  if (owner === undefined) {
    await countFailure();
    throw refusalOf(body);
  }
  const secret = await services.directory.beginSession(owner, 'code' in body ? 'link' : 'token');
  return { status: 204, headers: { 'Set-Cookie': cookieOf(secret, longestSessionSec, browser) } };
});
