/** Signs in and out, in all tabs of this browser. */
import { createClient } from '#src/client/client.ts';
import { Problem, requestOnce } from './api/request.ts';
import { forgetKeys } from './known-keys.ts';
import { isNobody, isSignedIn, type LinkRefusal } from './session.ts';

/**
 * Client whose refused requests fail at once, because without a session the user cannot sign in again to retry them.
 */
const client = createClient({ baseUrl: '', fetch: requestOnce });

type News = 'signed-in' | 'signed-out';

const otherTabs = new BroadcastChannel('trunkline.session');

const tell = (news: News): void => otherTabs.postMessage(news);

/** Reads the session from the gateway. Throws `Unreachable`. */
export const learnSession = async (refusedLink: LinkRefusal | null = null): Promise<void> => {
  try {
    isSignedIn(await client.getCurrentToken());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    isNobody(refusedLink);
  }
};

/** Signs in. Throws a `Problem` for an invalid admin token, or `Unreachable`. */
export const signIn = async (token: string): Promise<void> => {
  await client.signIn({ body: { token } });
  await learnSession();
  tell('signed-in');
};

/** Opens a sign-in link. An error is shown on the sign-in page, unless the user is already signed in. */
export const openSignInLink = async (code: string): Promise<void> => {
  try {
    await client.signIn({ body: { code } });
  } catch (error) {
    if (error instanceof Problem) return learnSession(error.code ?? '');
    throw error;
  }
  await learnSession();
  tell('signed-in');
};

const leave = (): void => {
  forgetKeys();
  isNobody();
  tell('signed-out');
};

export const signOut = async (): Promise<void> => {
  await client.signOut();
  leave();
};

/** Ends all sessions of the same token in all browsers. */
export const signOutEverywhere = async (): Promise<void> => {
  await client.signOutEverywhere();
  leave();
};

otherTabs.addEventListener('message', ({ data }: MessageEvent<News>) => {
  forgetKeys();
  if (data === 'signed-out') isNobody();
  // If the gateway is unreachable now, the page's next request detects the change of the session.
  else learnSession().catch(() => undefined);
});
