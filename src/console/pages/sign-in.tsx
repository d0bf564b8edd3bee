import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Problem } from '../api/request.ts';
import { texts } from '../language/language.ts';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FormBody, TextField } from '../parts/field.tsx';
import { useForm, wrongField } from '../parts/form.ts';
import { ConnectionNotice, LanguageChoice, Mark } from '../parts/frame.tsx';
import { CopyButton } from '../parts/secret.tsx';
import { usePolled } from '../polled.ts';
import type { LinkRefusal } from '../session.ts';
import { linkTo, replacePage } from '../shown-page.ts';
import { learnSession, openSignInLink, signIn, signOut } from '../signing.ts';

/** Command that creates another sign-in link. */
const linkCommand = 'npm run admin -- sign-in-link';

const LinkCommand = ({ words }: { words: string }) => (
  <div class="link-hint">
    {words}
    <div class="command">
      <code>{linkCommand}</code>
      <CopyButton read={() => linkCommand} />
    </div>
  </div>
);

const useSignIn = () =>
  useForm(
    { token: '' },
    async ({ token }) => {
      const given = token.trim();
      const t = texts.value.shell.signIn;
      if (given === '') throw wrongField('token', t.missing);
      try {
        await signIn(given);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error.code === 'number_key_given') throw wrongField('token', t.numberKey);
        // A text that exceeds the maximum length is reported as an invalid token, too.
        if (error.status === 401 || error.code === 'invalid_request') throw wrongField('token', t.refused);
        throw error;
      }
    },
    { isStored: false },
  );

const TokenForm = () => {
  const t = texts.value.shell.signIn;
  const form = useSignIn();
  // The only field of the page; a dialog gives it the focus by itself.
  useEffect(() => form.ref.current?.querySelector('input')?.focus(), []);
  return (
    <FormBody form={form} submit={t.submit} saved={null} isForAll>
      <TextField form={form} name="token" type="password" label={t.token} hint={t.hint} />
    </FormBody>
  );
};

const Card = ({ children }: { children: ComponentChildren }) => (
  <main class="sign-in">
    <div class="brand">
      <Mark />
      Trunkline
    </div>
    {children}
    <LanguageChoice />
  </main>
);

/** Message during a request to the gateway, which is retried after a lost connection. */
const Waiting = ({ words }: { words: string }) => (
  <Card>
    <p role="status">{words}</p>
    <ConnectionNotice />
  </Card>
);

export const FindSession = () => {
  usePolled('session', learnSession);
  return <Waiting words={texts.value.shell.signIn.finding} />;
};

/** Redeems the code of a sign-in link. The code is removed from the address after the attempt. */
export const OpenLink = ({ code }: { code: string }) => {
  usePolled(code, async () => {
    await openSignInLink(code);
    replacePage(linkTo('overview'));
  });
  return <Waiting words={texts.value.shell.signIn.opening} />;
};

const RefusedLink = ({ code }: { code: LinkRefusal }) => {
  const t = texts.value.shell.signIn.link;
  const words: Readonly<Record<string, string>> = {
    sign_in_link_used: t.used,
    sign_in_link_expired: t.expired,
    not_on_this_machine: t.elsewhere,
  };
  return (
    <p class="notice" role="alert">
      {words[code] ?? t.failed}
    </p>
  );
};

export const SignIn = ({ refusedLink }: { refusedLink: LinkRefusal | null }) => {
  const t = texts.value.shell.signIn;
  return (
    <Card>
      <h1>{t.title}</h1>
      <p class="lead">{t.lead}</p>
      {refusedLink !== null && <RefusedLink code={refusedLink} />}
      <TokenForm />
      {refusedLink !== 'not_on_this_machine' && (
        <LinkCommand words={refusedLink === null ? t.linkHint : t.link.another} />
      )}
    </Card>
  );
};

/** Overlay that keeps the page's contents until a token is accepted. */
export const SignInAgain = () => {
  const t = texts.value.shell;
  return (
    <Dialog title={t.signIn.again}>
      <p>{t.signIn.againLead}</p>
      <TokenForm />
      <LinkCommand words={t.signIn.linkHint} />
      <Action isForAll label={t.signOut} act={signOut} />
    </Dialog>
  );
};
