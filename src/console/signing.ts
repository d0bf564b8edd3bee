/** Signing in and out, in all tabs of this browser at once. */
import { createClient } from '#src/client/client.ts';
import { Problem, requestOnce } from './api/request.ts';
import { forgetKeys } from './known-keys.ts';
import { isNobody, isSignedIn, type LinkRefusal } from './session.ts';

/** What it asks is refused where it is refused: nobody can sign in again for it. */
const client = createClient({ baseUrl: '', fetch: requestOnce });

type News = 'signed-in' | 'signed-out';

const otherTabs = new BroadcastChannel('trunkline.session');

const tell = (news: News): void => otherTabs.postMessage(news);

/** Asks the gateway who is signed in. Throws `Unreachable`. */
export const learnSession = async (refusedLink: LinkRefusal | null = null): Promise<void> => {
  try {
    isSignedIn(await client.getCurrentToken());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    isNobody(refusedLink);
  }
};

/** Throws a `Problem` for a token that is none of an admin's, or `Unreachable`. */
export const signIn = async (token: string): Promise<void> => {
  await client.signIn({ body: { token } });
  await learnSession();
  tell('signed-in');
};

/** Why it does not sign in is shown where somebody signs in, unless they are signed in already. */
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

/** In every browser that is signed in by the same token. */
export const signOutEverywhere = async (): Promise<void> => {
  await client.signOutEverywhere();
  leave();
};

otherTabs.addEventListener('message', ({ data }: MessageEvent<News>) => {
  forgetKeys();
  if (data === 'signed-out') isNobody();
  // Where the gateway does not answer just now, the next request of a page finds out.
  else learnSession().catch(() => undefined);
});
