/** A browser at the API: the headers that it sends by itself, and those of the console. */
import { makeSignInLink } from '#src/administration/console-sessions.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { systemClock } from '#src/clocks.ts';
import { findAdminToken } from '#src/persistence/workspaces/admin-tokens.ts';
import { apiClient, type ApiResponse } from '#test/helpers/api-client.ts';
import { sealing, type FakeGateway } from './fake-gateway.ts';

export const sessionPath = '/console/session';
export const everywherePath = '/console/sessions';
export const numbersPath = '/api/v1/admin/numbers';

/** Headers that the console sends with each request, and the browser by itself. */
export const byConsole = { 'x-trunkline-console': '1', 'sec-fetch-site': 'same-origin' };

export const cookieIn = ({ headers }: ApiResponse): string => headers.get('set-cookie')?.split(';')[0] ?? '';

export const signIn = (
  gateway: Pick<FakeGateway, 'baseUrl'>,
  body: object,
  headers = {},
): Promise<ApiResponse> => apiClient(gateway.baseUrl).post(sessionPath, body, { ...byConsole, ...headers });

/** A browser that signed in with a pasted token. */
export const browserOf = async (gateway: FakeGateway, token = gateway.adminToken) => {
  const answer = await signIn(gateway, { token });
  const cookie = cookieIn(answer);
  const client = apiClient(gateway.baseUrl);
  return {
    answer,
    cookie,
    send: (method: string, path: string, headers: Record<string, string> = byConsole, body?: unknown) =>
      client.send(method, path, { headers: { cookie, ...headers }, ...(body === undefined ? {} : { body }) }),
    get: async (path = numbersPath) => (await client.get(path, { cookie, ...byConsole })).status,
  };
};

/** A clock that the test controls. */
export const turnedClock = () => {
  let aheadMs = 0;
  const clock: ApiServices['operation']['clock'] = { ...systemClock, now: () => systemClock.now() + aheadMs };
  return { clock, turn: (seconds: number) => (aheadMs += seconds * 1_000) };
};

export const tokenId = async ({ database, adminToken }: FakeGateway): Promise<string> =>
  (await findAdminToken(database, sealing, adminToken))?.id ?? '';

export const makeLink = async (gateway: FakeGateway) => {
  const { database, baseUrl } = gateway;
  const link = await makeSignInLink(
    { database, sealing, clock: systemClock },
    await tokenId(gateway),
    `${baseUrl}/`,
  );
  return { link, code: link.slice(link.lastIndexOf('/') + 1) };
};
