import { useState } from 'preact/hooks';
import { createToken } from '../api.ts';
import { texts } from '../language/language.ts';
import { ChoiceField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { useForm, wrongField } from '../parts/form.ts';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { go, linkTo } from '../shown-page.ts';

/** Selectable lifetimes of a token in days. */
const lifetimes = [7, 30, 90, 365];

export const NewTokenPage = () => {
  const t = texts.value.tokens;
  const [made, setMade] = useState<{ name: string; token: string }>();
  const form = useForm({ name: '', role: 'viewer', days: '90' }, async ({ name, role, days }) => {
    if (name.trim() === '') throw wrongField('name', 'This is required.');
    setMade(
      await createToken({
        name,
        role: role === 'admin' ? 'admin' : 'viewer',
        expires_in_days: days === '' ? null : Number(days),
      }),
    );
  });
  return (
    <Page title={t.add} lead={t.lead} back={{ to: linkTo('tokens'), label: texts.value.shell.nav.tokens }}>
      <section class="card narrow">
        {made !== undefined ? (
          <Secret label={made.name} value={made.token} onDone={() => go(linkTo('tokens'))} />
        ) : (
          <FormBody form={form} submit={t.create} saved={null}>
            <TextField form={form} name="name" label={t.name} hint={t.nameHint} />
            <ChoiceField
              form={form}
              name="role"
              label={t.role}
              choices={(['viewer', 'admin'] as const).map((value) => ({
                value,
                label: t.roles[value],
                hint: t.roleHints[value],
              }))}
            />
            <SelectField
              form={form}
              name="days"
              label={t.ends}
              options={[
                ...lifetimes.map((days): [string, string] => [String(days), t.inDays(days)]),
                ['', t.never],
              ]}
            />
          </FormBody>
        )}
      </section>
    </Page>
  );
};
