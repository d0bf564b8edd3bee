import { checkToken } from '../api.ts';
import { Problem } from '../api/request.ts';
import { texts } from '../language/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FormBody, TextField } from '../parts/field.tsx';
import { useForm, wrongField } from '../parts/form.ts';
import { LanguageChoice, Mark } from '../parts/frame.tsx';
import { signIn, signOut } from '../session.ts';

const useSignIn = () =>
  useForm({ token: '' }, async ({ token }) => {
    const given = token.trim();
    const t = texts.value.shell.signIn;
    if (given === '') throw wrongField('token', t.missing);
    try {
      await checkToken(given);
    } catch (error) {
      if (error instanceof Problem && error.status === 401) throw wrongField('token', t.refused);
      throw error;
    }
    signIn(given);
  });

const TokenForm = () => {
  const t = texts.value.shell.signIn;
  const form = useSignIn();
  return (
    <FormBody form={form} submit={t.submit} saved={null} isForAll>
      <TextField form={form} name="token" type="password" label={t.token} hint={t.hint} />
    </FormBody>
  );
};

export const SignIn = () => {
  const t = texts.value.shell.signIn;
  return (
    <main class="sign-in">
      <div class="brand">
        <Mark />
        Trunkline
      </div>
      <h1>{t.title}</h1>
      <p class="lead">{t.lead}</p>
      <TokenForm />
      <LanguageChoice />
    </main>
  );
};

/** Over the page, which stays as it is and goes on when the next token is accepted. */
export const SignInAgain = () => {
  const t = texts.value.shell;
  return (
    <Dialog title={t.signIn.again}>
      <p>{t.signIn.againLead}</p>
      <TokenForm />
      <button type="button" class="quiet" onClick={signOut}>
        {t.signOut}
      </button>
    </Dialog>
  );
};
